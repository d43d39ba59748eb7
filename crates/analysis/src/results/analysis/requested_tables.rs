//! Tables without a file, which are made on request.

use anyhow::{Context, bail};
use gauntlet_core::table::Table;

use super::distributions::GameDistributions;
use super::front::leaderboard;
use crate::results::store::read::Results;
use crate::results::tables::leaderboard::LEADERBOARD;
use crate::results::tables::stages::STAGES;

/// Names of these tables.
pub const REQUESTED_TABLES: [&str; 2] = [LEADERBOARD, STAGES];

/// Makes one of these tables.
pub fn make_table(results: &Results, name: &str) -> anyhow::Result<Table> {
    match name {
        LEADERBOARD => leaderboard(results),
        STAGES => GameDistributions::read(results)?.stages.context("these games have no stages"),
        _ => bail!("unknown table `{name}`"),
    }
}
