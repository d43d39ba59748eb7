//! Results of a search.

use crate::rules::Direction;

/// Value of a move that makes the winning tile.
pub(super) const WIN: f64 = 10_000.0;
/// Value of a board on which nothing can move.
pub(super) const LOSS: f64 = -10_000.0;
/// A value above this is a win some plies away.
pub(super) const WIN_IS_NEAR: f64 = 9900.0;

/// Result of a search, with the counters of the original.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The best move; none if every line loses.
    pub(super) mv: Option<Direction>,
    /// Its value.
    pub(super) score: f64,
    /// Legal moves and candidates that were tried.
    pub(super) positions: u64,
    /// Nodes left before all of these were tried.
    pub(super) cutoffs: u64,
}
