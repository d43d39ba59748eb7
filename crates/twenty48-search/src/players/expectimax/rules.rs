//! Limits and special values of a search.

use gauntlet_core::num::bounded;
use serde::{Deserialize, Serialize};

/// Probabilities of a new 2 and of a new 4. They are multiplied starting at the root, in the order
/// of the path.
pub(super) const TWO: f32 = 0.9;
pub(super) const FOUR: f32 = 0.1;

/// Maximum depth, and last step of a search that deepens.
pub(super) const MAX_DEPTH: u32 = 60;

/// Values that a transposition table may answer with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableReuse {
    /// Only values that a search would find.
    #[default]
    Exact,
    /// Also values that were searched as deep or deeper and with as many 4s or more, at any
    /// probability.
    Deeper,
}

bounded! {
    /// Smallest probability of a board that is searched further.
    LeastProbability: |share| (0.0..=0.5).contains(&share), "must be from 0 to 0.5, such as 0.0001"
}

bounded! {
    /// Smallest value of a board that is searched further, as a factor of r 2^r.
    LeastValue: |factor| (0.0..=10.0).contains(&factor), "must be from 0 to 10, such as 2"
}

/// Settings that are constant during a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Smallest probability of a board that is searched further; 0 for any.
    pub(super) min_probability: f32,
    /// True if points count.
    pub(super) gains: bool,
    /// Value of a lost position.
    pub(super) loss_value: i64,
    /// True if no position is worth less.
    pub(super) is_loss_minimum: bool,
    /// Smallest value of a board that is searched further; [`NONE`] without a limit.
    pub(super) min_value: i64,
}

/// Number below any value.
pub(super) const NONE: i64 = i64::MIN;

/// Returns the weight of a tile of this rank in the evaluation of macroxue's program.
pub(super) fn tile_weight(rank: u8) -> f64 {
    f64::from(rank) * f64::from(1 << rank)
}

impl Rules {
    /// Returns the value of a position from the best of its moves, if there is any.
    #[inline(always)]
    pub(super) fn position_value(&self, best: Option<i64>) -> i64 {
        match best {
            None => self.loss_value,
            Some(best) if self.is_loss_minimum => best.max(self.loss_value),
            Some(best) => best,
        }
    }

    /// Returns the mean over the tiles on `cells` empty cells, from the sum after a 2 and the sum
    /// after a 4, rounded to the nearest whole number. Without further 4s there is no second sum.
    #[inline(always)]
    pub(super) fn mean(two_sum: i64, four_sum: Option<i64>, cells: u32) -> i64 {
        let (sum, divisor) = match four_sum {
            Some(four_sum) => (9 * two_sum + four_sum, 10 * i64::from(cells)),
            None => (two_sum, i64::from(cells)),
        };
        Rules::round_div(sum, divisor)
    }

    /// Divides and rounds to the nearest whole number, halves up.
    #[inline(always)]
    pub(super) fn round_div(sum: i64, divisor: i64) -> i64 {
        (2 * sum + divisor).div_euclid(2 * divisor)
    }
}
