//! `times.csv`: how long players thought, by parts of the run. It is for programs: comparisons by time are made from it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::table::{Cell, Column, Schema, Table};
use crate::tally::LEVEL;
use crate::tally::clock::{Clock, Thinking};

/// The table of times by parts of the run.
pub(super) const TIMES: Schema = Schema {
    name: "times",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::count("session"),
        Column::count("part"),
        Column::count("thoughts"),
        Column::number("cpu_ms"),
        Column::number("yardsticks"),
    ]),
    level: Some(LEVEL),
};

/// Digits that hold a nanosecond, and a millionth of a yardstick.
const DECIMALS: usize = 6;

/// The table of these players.
pub(super) fn table<'a>(players: impl Iterator<Item = (&'a str, &'a Clock)>) -> Table {
    let millionths = |number: u64| Cell::real(Some(number as f64 / 1e6), DECIMALS);
    let rows = players.flat_map(|(name, clock)| {
        clock.0.iter().map(move |(&(session, part), thinking)| {
            vec![
                Cell::Text(name.to_owned()),
                Cell::Whole(session),
                Cell::Whole(part),
                Cell::Whole(thinking.thoughts),
                millionths(thinking.ns),
                thinking.micro_yardsticks.map_or(Cell::Nothing, millionths),
            ]
        })
    });
    Table::new(&TIMES, rows.collect())
}

/// The times of each player, from the table.
pub(super) fn clocks(table: &Table) -> BTreeMap<String, Clock> {
    let whole = |number: f64| (1e6 * number).round() as u64;
    let mut clocks: BTreeMap<String, Clock> = BTreeMap::new();
    for row in table.rows() {
        let count = |column| row.count(column).unwrap_or(0);
        let thinking = Thinking {
            thoughts: count("thoughts"),
            ns: row.number("cpu_ms").map_or(0, whole),
            micro_yardsticks: row.number("yardsticks").map(whole),
        };
        let clock = clocks.entry(row.words("player").to_owned()).or_default();
        clock.0.insert((count("session"), count("part")), thinking);
    }
    clocks
}
