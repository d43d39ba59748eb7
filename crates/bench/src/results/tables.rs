//! The tables of an experiment, and those of them that are made from sums alone: `win-rate` or `elo` and `duels`, one for each
//! fact of the game, `ms-per-move`. `docs/FORMAT.md` documents every column.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::duels::{self, DUELS, ELO};
use super::times::{self, OUT_OF_TIME};
use crate::arena::Arenas;
use crate::compare::claims::CLAIMS;
use crate::compare::precision::PRECISION;
use crate::compare::published::PUBLISHED;
use crate::compare::stop::STOP;
use crate::compare::time;
use crate::game::{Fact, Shape};
use crate::plan::Plan;
use crate::stats::{Estimate, wilson};
use crate::table::{Cell, Column, Row, Schema, Table};
use crate::tally::meeting::Meetings;
use crate::tally::{LEVEL, Tally};

/// The table of win rates and scores.
const WIN_RATE: Schema = Schema {
    name: "win-rate",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::count("games"),
        Column::count("wins"),
        Column::share("win_rate").first(),
        Column::share("win_rate_low").low_of("win_rate"),
        Column::share("win_rate_high").high_of("win_rate"),
        Column::number("mean_score").first(),
        Column::number("mean_score_low").low_of("mean_score"),
        Column::number("mean_score_high").high_of("mean_score"),
        Column::number("median_score"),
        Column::count("max_score"),
        Column::number("mean_moves"),
        Column::count("forfeits").exception(),
        Column::count(OUT_OF_TIME).exception(),
    ]),
    level: Some(LEVEL),
};

/// The column that says what was timed.
const TIMED: &str = "timed";

/// The table of times and depths.
const MS_PER_MOVE: Schema = Schema {
    name: "ms-per-move",
    columns: Cow::Borrowed(&[
        Column::words("player"),
        Column::count("moves"),
        Column::millis("mean_ms").first(),
        Column::millis("p50_ms"),
        Column::millis("p90_ms"),
        Column::millis("p99_ms").first(),
        Column::millis("max_ms").first(),
        Column::millis("cpu_ms_per_move").first(),
        Column::millis("cpu_ms_per_move_low").low_of("cpu_ms_per_move"),
        Column::millis("cpu_ms_per_move_high").high_of("cpu_ms_per_move"),
        Column::number("moves_per_second"),
        Column::number("depth_mean"),
        Column::count("depth_min"),
        Column::count("depth_max"),
        Column::count("threads").formerly("jobs"),
        Column::words(TIMED),
    ]),
    level: Some(LEVEL),
};

/// The table of how many games ended on each value of a fact, and how many reached it.
fn reach(fact: &Fact) -> Schema {
    let columns = vec![
        Column::words("player"),
        Column::count(fact.value),
        Column::count("games"),
        Column::share("share"),
        Column::count("reached"),
        Column::share("reach_rate"),
        Column::share("reach_rate_low").low_of("reach_rate"),
        Column::share("reach_rate_high").high_of("reach_rate"),
    ];
    Schema { name: fact.table, columns: Cow::Owned(columns), level: Some(LEVEL) }
}

/// The tables of verdicts, in their order.
pub(super) const VERDICTS: [Schema; 4] = [PUBLISHED, CLAIMS, STOP, PRECISION];

/// The tables that are printed, of all games, in their order; `games` and `times` are for programs.
pub fn schemas(arenas: Arenas) -> Vec<Schema> {
    let mut schemas = of_sums(arenas);
    schemas.extend(VERDICTS);
    schemas
}

/// Those of them that are made from sums alone.
pub(super) fn of_sums(arenas: Arenas) -> Vec<Schema> {
    let has = |shape: Shape| arenas.iter().any(|arena| arena.shape == shape);
    let mut schemas = Vec::new();
    schemas.extend(has(Shape::Solo).then_some(WIN_RATE));
    if has(Shape::Duel) {
        schemas.extend([ELO, DUELS]);
    }
    schemas.extend(arenas.iter().flat_map(|arena| arena.facts).map(reach));
    schemas.push(MS_PER_MOVE);
    schemas
}

