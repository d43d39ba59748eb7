//! Weights of the evaluation: a number for each pattern that a colour would make on an empty cell.

use gauntlet_core::num::Weight;
use serde::{Deserialize, Serialize};

use crate::rules::threats::Worth;

/// Weight of each pattern of an empty cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Weights {
    /// A two by one more stone.
    pub one: Weight,
    /// An open two by one more stone.
    pub open_one: Weight,
    /// A three by one more stone.
    pub two: Weight,
    /// An open three by one more stone.
    pub open_two: Weight,
    /// A four by one more stone.
    pub three: Weight,
    /// An open four by one more stone.
    pub open_three: Weight,
    /// One cell then completes a five.
    pub four: Weight,
    /// Two cells or more then complete a five.
    pub open_four: Weight,
    /// By which part more the patterns of the side to move count.
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

/// Whole numbers of the search that make one unit of the weights.
pub(super) const UNIT: i32 = 16;

/// The largest weight: the sum of all cells then stays far below the value of a win.
const MOST: f64 = 1000.0;

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

    /// True if a weight is larger than the search can count.
    pub(super) fn are_too_large(&self) -> bool {
        self.patterns().iter().any(|weight| weight.get().abs() > MOST) || self.to_move.get().abs() > 10.0
    }

    /// Weights in the units of the search.
    pub(super) fn worth(&self) -> Worth {
        let [one, open_one, two, open_two, three, open_three, four, open_four] = self.patterns().map(whole);
        // A five is the end of the game, and counts nothing before.
        [0, one, open_one, two, open_two, three, open_three, four, open_four, 0]
    }

    /// The share more, in parts of [`UNIT`].
    pub(super) fn share_of_turn(&self) -> i32 {
        whole(self.to_move)
    }
}

fn whole(weight: Weight) -> i32 {
    (weight.get() * f64::from(UNIT)).round() as i32
}
