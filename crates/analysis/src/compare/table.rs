//! Comparisons as a table, with an answer for each.

use gauntlet_core::table::{Schema, Table, TypedRow, table};
use gauntlet_stats::{ContingencyTable, Estimate};

use super::comparison::Comparison;
use super::finding::UNBOUNDED;
use super::finding::{DifferenceDetail, Effect, RankDifference};
use super::question::Conclusion;
use super::verdict::Verdict;

/// Returns the difference of shares and the ratio of scores or times; a comparison has one of them.
fn effects(of: &Comparison) -> [Option<Estimate>; 2] {
    // With two games a ratio can be huge, and its digits mean nothing.
    let bounded = |part: f64| if part.abs() < UNBOUNDED { part } else { f64::INFINITY };
    let bounded = |it: Estimate| {
        Some(Estimate { value: bounded(it.value), low: bounded(it.low), high: bounded(it.high), ..it })
    };
    match of.finding.effect {
        Some(Effect::Difference(difference)) => [bounded(difference), None],
        Some(Effect::Ratio(ratio) | Effect::Times(ratio)) => [None, bounded(ratio)],
        None => [None, None],
    }
}

fn pairs(of: &Comparison) -> Option<ContingencyTable> {
    if let DifferenceDetail::Rate { pairs } = of.finding.detail { pairs } else { None }
}

/// Returns the correlation of both players on equal seeds, or of the two games of a pair for
/// points.
fn correlation(of: &Comparison) -> Option<f64> {
    match of.finding.detail {
        DifferenceDetail::Rate { pairs } => pairs?.correlation(),
        DifferenceDetail::Points { correlation, .. } => correlation,
        DifferenceDetail::Score { .. } | DifferenceDetail::Time { .. } => None,
    }
}

fn ranks(of: &Comparison) -> Option<RankDifference> {
    if let DifferenceDetail::Score { ranks, .. } = of.finding.detail { ranks } else { None }
}

/// Returns the value of a player, and how many decimals of it to print.
fn value(of: &Comparison, player: usize) -> Option<(f64, usize)> {
    let decimals = if matches!(of.finding.detail, DifferenceDetail::Score { .. }) { 2 } else { 6 };
    of.finding.values[player].map(|value| (value, decimals))
}

/// Name of the table of claims.
pub const CLAIMS: &str = "claims";

table! {
    /// A comparison, with a verdict and an answer.
    pub struct ComparisonRow(CLAIMS, None) of (of, verdict, suggestion): (&Comparison, Verdict, &str) {
        /// First player; in a claim, the player named by `better`.
        player: String, words() = &*of.player;
        /// Second player.
        than: String, words() = &*of.than;
        /// Measure of the comparison.
        by: String, words() = of.question.by.to_string();
        /// Margin of the claim; empty if the claim has no margin.
        margin: Option<f64>, number() = of.question.margin;
        /// Confidence level of the bounds.
        level: Option<f64>, number() = of.question.level;
        /// `paired`: games on the same seeds; `independent`: games on different seeds.
        pairing: String, words() = of.pairing.word();
        /// Number of compared games of the first player.
        games: Option<u64>, count() = of.pairing.games()[0];
        /// Number of compared games of the second player.
        than_games: Option<u64>, count().with_heading("games of the second player") = of.pairing.games()[1];
        /// Rate, mean score or mean time of the first player.
        value: Option<(f64, usize)>, number() = value(of, 0);
        /// Rate, mean score or mean time of the second player.
        than_value: Option<(f64, usize)>, number().with_heading("value of the second player") = value(of, 1);
        /// Difference of two rates, or share of points minus one half, with bounds.
        difference: Option<Estimate>, number().with_decimals(6) = effects(of)[0];
        /// Ratio of two scores or times, with bounds.
        ratio: Option<Estimate>, number().with_decimals(6) = effects(of)[1];
        /// Probability of a result this extreme if the players are equal or differ by exactly the
        /// margin.
        p: Option<f64>, probability() = of.p;
        /// p, adjusted for all rows that have a p.
        adjusted_p: Option<f64>, probability() = of.adjusted;
        /// Games on seeds that only one player played; a paired comparison ignores them.
        left_out: Option<u64>, count() = of.left_out;
        /// Paired rates: seeds on which only the first player succeeded.
        only_player: Option<u64>, count() = pairs(of).map(|pairs| pairs.only_first);
        /// Paired rates: seeds on which only the second player succeeded.
        only_than: Option<u64>, count() = pairs(of).map(|pairs| pairs.only_second);
        /// Paired rates: correlation on the same seeds. Points: correlation between both games of a
        /// pair.
        correlation: Option<f64>, number().with_decimals(4) = correlation(of);
        /// Paired scores: p of Wilcoxon's signed-rank test.
        ranks_p: Option<f64>, probability() = ranks(of).map(|ranks| ranks.p);
        /// Paired scores: Hodges-Lehmann difference of the scores, with bounds.
        score_difference: Option<Estimate>, number().with_decimals(2) = ranks(of).map(|ranks| ranks.difference);
        /// Number of earlier answers from other numbers of games; p and bounds are corrected for
        /// them.
        earlier_answers: u64, count() = of.question.earlier_to_correct() as u64;
        /// `confirmed`, `refuted`, `inconclusive` or `not judged`; in `compare`, `better`, `worse` or
        /// `inconclusive`.
        verdict: Option<Verdict>, verdict(Verdict::find_word) = verdict;
        /// Difference with its interval, p and games, in one line.
        answer: String, answer() = of.answer() + suggestion;
        /// Test, assumptions and what more games would show, in sentences.
        explanation: Option<String>, explanation() = Some(of.explanation());
    }
}

/// Returns the columns by which a table of comparisons of this name is read.
pub fn schema(name: &'static str) -> Schema {
    Schema { name, ..ComparisonRow::schema() }
}

/// Makes the table of comparisons that were not announced.
pub fn comparison_table(name: &'static str, comparisons: &[Comparison]) -> Table {
    table(name, comparisons, |_, shown| Verdict::from_comparison(shown), |_| "")
}

/// Makes the table, with a verdict for each comparison by its place, and words that continue its
/// answer.
pub(super) fn table(
    name: &'static str,
    comparisons: &[Comparison],
    verdict: impl Fn(usize, Conclusion) -> Verdict,
    suggestion: fn(&Comparison) -> &'static str,
) -> Table {
    let row = |(place, of): (usize, &Comparison)| {
        ComparisonRow::new((of, verdict(place, of.conclusion()), suggestion(of)))
    };
    Table { name, ..ComparisonRow::table(comparisons.iter().enumerate().map(row)) }
}
