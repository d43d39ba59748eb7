//! The table `published`: published numbers of a player, the numbers measured here, and a verdict
//! on each. `docs/METHOD.md` explains the rules.

mod measured;
pub(crate) mod verdict;

use std::collections::BTreeMap;

use gauntlet_core::measure::{Quantity, is_rate_name};
use gauntlet_core::table::{Table, TableEstimate, TypedRow, table};
use gauntlet_run::failing;
use gauntlet_run::plan::Plan;
use gauntlet_run::tally::{LEVEL, Tally};
use gauntlet_stats::{Estimate, Histogram, SampleMoments, growth_level, holm, wilson};

use self::measured::Measurement;
use self::verdict::{Case, Counterpart, PublishedVerdict};
use super::growth::EarlierLooks;
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
        what: String, words() = it.published.what.to_string();
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
            (it.found.estimate, if it.published.what.is_amount() { 2 } else { 6 });
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
        p: Option<f64>, probability() = it.tested.map(|(p, ..)| p);
        /// p, adjusted for all tests of the family.
        adjusted_p: Option<f64>, probability() = it.tested.map(|(_, adjusted, _)| adjusted);
        /// Family, as in the experiment; empty for the family of the whole file.
        family: String, words() = it.published.family.clone().unwrap_or_default();
        /// `mean`, `median` or `typical`; empty for rates and times.
        statistic: Option<String>, words() =
            it.published.what.is_amount().then(|| it.published.statistic.to_string());
        /// `planned_games` of the experiment.
        planned_games: Option<u64>, count() = it.planned_games;
        /// `extended_from` of the experiment; empty if the run ended before games were added.
        extended_from: Option<u64>, count() = it.extended_from;
        /// Number of earlier answers from other numbers of games; p and bounds are corrected for
        /// them.
        earlier_answers: u64, count() = it.earlier as u64;
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
    pub(crate) found: Counterpart<'a>,
    /// The p, the p corrected for its family, and the size of the family.
    pub(crate) tested: Option<(f64, f64, usize)>,
    pub(crate) verdict: PublishedVerdict,
    /// Reason why the player was skipped, if it was.
    pub(crate) skipped: Option<&'a str>,
    pub(crate) planned_games: Option<u64>,
    pub(crate) extended_from: Option<u64>,
    /// Number of earlier answers, from other numbers of games.
    pub(crate) earlier: usize,
}

impl JudgedNumber<'_> {
    /// Returns the published range, if the number is a range.
    pub(crate) fn printed_range(&self) -> Option<ClosedRange> {
        if let PublishedValue::Number(range) = self.published.value { Some(range) } else { None }
    }
}

/// Makes the table, with a row for each published number in the order of the file.
pub fn table(plan: &Plan, tallies: &[Tally], published: &[PublishedNumber], earlier: &EarlierLooks) -> Table {
    PublishedRow::table(judge(plan, tallies, published, earlier).into_iter().map(PublishedRow::new))
}

/// Judges all numbers, each together with the others of its family.
fn judge<'a>(
    plan: &'a Plan,
    tallies: &'a [Tally],
    published: &'a [PublishedNumber],
    earlier: &EarlierLooks,
) -> Vec<JudgedNumber<'a>> {
    let about = |one: &PublishedNumber| earlier.count_about(&[plan.players[one.player].name]);
    let found = |one: &PublishedNumber| find_counterpart(one, &tallies[one.player], about(one));
    let found: Vec<Counterpart> = published.iter().map(found).collect();
    let families = Families::new(published, &found);
    let judged = |(place, (published, found)): (usize, (&'a PublishedNumber, Counterpart<'a>))| {
        let (tally, family) = (&tallies[published.player], families.family_of(place));
        JudgedNumber {
            player: plan.players[published.player].name,
            published,
            tally,
            tested: family.map(|family| (family.p(), family.adjust(family.p()), family.all.len())),
            verdict: match plan.skipped.contains_key(&published.player) {
                true => PublishedVerdict::NotJudged,
                false => verdict(published, &found, family, tally),
            },
            skipped: plan.skipped.get(&published.player).map(|why| failing::first_clause(why)),
            found,
            planned_games: plan.planned_games,
            // A run may have ended before any games were added.
            extended_from: plan.extended_from.filter(|&seen| seen < tally.games),
            earlier: about(published),
        }
    };
    published.iter().zip(found).enumerate().map(judged).collect()
}

/// Finds the measured number for a published one, after this number of earlier answers.
fn find_counterpart<'a>(published: &PublishedNumber, tally: &'a Tally, earlier: usize) -> Counterpart<'a> {
    let level = growth_level(LEVEL, earlier);
    let mut found = match published.what {
        Quantity::Win => measure_rate(published, tally.wins, tally.games, level),
        Quantity::Reach(reach) => {
            measure_rate(published, tally.count_at_least(reach.fact(), reach.value()), tally.games, level)
        }
        Quantity::Score => measure_amount(published, &tally.scores, level),
        Quantity::Moves => measure_amount(published, &tally.lengths, level),
        Quantity::MsPerMove => measure_time(tally.mean_cpu_ms()),
        Quantity::MsPerGame => {
            measure_time(tally.mean_cpu_ms().zip(tally.mean_moves()).map(|(ms, moves)| ms * moves))
        }
    };
    // Games that were cut by a limit are compared with no number.
    if tally.out_of_time > 0 {
        found.case = None;
    }
    found.case = found.case.map(|case| case.with_earlier_answers(earlier));
    found
}

