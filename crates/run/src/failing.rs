//! Players that are other programs and fail in game after game: they are given up, and the others
//! play on.

use std::collections::BTreeMap;

use gauntlet_core::arena::MOST_FAILURES;

/// Players that are given up, by their places in the plan, and how the last of their games ended.
pub(super) type GivenUp = BTreeMap<usize, String>;

/// Message about a player that is given up.
pub fn told(player: &str, why: &str) -> String {
    format!("{player} is given up after {MOST_FAILURES} games in a row that ended by its fault: {why}")
}
