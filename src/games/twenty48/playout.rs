//! A random game that was played to its end.

use super::board::Board;

/// A finished game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout {
    /// The board on which nothing can move.
    pub board: Board,
    /// The points.
    pub score: u64,
    /// How many moves were played.
    pub moves: u32,
}
