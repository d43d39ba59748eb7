//! Comparisons as a table, with an answer for each.

use gauntlet_core::table::{Schema, Table, TypedRow, table};
use gauntlet_stats::{ContingencyTable, Estimate};

use super::comparison::Comparison;
use super::finding::{DifferenceDetail, Effect, RankDifference};
use super::question::Conclusion;
use super::verdict::Verdict;
use super::words::UNBOUNDED;

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
        /// The two players, and the rest as in the experiment. Where `[stop]` answers, `level` is
        /// that of its bounds.
        player: String, words() = &*of.player;
        than: String, words() = &*of.than;
        by: String, words() = of.question.by.to_string();
        margin: Option<f64>, number() = of.question.margin;
        level: Option<f64>, number() = of.question.level;
        /// `paired`: games on the same seeds; `independent`: on seeds of their own.
        pairing: String, words() = of.pairing.word();
        /// Games of each that are compared.
        games: Option<u64>, count() = of.pairing.games()[0];
        than_games: Option<u64>, count() = of.pairing.games()[1];
        /// The rate, mean score or time of each.
        value: Option<(f64, usize)>, number() = value(of, 0);
        than_value: Option<(f64, usize)>, number() = value(of, 1);
        /// Of rates: the first less the second, and bounds at `level`. Of points: the share of the
        /// first less one half. Where `[stop]` answers, its estimate, corrected for stopping.
        difference: Option<Estimate>, number().to(6) = effects(of)[0];
        /// Of scores and times: how many times as much the first is, and bounds at `level`. Empty
        /// where `[stop]` answers: its estimate is of blocks won, and stands in `answer`.
        ratio: Option<Estimate>, number().to(6) = effects(of)[1];
        /// How often equal players would differ as much (with a `margin`: how often players just
        /// that far apart would look as good, one-sided); and that corrected for the number of rows
        /// that have one. Empty where `[stop]` answers.
        p: Option<f64>, probability() = of.p;
        adjusted_p: Option<f64>, probability() = of.adjusted;
        /// Games of both on seeds that only one of them played, and that a paired comparison leaves
        /// out.
        left_out: Option<u64>, count() = of.left_out;
        /// Paired rates: seeds on which only the one succeeded, and only the other.
        only_player: Option<u64>, count() = pairs(of).map(|pairs| pairs.only_first);
        only_than: Option<u64>, count() = pairs(of).map(|pairs| pairs.only_second);
        /// Of both on the same seeds, for paired rates; of the points of both games of a pair, for
        /// points.
        correlation: Option<f64>, number().to(4) = correlation(of);
        /// Paired scores: p of Wilcoxon's signed ranks, and the difference in points after Hodges
        /// and Lehmann with bounds at `level`. Empty where `[stop]` answers.
        ranks_p: Option<f64>, probability() = ranks(of).map(|ranks| ranks.p);
        score_difference: Option<Estimate>, number().to(2) = ranks(of).map(|ranks| ranks.difference);
        /// Earlier answers with other numbers of these games, for which p and bounds are corrected
        /// ([METHOD.md](METHOD.md#games-that-are-added)).
        earlier_answers: u64, count() = of.question.corrected_for() as u64;
        /// `confirmed`, `refuted` (the opposite is significant) or `inconclusive`. With a `margin`,
        /// confirmed means: not worse by more than it.
        verdict: Option<Verdict>, verdict(Verdict::word_of) = verdict;
        /// The difference with its interval, p and games, in a line; and in full sentences.
        answer: String, answer() = of.answer() + suggestion;
        explanation: Option<String>, explanation() = Some(of.explanation() + suggestion);
    }
}

/// Returns the columns by which a table of comparisons of this name is read.
pub fn schema(name: &'static str) -> Schema {
    Schema { name, ..ComparisonRow::schema() }
}

/// Makes the table of comparisons that were not announced.
pub fn of_comparisons(name: &'static str, comparisons: &[Comparison]) -> Table {
    table(name, comparisons, Verdict::of_comparison, |_| "")
}

/// Makes the table, with a verdict for each comparison and words that continue its answer.
pub(super) fn table(
    name: &'static str,
    comparisons: &[Comparison],
    verdict: fn(Conclusion) -> Verdict,
    suggestion: fn(&Comparison) -> &'static str,
) -> Table {
    let row = |of| ComparisonRow::of((of, verdict(of.shown()), suggestion(of)));
    Table { name, ..ComparisonRow::table(comparisons.iter().map(row)) }
}
