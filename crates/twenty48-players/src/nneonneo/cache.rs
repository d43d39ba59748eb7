//! Cache of searched boards, with the original's rule.

use gauntlet_twenty48::rules::PackedLines;

/// Cache that grows with the search, because the original forgets nothing either. It is cleared for
/// each direction at the root.
pub(super) struct Cache {
    /// A power of two of entries; those at the front are in use.
    entries: Vec<Entry>,
    /// Logarithm of the number in use.
    bits: u32,
    /// Number of stored boards.
    count: usize,
    /// Number of the search. Entries of other searches are ignored.
    search: u32,
}

/// Value of a board just after a move.
#[derive(Clone, Copy, Default)]
struct Entry {
    board: PackedLines,
    value: f32,
    /// Number of the search, and level.
    stamp: u32,
}

/// Logarithm of the number in use at the start of each search.
const MIN_BITS: u32 = 10;
/// Bits of a stamp that contain the level.
const LEVEL_BITS: u32 = 4;
/// Maximum number of searches before the numbers are reused.
const SEARCHES: u32 = u32::MAX >> LEVEL_BITS;

/// Size of the cache for nearly every search: 2^20 entries.
pub(super) const TYPICAL_BYTES: u64 = (size_of::<Entry>() as u64) << 20;

impl Cache {
    pub(super) fn new() -> Cache {
        Cache { entries: vec![Entry::default(); 1 << MIN_BITS], bits: MIN_BITS, count: 0, search: 1 }
    }

    /// Clears the cache.
    pub(super) fn clear(&mut self) {
        if self.search == SEARCHES {
            self.entries.fill(Entry::default());
            self.search = 0;
        }
        self.search += 1;
        self.bits = MIN_BITS;
        self.count = 0;
    }

    /// Returns the value of a board, if it was searched at this level or nearer to the root.
    #[inline]
    pub(super) fn value(&self, board: PackedLines, level: u32) -> Option<f32> {
        let entry = &self.entries[self.find_slot(board)];
        let is_deep_enough = self.is_current(entry) && entry.stamp & ((1 << LEVEL_BITS) - 1) <= level;
        is_deep_enough.then_some(entry.value)
    }

    /// Stores the value of a board, replacing an earlier one.
    pub(super) fn store(&mut self, board: PackedLines, level: u32, value: f32) {
        let slot = self.find_slot(board);
        if !self.is_current(&self.entries[slot]) {
            self.count += 1;
        }
        self.entries[slot] = Entry { board, value, stamp: self.search << LEVEL_BITS | level };
        if 2 * self.count > 1 << self.bits {
            self.grow();
        }
    }

    /// Returns the index of a board, or the one where it belongs.
    #[inline]
    fn find_slot(&self, board: PackedLines) -> usize {
        let mut slot = (board.word().wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - self.bits)) as usize;
        let last = (1 << self.bits) - 1;
        loop {
            let entry = &self.entries[slot];
            if entry.board == board || !self.is_current(entry) {
                return slot;
            }
            slot = (slot + 1) & last;
        }
    }

    #[inline]
    fn is_current(&self, entry: &Entry) -> bool {
        entry.stamp >> LEVEL_BITS == self.search
    }

    #[cold]
    fn grow(&mut self) {
        let current_entries: Vec<Entry> =
            self.entries[..1 << self.bits].iter().filter(|entry| self.is_current(entry)).copied().collect();
        let count = self.count;
        let bits = self.bits + 1;
        self.clear();
        (self.bits, self.count) = (bits, count);
        if self.entries.len() < 1 << bits {
            self.entries.resize(1 << bits, Entry::default());
        }
        for entry in current_entries {
            let slot = self.find_slot(entry.board);
            let level = entry.stamp & ((1 << LEVEL_BITS) - 1);
            self.entries[slot] = Entry { stamp: self.search << LEVEL_BITS | level, ..entry };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_keeps_every_board_until_it_forgets() {
        let mut cache = Cache::new();
        let board = |number: u64| PackedLines::new(number.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1);
        for search in 0..3 {
            for number in 0..5000 {
                assert_eq!(cache.value(board(number), 14), None);
                cache.store(board(number), 3, number as f32 + search as f32);
            }
            for number in 0..5000 {
                let value = Some(number as f32 + search as f32);
                assert_eq!(
                    [2, 3, 14].map(|level| cache.value(board(number), level)),
                    [None, value, value],
                    "{number}"
                );
            }
            cache.store(board(7), 2, 0.5);
            assert_eq!((cache.value(board(7), 2), cache.count), (Some(0.5), 5000));
            cache.clear();
        }
        cache.store(board(1), 0, 1.0);
        cache.search = SEARCHES;
        cache.clear();
        assert_eq!((cache.search, cache.value(board(1), 0)), (1, None));
    }
}
