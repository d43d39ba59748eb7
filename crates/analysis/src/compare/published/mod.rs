//! The table `published`: published numbers of a player, the numbers measured here, and a verdict
//! on each. `docs/METHOD.md` explains the rules.

mod measurement;
pub(crate) mod verdict;

use std::collections::BTreeMap;

use gauntlet_core::measure::{Quantity, is_rate_name};
use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_run::failing_players;
use gauntlet_run::plan::Plan;
use gauntlet_run::tally::{LEVEL, Tally};
use gauntlet_stats::{Estimate, Histogram, SampleMoments, growth_level, holm, wilson};

use self::measurement::Measurement;
use self::verdict::{Counterpart, PublishedComparison, PublishedVerdict};
use super::earlier_looks::EarlierLooks;
use crate::config::published::{ClosedRange, PublishedNumber, PublishedValue, Statistic};

/// Name of the table.
pub const PUBLISHED: &str = "published";

/// Quantiles between which a game is typical.
const MIDDLE_HALF: (f64, f64) = (0.25, 0.75);

table! {
    /// A published number beside the measured one.
    pub struct PublishedRow(PUBLISHED, Some(LEVEL)) of it: JudgedNumber<'_> {
        /// Name of the player.
        player: String, words() = it.player;
        /// Quantity, as in the experiment.
        what: String, words() = it.published.quantity.to_string();
        /// Lower end of the published range, or the published number; empty for `"some"`.
        published_from: Option<f64>, quantity_by_row("what", is_rate_name).start_of("published") =
            it.printed_range().map(ClosedRange::low);
        /// Upper end of the published range, or the published number; empty for `"some"`.
        published_to: Option<f64>, quantity_by_row("what", is_rate_name).end_of("published") =
            it.printed_range().map(ClosedRange::high);
        /// Number of games on which the published number is based; empty if unknown.
        published_games: Option<u64>, count() = it.published.games.map(u64::from);
        /// Measured number, with its 95 % interval. Times have no interval.
        measured: TableEstimate, quantity_by_row("what", is_rate_name) =
            (it.counterpart.estimate, if it.published.quantity.is_amount() { 2 } else { 6 });
        /// Number of measured games.
        games: u64, count() = it.tally.games;
        /// `reproduced`, `close`, `seen`, `compatible`, `differs`, `would differ`, `not seen`,
        /// `unclear` or `not judged`.
        verdict: String, verdict(super::verdict::Verdict::find_word) = it.verdict.table_verdict().word();
        /// With `would differ`: number of published games from which on the verdict would be
        /// `differs`.
        differs_from: Option<u64>, count().games_of("verdict") = it.verdict.games_to_contradict();
        /// Source, as in the experiment.
        source: String, words() = &*it.published.source;
        /// Probability of a difference this large if the true values are equal; empty without a
        /// test.
        p: Option<f64>, probability() = it.test_result.map(|(p, ..)| p);
        /// p, adjusted for all tests of the family.
        adjusted_p: Option<f64>, probability() = it.test_result.map(|(_, adjusted, _)| adjusted);
        /// Family, as in the experiment; empty for the family of the whole file.
        family: String, words() = it.published.family.clone().unwrap_or_default();
        /// `mean`, `median` or `typical`; empty for rates and times.
        statistic: Option<String>, words() =
            it.published.quantity.is_amount().then(|| it.published.statistic.to_string());
        /// `planned_games` of the experiment.
        planned_games: Option<u64>, count() = it.planned_games;
        /// `extended_from` of the experiment; empty if the run ended before games were added.
        extended_from: Option<u64>, count() = it.extended_from;
        /// Number of earlier answers from other numbers of games; p and bounds are corrected for
        /// them.
        earlier_answers: u64, count() = it.earlier_answers as u64;
        /// Note, as in the experiment.
        note: String, words() = it.published.note.clone().unwrap_or_default();
        /// Both numbers and the reason for the verdict, in one line.
        answer: String, answer() = it.answer();
        /// Reason for the verdict, what more games would show, and the source, in sentences.
        explanation: Option<String>, explanation() = Some(it.explanation());
    }
}

/// A judged published number: a row of the table.
pub(crate) struct JudgedNumber<'a> {
    pub(crate) player: &'a str,
    pub(crate) published: &'a PublishedNumber,
    pub(crate) tally: &'a Tally,
    pub(crate) counterpart: Counterpart<'a>,
    /// The p, the p corrected for its family, and the size of the family.
    pub(crate) test_result: Option<(f64, f64, usize)>,
    pub(crate) verdict: PublishedVerdict,
    /// Reason why the player was skipped, if it was.
    pub(crate) skip_reason: Option<&'a str>,
    pub(crate) planned_games: Option<u64>,
    pub(crate) extended_from: Option<u64>,
    /// Number of earlier answers, from other numbers of games.
    pub(crate) earlier_answers: usize,
}

