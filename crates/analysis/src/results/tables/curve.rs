//! The learning curve: what was learned after some numbers of games, tested in games without learning, the same at each number.

use gauntlet_core::table::Column;
use gauntlet_core::table::layout::Layout;
use gauntlet_core::text::{games, grouped_real};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Distribution, Estimate};
use serde::{Deserialize, Serialize};

/// Name of the table.
pub const CURVE: &str = "curve";

/// The columns that tell of games that were learned from. No page shows them: a mean over such games is no result.
pub const TRAINING: [&str; 2] = ["training_mean_score", "training_games_of_mean"];

/// A test of what was learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tested {
    /// Games that were learned from before.
    pub games: u64,
    /// Their moves.
    pub moves: u64,
    /// Scores of the games of the test.
    pub scores: Vec<u64>,
    /// Moves of the games of the test.
    pub test_moves: u64,
    /// The last games that were learned from before: at most a thousand.
    pub training_games: u64,
    /// The sum of their scores, which is that of players that changed meanwhile.
    pub training_score: u64,
}

impl Tested {
    /// The mean score.
    pub fn mean(&self) -> Option<Estimate> {
        let mut scores = Distribution::default();
        self.scores.iter().for_each(|&score| scores.add(score));
        scores.mean(LEVEL)
    }

    /// The test in words.
    pub fn words(&self) -> String {
        let mean = self.mean().unwrap_or(Estimate::unbounded(f64::NAN, LEVEL));
        let [value, low, high] = [mean.value, mean.low, mean.high].map(|score| grouped_real(score, 0));
        format!(
            "after {}: mean score {value} ({low} to {high}) in {} without learning",
            games(self.games),
            games(self.scores.len() as u64)
        )
    }
}

/// Table of the curve.
pub fn layout<'a>() -> Layout<'a, &'a Tested> {
    Layout::new(CURVE, Some(LEVEL))
        .count("games", |it: &&Tested| it.games)
        .count("moves", |it| it.moves)
        .count("test_games", |it| it.scores.len() as u64)
        .estimate(Column::number("score_mean"), ["score_low", "score_high"], 1, |it| it.mean())
        .count("score_max", |it| it.scores.iter().copied().max().unwrap_or(0))
        .real(Column::number("moves_mean"), 1, |it| Some(it.test_moves as f64 / it.scores.len() as f64))
        .real(Column::number(TRAINING[0]), 1, |it| Some(it.training_score as f64 / it.training_games as f64))
        .count(TRAINING[1], |it| it.training_games)
}
