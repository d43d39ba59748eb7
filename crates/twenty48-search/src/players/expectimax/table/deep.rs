//! Entries for searches that use values of deeper searches, at any probability. No range is kept,
//! so twice as many boards fit.
//!
//! A bucket has four boards, followed by one word for each. From the highest bit on, a word
//! contains the number of the search, the depth, the number of 4s and the value. The lower of two
//! such words belongs to an earlier search. Within one search, it belongs to the less deep board,
//! or to the one with fewer 4s. Otherwise their order is arbitrary, but does not depend on earlier
//! searches.

use super::super::rules::MAX_DEPTH;
use super::{Horizon, Kind, NUMBER_BITS, PackedLines, Table, bucket_index};

const BOARDS: usize = Kind::Deep.boards();
const SEARCH_SHIFT: u32 = u64::BITS - NUMBER_BITS;
const DEPTH_SHIFT: u32 = SEARCH_SHIFT - NUMBER_BITS;
const FOURS_SHIFT: u32 = DEPTH_SHIFT - NUMBER_BITS;
const VALUE_BITS: u32 = FOURS_SHIFT;
/// Maximum depth, and maximum number of 4s, which have as many bits as the number of a search.
const MAX_NUMBER: u64 = Kind::Deep.last_search();
const _: () = assert!(MAX_DEPTH as u64 <= MAX_NUMBER);

impl Table {
    /// Returns the value of a board that was searched this far or further.
    #[inline(always)]
    pub(in super::super) fn deeper_value(&self, board: PackedLines, horizon: Horizon) -> Option<i64> {
        debug_assert_eq!(self.kind, Kind::Deep);
        let bucket = self.bucket(self.bucket_index(board))?;
        let (index, is_present) = index_of(bucket, board);
        let entry = bucket[BOARDS + index];
        let min_prefix = self.search << (SEARCH_SHIFT - DEPTH_SHIFT) | u64::from(horizon.depth);
        let is_deep = entry >> DEPTH_SHIFT >= min_prefix
            && entry >> FOURS_SHIFT & MAX_NUMBER >= u64::from(horizon.fours);
        let unused_bits = u64::BITS - VALUE_BITS;
        (is_present & is_deep).then_some((entry << unused_bits) as i64 >> unused_bits)
    }

    /// Stores a value, replacing the same board, or the one with the lowest word. Among equal words
    /// the lower board is replaced, because their positions depend on earlier searches, which must
    /// have no effect.
    #[inline(always)]
    pub(in super::super) fn store_deep(&mut self, board: PackedLines, horizon: Horizon, value: i64) {
        debug_assert_eq!(self.kind, Kind::Deep);
        if self.remaining_entries == 0 {
            self.grow();
            return self.store_deep(board, horizon, value);
        }
        // Values have 45 bits and a sign; sums from weights at their limits may have more.
        if value.unsigned_abs() >> (VALUE_BITS - 1) != 0 {
            return;
        }
        let (bucket_number, search) = (self.bucket_index(board), self.search);
        let Some(bucket) = self.bucket_mut(bucket_number) else { return };
        let (index, is_present) = index_of(bucket, board);
        let rank = |index: usize| u128::from(bucket[BOARDS + index]) << 64 | u128::from(bucket[index]);
        let lower = |one: usize, other: usize| if rank(other) < rank(one) { other } else { one };
        let index = if is_present { index } else { lower(lower(0, 1), lower(2, 3)) };
        let is_new = bucket[BOARDS + index] >> SEARCH_SHIFT != search;
        bucket[index] = board.word();
        bucket[BOARDS + index] = search << SEARCH_SHIFT
            | u64::from(horizon.depth) << DEPTH_SHIFT
            | u64::from(horizon.fours) << FOURS_SHIFT
            | value as u64 & (u64::MAX >> (u64::BITS - VALUE_BITS));
        // A new board takes another place, unless it evicts one of this search.
        self.remaining_entries -= usize::from(is_new);
    }

    /// Copies the entries of a search in a bucket to the buckets where they are looked up with this
    /// shift; those buckets are empty.
    pub(super) fn rehash_deep(bucket: &[u64; 8], search: u64, buckets: &mut [[u64; 8]], shift: u32) {
        for index in 0..BOARDS {
            let (board, entry) = (bucket[index], bucket[BOARDS + index]);
            if entry >> SEARCH_SHIFT == search {
                let target = &mut buckets[bucket_index(board, shift)];
                (target[index], target[BOARDS + index]) = (board, entry);
            }
        }
    }
}