impl JudgedNumber<'_> {
    /// Returns the published range, if the number is a range.
    pub(crate) fn printed_range(&self) -> Option<ClosedRange> {
        if let PublishedValue::Number(range) = self.published.value { Some(range) } else { None }
    }
}

/// Makes the table, with a row for each published number in the order of the file.
pub fn table(
    plan: &Plan,
    tallies: &[Tally],
    published: &[PublishedNumber],
    earlier_looks: &EarlierLooks,
) -> Table {
    PublishedRow::table(judge(plan, tallies, published, earlier_looks).into_iter().map(PublishedRow::new))
}

/// Judges all numbers, each together with the others of its family.
fn judge<'a>(
    plan: &'a Plan,
    tallies: &'a [Tally],
    published: &'a [PublishedNumber],
    earlier_looks: &EarlierLooks,
) -> Vec<JudgedNumber<'a>> {
    let count_earlier = |one: &PublishedNumber| earlier_looks.count_about(&[plan.players[one.player].name]);
    let find = |one: &PublishedNumber| find_counterpart(one, &tallies[one.player], count_earlier(one));
    let counterparts: Vec<Counterpart> = published.iter().map(find).collect();
    let families = Families::new(published, &counterparts);
    let judge_number =
        |(index, (published, counterpart)): (usize, (&'a PublishedNumber, Counterpart<'a>))| {
            let (tally, family) = (&tallies[published.player], families.family_of(index));
            JudgedNumber {
                player: plan.players[published.player].name,
                published,
                tally,
                test_result: family.map(|family| (family.p(), family.adjust(family.p()), family.tests.len())),
                verdict: match plan.skipped.contains_key(&published.player) {
                    true => PublishedVerdict::NotJudged,
                    false => verdict(published, &counterpart, family, tally),
                },
                skip_reason: plan
                    .skipped
                    .get(&published.player)
                    .map(|reason| failing_players::first_clause(reason)),
                counterpart,
                planned_games: plan.planned_games,
                // A run may have ended before any games were added.
                extended_from: plan.extended_from.filter(|&games| games < tally.games),
                earlier_answers: count_earlier(published),
            }
        };
    published.iter().zip(counterparts).enumerate().map(judge_number).collect()
}

/// Finds the measured number for a published one, after this number of earlier answers.
fn find_counterpart<'a>(
    published: &PublishedNumber,
    tally: &'a Tally,
    earlier_answers: usize,
) -> Counterpart<'a> {
    let level = growth_level(LEVEL, earlier_answers);
    let mut counterpart = match published.quantity {
        Quantity::Win => measure_rate(published, tally.wins, tally.games, level),
        Quantity::Reach(threshold) => measure_rate(
            published,
            tally.count_at_least(threshold.fact(), threshold.value()),
            tally.games,
            level,
        ),
        Quantity::Score => measure_amount(published, &tally.scores, level),
        Quantity::Moves => measure_amount(published, &tally.game_lengths, level),
        Quantity::MsPerMove => measure_time(tally.mean_cpu_ms()),
        Quantity::MsPerGame => {
            measure_time(tally.mean_cpu_ms().zip(tally.mean_moves()).map(|(ms, moves)| ms * moves))
        }
    };
    // Games that were cut by a limit are compared with no number.
    if tally.out_of_time > 0 {
        counterpart.comparison = None;
    }
    counterpart.comparison =
        counterpart.comparison.map(|comparison| comparison.with_earlier_answers(earlier_answers));
    counterpart
}

fn measure_rate<'a>(published: &PublishedNumber, successes: u64, games: u64, level: f64) -> Counterpart<'a> {
    let comparison = match published.value {
        PublishedValue::Number(range) if games > 0 => {
            let measurement = Measurement::Rate { successes, games };
            Some(PublishedComparison::new(measurement, range, published.games.map(Into::into)))
        }
        _ => None,
    };
    Counterpart { estimate: wilson(successes, games, level), successes, comparison }
}

fn measure_amount<'a>(published: &PublishedNumber, values: &'a Histogram, level: f64) -> Counterpart<'a> {
    let games = values.count();
    let median = Measurement::Median { values, games };
    let estimate = match published.statistic {
        Statistic::Mean => values.mean(level),
        Statistic::Median | Statistic::Typical => values.median().map(|value| {
            let (low, high) = median.interval(level).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            Estimate { value, low, high, level }
        }),
    };
    let make_comparison = |measurement: Measurement<'a>| {
        let PublishedValue::Number(range) = published.value else { return None };
        Some(PublishedComparison::new(measurement, range, published.games.map(Into::into)))
    };
    let comparison = match published.statistic {
        Statistic::Mean => SampleMoments::new(values).map(Measurement::Mean).and_then(make_comparison),
        Statistic::Median => (games > 0).then_some(median).and_then(make_comparison),
        Statistic::Typical => compare_typical(published, values),
    };
    Counterpart { estimate, successes: 0, comparison }
}

