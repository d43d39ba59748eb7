//! Sets of boards of a layer.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Set of boards of a layer, by their positions. Threads can insert at the same time.
#[derive(Debug)]
pub(crate) struct BoardSet(Box<[AtomicU64]>);

/// Reachable boards of a layer.
#[derive(Debug)]
pub(crate) struct ReachableLayer {
    /// Boards before a move.
    pub(crate) to_move: BoardSet,
    /// Boards after a move, before a new tile.
    pub(crate) moved: BoardSet,
}

impl BoardSet {
    /// Creates the set of all boards of a layer, or of none.
    pub(crate) fn new(boards: usize, is_full: bool) -> BoardSet {
        let word = if is_full { u64::MAX } else { 0 };
        BoardSet((0..boards.div_ceil(64)).map(|_| AtomicU64::new(word)).collect())
    }

    /// Returns true if the set has the board at this position.
    #[inline(always)]
    pub(crate) fn contains(&self, position: usize) -> bool {
        self.0[position / 64].load(Relaxed) >> (position % 64) & 1 == 1
    }

    /// Returns a bit for each board from this position to the next multiple of 64, the lowest
    /// first.
    #[inline(always)]
    pub(crate) fn bits_from(&self, position: usize) -> u64 {
        self.0[position / 64].load(Relaxed) >> (position % 64)
    }

    /// Adds the board at this position.
    #[inline(always)]
    pub(crate) fn insert(&self, position: usize) {
        let (word, bit) = (&self.0[position / 64], 1 << (position % 64));
        // Most boards are reached more than once, and reading is cheaper.
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }
}
