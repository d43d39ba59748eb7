//! Distributions of single games, which reports show.

use gauntlet_core::game::Shape;
use gauntlet_core::table::Table;
use gauntlet_run::plan::LineUp;
use gauntlet_stats::Histogram;

use crate::results::store::read::Results;
use crate::results::tables::{scores, stages};

/// Distributions of games. There may be millions of games, so all distributions
/// are made in one reading.
#[derive(Debug)]
pub struct GameDistributions {
    /// Scores of each player, in the order of the experiment; empty for a duel.
    pub scores: Vec<(String, Histogram)>,
    /// Table of the stages that games reached; `None` if the game has no stages.
    pub stages: Option<Table>,
}

impl GameDistributions {
    /// Reads the games of some results.
    pub fn read(results: &Results) -> anyhow::Result<GameDistributions> {
        let (arena, rules) = (results.experiment.arena(), results.experiment.rules());
        let plan = results.plan();
        let names = arena.stages(rules);
        let mut stage_counts = vec![vec![0; names.len() + 1]; plan.players.len()];
        let mut histograms = vec![Histogram::default(); plan.players.len()];
        results.visit_blocks(&plan, &mut |lineup, _, legs| {
            if let (LineUp::Alone([player]), [record]) = (plan.lineups[lineup], legs) {
                histograms[player].add(record.score());
                if !names.is_empty() {
                    stage_counts[player][arena.count_stages_reached(rules, record)] += 1;
                }
            }
        })?;
        let players = || plan.players.iter().map(|player| player.name);
        let has_scores = arena.shape == Shape::Solo;
        Ok(GameDistributions {
            scores: players().filter(|_| has_scores).map(str::to_owned).zip(histograms).collect(),
            stages: (!names.is_empty()).then(|| stages::table(&names, players().zip(stage_counts))),
        })
    }

    /// Makes the table of interquartile means and quantiles; `None` if the game has no scores.
    pub fn score_table(&self) -> Option<Table> {
        (!self.scores.is_empty()).then(|| scores::score_table(&self.scores))
    }

    /// Makes the table of performance profiles; `None` if the game has no scores.
    pub fn profile_table(&self) -> Option<Table> {
        (!self.scores.is_empty()).then(|| scores::profile_table(&self.scores))
    }
}
