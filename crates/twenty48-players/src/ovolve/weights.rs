//! Weights of the terms of the evaluation, and the tile that wins.

use gauntlet_core::num::Weight;
use gauntlet_twenty48::eval::{LN, OvolveTerms};
use serde::{Deserialize, Serialize};

use super::search_result::NEAR_WIN;

/// Weight of each term. The defaults are those of the original.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OvolveWeights {
    /// Weight of the smoothness, which is at most 0.
    pub smoothness: Weight,
    /// Weight of the monotonicity, which is at most 0.
    pub monotonicity: Weight,
    /// Weight of the logarithm of the number of empty cells.
    pub empty: Weight,
    /// Weight of the rank of the largest tile.
    pub largest: Weight,
}

impl Default for OvolveWeights {
    fn default() -> OvolveWeights {
        let [smoothness, monotonicity, empty, largest] =
            [0.1, 1.0, 2.7, 1.0].map(|weight| Weight::try_from(weight).expect("a weight"));
        OvolveWeights { smoothness, monotonicity, empty, largest }
    }
}

impl OvolveWeights {
    /// Returns true if a board could be worth as much as a win.
    pub(super) fn are_too_large(&self) -> bool {
        // Upper bounds of each term.
        let bounds =
            [(self.smoothness, 500.0), (self.monotonicity, 500.0), (self.empty, 3.0), (self.largest, 20.0)];
        bounds.into_iter().map(|(weight, bound)| weight.get().abs() * bound).sum::<f64>() >= NEAR_WIN
    }
}

/// Aim of a search: its weights and its winning tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// Rank of the winning tile.
    pub(super) win: Option<u8>,
    smoothness: f64,
    monotonicity: f64,
    largest: f64,
    /// Value of each number of empty cells.
    empty_values: [f64; 17],
}

impl Aim {
    pub(super) fn new(win: Option<u8>, weights: &OvolveWeights) -> Aim {
        Aim {
            win,
            smoothness: weights.smoothness.get(),
            monotonicity: weights.monotonicity.get(),
            largest: weights.largest.get(),
            empty_values: LN.map(|ln| weights.empty.get() * ln),
        }
    }

    /// Returns the evaluation of a board after a move; `max` is the rank of its largest tile.
    #[inline]
    pub(super) fn value(&self, terms: OvolveTerms, max: u8) -> f64 {
        let OvolveTerms { smoothness, monotonicity, empty } = terms;
        // In the original's order, left to right.
        self.smoothness * smoothness
            + self.monotonicity * monotonicity
            + self.empty_values[empty]
            + self.largest * f64::from(max)
    }
}
