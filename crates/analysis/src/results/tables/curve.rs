//! The learning curve: tests after some numbers of training games, in equal games without learning.

use gauntlet_core::table::table;
use gauntlet_core::text::{format_count, format_games, group_decimal};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::{Estimate, Histogram};
use serde::{Deserialize, Serialize};

pub const CURVE: &str = "curve";

/// Columns about training games. No page shows them: a mean over training games is no result.
pub const TRAINING: [&str; 2] = ["training_mean_score", "training_games_of_mean"];

/// Test of what was learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingTest {
    /// Number of training games before the test.
    pub games: u64,
    /// Moves of the training games.
    pub moves: u64,
    /// Scores of the test games.
    pub scores: Vec<u64>,
    /// Moves of the test games.
    pub test_moves: u64,
    /// Number of last training games in `training_score`: at most a thousand.
    pub training_games: u64,
    /// Sum of the scores of the last training games, in which the player was still changing.
    pub training_score: u64,
}

impl TrainingTest {
    /// Returns the mean score.
    pub fn mean(&self) -> Option<Estimate> {
        let mut scores = Histogram::default();
        self.scores.iter().for_each(|&score| scores.add(score));
        scores.mean(LEVEL)
    }

    /// Formats the result of the test.
    pub fn describe(&self) -> String {
        let mean = self.mean().unwrap_or(Estimate::unbounded(f64::NAN, LEVEL));
        let [value, low, high] = [mean.value, mean.low, mean.high].map(|score| group_decimal(score, 0));
        format!(
            "after {}: mean score {value} [{low}, {high}] in {}",
            format_games(self.games),
            format_count(self.scores.len() as u64, "test game")
        )
    }
}

table! {
    /// A test in the table of the curve.
    pub struct CurveRow(CURVE, Some(LEVEL)) of it: &TrainingTest {
        /// Number of training games before the test.
        games: u64, count() = it.games;
        /// Number of training moves before the test.
        moves: u64, count() = it.moves;
        /// Number of test games, without learning.
        test_games: u64, count() = it.scores.len() as u64;
        /// Mean score of the test, with its 95 % interval.
        score_mean: Option<Estimate>, number().with_decimals(1).with_parts(&["score_low", "score_high"]) = it.mean();
        /// Highest score of the test.
        score_max: u64, count() = it.scores.iter().copied().max().unwrap_or(0);
        /// Mean number of moves of a test game.
        moves_mean: Option<f64>, number().with_decimals(1) = it.test_moves as f64 / it.scores.len() as f64;
        /// Mean score of up to 1,000 training games before the test.
        training_mean_score: Option<f64>, number().with_decimals(1) = it.training_score as f64 / it.training_games as f64;
        /// Number of training games in `training_mean_score`.
        training_games_of_mean: u64, count() = it.training_games;
    }
}
