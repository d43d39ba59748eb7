//! The Pareto front of the players of some results, and the table that has it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;

use super::contestants::{Contestant, contestants, tested, value};
use super::doubts::refusal;
use super::may_stop::MayStop;
use crate::compare::front::{Axis, Front, pareto_front};
use crate::compare::published::PUBLISHED;
use crate::compare::question::Question;
use crate::compare::time::LEAST_GAMES;
use crate::measure::Measure;
use crate::record::Timed;
use crate::results::store::read::Results;
use crate::results::tables::leaderboard;
use crate::results::tables::{MS_PER_MOVE, WIN_RATE};
use crate::table::{Row, Table};
use crate::tally::LEVEL;
use crate::text::listed;

/// The players of one folder of results by their names, each with its place by strength and speed.
pub type Fronts = BTreeMap<String, Front>;

/// The places of all players of some results, folder by folder. A player without games has none,
/// and nobody has if the games of a folder are not there.
pub fn fronts_of_results(results: &[Results], by: Measure) -> anyhow::Result<Vec<Fronts>> {
    let mut all = vec![Fronts::new(); results.len()];
    if !results.iter().all(Results::has_games) {
        return Ok(all);
    }
    let contestants = contestants(results, &[by])?;
    let played: Vec<usize> = (0..contestants.len()).filter(|&one| contestants[one].games() > 0).collect();
    for (&place, front) in played.iter().zip(of_played(results, &contestants, &played, by)) {
        let Contestant { results, name, .. } = &contestants[place];
        all[*results].insert(name.clone(), front);
    }
    Ok(all)
}

fn of_played(results: &[Results], contestants: &[Contestant], played: &[usize], by: Measure) -> Vec<Front> {
    let are_of_one_run = |one: usize, other: usize| contestants[one].results == contestants[other].results;
    let may_be_apart = refusal(results, &[Measure::MsPerMove]).is_none();
    // What a stop has decided is an answer to its question alone.
    let stop = |place: usize| MayStop::of(&results[place]).map(|_| MayStop { settled: None });
    let p = |one: usize, other: usize, axis: Axis, margin: Option<f64>| {
        let (one, other) = (played[one], played[other]);
        // A look that was not announced answers nothing.
        if [one, other].iter().any(|&one| is_unfinished(&results[contestants[one].results])) {
            return 1.0;
        }
        let by = match axis {
            Axis::Strength => by,
            Axis::Speed if may_be_apart || are_of_one_run(one, other) => Measure::MsPerMove,
            Axis::Speed => return 1.0,
        };
        // Games may have ended a run by what they showed: not all measures have a test that holds
        // then, and none across runs.
        let may_stop = [one, other].iter().any(|&one| stop(contestants[one].results).is_some());
        if may_stop && !by.is_time() && !(by.holds_at_every_look() && are_of_one_run(one, other)) {
            return 1.0;
        }
        let question = Question { by, level: LEVEL, margin, sequential: false, earlier: 0 };
        tested(contestants, (one, other), question, &stop).p_of_yes()
    };
    let number = |one: usize, by: Measure| value(&contestants[one], by, LEVEL).map(|number| number.value);
    let places: Vec<[f64; 2]> = played
        .iter()
        .map(|&one| {
            let strength = number(one, by).map(|value| if by == Measure::Score { value.ln() } else { value });
            let speed = number(one, Measure::MsPerMove).map(|ms| -ms.ln());
            [strength, speed].map(|place| place.unwrap_or(f64::NEG_INFINITY))
        })
        .collect();
    pareto_front(&places, LEVEL, &p)
}

/// True if the results are a look at a run that goes on.
fn is_unfinished(results: &Results) -> bool {
    results.set.partial().is_some_and(|partial| !partial.is_whole)
}

/// The reasons why tests are missing from the front of these results, in sentences, except for too
/// few games.
pub(crate) fn missing_tests(results: &[Results], by: Measure) -> Vec<&'static str> {
    let mut reasons = Vec::new();
    if results.iter().any(is_unfinished) {
        reasons.push("The front of an unfinished run is not tested, so its players are open.");
    }
    if !by.holds_at_every_look() && results.iter().any(|results| MayStop::of(results).is_some()) {
        reasons.push("A run that may stop early has no test of scores.");
    }
    reasons
}

/// Notes below a leaderboard, or below some rows of it: reasons why players are open, and times that
/// include the rules.
pub fn notes(results: &Results, board: &Table) -> anyhow::Result<Vec<String>> {
    let mut notes = Vec::new();
    if board.rows().any(|row| row.count("games").is_some_and(|games| (1..LEAST_GAMES).contains(&games))) {
        notes.push(format!(
            "Times are compared from {LEAST_GAMES} games on, so players whose place depends on time are open."
        ));
    }
    let missing = missing_tests(std::slice::from_ref(results), Measure::Score);
    notes.extend(missing.into_iter().map(str::to_owned));
    let times = results.table(MS_PER_MOVE)?;
    let includes_rules = |row: &Row| Timed::of(row.words("timed")).is_some_and(Timed::includes_rules);
    let with_rules: BTreeSet<String> = times
        .iter()
        .flat_map(Table::rows)
        .filter(includes_rules)
        .map(|row| row.words("player").to_owned())
        .collect();
    let named: Vec<&str> =
        board.rows().map(|row| row.words("player")).filter(|&name| with_rules.contains(name)).collect();
    notes.extend(match named.len() {
        0 => None,
        1 => Some(format!("The time of {} includes the rules.", named[0])),
        _ => Some(format!("The times of {} include the rules.", listed(&named, MOST_NAMED))),
    });
    Ok(notes)
}

/// The most players that a note or a caption names.
pub(crate) const MOST_NAMED: usize = 8;

/// Strength and price of the players of a game of one.
pub fn leaderboard(results: &Results) -> anyhow::Result<Table> {
    let rates = results
        .table(WIN_RATE)?
        .context("only games of one have a leaderboard: players of two are rated in `elo`")?;
    let times = results.table(MS_PER_MOVE)?.with_context(|| format!("there is no table `{MS_PER_MOVE}`"))?;
    let facts = results.set.arenas().iter().flat_map(|arena| arena.facts).map(|fact| fact.table);
    let fact = facts.map(|name| results.table(name)).find_map(Result::transpose).transpose()?;
    let fronts = fronts_of_results(std::slice::from_ref(results), Measure::Score)?;
    let offered = results.manifest().command.offered();
    Ok(leaderboard::table(&leaderboard::Sources {
        rates: &rates,
        times: &times,
        front: &fronts[0],
        fact: fact.as_ref(),
        published: results.table(PUBLISHED)?.as_ref(),
        command: &|player| offered.as_ref().and_then(|made| made.of_player(player)).unwrap_or_default(),
    }))
}
