//! The tables of an experiment. Some are made from sums alone: `win-rate`, or `elo` and `duels`,
//! one for each fact of the game, `ms-per-move`, `times-by-processor`. `docs/RESULTS.md` documents
//! every column.

pub(crate) mod artifacts;
pub mod crosstable;
pub mod curve;
pub mod duels;
pub mod fact_table;
pub mod groups;
pub mod leaderboard;
pub(crate) mod rates;
pub mod scores;
pub mod settings;
pub mod stages;
pub mod times;
pub mod warnings;

use gauntlet_core::arena::Arenas;
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Schema, Table, TypedRow, table};
use gauntlet_run::failing_players;
use gauntlet_run::journal::SessionEntry;
use gauntlet_run::plan::Plan;
use gauntlet_run::tally::meeting::Meetings;
use gauntlet_run::tally::{LEVEL, Tally};

use self::duels::{DuelRow, ELO, EloRow};
use self::groups::GROUPS;
use self::leaderboard::LEADERBOARD;
use self::rates::{WIN_RATE, WinRateRow};
use self::scores::{PROFILE, SCORES};
use self::stages::STAGES;
use self::times::{MoveTimeRow, ProcessorTimeRow};
use crate::compare::precision::PrecisionRow;
use crate::compare::published::PublishedRow;
use crate::compare::stop::StopRow;
use crate::compare::table::ComparisonRow;

/// Returns the schemas of the printed tables of all games, in order; `games` and `times` are for
/// programs.
pub fn schemas(arenas: Arenas) -> Vec<Schema> {
    let mut schemas = sum_schemas(arenas);
    schemas.extend([
        PublishedRow::schema(),
        ComparisonRow::schema(),
        StopRow::schema(),
        PrecisionRow::schema(),
    ]);
    schemas
}

/// Returns the schemas of the tables made from sums alone.
pub(super) fn sum_schemas(arenas: Arenas) -> Vec<Schema> {
    let has_shape = |shape: Shape| arenas.iter().any(|arena| arena.shape == shape);
    let mut schemas = Vec::new();
    schemas.extend(has_shape(Shape::Solo).then(WinRateRow::schema));
    if has_shape(Shape::Duel) {
        schemas.extend([EloRow::schema(), DuelRow::schema()]);
    }
    schemas.extend(arenas.iter().flat_map(|arena| arena.facts).map(fact_table::schema));
    schemas.extend([MoveTimeRow::schema(), ProcessorTimeRow::schema()]);
    schemas
}

/// Returns the names of the printed tables.
pub fn printed_tables(arenas: Arenas) -> Vec<&'static str> {
    schemas(arenas).into_iter().map(|schema| schema.name).collect()
}

/// Name of the table of all settings of the players, which is printed only on request.
pub const SETTINGS: &str = "settings";

/// Names of the tables without a file, which are made on request.
pub const REQUESTED_TABLES: [&str; 5] = [LEADERBOARD, GROUPS, STAGES, SCORES, PROFILE];

/// Returns the names of the tables that can be requested.
pub fn requestable_tables(arenas: Arenas) -> Vec<&'static str> {
    printed_tables(arenas).into_iter().chain([SETTINGS]).chain(REQUESTED_TABLES).collect()
}

/// Makes the tables of a plan that need only sums, in the order in which they are printed.
/// `sessions` are those of the journal of the sums.
pub fn tables(plan: &Plan, tallies: &[Tally], meetings: &Meetings, sessions: &[SessionEntry]) -> Vec<Table> {
    let players = || plan.players.iter().map(|entry| entry.name).zip(tallies);
    let mut tables = vec![strengths(plan, tallies, meetings)];
    tables.extend((plan.arena.shape == Shape::Duel).then(|| duels::pairing_table(plan, meetings)));
    let facts = plan.arena.facts.iter().enumerate();
    tables.extend(facts.map(|(index, fact)| fact_table::table(players(), fact, index)));
    tables.push(MoveTimeRow::table(players().map(MoveTimeRow::new)));
    tables.extend(times::table_by_processor(
        players().map(|(name, tally)| (name, &tally.move_times)),
        sessions,
    ));
    tables
}

/// Makes the table of each player's strength, with the sums of its games.
pub fn strengths(plan: &Plan, tallies: &[Tally], meetings: &Meetings) -> Table {
    let is_limited = plan.max_seconds.is_some();
    match plan.arena.shape {
        Shape::Solo => {
            let skip_reason =
                |index: usize| plan.skipped.get(&index).map(|reason| failing_players::first_clause(reason));
            let players = plan.players.iter().zip(tallies).enumerate();
            WinRateRow::table(players.map(|(index, (entry, tally))| {
                WinRateRow::new((entry.name, tally, is_limited, skip_reason(index)))
            }))
        }
        Shape::Duel => duels::rating_table(plan, tallies, meetings, is_limited),
    }
}

/// Names of the tables with the sums of each player's games; an experiment has one of them.
pub const SUMS_OF_PLAYERS: [&str; 2] = [WIN_RATE, ELO];

table! {
    /// What both of these tables have of a player.
    pub struct PlayerColumns("sums", Some(LEVEL)) {
        player: String, words();
        games: u64, count();
        forfeits: u64, count();
        out_of_time: Option<u64>, count().as_optional();
    }
}
