//! Transposition table.

mod deep;

use gauntlet_twenty48::rules::PackedLines;

use super::vectors::prefetch;
use crate::network::pages::allocate_zeros;

/// Table of fixed size, in buckets of one cache line: two boards each, or four (`deep`). A search
/// starts with few of the buckets, which stay in the processor's caches, and takes four times as
/// many whenever a quarter of the places is used. With two boards per bucket that is 1.5 to 2 times
/// as fast for small searches as using all at once.
pub(super) struct Table {
    /// Buckets, with padding so that they start at a cache line.
    words: Vec<u64>,
    start: usize,
    /// Number of buckets: zero, or a power of two.
    count: usize,
    /// Number of bits by which a hash exceeds an index.
    shift: u32,
    /// Number of entries until more buckets are taken.
    remaining_entries: usize,
    /// Number of the search. Entries of other searches are ignored.
    search: u64,
    pub(super) kind: Kind,
}

/// Content of a table's entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Value, and the range of probabilities for which it is valid.
    Ranged,
    /// Value alone (`deep`).
    Deep,
}

impl Kind {
    /// Returns the number of boards per bucket.
    const fn boards(self) -> usize {
        match self {
            Kind::Ranged => 8 / WORDS,
            Kind::Deep => 4,
        }
    }

    /// Returns the largest search number that fits into an entry.
    const fn last_search(self) -> u64 {
        match self {
            Kind::Ranged => u64::MAX >> SEARCH_SHIFT,
            Kind::Deep => (1 << NUMBER_BITS) - 1,
        }
    }
}

/// Conditions of a value, in addition to the board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Horizon {
    /// Number of tiles still to come on a path.
    pub(super) depth: u32,
    /// Maximum number of 4s among them.
    pub(super) fours: u32,
    /// Probability of the board.
    pub(super) probability: f32,
}

/// Range of probabilities of a board for which a search finds the same value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) min: f32,
    pub(super) max: f32,
}

/// Stored value of a board just after a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CachedValue {
    pub(super) value: i64,
    /// True if the value is only an upper bound.
    pub(super) is_upper_bound: bool,
    pub(super) range: Range,
}

/// Bits of the number of a search, of a depth, and of a number of 4s in an entry without a range.
const NUMBER_BITS: u32 = 6;
/// Words of an entry with a range: board; value; range; number of the search, depth, upper-bound
/// flag, and 4s.
const WORDS: usize = 4;
/// Number of buckets at the start of a search: 128 KiB.
const FIRST_BUCKETS: usize = 1 << 11;
/// Factor by which the number of buckets grows.
const GROWTH: usize = 4;
/// Bit positions of the depth and of the number of the search in the last of these words.
const DEPTH_SHIFT: u32 = 8;
const SEARCH_SHIFT: u32 = 16;
/// Flag for an upper bound, next to the number of 4s in the bits below.
const UPPER_BOUND_FLAG: u64 = 1 << 7;

impl Table {
    /// Creates a table of this number of mebibytes or the next smaller power of two; 0 for none.
    pub(super) fn new(mebibytes: u32, kind: Kind) -> Table {
        let buckets = match mebibytes {
            0 => 0,
            _ => 1 << ((u64::from(mebibytes) << 20) / size_of::<[u64; 8]>() as u64).ilog2(),
        };
        let words: Vec<u64> = allocate_zeros(8 * (buckets + 1));
        let start = words.as_ptr().align_offset(64).min(8);
        let mut table =
            Table { words, start, count: buckets, shift: 0, remaining_entries: 0, search: 0, kind };
        table.clear();
        table
    }

    /// Clears the table.
    pub(super) fn clear(&mut self) {
        let buckets = self.count.clamp(2, FIRST_BUCKETS);
        self.shift = 64 - buckets.ilog2();
        self.clear_entries();
    }

