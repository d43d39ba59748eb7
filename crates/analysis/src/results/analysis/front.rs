//! The Pareto front of the players of some results, and the leaderboard that shows it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use gauntlet_core::measure::Measure;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_core::text::list_names;
use gauntlet_run::tally::LEVEL;

use super::contestants::{Contestant, measured_value, read_contestants};
use super::pairwise::test_pair;
use super::warnings::explain_refusal;
use crate::compare::front::{FrontAxis, FrontStatus, pareto_front};
use crate::compare::published::PUBLISHED;
use crate::compare::question::ComparisonQuestion;
use crate::compare::time::MIN_GAMES;
use crate::results::store::read::Results;
use crate::results::tables::leaderboard::{self, LEADERBOARD, LeaderboardRow};
use crate::results::tables::rates::WIN_RATE;
use crate::results::tables::times::MoveTimeRow;

/// Status on the front of the players of one folder, by name.
pub type FrontStatusMap = BTreeMap<String, FrontStatus>;

/// Tests which contestants of some results are on the front, folder by folder. Times of different
/// machines are not compared. A player without games has no status, and neither has the only
/// player.
pub fn fronts(
    results: &[Results],
    mut contestants: Vec<Contestant>,
    measure: Measure,
) -> Vec<FrontStatusMap> {
    let can_compare_runs = explain_refusal(results, &[Measure::MsPerMove]).is_none();
    let mut status_maps = vec![FrontStatusMap::new(); results.len()];
    // The decision of a stop answers only its own question.
    contestants.iter_mut().for_each(|one| one.stop = None);
    let players: Vec<usize> = (0..contestants.len()).filter(|&one| contestants[one].games > 0).collect();
    if players.len() < 2 {
        return status_maps;
    }
    let are_of_one_run =
        |[one, other]: [usize; 2]| contestants[one].results_index == contestants[other].results_index;
    let is_refused = |pair: [usize; 2], pair_measure: Measure| {
        let results_indices = pair.map(|one| contestants[one].results_index);
        let is_one_run = are_of_one_run(pair);
        // An unfinished run cannot be tested, because a look before its end was not announced.
        results_indices.iter().any(|&index| is_unfinished(&results[index]))
            || pair_measure.is_time() && !can_compare_runs && !is_one_run
            // Results may have ended the run. Then not every measure has a valid test, and no test
            // is valid across runs.
            || !pair_measure.is_time()
                && pair.iter().any(|&one| contestants[one].may_stop)
                && !(pair_measure.has_sequential_test() && is_one_run)
    };
    let statuses = find_front(&contestants, &players, measure, &is_refused);
    for (&index, status) in players.iter().zip(statuses) {
        let Contestant { results_index: results, name, .. } = &contestants[index];
        status_maps[*results].insert(name.clone(), status);
    }
    status_maps
}

/// Returns the front of these contestants. `is_refused` returns true for pairs that cannot be
/// tested by a measure.
fn find_front(
    contestants: &[Contestant],
    players: &[usize],
    measure: Measure,
    is_refused: &(impl Fn([usize; 2], Measure) -> bool + Sync),
) -> Vec<FrontStatus> {
    let p = |one: usize, other: usize, axis: FrontAxis, margin: Option<f64>| {
        let pair = [players[one], players[other]];
        let axis_measure = if axis == FrontAxis::Strength { measure } else { Measure::MsPerMove };
        if is_refused(pair, axis_measure) {
            return 1.0;
        }
        let question = ComparisonQuestion {
            measure: axis_measure,
            level: LEVEL,
            margin,
            is_sequential: false,
            earlier_answers: 0,
        };
        test_pair(contestants, pair.into(), question).uncorrected_p()
    };
    let number = |one: usize, axis_measure: Measure| {
        measured_value(&contestants[one], axis_measure, LEVEL).map(|number| number.value)
    };
    let values: Vec<[f64; 2]> = players
        .iter()
        .map(|&one| {
            let strength =
                number(one, measure).map(|value| if measure == Measure::Score { value.ln() } else { value });
            let speed = number(one, Measure::MsPerMove).map(|ms| -ms.ln());
            [strength, speed].map(|value| value.unwrap_or(f64::NEG_INFINITY))
        })
        .collect();
    pareto_front(&values, LEVEL, &p)
}

/// Returns true if the results are from an unfinished run.
fn is_unfinished(results: &Results) -> bool {
    results.snapshot.partial().is_some_and(|partial| !partial.is_whole)
}

/// Returns why tests are missing from the front of these results, in sentences, except for too few
/// games.
pub fn missing_tests(results: &[Results], measure: Measure) -> Vec<&'static str> {
    let mut reasons = Vec::new();
    if results.iter().any(is_unfinished) {
        reasons.push("The front of an unfinished run is not tested; its players are open.");
    }
    if !measure.has_sequential_test()
        && results.iter().any(|results| results.experiment.sections().stop.is_some())
    {
        reasons.push("Runs that can stop early have no test of scores.");
    }
    reasons
}

