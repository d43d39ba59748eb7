//! Players that are other programs and fail in game after game: they are given up, and the others play on.

use std::collections::BTreeMap;

use crate::arena::MOST_FAILURES;

/// Failures so far.
#[derive(Debug, Default)]
pub(super) struct Failing {
    /// Games in a row that each player failed in, on whichever threads.
    in_a_row: Vec<u32>,
    /// Players that are given up, and how the last of these games ended.
    pub(super) given_up: BTreeMap<usize, String>,
}

impl Failing {
    pub(super) fn of(players: usize) -> Failing {
        Failing { in_a_row: vec![0; players], given_up: BTreeMap::new() }
    }

    /// Takes note of a game of a player, and of how it failed if it did. Returns true if the player is given up now.
    pub(super) fn note(&mut self, player: usize, failed: Option<String>) -> bool {
        let in_a_row = &mut self.in_a_row[player];
        let Some(why) = failed else {
            *in_a_row = 0;
            return false;
        };
        *in_a_row += 1;
        *in_a_row >= MOST_FAILURES && self.give_up(player, why)
    }

    /// Gives a player up, for this reason. Returns true if it was not before.
    pub(super) fn give_up(&mut self, player: usize, why: String) -> bool {
        self.given_up.insert(player, why).is_none()
    }
}

/// Message about a player that is given up.
pub fn told(player: &str, why: &str) -> String {
    format!("{player} is given up after {MOST_FAILURES} games in a row that ended by its fault: {why}")
}
