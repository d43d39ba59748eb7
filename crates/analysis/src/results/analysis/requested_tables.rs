//! Tables without a file, which are made on request.

use anyhow::{Context, bail};
use gauntlet_core::arena::{Arena, CheckedRules};
use gauntlet_core::record::GameRecord;
use gauntlet_core::table::Table;
use gauntlet_run::plan::{LineUp, Plan};

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
fn stages_table(results: &Results) -> anyhow::Result<Option<Table>> {
    let plan = results.plan();
    let Some(mut counter) = StageCounter::new(results, &plan)? else { return Ok(None) };
    results.visit_blocks(&plan, &mut |lineup, _, legs| {
        if let (LineUp::Alone([player]), [record]) = (plan.lineups[lineup], legs) {
            counter.add(player, record);
        }
    })?;
    Ok(Some(counter.table(&plan)))
}

/// Counts the games of each player by the stages that they reached.
pub(super) struct StageCounter<'a> {
    arena: &'a Arena,
    rules: &'a CheckedRules,
    /// Value of the last stage.
    goal: i64,
    /// Names of the stages, at least one.
    names: Vec<String>,
    /// For each player, its games by number of stages, from 0.
    counts: Vec<Vec<u64>>,
}

impl<'a> StageCounter<'a> {
    /// Creates a counter for the players of a plan; `None` if the game has no stages.
    pub(super) fn new(results: &'a Results, plan: &Plan) -> anyhow::Result<Option<StageCounter<'a>>> {
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
        let counts = vec![vec![0; names.len() + 1]; plan.players.len()];
        Ok((!names.is_empty()).then_some(StageCounter { arena, rules, goal, names, counts }))
    }

    /// Counts a game of a player.
    pub(super) fn add(&mut self, player: usize, record: &GameRecord) {
        let stages = self.arena.count_stages_reached(self.rules, self.goal, record);
        self.counts[player][stages] += 1;
    }

    pub(super) fn table(self, plan: &Plan) -> Table {
        let players = plan.players.iter().map(|player| player.name);
        stages::table(&self.names, players.zip(self.counts))
    }
}
