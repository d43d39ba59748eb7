//! Comparisons as a table, with the answer to each in words.

use gauntlet_core::table::layout::Layout;
use gauntlet_core::table::{Cell, Column, Kind, Schema, Table};
use gauntlet_stats::{Estimate, Pairs};

use super::comparison::Comparison;
use super::finding::{Detail, Effect, Ranks};
use super::question::Shown;
use super::verdict::Verdict;
use super::words::UNBOUNDED;

/// The difference of two shares, and the ratio of scores or times, of which a comparison has one.
fn effects(of: &Comparison) -> [Option<Estimate>; 2] {
    // Of two games a ratio may be anything, which is not worth its digits.
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

fn pairs(of: &Comparison) -> Option<Pairs> {
    if let Detail::Rate { pairs } = of.finding.detail { pairs } else { None }
}

/// Correlation of the two on one seed, or of both games of a pair for one of them.
fn correlation(of: &Comparison) -> Option<f64> {
    match of.finding.detail {
        Detail::Rate { pairs } => pairs?.correlation(),
        Detail::Points { correlation, .. } => correlation,
        Detail::Score { .. } | Detail::Time { .. } => None,
    }
}

fn ranks(of: &Comparison) -> Option<Ranks> {
    if let Detail::Score { ranks, .. } = of.finding.detail { ranks } else { None }
}

/// The number of a player, to as many decimals as are worth writing.
fn value(of: &Comparison, player: usize) -> Cell {
    let decimals = if matches!(of.finding.detail, Detail::Score { .. }) { 2 } else { 6 };
    Cell::real(of.finding.values[player], decimals)
}

/// A table of comparisons of this name, with a verdict and an answer for each.
fn layout<'a>(
    name: &'static str,
    verdict: fn(Shown) -> Verdict,
    answer: fn(&Comparison) -> String,
) -> Layout<'a, &'a Comparison> {
    Layout::new(name, None)
        .words("player", |of: &&Comparison| &*of.player)
        .words("than", |of| &*of.than)
        .words("by", |of| of.question.by.to_string())
        .column(Column::number("margin"), |of| of.question.margin.map(Cell::as_printed))
        .column(Column::number("level"), |of| Cell::as_printed(of.question.level))
        .words("pairing", |of| of.pairing.word())
        .count("games", |of| of.pairing.games()[0])
        .count("than_games", |of| of.pairing.games()[1])
        .column(Column::number("value"), |of| value(of, 0))
        .column(Column::number("than_value"), |of| value(of, 1))
        .estimate(Column::number("difference"), ["difference_low", "difference_high"], 6, |of| effects(of)[0])
        .estimate(Column::number("ratio"), ["ratio_low", "ratio_high"], 6, |of| effects(of)[1])
        .probability("p", |of| of.p)
        .probability("adjusted_p", |of| of.adjusted)
        .count("left_out", |of| of.left_out)
        .count("only_player", |of| pairs(of).map(|pairs| pairs.only_first))
        .count("only_than", |of| pairs(of).map(|pairs| pairs.only_second))
        .real(Column::number("correlation"), 4, |of| correlation(of))
        .probability("ranks_p", |of| ranks(of).map(|ranks| ranks.p))
        .estimate(
            Column::number("score_difference"),
            ["score_difference_low", "score_difference_high"],
            2,
            |of| ranks(of).map(|ranks| ranks.difference),
        )
        .count("earlier_answers", |of| of.question.corrected_for() as u64)
        .column(Verdict::column(), move |of| verdict(of.shown()).word())
        .column(Column::new("answer", Kind::Answer), move |of| answer(of))
}

/// The columns by which a table of comparisons of this name is read.
pub fn schema(name: &'static str) -> Schema {
    layout(name, Verdict::of_claim, Comparison::answer).schema().clone()
}

/// The table, with a verdict for each comparison.
pub fn table(name: &'static str, comparisons: &[Comparison], verdict: fn(Shown) -> Verdict) -> Table {
    layout(name, verdict, Comparison::answer).table(comparisons)
}

/// The table of claims, whose answers say what claims need besides.
pub(super) fn of_claims(
    name: &'static str,
    claims: &[Comparison],
    answer: fn(&Comparison) -> String,
) -> Table {
    layout(name, Verdict::of_claim, answer).table(claims)
}
