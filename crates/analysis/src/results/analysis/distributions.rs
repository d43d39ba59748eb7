//! Distributions of single games, which reports show.

use gauntlet_core::table::Table;
use gauntlet_run::plan::LineUp;
use gauntlet_stats::Histogram;

use super::requested_tables::StageCounter;
use crate::results::store::read::Results;

/// Distributions of the games of a solo game. There may be millions of games, so all distributions
/// are made in one reading.
#[derive(Debug)]
pub struct GameDistributions {
    /// Scores of each player, in the order of the experiment.
    pub scores: Vec<(String, Histogram)>,
    /// Table of the stages that games reached; `None` if the game has no stages.
    pub stages: Option<Table>,
}

impl GameDistributions {
    /// Reads the games of some results.
    pub fn read(results: &Results) -> anyhow::Result<GameDistributions> {
        let plan = results.plan();
        let empty = plan.players.iter().map(|player| (player.name.to_owned(), Histogram::default()));
        let mut scores: Vec<(String, Histogram)> = empty.collect();
        let mut stage_counter = StageCounter::new(results, &plan)?;
        results.visit_blocks(&plan, &mut |lineup, _, legs| {
            if let (LineUp::Alone([player]), [record]) = (plan.lineups[lineup], legs) {
                scores[player].1.add(record.score());
                if let Some(counter) = &mut stage_counter {
                    counter.add(player, record);
                }
            }
        })?;
        Ok(GameDistributions { scores, stages: stage_counter.map(|counter| counter.table(&plan)) })
    }
}