    /// Clears the table, but keeps the number of buckets in use.
    pub(super) fn clear_entries(&mut self) {
        let used_buckets = self.buckets_in_use().min(self.count);
        if self.search == self.kind.last_search() {
            self.search = 0;
            self.buckets_mut()[..used_buckets].fill([0; 8]);
        }
        self.search += 1;
        self.remaining_entries = self.buckets_in_use() * self.kind.boards() / 4;
    }

    /// Returns the number of buckets that the search uses.
    fn buckets_in_use(&self) -> usize {
        1 << (64 - self.shift)
    }

    fn buckets_mut(&mut self) -> &mut [[u64; 8]] {
        self.words[self.start..].as_chunks_mut().0
    }

    #[inline(always)]
    fn bucket(&self, index: usize) -> Option<&[u64; 8]> {
        if index < self.count { self.words[self.start..].as_chunks().0.get(index) } else { None }
    }

    #[inline(always)]
    fn bucket_mut(&mut self, index: usize) -> Option<&mut [u64; 8]> {
        if index < self.count { self.words[self.start..].as_chunks_mut().0.get_mut(index) } else { None }
    }

    #[inline(always)]
    fn bucket_index(&self, board: PackedLines) -> usize {
        bucket_index(board.word(), self.shift)
    }

    /// Prefetches the bucket of a board.
    #[inline(always)]
    pub(super) fn prefetch(&self, board: PackedLines) {
        if let Some(bucket) = self.bucket(self.bucket_index(board)) {
            prefetch(bucket);
        }
    }

    /// Takes four times as many buckets, if there are more.
    #[cold]
    fn grow(&mut self) {
        let used_buckets = self.buckets_in_use();
        let factor = GROWTH.min(self.count.checked_div(used_buckets).unwrap_or(1));
        if factor < 2 {
            self.remaining_entries = usize::MAX;
            return;
        }
        self.shift -= factor.ilog2();
        self.remaining_entries = (factor * used_buckets - used_buckets) * self.kind.boards() / 4;
        // The entries of bucket i move to one of the buckets from `factor` i on; starting at the
        // last, none is overwritten before its turn.
        let (shift, search, kind) = (self.shift, self.search, self.kind);
        let buckets = self.buckets_mut();
        for i in (0..used_buckets).rev() {
            let bucket = buckets[i];
            buckets[factor * i..][..factor].fill([0; 8]);
            match kind {
                Kind::Deep => Table::rehash_deep(&bucket, search, buckets, shift),
                Kind::Ranged => {
                    for (half, entry) in bucket.as_chunks::<WORDS>().0.iter().enumerate() {
                        if entry[3] >> SEARCH_SHIFT == search {
                            buckets[bucket_index(entry[0], shift)][WORDS * half..][..WORDS]
                                .copy_from_slice(entry);
                        }
                    }
                }
            }
        }
    }

    /// Returns the value of a board that was searched exactly under these conditions.
    #[inline(always)]
    pub(super) fn value(&self, board: PackedLines, horizon: Horizon) -> Option<CachedValue> {
        debug_assert_eq!(self.kind, Kind::Ranged);
        let bucket = self.bucket(self.bucket_index(board))?;
        let stamp = self.stamp(horizon);
        for entry in bucket.as_chunks::<WORDS>().0 {
            if entry[0] == board.word() && entry[3] & !UPPER_BOUND_FLAG == stamp {
                let range = unpack(entry[2]);
                if (range.min..=range.max).contains(&horizon.probability) {
                    return Some(CachedValue {
                        value: entry[1] as i64,
                        is_upper_bound: entry[3] & UPPER_BOUND_FLAG != 0,
                        range,
                    });
                }
            }
        }
        None
    }

