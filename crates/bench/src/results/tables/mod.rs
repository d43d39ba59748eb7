//! The tables of an experiment, and those of them that are made from sums alone: `win-rate` or `elo` and `duels`, one for each
//! fact of the game, `ms-per-move`, `times-by-processor`. `docs/FORMAT.md` documents every column.
//!
//! - `artifacts`: makes all tables, verdicts and warnings
//! - `duels`: tables of a game of two, and [`crossed`], everyone against everyone; `times`: the one
//!   by which times are compared, and that of processors
//! - [`curve`]: the learning curve of a training
//! - [`settings`]: the table of all settings of the players, which is joined to others
//! - [`leaderboard`]: strength and price of each player, made of other tables
//! - [`reached`]: the values of a fact in a line for each player
//! - `doubts`: what gives reason to doubt the tables of one run

pub(crate) mod artifacts;
pub mod crossed;
pub mod curve;
pub(crate) mod doubts;
pub(crate) mod duels;
pub mod leaderboard;
pub mod reached;
pub mod settings;
pub(crate) mod times;

use std::collections::BTreeMap;

use self::duels::ELO;
use self::leaderboard::LEADERBOARD;
use self::times::{OUT_OF_TIME, out_of_time};
use crate::arena::Arenas;
use crate::compare::claims::CLAIMS;
use crate::compare::{precision, published, stop, table, time};
use crate::game::{Fact, Shape};
use crate::plan::Plan;
use crate::run::journal::Session;
use crate::stats::wilson;
use crate::table::layout::Layout;
use crate::table::{Column, Row, Schema, Table};
use crate::tally::meeting::Meetings;
use crate::tally::{LEVEL, Tally};

/// A player in a table.
pub(super) type Player<'a> = (&'a str, &'a Tally);

/// The table of win rates and scores.
fn win_rate<'a>(is_limited: bool) -> Layout<'a, Player<'a>> {
    let layout = Layout::new(WIN_RATE, Some(LEVEL))
        .words("player", |(name, _): &Player| *name)
        .count("games", |(_, it)| it.games)
        .count("wins", |(_, it)| it.wins)
        .estimate(Column::share("win_rate").first(), ["win_rate_low", "win_rate_high"], 6, |(_, it)| {
            wilson(it.wins, it.games, LEVEL)
        })
        .estimate(
            Column::number("mean_score").first(),
            ["mean_score_low", "mean_score_high"],
            2,
            |(_, it)| it.scores.mean(LEVEL),
        )
        .real(Column::number("median_score"), 1, |(_, it)| it.scores.median())
        .count("max_score", |(_, it)| it.scores.max())
        .real(Column::number("mean_moves"), 2, |(_, it)| it.mean_moves())
        .column(Column::count("forfeits").exception(), |(_, it)| it.forfeits + it.broken);
    out_of_time(layout, is_limited, |(_, it)| it.out_of_time)
}

/// The table of times and depths.
fn ms_per_move<'a>() -> Layout<'a, Player<'a>> {
    let ms = |ns: u64| ns as f64 / 1e6;
    let quantile = move |part| {
        move |(_, it): &Player| quantile(&it.thoughts, part).map(|ns| ms(ns.min(it.times.max_ns)))
    };
    let part = |a: f64, b: u64| (b > 0).then(|| a / b as f64);
    Layout::new(MS_PER_MOVE, Some(LEVEL))
        .words("player", |(name, _): &Player| *name)
        .count("moves", |(_, it)| it.moves)
        .real(Column::millis("mean_ms").first(), 6, |(_, it)| it.mean_ms())
        .real(Column::millis("p50_ms"), 6, quantile(0.5))
        .real(Column::millis("p90_ms"), 6, quantile(0.9))
        .real(Column::millis("p99_ms").first(), 6, quantile(0.99))
        .real(Column::millis("max_ms").first(), 6, move |(_, it)| {
            (!it.thoughts.is_empty()).then(|| ms(it.times.max_ns))
        })
        .estimate(
            Column::millis("cpu_ms_per_move").first(),
            ["cpu_ms_per_move_low", "cpu_ms_per_move_high"],
            6,
            |(_, it)| time::ms_per_move(&it.clock, LEVEL),
        )
        .real(Column::number("moves_per_second"), 0, move |(_, it)| {
            part(it.times.moves as f64, it.times.wall_ns).map(|per_ns| per_ns * 1e9)
        })
        .real(Column::number("depth_mean"), 3, move |(_, it)| {
            let searched = it.depths.values().fold(0_u64, |sum, &moves| sum.saturating_add(moves));
            part(it.depths.iter().map(|(&depth, &moves)| f64::from(depth) * moves as f64).sum(), searched)
        })
        .count("depth_min", |(_, it)| it.depths.keys().next().map(|&depth| u64::from(depth)))
        .count("depth_max", |(_, it)| it.depths.keys().next_back().map(|&depth| u64::from(depth)))
        .count("threads", |(_, it)| it.threads.last().map(|&threads| threads as u64))
        .words("timed", |(_, it)| times::timed(&it.clock))
}

