//! Folders of results, written and read. Only [`store`] writes files of results.

pub mod analysis;
pub mod store;
pub mod tables;

use gauntlet_core::arena::Arenas;
use gauntlet_core::table::{Schema, TypedRow};

use self::analysis::rank::RankRow;
use self::tables::curve::CurveRow;
use self::tables::groups::GroupRow;
use self::tables::leaderboard::LeaderboardRow;
use self::tables::scores::{ProfileRow, ScoresRow};
use self::tables::stages::StageRow;
use self::tables::times::TimeRow;
use crate::compare::power::PowerRow;

/// Returns the schemas of all tables of an experiment, for the manual.
pub fn documented_schemas(arenas: Arenas) -> Vec<Schema> {
    let mut schemas = tables::schemas(arenas);
    schemas.extend([TimeRow::schema(), CurveRow::schema(), LeaderboardRow::schema(), StageRow::schema()]);
    schemas.extend([ScoresRow::schema(), ProfileRow::schema(), GroupRow::schema()]);
    schemas.extend([RankRow::schema(), PowerRow::schema()]);
    schemas
}