/// Compares a number that is said to be typical. It is typical if at least a quarter and at most
/// three quarters of the games are below it, here and at the source.
fn compare_typical<'a>(published: &PublishedNumber, values: &Histogram) -> Option<PublishedComparison<'a>> {
    let PublishedValue::Number(range) = published.value else { return None };
    let (below, equal) = values.count_below(range.nearest(values.median()?));
    let measurement = Measurement::Rate { successes: below + equal / 2, games: values.count() };
    let (low, high) = MIDDLE_HALF;
    Some(PublishedComparison::new(measurement, ClosedRange::new(low, high)?, None))
}

/// Returns a time, which no test compares: how much it would differ in another run or on the
/// machine of the source is unknown.
fn measure_time<'a>(ms: Option<f64>) -> Counterpart<'a> {
    Counterpart { estimate: ms.map(|ms| Estimate::unbounded(ms, LEVEL)), successes: 0, comparison: None }
}

fn verdict(
    published: &PublishedNumber,
    counterpart: &Counterpart,
    family: Option<Family>,
    tally: &Tally,
) -> PublishedVerdict {
    let was_seen = matches!(published.value, PublishedValue::Some) && counterpart.successes > 0;
    // Games that were cut are not whole games, but events in them did happen.
    if published.quantity.is_time() || (tally.out_of_time > 0 && !was_seen) {
        return PublishedVerdict::NotJudged;
    }
    match (published.value, &counterpart.comparison, family) {
        _ if tally.games == 0 => PublishedVerdict::TooFew { more_games: None, is_outside: false },
        (PublishedValue::Some, ..) if counterpart.successes > 0 => PublishedVerdict::Seen,
        (PublishedValue::Some, ..) => PublishedVerdict::NotSeen,
        (_, Some(comparison), Some(family)) => {
            comparison.verdict(|p| family.adjust(p), |p| family.adjust_as_counted(p))
        }
        _ => PublishedVerdict::TooFew { more_games: None, is_outside: false },
    }
}

/// The p of a number, and whether the number is taken as exact because it has no number of games.
type NumberTest = (f64, bool);

/// Published numbers that are judged together: those of one family that have a p.
struct Families {
    /// Family of each published number, and its index there.
    positions: Vec<Option<(usize, usize)>>,
    tests: Vec<Vec<NumberTest>>,
}

impl Families {
    fn new(published: &[PublishedNumber], counterparts: &[Counterpart]) -> Families {
        let mut family_indices: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        let mut tests: Vec<Vec<NumberTest>> = Vec::new();
        let mut positions = Vec::new();
        for (published, counterpart) in published.iter().zip(counterparts) {
            positions.push(counterpart.comparison.as_ref().map(|comparison| {
                let family = *family_indices.entry(published.family.as_deref()).or_insert_with(|| {
                    tests.push(Vec::new());
                    tests.len() - 1
                });
                tests[family].push((comparison.p(), published.games.is_none()));
                (family, tests[family].len() - 1)
            }));
        }
        Families { positions, tests }
    }

    fn family_of(&self, number: usize) -> Option<Family<'_>> {
        self.positions[number].map(|(family, index)| Family { tests: &self.tests[family], index })
    }
}

#[derive(Clone, Copy)]
struct Family<'a> {
    tests: &'a [NumberTest],
    index: usize,
}

impl Family<'_> {
    fn p(self) -> f64 {
        self.tests[self.index].0
    }

    /// Returns Holm's correction of `p` in place of the p of this number. Holm corrects for fewer
    /// numbers if some are contradicted. A number that is only taken as exact must not weaken the
    /// correction of numbers with games.
    fn adjust(self, p: f64) -> f64 {
        let (_, is_exact) = self.tests[self.index];
        self.correct(p, is_exact)
    }

    /// Returns the correction of `p` as if this number had a number of games.
    fn adjust_as_counted(self, p: f64) -> f64 {
        self.correct(p, false)
    }

    fn correct(self, p: f64, is_exact: bool) -> f64 {
        let other_p = |&(p, is_other_exact): &NumberTest| if is_other_exact && !is_exact { 1.0 } else { p };
        let mut p_values: Vec<f64> = self.tests.iter().map(other_p).collect();
        p_values[self.index] = p;
        holm(&p_values)[self.index]
    }
}

#[cfg(test)]
mod tests;