fn measure_rate<'a>(published: &PublishedNumber, successes: u64, games: u64, level: f64) -> Counterpart<'a> {
    let case = match published.value {
        PublishedValue::Number(range) if games > 0 => {
            let measured = Measurement::Rate { successes, games };
            Some(Case::new(measured, range, published.games.map(Into::into)))
        }
        _ => None,
    };
    Counterpart { estimate: wilson(successes, games, level), successes, case }
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
    let beside = |measured: Measurement<'a>| {
        let PublishedValue::Number(range) = published.value else { return None };
        Some(Case::new(measured, range, published.games.map(Into::into)))
    };
    let case = match published.statistic {
        Statistic::Mean => SampleMoments::new(values).map(Measurement::Mean).and_then(beside),
        Statistic::Median => (games > 0).then_some(median).and_then(beside),
        Statistic::Typical => compare_typical(published, values),
    };
    Counterpart { estimate, successes: 0, case }
}

/// Compares a number that is said to be typical. It is typical if at least a quarter and at most
/// three quarters of the games are below it, here and at the source.
fn compare_typical<'a>(published: &PublishedNumber, values: &Histogram) -> Option<Case<'a>> {
    let PublishedValue::Number(range) = published.value else { return None };
    let (below, equal) = values.count_below(range.nearest(values.median()?));
    let measured = Measurement::Rate { successes: below + equal / 2, games: values.count() };
    let (low, high) = MIDDLE_HALF;
    Some(Case::new(measured, ClosedRange::new(low, high)?, None))
}

/// Returns a time, which no test compares: how much it would differ in another run or on the
/// machine of the source is unknown.
fn measure_time<'a>(ms: Option<f64>) -> Counterpart<'a> {
    Counterpart { estimate: ms.map(|ms| Estimate::unbounded(ms, LEVEL)), successes: 0, case: None }
}

fn verdict(
    published: &PublishedNumber,
    found: &Counterpart,
    family: Option<Family>,
    tally: &Tally,
) -> PublishedVerdict {
    let was_seen = matches!(published.value, PublishedValue::Some) && found.successes > 0;
    // Games that were cut are not whole games, but events in them did happen.
    if published.what.is_time() || (tally.out_of_time > 0 && !was_seen) {
        return PublishedVerdict::NotJudged;
    }
    match (published.value, &found.case, family) {
        _ if tally.games == 0 => PublishedVerdict::TooFew { more: None, is_outside: false },
        (PublishedValue::Some, ..) if found.successes > 0 => PublishedVerdict::Seen,
        (PublishedValue::Some, ..) => PublishedVerdict::NotSeen,
        (_, Some(case), Some(family)) => case.verdict(|p| family.adjust(p), |p| family.adjust_as_counted(p)),
        _ => PublishedVerdict::TooFew { more: None, is_outside: false },
    }
}

/// The p of a number, and whether the number is taken as exact because it has no number of games.
type NumberTest = (f64, bool);

/// Published numbers that are judged together: those of one family that have a p.
struct Families {
    /// Family of each published number, and its index there.
    numbers: Vec<Option<(usize, usize)>>,
    all: Vec<Vec<NumberTest>>,
}

impl Families {
    fn new(published: &[PublishedNumber], found: &[Counterpart]) -> Families {
        let mut names: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        let mut all: Vec<Vec<NumberTest>> = Vec::new();
        let mut numbers = Vec::new();
        for (published, found) in published.iter().zip(found) {
            numbers.push(found.case.as_ref().map(|case| {
                let family = *names.entry(published.family.as_deref()).or_insert_with(|| {
                    all.push(Vec::new());
                    all.len() - 1
                });
                all[family].push((case.p(), published.games.is_none()));
                (family, all[family].len() - 1)
            }));
        }
        Families { numbers, all }
    }

    fn family_of(&self, place: usize) -> Option<Family<'_>> {
        self.numbers[place].map(|(family, at)| Family { all: &self.all[family], at })
    }
}

#[derive(Clone, Copy)]
struct Family<'a> {
    all: &'a [NumberTest],
    at: usize,
}

impl Family<'_> {
    fn p(self) -> f64 {
        self.all[self.at].0
    }

    /// Returns Holm's correction of `p` in place of the p of this number. Holm corrects for fewer
    /// numbers if some are contradicted. A number that is only taken as exact must not weaken the
    /// correction of numbers with games.
    fn adjust(self, p: f64) -> f64 {
        let (_, is_exact) = self.all[self.at];
        self.correct(p, is_exact)
    }

    /// Returns the correction of `p` as if this number had a number of games.
    fn adjust_as_counted(self, p: f64) -> f64 {
        self.correct(p, false)
    }

    fn correct(self, p: f64, is_exact: bool) -> f64 {
        let other = |&(p, is_other_exact): &NumberTest| if is_other_exact && !is_exact { 1.0 } else { p };
        let mut all: Vec<f64> = self.all.iter().map(other).collect();
        all[self.at] = p;
        holm(&all)[self.at]
    }
}

#[cfg(test)]
mod tests;
