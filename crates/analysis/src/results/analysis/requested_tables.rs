//! Tables without a file, which are made on request.

use anyhow::{Context, bail};
use gauntlet_core::table::Table;
use gauntlet_run::plan::LineUp;

use super::front::leaderboard;
use crate::results::store::read::Results;
use crate::results::tables::fact_table::ReachRow;
use crate::results::tables::leaderboard::LEADERBOARD;
use crate::results::tables::stages::{self, STAGES};

/// Names of these tables.
pub const REQUESTED_TABLES: [&str; 2] = [LEADERBOARD, STAGES];

/// Makes one of these tables.
pub fn make_table(results: &Results, name: &str) -> anyhow::Result<Table> {
    match name {
        LEADERBOARD => leaderboard(results),
        STAGES => stages_table(results)?.context("these games have no stages"),
        _ => bail!("unknown table `{name}`"),
    }
}

/// The goal is the largest value that some player reached in at least this share of its games.
const MIN_GOAL_SHARE: f64 = 0.01;

/// Makes the table of the stages that games reached; `None` if the game has no stages.
pub fn stages_table(results: &Results) -> anyhow::Result<Option<Table>> {
    let (arena, rules) = (results.experiment.arena(), results.experiment.rules());
    let fact_table = arena.facts.first().map(|fact| results.table(fact.table)).transpose()?.flatten();
    let is_frequent =
        |row: &ReachRow| row.reach_rate.estimate.is_some_and(|rate| rate.value >= MIN_GOAL_SHARE);
    let frequent_values = fact_table
        .iter()
        .flat_map(Table::read_rows::<ReachRow>)
        .filter(is_frequent)
        .filter_map(|row| row.value);
    let goal = frequent_values.max().unwrap_or(0) as i64;
    let names = arena.stages(rules, goal);
    if names.is_empty() {
        return Ok(None);
    }
    let plan = results.plan();
    let mut stage_counts = vec![vec![0; names.len() + 1]; plan.players.len()];
    results.visit_blocks(&plan, &mut |lineup, _, legs| {
        if let (LineUp::Alone([player]), [record]) = (plan.lineups[lineup], legs) {
            stage_counts[player][arena.count_stages_reached(rules, goal, record)] += 1;
        }
    })?;
    let players = plan.players.iter().map(|player| player.name);
    Ok(Some(stages::table(&names, players.zip(stage_counts))))
}
