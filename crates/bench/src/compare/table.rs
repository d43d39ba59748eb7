//! Comparisons as a table, with the answer to each in words.

use super::comparison::Comparison;
use super::finding::{Detail, Effect, Ranks};
use super::question::Shown;
use super::verdict::Verdict;
use super::words::UNBOUNDED;
use crate::stats::{Estimate, Pairs};
use crate::table::layout::Layout;
use crate::table::{Cell, Column, Kind, Schema, Table};

/// A comparison in a row.
type Line<'a> = &'a (Comparison, String);

/// The difference of two shares, and the ratio of scores or times, of which a comparison has one.
fn effects((of, _): &(Comparison, String)) -> [Option<Estimate>; 2] {
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

fn pairs((of, _): &(Comparison, String)) -> Option<Pairs> {
    if let Detail::Rate { pairs } = of.finding.detail { pairs } else { None }
}

/// Correlation of the two on one seed, or of both games of a pair for one of them.
fn correlation((of, _): &(Comparison, String)) -> Option<f64> {
    match of.finding.detail {
        Detail::Rate { pairs } => pairs?.correlation(),
        Detail::Points { correlation, .. } => correlation,
        Detail::Score { .. } | Detail::Time { .. } => None,
    }
}

fn ranks((of, _): &(Comparison, String)) -> Option<Ranks> {
    if let Detail::Score { ranks, .. } = of.finding.detail { ranks } else { None }
}

/// The number of a player, to as many decimals as are worth writing.
fn value((of, _): &(Comparison, String), player: usize) -> Cell {
    let decimals = if matches!(of.finding.detail, Detail::Score { .. }) { 2 } else { 6 };
    Cell::real(of.finding.values[player], decimals)
}

/// A table of comparisons of this name.
fn layout<'a>(name: &'static str, verdict: impl Fn(Shown) -> Verdict + 'a) -> Layout<'a, Line<'a>> {
    Layout::new(name, None)
        .words("player", |(of, _): &Line| &*of.player)
        .words("than", |(of, _)| &*of.than)
        .words("by", |(of, _)| of.question.by.to_string())
        .column(Column::number("margin"), |(of, _)| of.question.margin.map(Cell::as_printed))
        .column(Column::number("level"), |(of, _)| Cell::as_printed(of.question.level))
        .words("pairing", |(of, _)| of.pairing.word())
        .count("games", |(of, _)| of.pairing.games()[0])
        .count("than_games", |(of, _)| of.pairing.games()[1])
        .column(Column::number("value"), |it| value(it, 0))
        .column(Column::number("than_value"), |it| value(it, 1))
        .estimate(Column::number("difference"), ["difference_low", "difference_high"], 6, |it| effects(it)[0])
        .estimate(Column::number("ratio"), ["ratio_low", "ratio_high"], 6, |it| effects(it)[1])
        .probability("p", |(of, _)| of.p)
        .probability("adjusted_p", |(of, _)| of.adjusted)
        .count("left_out", |(of, _)| of.left_out)
        .count("only_player", |it| pairs(it).map(|pairs| pairs.only_first))
        .count("only_than", |it| pairs(it).map(|pairs| pairs.only_second))
        .real(Column::number("correlation"), 4, |it| correlation(it))
        .probability("ranks_p", |it| ranks(it).map(|ranks| ranks.p))
        .estimate(
            Column::number("score_difference"),
            ["score_difference_low", "score_difference_high"],
            2,
            |it| ranks(it).map(|ranks| ranks.difference),
        )
        .count("earlier_answers", |(of, _)| of.question.corrected_for() as u64)
        .column(Verdict::column(), move |(of, _)| verdict(of.shown()).word())
        .column(Column::new("answer", Kind::Answer), |(_, answer)| &**answer)
}

/// The columns by which a table of comparisons of this name is read.
pub fn schema(name: &'static str) -> Schema {
    layout(name, Verdict::of_claim).schema().clone()
}

/// The table, with a verdict for each comparison.
pub fn table(
    name: &'static str,
    comparisons: &[(Comparison, String)],
    verdict: fn(Shown) -> Verdict,
) -> Table {
    layout(name, verdict).table(comparisons)
}
