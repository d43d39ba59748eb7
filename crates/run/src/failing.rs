//! Players that are other programs and fail in game after game: the run gives them up and continues
//! with the others.

use std::collections::BTreeMap;

use gauntlet_core::arena::MOST_FAILURES;

/// Players that were given up, by index in the plan, with the end of the last game.
pub(super) type GivenUp = BTreeMap<usize, String>;

/// Formats the message about a player that was given up.
pub fn told(player: &str, why: &str) -> String {
    format!("{player} failed in {MOST_FAILURES} games in a row and is skipped: {why}")
}
