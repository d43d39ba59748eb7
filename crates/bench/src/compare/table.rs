//! Comparisons as a table, with the answer to each in words.

use std::borrow::Cow;

use super::comparison::Comparison;
use super::finding::{Detail, Effect};
use super::question::Shown;
use super::sample::Pairing;
use super::words::UNBOUNDED;
use crate::stats::{Estimate, Pairs};
use crate::table::{Cell, Column, Kind, Schema, Table};

/// A table of comparisons of this name.
pub const fn schema(name: &'static str) -> Schema {
    Schema { name, columns: Cow::Borrowed(&COLUMNS), level: None }
}

const COLUMNS: [Column; 28] = [
    Column::words("player"),
    Column::words("than"),
    Column::words("by"),
    Column::number("margin"),
    Column::number("level"),
    Column::words("pairing"),
    Column::count("games"),
    Column::count("than_games"),
    Column::number("value"),
    Column::number("than_value"),
    Column::number("difference"),
    Column::number("difference_low").low_of("difference"),
    Column::number("difference_high").high_of("difference"),
    Column::number("ratio"),
    Column::number("ratio_low").low_of("ratio"),
    Column::number("ratio_high").high_of("ratio"),
    Column::probability("p"),
    Column::probability("adjusted_p"),
    Column::count("left_out"),
    Column::count("only_player"),
    Column::count("only_than"),
    Column::number("correlation"),
    Column::probability("ranks_p"),
    Column::number("score_difference"),
    Column::number("score_difference_low").low_of("score_difference"),
    Column::number("score_difference_high").high_of("score_difference"),
    Column::words("verdict"),
    Column::new("answer", Kind::Answer),
];

/// The table, with a verdict for each comparison.
pub fn table(
    schema: &Schema,
    comparisons: &[(Comparison, String)],
    verdict: impl Fn(Shown) -> &'static str,
) -> Table {
    let row = |(comparison, answer): &(Comparison, String)| {
        let Comparison { player, than, question, pairing, left_out, p, adjusted, finding, .. } = comparison;
        let (pairing, games, than_games) = match *pairing {
            Pairing::Paired(games) => ("paired", games, games),
            Pairing::Independent(games, than_games) => ("independent", games, than_games),
        };
        // Of two games a ratio may be anything, which is not worth its digits.
        let bounds = |estimate: Option<Estimate>| {
            let estimate = estimate.map(|it| [it.value, it.low, it.high]);
            [0, 1, 2].map(|i| Cell::real(estimate.map(|it| it[i]).filter(|it| it.abs() < UNBOUNDED), 6))
        };
        let (difference, ratio) = match finding.effect {
            Some(Effect::Difference(difference)) => (Some(difference), None),
            Some(Effect::Ratio(ratio) | Effect::Times(ratio)) => (None, Some(ratio)),
            None => (None, None),
        };
        let (pairs, ranks, decimals) = match finding.detail {
            Detail::Rate { pairs } => (pairs, None, 6),
            Detail::Score { ranks, .. } => (None, ranks, 2),
            Detail::Points { .. } | Detail::Time { .. } => (None, None, 6),
        };
        let only = |of: fn(&Pairs) -> u64| pairs.as_ref().map_or(Cell::Nothing, |it| Cell::Whole(of(it)));
        let shift = ranks.map(|ranks| ranks.difference);
        let mut row = vec![
            Cell::Text(player.clone()),
            Cell::Text(than.clone()),
            Cell::Text(question.by.to_string()),
            question.margin.map_or(Cell::Nothing, Cell::as_printed),
            Cell::as_printed(question.level),
            Cell::Text(pairing.to_owned()),
            Cell::Whole(games),
            Cell::Whole(than_games),
            Cell::real(finding.values[0], decimals),
            Cell::real(finding.values[1], decimals),
        ];
        row.extend(bounds(difference));
        row.extend(bounds(ratio));
        row.extend([
            p.map_or(Cell::Nothing, Cell::Probability),
            adjusted.map_or(Cell::Nothing, Cell::Probability),
            Cell::Whole(*left_out),
            only(|pairs| pairs.only_first),
            only(|pairs| pairs.only_second),
            Cell::real(pairs.and_then(Pairs::correlation), 4),
            ranks.map_or(Cell::Nothing, |ranks| Cell::Probability(ranks.p)),
            Cell::real(shift.map(|shift| shift.value), 2),
            Cell::real(shift.map(|shift| shift.low), 2),
            Cell::real(shift.map(|shift| shift.high), 2),
            Cell::Text(verdict(comparison.shown()).to_owned()),
            Cell::Text(answer.clone()),
        ]);
        row
    };
    Table::new(schema, comparisons.iter().map(row).collect())
}
