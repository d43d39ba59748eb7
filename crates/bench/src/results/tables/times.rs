//! `times.csv`: how long players thought, by parts of the run. It is for programs: comparisons by time are made from it.
//! `times-by-processor.csv`: what a move cost on each processor, where there were several.

use std::collections::BTreeMap;

use crate::compare::time;
use crate::record::{Timed, Yardsticks};
use crate::run::journal::Session;
use crate::table::layout::Layout;
use crate::table::{Cell, Column, Schema, Table};
use crate::tally::LEVEL;
use crate::tally::clock::{Clock, Place, Thinking};

/// The table of times by parts of the run.
pub(crate) const TIMES: &str = "times";

/// The column of games that were broken off by the limit of time. Tables of experiments without such a limit do not have it.
pub(crate) const OUT_OF_TIME: &str = "out_of_time";

/// The same layout with this column behind all others, if there is a limit.
pub(crate) fn out_of_time<'a, R: 'a>(
    layout: Layout<'a, R>,
    is_limited: bool,
    games: fn(&R) -> u64,
) -> Layout<'a, R> {
    if is_limited { layout.column(Column::count(OUT_OF_TIME).exception(), games) } else { layout }
}

/// Word for what was timed.
pub(crate) fn timed(clock: &Clock) -> &'static str {
    clock.timed.word()
}

/// Thinking time of a player in a part of a session.
struct Part<'a> {
    player: &'a str,
    place: Place,
    thinking: &'a Thinking,
    timed: &'static str,
    /// What coarse clocks left out of the player's time, with its first part; none in other parts,
    /// or where that is not known.
    unseen_ns: Option<u64>,
}

/// The column of what coarse clocks left out. Tables of players that all think in this process do
/// not have it.
const UNSEEN: &str = "unseen_ms";

fn layout<'a>(has_unseen: bool) -> Layout<'a, Part<'a>> {
    // Digits that hold a nanosecond.
    let ms = |ns: u64| Cell::real(Some(ns as f64 / 1e6), 6);
    let layout = Layout::new(TIMES, None)
        .words("player", |it: &Part| it.player)
        .count("session", |it| it.place.0)
        .count("part", |it| it.place.1)
        .count("thoughts", |it| it.thinking.thoughts)
        .column(Column::number("cpu_ms"), move |it| ms(it.thinking.ns))
        .count("yardsticks", |it| it.thinking.yardsticks.count)
        .column(Column::number("yardstick_ms"), move |it| ms(it.thinking.yardsticks.ns))
        .words("timed", |it| it.timed);
    let unseen = move |it: &Part| it.unseen_ns.map(ms);
    if has_unseen { layout.column(Column::number(UNSEEN), unseen) } else { layout }
}

/// Schema by which the table is read.
pub(crate) fn schema() -> Schema {
    layout(true).schema().clone()
}

/// The table of these players.
pub(crate) fn table<'a>(players: impl Iterator<Item = (&'a str, &'a Clock)>) -> Table {
    let players: Vec<_> = players.collect();
    let has_unseen = players.iter().any(|(_, clock)| clock.timed == Timed::Process);
    layout(has_unseen).table(players.into_iter().flat_map(|(player, clock)| {
        let known = (clock.timed == Timed::Process && !clock.is_by_ticks).then_some(clock.unseen_ns);
        let part = move |(number, (&place, thinking))| {
            let unseen_ns = if number == 0 { known } else { known.map(|_| 0) };
            Part { player, place, thinking, timed: timed(clock), unseen_ns }
        };
        clock.places.iter().enumerate().map(part)
    }))
}

/// The times of each player, from the table.
pub(crate) fn clocks(table: &Table) -> BTreeMap<String, Clock> {
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
        match row.number(UNSEEN) {
            None => clock.is_by_ticks |= clock.timed == Timed::Process,
            unseen => clock.unseen_ns = clock.unseen_ns.saturating_add(ns(unseen)),
        }
        clock.places.insert((count("session"), count("part")), thinking);
    }
    clocks
}

/// The table of times by processors.
pub(crate) const TIMES_BY_PROCESSOR: &str = "times-by-processor";

/// Thinking time of a player on a processor.
struct OnProcessor<'a> {
    player: &'a str,
    processor: &'a str,
    clock: Clock,
}

fn layout_by_processor<'a>() -> Layout<'a, OnProcessor<'a>> {
    Layout::new(TIMES_BY_PROCESSOR, Some(LEVEL))
        .words("player", |it: &OnProcessor| it.player)
        .words("processor", |it| it.processor)
        .count("thoughts", |it| it.clock.thoughts())
        .estimate(
            Column::millis("cpu_ms_per_move").first(),
            ["cpu_ms_per_move_low", "cpu_ms_per_move_high"],
            6,
            |it| time::ms_per_move(&it.clock, LEVEL),
        )
        .words("timed", |it| timed(&it.clock))
}

/// Schema by which the table of times by processors is read.
pub(crate) fn schema_by_processor() -> Schema {
    layout_by_processor().schema().clone()
}

/// That table, of the processors of the sessions in their order; none if all that was timed was played on one.
pub(crate) fn table_by_processor<'a>(
    players: impl Iterator<Item = (&'a str, &'a Clock)>,
    sessions: &'a [Session],
) -> Option<Table> {
    let processor = |session: u64| {
        let place = usize::try_from(session).ok()?.checked_sub(1)?;
        Some(&*sessions.get(place)?.cpu)
    };
    let mut rows = Vec::new();
    for (player, clock) in players {
        let mut places: BTreeMap<&str, BTreeMap<Place, Thinking>> = BTreeMap::new();
        for (&place, &thinking) in &clock.places {
            if let Some(processor) = processor(place.0) {
                places.entry(processor).or_default().insert(place, thinking);
            }
        }
        let mut places: Vec<_> = places.into_iter().collect();
        // In the order in which they came.
        places.sort_by_key(|(_, places)| places.keys().next().copied());
        rows.extend(places.into_iter().map(|(processor, places)| {
            let Clock { timed, unseen_ns, is_by_ticks, .. } = *clock;
            let clock = Clock { places, timed, unseen_ns, is_by_ticks, ..Clock::default() };
            OnProcessor { player, processor, clock }
        }));
    }
    let is_one = rows.windows(2).all(|pair| pair[0].processor == pair[1].processor);
    (!is_one).then(|| layout_by_processor().table(rows))
}
