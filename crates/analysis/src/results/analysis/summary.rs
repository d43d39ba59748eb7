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
const QUICKLY_COMPARED: u64 = 20_000_000;

/// Largest number of games that are read for this: that takes a second, too.
const QUICKLY_READ: u64 = 1_000_000;

/// Summary of a run.
#[derive(Clone, Debug, Default)]
pub struct RunSummary {
    pub sentences: Vec<String>,
    /// Comparison of the leader with the next player, if it was tested and no claim answers it.
    pub second: Option<AnswerText>,
    /// The leader, if there is one.
    pub leader: Option<String>,
    /// Results of the tests of the leader against each other player; empty if there were none.
    pub against: BTreeMap<String, Conclusion>,
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
        let [of_one, of_two] = SUMS_OF_PLAYERS;
        let is_duel = results.experiment.arena().shape == Shape::Duel;
        let sums = if is_duel { of_two } else { of_one };
        let rates = results.table(sums)?.with_context(|| format!("the table `{sums}` is missing"))?;
        let all = read_standings(&rates, results.table(MoveTimeRow::NAME)?.as_ref());
        let by = StrengthMeasure::choose(&all);
        let ranked = rank_standings(all, by);
        let mut lead = leader::headline_of_results(results, &ranked, by);
        let is_over = results.set.partial().is_none_or(|partial| partial.is_whole);
        let is_untested = ranked.len() > 1 && !is_quick(&ranked);
        let mut tests = Vec::new();
        if ranked.len() > 1 && !is_untested {
            let results = slice::from_ref(results);
            tests = compare_leader(&read_contestants(results, leader_measures(results))?);
        }
        lead.conclude_from_tests(&tests);
        let against: BTreeMap<String, Conclusion> =
            tests.iter().map(|test| (test.than.clone(), test.conclusion())).collect();
        Ok(RunSummary {
            sentences: describe_lead(&lead, is_over).into_iter().chain(time_caveats(&ranked)).collect(),
            second: tests.first().filter(|test| !is_claimed(results, test)).map(compare_with_second),
            leader: ranked.first().filter(|one| one.name == lead.who).map(|one| one.name.clone()),
            is_open: ranked.len() > 1 && against.values().any(|&shown| shown != Conclusion::Yes),
            can_narrow: tests.iter().any(can_narrow),
            against,
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
    let most = games.clone().max().unwrap_or(0);
    games.sum::<u64>() <= QUICKLY_READ && most.saturating_mul(pairs) <= QUICKLY_COMPARED
}

/// Formats the headline, and how sure it is.
fn describe_lead(lead: &Headline, is_over: bool) -> Vec<String> {
    let so_far = if is_over { "" } else { "So far " };
    let headline = match &*lead.who {
        "" => lead.says.clone(),
        who => format!("{so_far}{who} {}.", lead.says),
    };
    [headline, lead.sure.clone()].into_iter().filter(|sentence| !sentence.is_empty()).collect()
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
fn time_caveats(ranked: &[Standing]) -> Vec<String> {
    let timed = || ranked.iter().take(2).filter(|one| one.ms.is_some());
    let rules = timed().filter(|one| one.timed.includes_rules());
    let mut caveats: Vec<String> =
        rules.map(|one| format!("Times of {} include the rules.", one.name)).collect();
    let clocks: Vec<(&String, &str)> = timed().map(|one| (&one.name, one.timed.clock())).collect();
    if let [(one, clock), (other, its_clock)] = clocks[..]
        && clock != its_clock
    {
        caveats.push(format!("Times are not comparable: {one} uses {clock}, {other} {its_clock}."));
    }
    caveats
}
