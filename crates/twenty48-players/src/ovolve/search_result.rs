//! Results of a search.

use gauntlet_twenty48::rules::Direction;

/// Value of a move that makes the winning tile.
pub(super) const WIN: f64 = 10_000.0;
/// Value of a board without legal moves.
pub(super) const LOSS: f64 = -10_000.0;
/// Values above this are wins some plies away.
pub(super) const NEAR_WIN: f64 = 9900.0;

/// Result of a search, with the original's counters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SearchResult {
    /// Best move; `None` if every line loses.
    pub(super) mv: Option<Direction>,
    /// Value of that move.
    pub(super) score: f64,
    /// Number of legal moves and candidate tiles that were tried.
    pub(super) positions: u64,
    /// Number of nodes with a cutoff.
    pub(super) cutoffs: u64,
}
