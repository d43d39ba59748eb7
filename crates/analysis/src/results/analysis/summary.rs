//! Summary at the end of a run, in a few lines: the leader, and how sure that is. The page uses the
//! same comparisons.

use std::collections::BTreeMap;
use std::slice;

use anyhow::Context;
use gauntlet_core::game::Shape;
use gauntlet_core::table::{AnswerText, TypedRow};

use super::contestants::read_contestants;
use super::leader;
use super::pairwise::{compare_leader, is_claimed, leader_measures};
use super::standing::{Standing, StrengthMeasure, rank_standings, read_standings};
use crate::answer::headline::Headline;
use crate::compare::comparison::Comparison;
use crate::compare::finding::Effect;
use crate::compare::question::Conclusion;
use crate::compare::verdict::Verdict;
use crate::results::store::read::Results;
use crate::results::tables::SUMS_OF_PLAYERS;
use crate::results::tables::times::MoveTimeRow;

/// Largest product of games per player and pairs of players that are compared without a request:
/// that takes a second.
const MAX_QUICK_COMPARISONS: u64 = 20_000_000;

/// Largest number of games that are read for this: that takes a second, too.
const MAX_QUICK_GAMES: u64 = 1_000_000;

/// Summary of a run.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    pub sentences: Vec<String>,
    /// Comparison of the leader with the next player, if it was tested and no claim answers it.
    pub runner_up_answer: Option<AnswerText>,
    /// The leader, if there is one.
    pub leader: Option<String>,
    /// Results of the tests of the leader against each other player; empty if there were none.
    pub conclusions: BTreeMap<String, Conclusion>,
    /// True if it is open which player is best.
    pub is_open: bool,
    /// True if more games would narrow the interval of an inconclusive comparison.
    pub can_narrow: bool,
    /// True if there are too many players or games to compare them without a request.
    pub is_untested: bool,
}

impl RunSummary {
    /// Summarizes these results.
    pub fn new(results: &Results) -> anyhow::Result<RunSummary> {
        let [solo_table, duel_table] = SUMS_OF_PLAYERS;
        let is_duel = results.experiment.arena().shape == Shape::Duel;
        let table_name = if is_duel { duel_table } else { solo_table };
        let rates =
            results.table(table_name)?.with_context(|| format!("the table `{table_name}` is missing"))?;
        let unsorted = read_standings(&rates, results.table(MoveTimeRow::NAME)?.as_ref());
        let measure = StrengthMeasure::choose(&unsorted);
        let standings = rank_standings(unsorted, measure);
        let mut headline = leader::headline_of_results(results, &standings, measure);
        let is_over = results.snapshot.partial().is_none_or(|partial| partial.is_whole);
        let is_untested = standings.len() > 1 && !is_quick(&standings);
        let mut tests = Vec::new();
        if standings.len() > 1 && !is_untested && results.has_games() {
            let results = slice::from_ref(results);
            tests = compare_leader(&read_contestants(results, leader_measures(results))?);
        }
        headline.conclude_from_tests(&tests);
        let conclusions: BTreeMap<String, Conclusion> =
            tests.iter().map(|test| (test.rival.clone(), test.conclusion())).collect();
        Ok(RunSummary {
            sentences: describe_lead(&headline, is_over)
                .into_iter()
                .chain(time_caveats(&standings))
                .collect(),
            runner_up_answer: tests
                .first()
                .filter(|test| !is_claimed(results, test))
                .map(compare_with_second),
            leader: standings.first().filter(|one| one.name == headline.subject).map(|one| one.name.clone()),
            is_open: standings.len() > 1
                && conclusions.values().any(|&conclusion| conclusion != Conclusion::Yes),
            can_narrow: tests.iter().any(can_narrow),
            conclusions,
            is_untested,
        })
    }
}

/// Returns true if all pairs of these players can be compared quickly. The tests of the leader are
/// corrected for all of them.
fn is_quick(players: &[Standing]) -> bool {
    let count = players.len() as u64;
    let games = players.iter().map(|one| one.games);
    let pairs = count * (count - 1) / 2;
    let max_games = games.clone().max().unwrap_or(0);
    games.sum::<u64>() <= MAX_QUICK_GAMES && max_games.saturating_mul(pairs) <= MAX_QUICK_COMPARISONS
}

/// Formats the headline, and how sure it is.
fn describe_lead(headline: &Headline, is_over: bool) -> Vec<String> {
    let so_far = if is_over { "" } else { "So far " };
    let statement = match &*headline.subject {
        "" => headline.predicate.clone(),
        subject => format!("{so_far}{subject} {}.", headline.predicate),
    };
    [statement, headline.certainty.clone()].into_iter().filter(|sentence| !sentence.is_empty()).collect()
}

/// Returns true if a comparison is inconclusive and has an interval of some width: equal players
/// have none.
fn can_narrow(test: &Comparison) -> bool {
    let has_width = |effect: Effect| effect.estimate().low < effect.estimate().high;
    test.conclusion() != Conclusion::Yes && test.finding.effect.is_none_or(has_width)
}

/// Compares the leader with the next player in a line.
fn compare_with_second(test: &Comparison) -> AnswerText {
    let verdict = Verdict::from_comparison(test.conclusion()).word().to_owned();
    AnswerText { verdict, text: test.answer() }
}

/// Names what makes the times of the first two players unlike: their clocks, or that the rules are
/// included.
fn time_caveats(standings: &[Standing]) -> Vec<String> {
    let timed_players = || standings.iter().take(2).filter(|one| one.ms.is_some());
    let names_with_rules: Vec<&str> =
        timed_players().filter(|one| one.time_source.includes_rules()).map(|one| &*one.name).collect();
    let mut caveats = Vec::new();
    if !names_with_rules.is_empty() {
        caveats.push(format!("Times of {} include the rules.", names_with_rules.join(" and ")));
    }
    let clocks: Vec<(&String, &str)> =
        timed_players().map(|one| (&one.name, one.time_source.clock())).collect();
    if let [(one, clock), (other, its_clock)] = clocks[..]
        && clock != its_clock
    {
        caveats.push(format!("Times are not comparable: {one} uses {clock}, {other} {its_clock}."));
    }
    caveats
}
