//! Tables without a file, which are made on request.

use anyhow::Context;
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Table, TypedRow};

use super::distributions::GameDistributions;
use super::front::leaderboard;
use crate::results::store::read::{Results, has_table};
use crate::results::tables::REQUESTED_TABLES;
use crate::results::tables::groups::{self, GROUPS};
use crate::results::tables::leaderboard::LEADERBOARD;
use crate::results::tables::rates::WIN_RATE;
use crate::results::tables::scores::{PROFILE, SCORES};
use crate::results::tables::stages::STAGES;
use crate::results::tables::times::MoveTimeRow;

/// Makes one of these tables.
pub fn make_table(results: &Results, name: &str) -> anyhow::Result<Table> {
    match name {
        LEADERBOARD => leaderboard(results),
        GROUPS => group_table(results),
        _ => {
            let table = game_table(&GameDistributions::read(results)?, name);
            let hint = if name == STAGES { "; `gauntlet format stages` explains when" } else { "" };
            table.with_context(|| format!("these games have no {name}{hint}"))
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

/// Returns the names of those of these tables that the results have. It reads no games, because
/// there may be millions; whether they are damaged shows when a table is made.
pub fn available_tables(results: &Results) -> Vec<&'static str> {
    let (experiment, has_games) = (&results.experiment, results.has_games());
    let has = |name: &str| has_table(&results.snapshot, name);
    let is_available = |name: &&str| match *name {
        LEADERBOARD => has(WIN_RATE) && has(MoveTimeRow::NAME),
        GROUPS => has(WIN_RATE) && experiment.players().iter().any(|player| player.group.is_some()),
        STAGES => has_games && !experiment.arena().stages(experiment.rules()).is_empty(),
        _ => has_games && experiment.arena().shape == Shape::Solo,
    };
    REQUESTED_TABLES.into_iter().filter(is_available).collect()
}
