//! Folders of results, written and read.
//!
//! - [`tables`]: all tables of an experiment, made from the sums of its games
//! - [`store`]: the folder with these tables, the experiment and the manifest; the only place where
//!   files of results are written
//! - [`analysis`]: comparisons of players of several results, leaderboards, re-evaluated verdicts

pub mod analysis;
pub mod store;
pub mod tables;

use gauntlet_core::arena::Arenas;
use gauntlet_core::table::{Schema, TypedRow};

use self::analysis::rank::RankRow;
use self::tables::curve::CurveRow;
use self::tables::leaderboard::LeaderboardRow;
use self::tables::stages::StageRow;
use self::tables::times::TimeRow;
use crate::compare::power::PowerRow;

/// Returns the schemas of all tables of an experiment, for the manual.
pub fn documented(arenas: Arenas) -> Vec<Schema> {
    let mut schemas = tables::schemas(arenas);
    schemas.extend([TimeRow::schema(), CurveRow::schema(), LeaderboardRow::schema(), StageRow::schema()]);
    schemas.extend([RankRow::schema(), PowerRow::schema()]);
    schemas
}
