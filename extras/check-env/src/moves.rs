//! Moves to judge.

use gauntlet_twenty48::rules::{Cells, Direction};

use crate::evidence::Example;

/// A move to judge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) before: Cells,
    pub(crate) action: usize,
    pub(crate) direction: Direction,
    /// Points of the game so far.
    pub(crate) score: u64,
}

/// Legal move with its expected and its observed board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LegalMove {
    pub(crate) played_move: Move,
    pub(crate) after: Cells,
    pub(crate) actual: Cells,
    pub(crate) gain: u64,
}

impl Move {
    pub(crate) fn example(
        &self,
        expected: Option<Cells>,
        actual: Option<Cells>,
        message: impl Into<String>,
    ) -> Example {
        Example {
            before: Some(self.before),
            action: Some((self.action, Some(self.direction))),
            expected,
            actual,
            message: message.into(),
        }
    }
}

impl LegalMove {
    /// Returns true if the move makes the first 2048 of the game.
    pub(crate) fn is_first_2048(&self) -> bool {
        self.after.max_rank() == 11 && self.played_move.before.max_rank() < 11
    }

    pub(crate) fn example(&self, message: impl Into<String>) -> Example {
        self.played_move.example(Some(self.after), Some(self.actual), message)
    }
}
