//! Cache of searched boards, by the original's rules.

/// Number of entries, a power of two.
const ENTRIES: usize = 1 << BITS;
const BITS: u32 = 22;
/// Number of entries that are cleared together.
const PAGE: usize = 256;

/// Size of the cache.
pub(super) const BYTES: u64 = (ENTRIES * size_of::<[u64; 2]>()) as u64;

/// Cache with one entry per slot, which a newer one replaces. It lives for a game.
pub(super) struct Cache {
    /// Number of each board, and the rest of its entry.
    entries: Vec<[u64; 2]>,
    /// Pages that must be cleared. After a short game there are few.
    is_used: Vec<bool>,
}

impl Cache {
    pub(super) fn new() -> Cache {
        Cache { entries: vec![[0; 2]; ENTRIES], is_used: vec![false; ENTRIES / PAGE] }
    }

    /// Clears the cache.
    pub(super) fn clear(&mut self) {
        for (page, is_used) in self.entries.chunks_mut(PAGE).zip(&mut self.is_used) {
            if std::mem::take(is_used) {
                page.fill([0; 2]);
            }
        }
    }

    /// Returns the value of a board, if it was searched at least as deep and for at least this
    /// probability.
    #[inline]
    pub(super) fn value(&self, board: u64, depth: i32, probability: f32) -> Option<i32> {
        let [number, packed] = self.entries[slot(board)];
        let (cached_probability, value) = (f32::from_bits((packed >> 32) as u32), packed as i32);
        // Depth has the lowest 4 bits, and its sign.
        let is_sufficient =
            number == board && cached_probability >= probability && value << 28 >> 28 >= depth;
        is_sufficient.then_some(value >> 4)
    }

    /// Stores the value of a board.
    #[inline]
    pub(super) fn store(&mut self, board: u64, depth: i32, probability: f32, value: i32) {
        let packed = u64::from(probability.to_bits()) << 32 | u64::from((value << 4 | depth & 15) as u32);
        let slot = slot(board);
        self.entries[slot] = [board, packed];
        self.is_used[slot / PAGE] = true;
    }
}

#[inline(always)]
fn slot(board: u64) -> usize {
    board.wrapping_add(board >> BITS).wrapping_add(board >> (2 * BITS)) as usize % ENTRIES
}
