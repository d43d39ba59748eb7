//! The result of a run that ends when a rate of every player is known: the table `precision`.

use std::borrow::Cow;

use crate::config::stop::Precision;
use crate::measure::Measure;
use crate::plan::Plan;
use crate::run::judge::precision::{PrecisionRuling, half_width};
use crate::table::{Cell, Column, Row, Schema, Table};
use crate::text::{self, grouped};

/// The table of how well each player is known.
pub const PRECISION: Schema = Schema {
    name: "precision",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::words("by"),
        Column::number("level"),
        Column::share("precision"),
        Column::count("blocks"),
        Column::count("at_most"),
        Column::count("games"),
        Column::count("successes"),
        Column::share("rate").first(),
        Column::share("rate_low").low_of("rate"),
        Column::share("rate_high").high_of("rate"),
        Column::share("half_width").first(),
        Column::words("reached").first(),
    ]),
    level: None,
};

/// The rate of each player, and how well it is known: a row each.
pub fn table(plan: &Plan, stop: &Precision, ruling: &PrecisionRuling, at_most: u64) -> Table {
    let row = |player: usize| {
        let count = ruling.counts[player];
        let rate = ruling.interval(player);
        vec![
            Cell::Text(plan.players[player].name.to_owned()),
            Cell::Text(stop.by.to_string()),
            Cell::as_printed(stop.level.get()),
            Cell::real(Some(stop.points.share()), 6),
            Cell::Whole(ruling.blocks),
            Cell::Whole(at_most),
            Cell::Whole(count.games),
            Cell::Whole(count.successes),
            Cell::real(rate.map(|rate| rate.value), 6),
            Cell::real(rate.map(|rate| rate.low), 6),
            Cell::real(rate.map(|rate| rate.high), 6),
            Cell::real(rate.map(half_width), 6),
            Cell::Text(if ruling.is_known(player) { "yes" } else { "no" }.to_owned()),
        ]
    };
    Table::new(&PRECISION, (0..ruling.counts.len()).map(row).collect())
}

/// The name of a rate.
pub fn rate_of(by: &str) -> String {
    if by == Measure::Win.to_string() { "win rate".to_owned() } else { format!("rate of {by}") }
}

/// The end of the run, in words that can go on; none of a table without players.
pub fn told(table: &Table) -> Option<String> {
    let first = table.rows().next()?;
    let (asked, level) = (text::points(first.number("precision")?), text::level(first.number("level")?));
    let [blocks, at_most] = ["blocks", "at_most"].map(|column| first.count(column).map(grouped));
    let (blocks, at_most) = blocks.zip(at_most)?;
    let (rate, is_alone) = (rate_of(first.words("by")), table.rows.len() == 1);
    let unknown: Vec<Row> = table.rows().filter(|row| row.words("reached") != "yes").collect();
    let width = |row: &Row| row.number("half_width").unwrap_or(1.0);
    let widest = unknown.iter().max_by(|one, other| width(one).total_cmp(&width(other)));
    let whose = if is_alone { format!("the {rate}") } else { format!("every player's {rate}") };
    let Some(widest) = widest else {
        return Some(format!(
            "the run was stopped after {blocks} of at most {at_most} blocks, when {whose} was known to {asked} ({level} sure at \
             every look)"
        ));
    };
    let known = text::points(text::rounded(width(widest), 4));
    Some(if is_alone {
        format!(
            "the run went through all of its {blocks} blocks, and {whose} is not known to {asked}, but to {known} only ({level} \
             sure at every look)"
        )
    } else {
        format!(
            "the run went through all of its {blocks} blocks, and not {whose} is known to {asked}: that of {} is known to \
             {known} only ({level} sure at every look)",
            widest.words("player")
        )
    })
}
