//! Comparisons as a table, with an answer for each.

use gauntlet_core::table::{Schema, Table, TypedRow, table};
use gauntlet_stats::{ContingencyTable, Estimate};

use super::comparison::Comparison;
use super::finding::UNBOUNDED;
use super::finding::{DifferenceDetail, Effect, RankDifference};
use super::question::Conclusion;
use super::verdict::Verdict;

/// Returns the difference of shares and the ratio of scores or times; a comparison has one of them.
fn effects(comparison: &Comparison) -> [Option<Estimate>; 2] {
    // With two games a ratio can be huge, and its digits mean nothing.
    let bound_value = |part: f64| if part.abs() < UNBOUNDED { part } else { f64::INFINITY };
    let bound_estimate = |estimate: Estimate| {
        Some(Estimate {
            value: bound_value(estimate.value),
            low: bound_value(estimate.low),
            high: bound_value(estimate.high),
            ..estimate
        })
    };
    match comparison.finding.effect {
        Some(Effect::Difference(difference)) => [bound_estimate(difference), None],
        Some(Effect::Ratio(ratio) | Effect::Times(ratio)) => [None, bound_estimate(ratio)],
        None => [None, None],
    }
}

fn pairs(comparison: &Comparison) -> Option<ContingencyTable> {
    if let DifferenceDetail::Rate { pairs } = comparison.finding.detail { pairs } else { None }
}

/// Returns the correlation of both players on equal seeds, or of the two games of a pair for
/// points.
fn correlation(comparison: &Comparison) -> Option<f64> {
    match comparison.finding.detail {
        DifferenceDetail::Rate { pairs } => pairs?.correlation(),
        DifferenceDetail::Points { correlation, .. } => correlation,
        DifferenceDetail::Score { .. } | DifferenceDetail::Time { .. } => None,
    }
}

pub(crate) fn ranks(comparison: &Comparison) -> Option<RankDifference> {
    if let DifferenceDetail::Score { ranks, .. } = comparison.finding.detail { ranks } else { None }
}

/// Returns the value of a player, and how many decimals of it to print.
fn value(comparison: &Comparison, player: usize) -> Option<(f64, usize)> {
    let decimals = if matches!(comparison.finding.detail, DifferenceDetail::Score { .. }) { 2 } else { 6 };
    comparison.finding.values[player].map(|value| (value, decimals))
}

/// Name of the table of claims.
pub const CLAIMS: &str = "claims";

table! {
    /// A comparison, with a verdict and an answer.
    pub struct ComparisonRow(CLAIMS, None) of (comparison, verdict, suggestion): (&Comparison, Verdict, &str) {
        /// First player; in a claim, the player named by `better`.
        player: String, words() = &*comparison.player;
        /// Second player.
        than: String, words() = &*comparison.rival;
        /// Measure of the comparison.
        by: String, words() = comparison.question.measure.to_string();
        /// Margin of the claim; empty if the claim has no margin.
        margin: Option<f64>, number() = comparison.question.margin;
        /// Confidence level of the bounds.
        level: Option<f64>, number() = comparison.question.level;
        /// `paired`: games on the same seeds; `independent`: games on different seeds.
        pairing: String, words() = comparison.pairing.word();
        /// Number of compared games of the first player; for points, number of pairs of games.
        games: Option<u64>, count() = comparison.pairing.games()[0];
        /// Number of compared games of the second player; for points, number of pairs of games.
        than_games: Option<u64>, count().with_heading("games of the second player") = comparison.pairing.games()[1];
        /// Rate, mean score or mean time of the first player.
        value: Option<(f64, usize)>, number() = value(comparison, 0);
        /// Rate, mean score or mean time of the second player.
        than_value: Option<(f64, usize)>, number().with_heading("value of the second player") = value(comparison, 1);
        /// Difference of two rates, or share of points minus one half, with bounds.
        difference: Option<Estimate>, number().with_decimals(6) = effects(comparison)[0];
        /// Ratio of two scores or times, with bounds.
        ratio: Option<Estimate>, number().with_decimals(6) = effects(comparison)[1];
        /// Probability of a result this extreme if the players are equal or differ by exactly the
        /// margin.
        p: Option<f64>, probability() = comparison.p;
        /// p, adjusted for all rows that have a p.
        adjusted_p: Option<f64>, probability() = comparison.adjusted_p;
        /// Games on seeds that only one player played; a paired comparison ignores them.
        left_out: Option<u64>, count() = comparison.left_out_games;
        /// Paired rates: seeds on which only the first player succeeded.
        only_player: Option<u64>, count() = pairs(comparison).map(|pairs| pairs.only_first);
        /// Paired rates: seeds on which only the second player succeeded.
        only_than: Option<u64>, count() = pairs(comparison).map(|pairs| pairs.only_second);
        /// Paired rates: correlation on the same seeds. Points: correlation between both games of a
        /// pair.
        correlation: Option<f64>, number().with_decimals(4) = correlation(comparison);
        /// Paired scores: p of Wilcoxon's signed-rank test.
        ranks_p: Option<f64>, probability() = ranks(comparison).map(|ranks| ranks.p);
        /// Paired scores: Hodges-Lehmann difference of the scores, with bounds.
        score_difference: Option<Estimate>, number().with_decimals(2) = ranks(comparison).map(|ranks| ranks.difference);
        /// Number of earlier answers from other numbers of games; p and bounds are corrected for
        /// them.
        earlier_answers: u64, count() = comparison.question.earlier_to_correct() as u64;
        /// `confirmed`, `refuted`, `inconclusive` or `not judged`; in `compare`, `better`, `worse`
        /// or `inconclusive`.
        verdict: Option<Verdict>, verdict(Verdict::find_word) = verdict;
        /// Difference with its interval, p and games, in one line.
        answer: String, answer() = comparison.answer() + suggestion;
        /// Test, assumptions and what more games would show, in sentences.
        explanation: Option<String>, explanation() = Some(comparison.explanation());
    }
}

/// Returns the columns by which a table of comparisons of this name is read.
pub fn schema(name: &'static str) -> Schema {
    Schema { name, ..ComparisonRow::schema() }
}

/// Makes the table of comparisons that were not announced.
pub fn comparison_table(name: &'static str, comparisons: &[Comparison]) -> Table {
    table(name, comparisons, |_, conclusion| Verdict::from_comparison(conclusion), |_| "")
}

/// Makes the table, with a verdict for each comparison by its place, and words that continue its
/// answer.
pub(super) fn table(
    name: &'static str,
    comparisons: &[Comparison],
    verdict: impl Fn(usize, Conclusion) -> Verdict,
    suggestion: fn(&Comparison) -> &'static str,
) -> Table {
    let row = |(index, comparison): (usize, &Comparison)| {
        ComparisonRow::new((comparison, verdict(index, comparison.conclusion()), suggestion(comparison)))
    };
    Table { name, ..ComparisonRow::table(comparisons.iter().enumerate().map(row)) }
}
