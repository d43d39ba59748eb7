//! An evaluation of 2048 boards for gauntlet's `expectimax`: it prefers a large sum in the bottom
//! row.

use gauntlet::twenty48::expectimax_example;
use gauntlet::twenty48::players::expectimax::Evaluate;
use gauntlet::twenty48::rules::Cells;
use serde::{Deserialize, Serialize};

/// The manual: a sentence, the keys of `expectimax`, and the table `evaluation`.
pub const EXAMPLE: &str = expectimax_example!(
    "# Expectimax that maximizes the sum of the bottom row.\nalgorithm = \"bottom-row\"\n",
    "# value of an empty cell, added to the sum of the row\nevaluation = { empty = 8 }\n"
);

/// The settings in the table `evaluation`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BottomRow {
    /// Value of an empty cell.
    pub empty: f64,
}

impl Default for BottomRow {
    fn default() -> BottomRow {
        BottomRow { empty: 8.0 }
    }
}

impl Evaluate for BottomRow {
    fn value(&self, board: Cells) -> f64 {
        let bottom: u32 = board.values()[12..].iter().sum();
        f64::from(bottom) + self.empty * f64::from(board.count_empty())
    }
}
