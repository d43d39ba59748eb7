//! `times.csv`: how long players thought, by parts of the run. It is for programs: comparisons by time are made from it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::record::{Timed, Yardsticks};
use crate::table::{Cell, Column, Schema, Table};
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
        Column::count("yardsticks"),
        Column::number("yardstick_ms"),
        Column::words("timed"),
    ]),
    level: None,
};

/// The column of games that were broken off by the limit of time. Tables of experiments without such a limit do not have it.
pub(super) const OUT_OF_TIME: &str = "out_of_time";

/// What is said of times that were measured before there was a yardstick.
pub(super) const BEFORE_YARDSTICK: &str = "before the yardstick";

/// What was timed.
pub(super) fn timed(clock: &Clock) -> &'static str {
    match clock {
        Clock { is_old: true, .. } => BEFORE_YARDSTICK,
        Clock { timed, .. } => timed.word(),
    }
}

/// Digits that hold a nanosecond.
const DECIMALS: usize = 6;

/// The table of these players, but for those of whom some was measured before there was a yardstick.
pub(super) fn table<'a>(players: impl Iterator<Item = (&'a str, &'a Clock)>) -> Table {
    let ms = |ns: u64| Cell::real(Some(ns as f64 / 1e6), DECIMALS);
    let rows = players.filter(|(_, clock)| !clock.is_old).flat_map(|(name, clock)| {
        clock.places.iter().map(move |(&(session, part), thinking)| {
            vec![
                Cell::Text(name.to_owned()),
                Cell::Whole(session),
                Cell::Whole(part),
                Cell::Whole(thinking.thoughts),
                ms(thinking.ns),
                Cell::Whole(thinking.yardsticks.count),
                ms(thinking.yardsticks.ns),
                Cell::Text(timed(clock).to_owned()),
            ]
        })
    });
    Table::new(&TIMES, rows.collect())
}

/// The times of each player, from the table.
pub(super) fn clocks(table: &Table) -> BTreeMap<String, Clock> {
    let ns = |ms: Option<f64>| ms.map_or(0, |ms| (1e6 * ms).round() as u64);
    let mut clocks: BTreeMap<String, Clock> = BTreeMap::new();
    for row in table.rows() {
        let count = |column| row.count(column).unwrap_or(0);
        let thinking = Thinking {
            thoughts: count("thoughts"),
            ns: ns(row.number("cpu_ms")),
            yardsticks: Yardsticks { count: count("yardsticks"), ns: ns(row.number("yardstick_ms")) },
        };
        let clock = clocks.entry(row.words("player").to_owned()).or_default();
        clock.timed = Timed::of(row.words("timed")).unwrap_or_default();
        clock.places.insert((count("session"), count("part")), thinking);
    }
    clocks
}