/// A value of a fact: which, of the games of which player, how many ended on it and how many reached it.
struct Value<'a> {
    player: &'a str,
    value: u64,
    games: u64,
    ended: u64,
    reached: u64,
}

/// The table of how many games ended on each value of a fact, and how many reached it.
fn reach<'a>(fact: &Fact) -> Layout<'a, Value<'a>> {
    Layout::new(fact.table, Some(LEVEL))
        .words("player", |it: &Value| it.player)
        .count(fact.value, |it| it.value)
        .count("games", |it| it.ended)
        .real(Column::share("share"), 6, |it| (it.games > 0).then(|| it.ended as f64 / it.games as f64))
        .count("reached", |it| it.reached)
        .estimate(Column::share("reach_rate"), ["reach_rate_low", "reach_rate_high"], 6, |it| {
            wilson(it.reached, it.games, LEVEL)
        })
}

/// The values of a fact that a player's games came to, from the smallest on which one ended to the largest, also those on which
/// none ended.
fn values<'a>((player, tally): &Player<'a>, fact: &'static Fact, place: usize) -> Vec<Value<'a>> {
    let ended = &tally.facts[place];
    let mut known = ended.keys().copied().filter(|&value| value > 0);
    let Some(first) = known.next() else { return Vec::new() };
    let last = known.next_back().unwrap_or(first);
    let all = std::iter::successors(Some(first), |&value| Some((fact.next)(value)));
    let of_value = |value| Value {
        player,
        value: value as u64,
        games: tally.games,
        ended: ended.get(&value).copied().unwrap_or(0),
        reached: tally.at_least(place, value),
    };
    all.take_while(|&value| value <= last).map(of_value).collect()
}

/// The tables that are printed, of all games, in their order; `games` and `times` are for programs.
pub fn schemas(arenas: Arenas) -> Vec<Schema> {
    let mut schemas = of_sums(arenas);
    schemas.extend([published::schema(), table::schema(CLAIMS), stop::schema(), precision::schema()]);
    schemas
}

/// Those of them that are made from sums alone.
pub(super) fn of_sums(arenas: Arenas) -> Vec<Schema> {
    let has = |shape: Shape| arenas.iter().any(|arena| arena.shape == shape);
    let mut schemas = Vec::new();
    schemas.extend(has(Shape::Solo).then(|| win_rate(true).schema().clone()));
    if has(Shape::Duel) {
        schemas.extend(duels::schemas());
    }
    schemas.extend(arenas.iter().flat_map(|arena| arena.facts).map(|fact| reach(fact).schema().clone()));
    schemas.extend([ms_per_move().schema().clone(), times::schema_by_processor()]);
    schemas
}

/// Their names.
pub fn printed(arenas: Arenas) -> Vec<&'static str> {
    schemas(arenas).into_iter().map(|schema| schema.name).collect()
}

/// The table of win rates and scores.
pub(super) const WIN_RATE: &str = "win-rate";

/// The table of times and depths.
pub(crate) const MS_PER_MOVE: &str = "ms-per-move";

/// The table of all settings of the players, which is printed only where it is asked for.
pub const SETTINGS: &str = "settings";

/// The names of the tables that can be asked for.
pub fn asked_for(arenas: Arenas) -> Vec<&'static str> {
    printed(arenas).into_iter().chain([SETTINGS, LEADERBOARD]).collect()
}

/// The tables of a plan that are made from sums alone, in the order in which they are printed. The sessions are those of the journal
/// that the sums are of.
pub fn tables(plan: &Plan, tallies: &[Tally], meetings: &Meetings, sessions: &[Session]) -> Vec<Table> {
    let players = || plan.players.iter().map(|entry| entry.name).zip(tallies);
    let is_limited = plan.max_seconds.is_some();
    let mut tables = match plan.arena.shape {
        Shape::Solo => vec![win_rate(is_limited).table(players())],
        Shape::Duel => duels::tables(plan, tallies, meetings, is_limited).into(),
    };
    tables.extend(
        plan.arena.facts.iter().enumerate().map(|(place, fact)| {
            reach(fact).table(players().flat_map(|player| values(&player, fact, place)))
        }),
    );
    tables.push(ms_per_move().table(players()));
    tables.extend(times::table_by_processor(players().map(|(name, tally)| (name, &tally.clock)), sessions));
    tables
}

/// The tables of which an experiment has one: what the games of each player add up to.
pub(crate) const SUMS_OF_PLAYERS: [&str; 2] = [WIN_RATE, ELO];

/// Games of each player, and those of them that the limit of time cut, by the table of an experiment with such a limit.
pub(super) fn cut_games(table: &Table) -> Vec<(String, u64, u64)> {
    let is_limited = table.columns.iter().any(|column| column.name == OUT_OF_TIME);
    let of_player =
        |row: Row| Some((row.words("player").to_owned(), row.count("games")?, row.count(OUT_OF_TIME)?));
    table.rows().filter(|_| is_limited).filter_map(of_player).collect()
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
