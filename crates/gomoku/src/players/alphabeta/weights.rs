//! Weights of the evaluation: one number for each pattern that a colour would make on an empty
//! cell.

use gauntlet_core::num::Weight;
use serde::{Deserialize, Serialize};

use crate::rules::threats::PatternWeights;

/// Weight of each pattern of an empty cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    /// One stone short of a two.
    pub one: Weight,
    /// One stone short of an open two.
    pub open_one: Weight,
    /// One stone short of a three.
    pub two: Weight,
    /// One stone short of an open three.
    pub open_two: Weight,
    /// One stone short of a four.
    pub three: Weight,
    /// One stone short of an open four.
    pub open_three: Weight,
    /// Four: one cell then completes a five.
    pub four: Weight,
    /// Open four: two cells or more then complete a five.
    pub open_four: Weight,
    /// Additional proportion for the patterns of the side to move.
    pub to_move: Weight,
}

impl Default for Weights {
    fn default() -> Weights {
        let [one, open_one, two, open_two, three, open_three, four, open_four, to_move] =
            [0.0, 0.0, 0.3, 0.5, 2.0, 6.0, 8.0, 30.0, 0.5]
                .map(|weight| Weight::try_from(weight).expect("a weight"));
        Weights { one, open_one, two, open_two, three, open_three, four, open_four, to_move }
    }
}

/// Search units per unit of the weights.
pub(super) const UNIT: i32 = 16;

/// Maximum weight. It keeps the sum over all cells far below the value of a win.
const MAX_WEIGHT: f64 = 1000.0;

impl Weights {
    fn patterns(&self) -> [Weight; 8] {
        [
            self.one,
            self.open_one,
            self.two,
            self.open_two,
            self.three,
            self.open_three,
            self.four,
            self.open_four,
        ]
    }

    /// Returns true if a weight exceeds the maximum.
    pub(super) fn are_too_large(&self) -> bool {
        self.patterns().iter().any(|weight| weight.get().abs() > MAX_WEIGHT)
            || self.to_move.get().abs() > 10.0
    }

    /// Returns the weights in search units.
    pub(super) fn to_search_units(self) -> PatternWeights {
        let [one, open_one, two, open_two, three, open_three, four, open_four] =
            self.patterns().map(to_units);
        // A five ends the game and needs no weight.
        [0, one, open_one, two, open_two, three, open_three, four, open_four, 0]
    }

    /// Returns the additional proportion, in parts of [`UNIT`].
    pub(super) fn share_of_turn(&self) -> i32 {
        to_units(self.to_move)
    }
}

fn to_units(weight: Weight) -> i32 {
    (weight.get() * f64::from(UNIT)).round() as i32
}