/// Their names.
pub fn printed(arenas: Arenas) -> Vec<&'static str> {
    schemas(arenas).into_iter().map(|schema| schema.name).collect()
}

/// The table of all settings of the players, which is printed only where it is asked for.
pub const SETTINGS: &str = "settings";

/// The names of the tables that can be asked for.
pub fn asked_for(arenas: Arenas) -> Vec<&'static str> {
    printed(arenas).into_iter().chain([SETTINGS]).collect()
}

/// The tables of a plan that are made from sums alone, in the order in which they are printed.
pub fn tables(plan: &Plan, tallies: &[Tally], meetings: &Meetings) -> Vec<Table> {
    let players: Vec<_> = plan.players.iter().map(|entry| entry.name).zip(tallies).collect();
    let mut tables = match plan.arena.shape {
        Shape::Solo => vec![win_rate(&players)],
        Shape::Duel => duels::tables(plan, tallies, meetings).into(),
    };
    if plan.max_seconds.is_none() {
        tables.iter_mut().for_each(|table| table.drop_column(OUT_OF_TIME));
    }
    tables.extend(plan.arena.facts.iter().enumerate().map(|(place, fact)| reached(&players, fact, place)));
    tables.push(ms_per_move(&players));
    tables
}

fn win_rate(players: &[(&str, &Tally)]) -> Table {
    let row = |&(name, tally): &(&str, &Tally)| {
        let games = tally.games;
        let rate = wilson(tally.wins, games, LEVEL);
        let score = tally.scores.mean(LEVEL);
        vec![
            Cell::Text(name.to_owned()),
            Cell::Whole(games),
            Cell::Whole(tally.wins),
            Cell::real(rate.map(|rate| rate.value), 6),
            Cell::real(rate.map(|rate| rate.low), 6),
            Cell::real(rate.map(|rate| rate.high), 6),
            Cell::real(score.map(|score| score.value), 2),
            Cell::real(score.map(|score| score.low), 2),
            Cell::real(score.map(|score| score.high), 2),
            Cell::real(tally.scores.median(), 1),
            tally.scores.max().map_or(Cell::Nothing, Cell::Whole),
            Cell::real(tally.mean_moves(), 2),
            Cell::Whole(tally.forfeits + tally.broken),
            Cell::Whole(tally.out_of_time),
        ]
    };
    Table::new(&WIN_RATE, players.iter().map(row).collect())
}

/// How many games ended on each value of a fact, and how many reached it.
fn reached(players: &[(&str, &Tally)], fact: &Fact, place: usize) -> Table {
    let rows = players.iter().flat_map(|(name, tally)| {
        let ended = &tally.facts[place];
        let games = tally.games;
        // Every value between the smallest and the largest that occurred, also one that no game ended on.
        let mut values = ended.keys().filter(|&&value| value > 0);
        let (first, last) =
            (values.clone().next().copied().unwrap_or(0), values.next_back().copied().unwrap_or(-1));
        let values = std::iter::successors(Some(first), |&value| Some((fact.next)(value)))
            .take_while(move |&value| value <= last);
        values.map(move |value| {
            let exactly = ended.get(&value).copied().unwrap_or(0);
            let reached = tally.at_least(place, value);
            let rate = wilson(reached, games, LEVEL);
            vec![
                Cell::Text((*name).to_owned()),
                Cell::Whole(value as u64),
                Cell::Whole(exactly),
                Cell::real((games > 0).then(|| exactly as f64 / games as f64), 6),
                Cell::Whole(reached),
                Cell::real(rate.map(|rate| rate.value), 6),
                Cell::real(rate.map(|rate| rate.low), 6),
                Cell::real(rate.map(|rate| rate.high), 6),
            ]
        })
    });
    Table::new(&reach(fact), rows.collect())
}

