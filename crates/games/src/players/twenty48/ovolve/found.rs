//! What a search finds.

use crate::games::twenty48::Direction;

/// What a move is worth that makes the winning tile.
pub(super) const WIN: f64 = 10_000.0;
/// What a board is worth on which nothing can be done.
pub(super) const LOSS: f64 = -10_000.0;
/// A value above this is a win some plies away.
pub(super) const WIN_IS_NEAR: f64 = 9900.0;

/// What a search found, and what the original counts on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The best move; none if every line loses.
    pub(super) mv: Option<Direction>,
    /// What it is worth.
    pub(super) score: f64,
    /// Legal moves and candidates that were tried.
    pub(super) positions: u64,
    /// Nodes left before all of these were tried.
    pub(super) cutoffs: u64,
}
