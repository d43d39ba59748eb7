//! The result of a run that ends when a rate of every player is known: the table `precision`.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::layout::Layout;
use gauntlet_core::table::{Cell, Column, Row, Schema, Table};
use gauntlet_core::text::{self, grouped};
use gauntlet_run::early_stop::Precision;
use gauntlet_run::judge::precision::{Count, PrecisionRuling, games_needed, half_width};
use gauntlet_run::plan::Plan;

/// The table of how well each player is known.
pub const PRECISION: &str = "precision";

/// A rate of a player, with its bounds.
struct Line<'a> {
    player: usize,
    name: &'a str,
    stop: &'a Precision,
    ruling: &'a PrecisionRuling,
    at_most: u64,
}

fn layout<'a>() -> Layout<'a, Line<'a>> {
    Layout::new(PRECISION, None)
        .words("player", |it: &Line| it.name)
        .words("by", |it| it.stop.by.to_string())
        .column(Column::number("level"), |it| Cell::as_printed(it.stop.level.get()))
        .real(Column::share("precision"), 6, |it| Some(it.stop.points.share()))
        .count("blocks", |it| it.ruling.blocks)
        .count("at_most", |it| it.at_most)
        .count("games", |it| it.ruling.counts[it.player].games)
        .count("successes", |it| it.ruling.counts[it.player].successes)
        .estimate(Column::share("rate").first(), ["rate_low", "rate_high"], 6, |it| {
            it.ruling.interval(it.player)
        })
        .real(Column::share("half_width").first(), 6, |it| it.ruling.interval(it.player).map(half_width))
        .column(Column::words("reached").first(), |it| if it.ruling.is_known(it.player) { YES } else { "no" })
}

/// Word for a player whose rate is known well enough.
const YES: &str = "yes";

/// Schema by which the table is read.
pub fn schema() -> Schema {
    layout().schema().clone()
}

/// The rate of each player, and how well it is known: a row each.
pub fn table(plan: &Plan, stop: &Precision, ruling: &PrecisionRuling, at_most: u64) -> Table {
    let line = |player: usize| Line { player, name: plan.players[player].name, stop, ruling, at_most };
    layout().table((0..ruling.counts.len()).map(line))
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
    let unknown: Vec<Row> = table.rows().filter(|row| row.words("reached") != YES).collect();
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
    let needed = |row: &Row| {
        let seen = Count { games: row.count("games")?, successes: row.count("successes")? };
        games_needed(row.number("precision")?, row.number("level")?, table.rows.len(), seen)
    };
    let needed: Option<Vec<u64>> = unknown.iter().map(needed).collect();
    let needed = needed.and_then(|needed| needed.into_iter().max()).map_or_else(String::new, |needed| {
        format!("; if rates stay as they are, about {} of each would do", text::games(needed))
    });
    Some(if is_alone {
        format!(
            "the run went through all of its {blocks} blocks, and {whose} is not known to {asked}, but to {known} only ({level} \
             sure at every look){needed}"
        )
    } else {
        format!(
            "the run went through all of its {blocks} blocks, and not {whose} is known to {asked}: that of {} is known to \
             {known} only ({level} sure at every look){needed}",
            widest.words("player")
        )
    })
}