fn ms_per_move(players: &[(&str, &Tally)]) -> Table {
    let row = |&(name, tally): &(&str, &Tally)| {
        let sums = &tally.times;
        let ms = |ns: f64| ns / 1e6;
        let part = |a: u64, b: u64| (b > 0).then(|| a as f64 / b as f64);
        let mean = tally.mean_ms();
        let cpu = time::ms_per_move(&tally.clock, LEVEL);
        let bounds = cpu.and_then(Estimate::bounds);
        let quantile =
            |q| Cell::real(quantile(&tally.thoughts, q).map(|ns| ms(ns.min(sums.max_ns) as f64)), 6);
        let searched = tally.depths.values().fold(0_u64, |sum, &moves| sum.saturating_add(moves));
        let plies: f64 = tally.depths.iter().map(|(&depth, &moves)| f64::from(depth) * moves as f64).sum();
        let depth = |depth: Option<&u32>| depth.map_or(Cell::Nothing, |&depth| Cell::Whole(depth.into()));
        vec![
            Cell::Text(name.to_owned()),
            Cell::Whole(tally.moves),
            Cell::real(mean, 6),
            quantile(0.5),
            quantile(0.9),
            quantile(0.99),
            Cell::real((!tally.thoughts.is_empty()).then(|| ms(sums.max_ns as f64)), 6),
            Cell::real(cpu.map(|cpu| cpu.value), 6),
            Cell::real(bounds.map(|(low, _)| low), 6),
            Cell::real(bounds.map(|(_, high)| high), 6),
            Cell::real(part(sums.moves, sums.wall_ns).map(|per_ns| per_ns * 1e9), 0),
            Cell::real((searched > 0).then(|| plies / searched as f64), 3),
            depth(tally.depths.keys().next()),
            depth(tally.depths.keys().next_back()),
            tally.threads.last().map_or(Cell::Nothing, |&threads| Cell::Whole(threads as u64)),
            Cell::Text(times::timed(&tally.clock).to_owned()),
        ]
    };
    Table::new(&MS_PER_MOVE, players.iter().map(row).collect())
}

/// Takes out the column of games that were broken off by the limit of time, where the file has none.
pub(super) fn forget_absent_limit(table: &mut Table) {
    let Some(place) = table.columns.iter().position(|column| column.name == OUT_OF_TIME) else { return };
    if table.rows.iter().all(|row| row[place] == Cell::Nothing) {
        table.drop_column(OUT_OF_TIME);
    }
}

/// The tables of which an experiment has one: what the games of each player add up to.
pub(super) const SUMS_OF_PLAYERS: [&str; 2] = ["win-rate", "elo"];

/// Games that the limit of time cut, and all games, by the table of an experiment with such a limit.
pub(super) fn out_of_time(table: &Table) -> Option<(u64, u64)> {
    table.columns.iter().find(|column| column.name == OUT_OF_TIME)?;
    let sum = |column: &str| table.rows().filter_map(|row| row.count(column)).sum();
    Some((sum(OUT_OF_TIME), sum("games")))
}

/// The same of each player that had games cut.
pub(super) fn cut_games(table: &Table) -> Vec<(String, u64)> {
    if out_of_time(table).is_none() {
        return Vec::new();
    }
    let of_player = |row: Row| Some((row.words("player").to_owned(), row.count(OUT_OF_TIME)?));
    table.rows().filter_map(of_player).collect()
}

/// Says of times that were measured before there was a yardstick that they were: their file has no such column.
pub(super) fn tell_old_times(table: &mut Table) {
    if table.name == MS_PER_MOVE.name {
        let place = table.place(TIMED);
        for cell in table.rows.iter_mut().map(|row| &mut row[place]).filter(|cell| **cell == Cell::Nothing) {
            *cell = Cell::Text(times::BEFORE_YARDSTICK.to_owned());
        }
    }
}

/// The smallest duration that at least this part of the thoughts did not exceed.
fn quantile(thoughts: &BTreeMap<u64, u64>, part: f64) -> Option<u64> {
    // The counts may be those of a forged journal, and their sum larger than any of them can be.
    let all: u128 = thoughts.values().copied().map(u128::from).sum();
    let wanted = (part * all as f64).ceil().max(1.0) as u128;
    let mut seen = 0;
    thoughts
        .iter()
        .find(|(_, count)| {
            seen += u128::from(**count);
            seen >= wanted
        })
        .map(|(&ns, _)| ns)
}