    /// Stores a value, replacing the same board, one of an earlier search, or the less deep one.
    #[inline(always)]
    pub(super) fn store(&mut self, board: PackedLines, horizon: Horizon, cached: CachedValue) {
        debug_assert_eq!(self.kind, Kind::Ranged);
        let index = self.bucket_index(board);
        let stamp = self.stamp(horizon);
        if self.remaining_entries == 0 {
            self.grow();
            return self.store(board, horizon, cached);
        }
        let search = self.search;
        let Some(bucket) = self.bucket_mut(index) else { return };
        let [one, other] = bucket.as_chunks_mut::<WORDS>().0 else { return };
        // An entry of an earlier search counts as empty, so that it has no effect.
        let rank = |entry: &[u64; 4]| {
            if entry[3] >> SEARCH_SHIFT == search { entry[3] & !UPPER_BOUND_FLAG } else { 0 }
        };
        let is_of_board = |entry: &[u64; 4]| entry[0] == board.word() && rank(entry) != 0;
        let entry =
            if is_of_board(one) || !is_of_board(other) && rank(one) <= rank(other) { one } else { other };
        let range = u64::from(cached.range.min.to_bits()) | u64::from(cached.range.max.to_bits()) << 32;
        // A new board takes another place, unless it evicts one of this search.
        let is_new = rank(entry) == 0;
        *entry = [
            board.word(),
            cached.value as u64,
            range,
            stamp | if cached.is_upper_bound { UPPER_BOUND_FLAG } else { 0 },
        ];
        self.remaining_entries -= usize::from(is_new);
    }

    #[inline(always)]
    fn stamp(&self, horizon: Horizon) -> u64 {
        self.search << SEARCH_SHIFT | u64::from(horizon.depth) << DEPTH_SHIFT | u64::from(horizon.fours)
    }
}

#[inline(always)]
fn bucket_index(board: u64, shift: u32) -> usize {
    ((board ^ board >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize
}

#[inline(always)]
fn unpack(range: u64) -> Range {
    Range { min: f32::from_bits(range as u32), max: f32::from_bits((range >> 32) as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_answers_within_the_range_and_for_this_search_alone() {
        let mut table = Table::new(1, Kind::Ranged);
        let board = PackedLines::new(0x1234);
        let horizon = |depth, fours, probability| Horizon { depth, fours, probability };
        let cached = CachedValue { value: -7, is_upper_bound: false, range: Range { min: 0.25, max: 0.5 } };
        table.store(board, horizon(3, 2, 0.3), cached);
        for probability in [0.25, 0.3, 0.5] {
            assert_eq!(table.value(board, horizon(3, 2, probability)), Some(cached));
        }
        for other in [
            horizon(3, 2, 0.2),
            horizon(3, 2, 0.6),
            horizon(2, 2, 0.3),
            horizon(4, 2, 0.3),
            horizon(3, 1, 0.3),
        ] {
            assert_eq!(table.value(board, other), None, "{other:?}");
        }
        table.clear();
        assert_eq!(table.value(board, horizon(3, 2, 0.3)), None);
    }

    /// Nothing is lost while there is room, and the last stored entry is found.
    #[test]
    fn a_table_grows_to_its_size() {
        let mut table = Table::new(1, Kind::Ranged);
        let board = |number: u64| PackedLines::new(number.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1);
        let horizon = Horizon { depth: 1, fours: 1, probability: 0.5 };
        let cached = |value| CachedValue {
            value,
            is_upper_bound: value % 2 == 1,
            range: Range { min: 0.0, max: 1.0 },
        };
        let mut found_count = 0;
        for number in 0..40_000 {
            table.store(board(number), horizon, cached(number as i64));
            assert_eq!(table.value(board(number), horizon), Some(cached(number as i64)));
            if number == 10_000 {
                found_count =
                    (0..number).filter(|&number| table.value(board(number), horizon).is_some()).count();
            }
        }
        assert_eq!(table.count, 1 << 14);
        assert!(found_count > 9000, "{found_count} of 10,000 in 32,768 places");
        let mut empty_table = Table::new(0, Kind::Ranged);
        empty_table.store(board(1), horizon, cached(1));
        assert_eq!(empty_table.value(board(1), horizon), None);
    }
}
