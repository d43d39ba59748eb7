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
    left: usize,
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
pub(super) struct Reach {
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
    pub(super) least: f32,
    pub(super) most: f32,
}

/// Stored value of a board just after a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CachedValue {
    pub(super) value: i64,
    /// True if the value is only an upper bound.
    pub(super) is_most: bool,
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
const IS_MOST: u64 = 1 << 7;

impl Table {
    /// Creates a table of this number of mebibytes or the next smaller power of two; 0 for none.
    pub(super) fn new(mebibytes: u32, kind: Kind) -> Table {
        let buckets = match mebibytes {
            0 => 0,
            _ => 1 << ((u64::from(mebibytes) << 20) / size_of::<[u64; 8]>() as u64).ilog2(),
        };
        let words = allocate_zeros(8 * (buckets + 1));
        let start = words.as_ptr().align_offset(64).min(8);
        let mut table = Table { words, start, count: buckets, shift: 0, left: 0, search: 0, kind };
        table.forget();
        table
    }

    /// Clears the table.
    pub(super) fn forget(&mut self) {
        let buckets = self.count.clamp(2, FIRST_BUCKETS);
        self.shift = 64 - buckets.ilog2();
        self.clear_entries();
    }

    /// Clears the table, but keeps the number of buckets in use.
    pub(super) fn clear_entries(&mut self) {
        let used = self.buckets_in_use().min(self.count);
        if self.search == self.kind.last_search() {
            self.search = 0;
            self.buckets_mut()[..used].fill([0; 8]);
        }
        self.search += 1;
        self.left = self.buckets_in_use() * self.kind.boards() / 4;
    }

    /// Returns the number of buckets that the search uses.
    fn buckets_in_use(&self) -> usize {
        1 << (64 - self.shift)
    }

    fn buckets_mut(&mut self) -> &mut [[u64; 8]] {
        self.words[self.start..].as_chunks_mut().0
    }

    #[inline(always)]
    fn bucket(&self, place: usize) -> Option<&[u64; 8]> {
        if place < self.count { self.words[self.start..].as_chunks().0.get(place) } else { None }
    }

    #[inline(always)]
    fn bucket_mut(&mut self, place: usize) -> Option<&mut [u64; 8]> {
        if place < self.count { self.words[self.start..].as_chunks_mut().0.get_mut(place) } else { None }
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
        let used = self.buckets_in_use();
        let more = GROWTH.min(self.count.checked_div(used).unwrap_or(1));
        if more < 2 {
            self.left = usize::MAX;
            return;
        }
        self.shift -= more.ilog2();
        self.left = (more * used - used) * self.kind.boards() / 4;
        // The entries of bucket i move to one of the buckets from `more` i on; starting at the
        // last, none is overwritten before its turn.
        let (shift, search, kind) = (self.shift, self.search, self.kind);
        let buckets = self.buckets_mut();
        for i in (0..used).rev() {
            let bucket = buckets[i];
            buckets[more * i..][..more].fill([0; 8]);
            match kind {
                Kind::Deep => Table::spread_deep(&bucket, search, buckets, shift),
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
    pub(super) fn value(&self, board: PackedLines, reach: Reach) -> Option<CachedValue> {
        debug_assert_eq!(self.kind, Kind::Ranged);
        let bucket = self.bucket(self.bucket_index(board))?;
        let stamp = self.stamp(reach);
        for entry in bucket.as_chunks::<WORDS>().0 {
            if entry[0] == board.word() && entry[3] & !IS_MOST == stamp {
                let range = unpack(entry[2]);
                if (range.least..=range.most).contains(&reach.probability) {
                    return Some(CachedValue {
                        value: entry[1] as i64,
                        is_most: entry[3] & IS_MOST != 0,
                        range,
                    });
                }
            }
        }
        None
    }

    /// Stores a value, replacing the same board, one of an earlier search, or the less deep one.
    #[inline(always)]
    pub(super) fn keep(&mut self, board: PackedLines, reach: Reach, known: CachedValue) {
        debug_assert_eq!(self.kind, Kind::Ranged);
        let place = self.bucket_index(board);
        let stamp = self.stamp(reach);
        if self.left == 0 {
            self.grow();
            return self.keep(board, reach, known);
        }
        let search = self.search;
        let Some(bucket) = self.bucket_mut(place) else { return };
        let [one, other] = bucket.as_chunks_mut::<WORDS>().0 else { return };
        // An entry of an earlier search counts as empty, so that it has no effect.
        let rank =
            |entry: &[u64; 4]| if entry[3] >> SEARCH_SHIFT == search { entry[3] & !IS_MOST } else { 0 };
        let is_of_board = |entry: &[u64; 4]| entry[0] == board.word() && rank(entry) != 0;
        let entry =
            if is_of_board(one) || !is_of_board(other) && rank(one) <= rank(other) { one } else { other };
        let range = u64::from(known.range.least.to_bits()) | u64::from(known.range.most.to_bits()) << 32;
        // A new board takes another place, unless it evicts one of this search.
        let is_new = rank(entry) == 0;
        *entry = [board.word(), known.value as u64, range, stamp | if known.is_most { IS_MOST } else { 0 }];
        self.left -= usize::from(is_new);
    }

    #[inline(always)]
    fn stamp(&self, reach: Reach) -> u64 {
        self.search << SEARCH_SHIFT | u64::from(reach.depth) << DEPTH_SHIFT | u64::from(reach.fours)
    }
}

#[inline(always)]
fn bucket_index(board: u64, shift: u32) -> usize {
    ((board ^ board >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize
}

#[inline(always)]
fn unpack(range: u64) -> Range {
    Range { least: f32::from_bits(range as u32), most: f32::from_bits((range >> 32) as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_answers_within_the_range_and_for_this_search_alone() {
        let mut table = Table::new(1, Kind::Ranged);
        let board = PackedLines::new(0x1234);
        let reach = |depth, fours, probability| Reach { depth, fours, probability };
        let known = CachedValue { value: -7, is_most: false, range: Range { least: 0.25, most: 0.5 } };
        table.keep(board, reach(3, 2, 0.3), known);
        for probability in [0.25, 0.3, 0.5] {
            assert_eq!(table.value(board, reach(3, 2, probability)), Some(known));
        }
        for other in
            [reach(3, 2, 0.2), reach(3, 2, 0.6), reach(2, 2, 0.3), reach(4, 2, 0.3), reach(3, 1, 0.3)]
        {
            assert_eq!(table.value(board, other), None, "{other:?}");
        }
        table.forget();
        assert_eq!(table.value(board, reach(3, 2, 0.3)), None);
    }

    /// Nothing is lost while there is room, and the last stored entry is found.
    #[test]
    fn a_table_grows_to_its_size() {
        let mut table = Table::new(1, Kind::Ranged);
        let board = |number: u64| PackedLines::new(number.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1);
        let reach = Reach { depth: 1, fours: 1, probability: 0.5 };
        let known =
            |value| CachedValue { value, is_most: value % 2 == 1, range: Range { least: 0.0, most: 1.0 } };
        let mut found = 0;
        for number in 0..40_000 {
            table.keep(board(number), reach, known(number as i64));
            assert_eq!(table.value(board(number), reach), Some(known(number as i64)));
            if number == 10_000 {
                found = (0..number).filter(|&number| table.value(board(number), reach).is_some()).count();
            }
        }
        assert_eq!(table.count, 1 << 14);
        assert!(found > 9000, "{found} of 10,000 in 32,768 places");
        let mut none = Table::new(0, Kind::Ranged);
        none.keep(board(1), reach, known(1));
        assert_eq!(none.value(board(1), reach), None);
    }
}
