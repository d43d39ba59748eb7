//! Cache of searched boards, by the original's rules.

/// Number of entries, a power of two.
const ENTRIES: usize = 1 << BITS;
const BITS: u32 = 22;

/// Size of the cache.
pub(super) const BYTES: u64 = (ENTRIES * size_of::<[u64; 2]>()) as u64;

/// Cache with one entry per slot, which a newer one replaces. Each game has a new cache, whose pages
/// the system clears as they are needed.
pub(super) struct Cache {
    /// Number of each board, and its `rest`.
    entries: Vec<[u64; 2]>,
}

impl Cache {
    pub(super) fn new() -> Cache {
        Cache { entries: vec![[0; 2]; ENTRIES] }
    }

    /// Returns the value of a board, if it was searched at least as deep and for at least this
    /// probability.
    #[inline]
    pub(super) fn value(&self, board: u64, depth: i32, probability: f32) -> Option<i32> {
        let [number, rest] = self.entries[slot(board)];
        let (known, value) = (f32::from_bits((rest >> 32) as u32), rest as i32);
        // Depth has the lowest 4 bits, and its sign.
        let is_found = number == board && known >= probability && value << 28 >> 28 >= depth;
        is_found.then_some(value >> 4)
    }

    /// Stores the value of a board.
    #[inline]
    pub(super) fn keep(&mut self, board: u64, depth: i32, probability: f32, value: i32) {
        let rest = u64::from(probability.to_bits()) << 32 | u64::from((value << 4 | depth & 15) as u32);
        self.entries[slot(board)] = [board, rest];
    }
}

#[inline(always)]
fn slot(board: u64) -> usize {
    board.wrapping_add(board >> BITS).wrapping_add(board >> (2 * BITS)) as usize % ENTRIES
}