/// Returns the index of a board in a bucket, and whether it is one of its four boards.
#[inline(always)]
fn index_of(bucket: &[u64; 8], board: PackedLines) -> (usize, bool) {
    // Without branches, because the index cannot be predicted.
    let matches = |index: usize| usize::from(bucket[index] == board.word());
    let index = (matches(1) + 2 * matches(2) + 3 * matches(3)) & 3;
    (index, bucket[index] == board.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn horizon(depth: u32, fours: u32) -> Horizon {
        Horizon { depth, fours, probability: 0.5 }
    }

    /// Returns different boards for different numbers.
    fn board(number: u64) -> PackedLines {
        PackedLines::new(number.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1)
    }

    #[test]
    fn a_deeper_value_answers_in_its_search_alone() {
        let mut table = Table::new(1, Kind::Deep);
        for value in [0, -1, 7, (1 << 45) - 1, 1 - (1 << 45)] {
            table.store_deep(board(1), horizon(3, 2), value);
            for query in [horizon(3, 2), horizon(2, 2), horizon(3, 1), horizon(0, 0)] {
                assert_eq!(table.deeper_value(board(1), query), Some(value), "{query:?}");
            }
            for query in [horizon(4, 2), horizon(4, 1), horizon(3, 3), horizon(1, 3)] {
                assert_eq!(table.deeper_value(board(1), query), None, "{query:?}");
            }
            assert_eq!(table.deeper_value(board(2), horizon(1, 1)), None);
            table.clear_entries();
            assert_eq!(table.deeper_value(board(1), horizon(0, 0)), None);
        }
        // A value that does not fit is not stored.
        table.store_deep(board(1), horizon(3, 2), 1 << 45);
        assert_eq!(table.deeper_value(board(1), horizon(3, 2)), None);
    }

    /// Numbers of searches are reused. Entries stored earlier under the same number are not found,
    /// however many buckets are used.
    #[test]
    fn a_search_of_the_same_number_finds_nothing() {
        for count in [1, 30_000] {
            for clear in [Table::clear_entries, Table::clear] {
                let mut table = Table::new(1, Kind::Deep);
                let count_kept = |table: &Table| {
                    (0..count)
                        .filter(|&number| table.deeper_value(board(number), horizon(0, 0)).is_some())
                        .count()
                };
                for round in 0..3 {
                    (0..count).for_each(|number| table.store_deep(board(number), horizon(60, 60), round));
                    assert_eq!(table.deeper_value(board(count - 1), horizon(60, 60)), Some(round));
                    for search in 0..Kind::Deep.last_search() {
                        clear(&mut table);
                        assert_eq!(count_kept(&table), 0, "{search}");
                    }
                }
            }
        }
    }

    /// Entries of earlier searches have no effect, not even on which of equal entries is evicted.
    #[test]
    fn a_used_table_keeps_what_a_fresh_one_keeps() {
        let (mut fresh, mut used) = (Table::new(1, Kind::Deep), Table::new(1, Kind::Deep));
        (0..50_000).step_by(3).for_each(|number| used.store_deep(board(number), horizon(9, 9), 1));
        used.clear();
        let mut evicted_count = 0;
        for number in 0..200_000 {
            // Many are equal in all but the board.
            let horizon = horizon(number as u32 % 3, 1);
            fresh.store_deep(board(number), horizon, 7);
            used.store_deep(board(number), horizon, 7);
        }
        for number in 0..200_000 {
            let [one, other] = [&fresh, &used].map(|table| table.deeper_value(board(number), horizon(0, 0)));
            assert_eq!(one, other, "{number}");
            evicted_count += u32::from(one.is_none());
        }
        assert!(evicted_count > 100_000);
    }

    /// Nothing is lost while there is room, the last stored entry is found, and less deep ones are
    /// evicted first.
    #[test]
    fn four_boards_share_a_bucket() {
        let mut table = Table::new(1, Kind::Deep);
        let count_found = |table: &Table, numbers: std::ops::Range<u64>| {
            numbers
                .filter(|&number| table.deeper_value(board(number), horizon(1, 1)) == Some(number as i64))
                .count()
        };
        for number in 0..20_000 {
            table.store_deep(board(number), horizon(5, 1), number as i64);
            assert_eq!(table.deeper_value(board(number), horizon(5, 1)), Some(number as i64));
        }
        let kept_count = count_found(&table, 0..20_000);
        assert!(kept_count > 19_000, "{kept_count} of 20,000 in 65,536 places");
        for number in 20_000..400_000 {
            table.store_deep(board(number), horizon(1, 1), number as i64);
        }
        // At most one of each bucket that four of them filled: one bucket in 28.
        let remaining = count_found(&table, 0..20_000);
        assert!((kept_count - 1000..kept_count).contains(&remaining), "{remaining} of {kept_count}");
        let mut empty_table = Table::new(0, Kind::Deep);
        empty_table.store_deep(board(1), horizon(1, 1), 1);
        assert_eq!(empty_table.deeper_value(board(1), horizon(1, 1)), None);
    }
}
