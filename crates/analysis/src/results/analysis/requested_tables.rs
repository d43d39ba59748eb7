//! Tables without a file, which are made on request.

use anyhow::Context;
use gauntlet_core::table::Table;

use super::distributions::GameDistributions;
use super::front::leaderboard;
use crate::results::store::read::Results;
use crate::results::tables::REQUESTED_TABLES;
use crate::results::tables::groups::{self, GROUPS};
use crate::results::tables::leaderboard::LEADERBOARD;
use crate::results::tables::rates::WIN_RATE;
use crate::results::tables::scores::{PROFILE, SCORES};
use crate::results::tables::stages::STAGES;

/// Makes one of these tables.
pub fn make_table(results: &Results, name: &str) -> anyhow::Result<Table> {
    match name {
        LEADERBOARD => leaderboard(results),
        GROUPS => group_table(results),
        _ => {
            let table = game_table(&GameDistributions::read(results)?, name);
            table.with_context(|| format!("these games have no {name}"))
        }
    }
}

/// Makes a table of single games; `None` if the game has none of this name.
fn game_table(distributions: &GameDistributions, name: &str) -> Option<Table> {
    match name {
        STAGES => distributions.stages.clone(),
        SCORES => distributions.score_table(),
        PROFILE => distributions.profile_table(),
        _ => None,
    }
}

/// Makes the table of groups of players.
fn group_table(results: &Results) -> anyhow::Result<Table> {
    let rates = results.table(WIN_RATE)?.context("only players of one-player games have groups")?;
    let players = results.experiment.players();
    let group_of = |name: &str| players.iter().find(|one| one.name == name)?.group.as_deref();
    groups::table(&rates, group_of).context("no player has a `group`")
}

/// Returns the names of those of these tables that the results have.
pub fn available_tables(results: &Results) -> Vec<&'static str> {
    // There may be millions of games, so they are read once.
    let distributions = GameDistributions::read(results).ok();
    let is_available = |name: &&str| match *name {
        LEADERBOARD | GROUPS => make_table(results, name).is_ok(),
        _ => distributions.as_ref().is_some_and(|games| game_table(games, name).is_some()),
    };
    REQUESTED_TABLES.into_iter().filter(is_available).collect()
}