/// Returns notes below a leaderboard or some of its rows: why players are inconclusive, if the
/// front is shown, and which times include the rules. Other tables have no notes.
pub fn notes(results: &Results, board: &Table, shows_front: bool) -> anyhow::Result<Vec<String>> {
    if board.name != LEADERBOARD {
        return Ok(Vec::new());
    }
    let rows: Vec<LeaderboardRow> = board.read_rows().collect();
    let mut notes = Vec::new();
    let has_front = shows_front && rows.iter().any(|row| !row.front.is_empty());
    if has_front && rows.iter().any(|row| (1..MIN_GAMES).contains(&row.games)) {
        notes.push(format!(
            "Times are compared with {MIN_GAMES} or more games; players whose place depends on time are open."
        ));
    }
    if has_front {
        let missing = missing_tests(std::slice::from_ref(results), Measure::Score);
        notes.extend(missing.into_iter().map(str::to_owned));
    }
    let times = results.rows::<MoveTimeRow>()?.into_iter();
    let players_with_rules: BTreeSet<String> =
        times.filter(|row| row.timed.includes_rules()).map(|row| row.player).collect();
    let names: Vec<&str> =
        rows.iter().map(|row| &*row.player).filter(|&name| players_with_rules.contains(name)).collect();
    notes.extend(match names.len() {
        0 => None,
        1 => Some(format!("The time of {} includes the rules.", names[0])),
        _ => Some(format!("The times of {} include the rules.", list_names(&names, MAX_NAMED))),
    });
    Ok(notes)
}

/// Largest number of players that a note or a caption names.
pub const MAX_NAMED: usize = 8;

/// Makes the leaderboard of a solo game: strength and cost of each player.
pub fn leaderboard(results: &Results) -> anyhow::Result<Table> {
    let rates = results
        .table(WIN_RATE)?
        .context("only one-player games have a leaderboard; ratings of two-player games are in `elo`")?;
    let times = results.table(MoveTimeRow::NAME)?;
    let times = times.with_context(|| format!("no table `{}`", MoveTimeRow::NAME))?;
    let fact_tables = results.snapshot.games().iter().flat_map(|arena| arena.facts).map(|fact| fact.table);
    let fact_table = fact_tables.map(|name| results.table(name)).find_map(Result::transpose).transpose()?;
    let results_slice = std::slice::from_ref(results);
    let front = if results.has_games() {
        fronts(results_slice, read_contestants(results_slice, &[Measure::Score])?, Measure::Score)
            .swap_remove(0)
    } else {
        FrontStatusMap::new()
    };
    let shell_command = results.manifest().command.to_shell_command();
    Ok(leaderboard::table(&leaderboard::Sources {
        rates: &rates,
        times: &times,
        front_statuses: &front,
        fact_table: fact_table.as_ref(),
        published: results.table(PUBLISHED)?.as_ref(),
        command: &|player| {
            shell_command.as_ref().and_then(|command| command.player_command(player)).unwrap_or_default()
        },
    }))
}

#[cfg(test)]
mod tests {
    use gauntlet_core::record::{CalibrationRuns, TimeSource};
    use gauntlet_run::tally::player_times::{PlayerTimes, ThinkingTime};

    use super::super::contestants::tests::contestant_of_games;
    use super::*;

    /// Makes a player with this number of games, of about this score, and this time per move.
    fn player(name: &str, games: u64, score: u64, ns: u64, time_source: TimeSource) -> Contestant {
        let outcomes: Vec<_> = (0..games).map(|game| (score + game, false)).collect();
        let timed_part = |part| {
            let thinking = ThinkingTime {
                moves: 100_000,
                ns: 100_000 * (ns + part % 3),
                calibration_runs: CalibrationRuns::default(),
            };
            ((1, part), thinking)
        };
        let clock =
            PlayerTimes { strata: (0..40).map(timed_part).collect(), time_source, ..PlayerTimes::default() };
        contestant_of_games(name.to_owned(), &outcomes, Some(clock))
    }

    fn front_statuses(players: &[Contestant]) -> Vec<FrontStatus> {
        find_front(players, &[0, 1], Measure::Score, &|_, _| false)
    }

    /// The first player is stronger and faster. With another clock it is only known to be stronger.
    #[test]
    fn times_by_different_clocks_leave_the_weaker_player_open() {
        let strong = |time_source| player("strong", MIN_GAMES, 10_000, 1000, time_source);
        let weak = || player("weak", MIN_GAMES, 1000, 3000, TimeSource::Thoughts);
        assert_eq!(
            front_statuses(&[strong(TimeSource::Thoughts), weak()]),
            [FrontStatus::On, FrontStatus::Off]
        );
        assert_eq!(front_statuses(&[strong(TimeSource::Wall), weak()]), [FrontStatus::On, FrontStatus::Open]);
        // Times that include the rules are compared without correction; times of too few games are
        // not compared.
        assert_eq!(front_statuses(&[strong(TimeSource::Games), weak()]), [FrontStatus::On, FrontStatus::Off]);
        let few_games = player("few", MIN_GAMES - 1, 1000, 3000, TimeSource::Thoughts);
        assert_eq!(
            front_statuses(&[strong(TimeSource::Thoughts), few_games]),
            [FrontStatus::On, FrontStatus::Open]
        );
    }
}
