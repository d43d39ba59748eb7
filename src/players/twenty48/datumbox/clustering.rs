//! The clustering of boards, remembered by halves.
//!
//! What a tile adds depends on its row and the two rows beside it, so the clustering of a board is the sum of two
//! functions of three rows: what rows 0 and 1 add, seen from above, and what rows 3 and 2 add, seen from below,
//! which is the same function of the board turned over. Leaves of a search are so much alike that of
//! these halves few are new.

/// Bits of an index into the memory: 2^13 entries of eight bytes are 64 KiB.
const INDEX_BITS: u32 = 13;

/// Bits of a value: eight tiles of at most 32768 each.
const VALUE_BITS: u32 = 19;

/// Bits of three rows.
const KEY_BITS: u32 = 48;

/// An odd number, so that multiplying by it loses nothing.
const SPREAD: u64 = 0x9E37_79B9_7F4B;

/// Values of [`half`] that were computed before. What is in it changes no answer.
pub(super) struct Memory {
    /// By the highest bits of the spread key. An entry holds the other bits of it, which with its place say the
    /// whole key, then the value.
    entries: Box<[u64; 1 << INDEX_BITS]>,
}

impl Memory {
    pub(super) fn new() -> Memory {
        // No key has its highest bits set, so nothing is found here.
        Memory { entries: vec![u64::MAX; 1 << INDEX_BITS].try_into().expect("of this length") }
    }

    /// The clustering of four rows of nibbles. Those of its transposed board are as good.
    #[inline]
    pub(super) fn clustering(&mut self, [a, b, c, d]: [u16; 4]) -> i32 {
        self.half([a, b, c]) + self.half([d, c, b])
    }

    #[inline]
    fn half(&mut self, rows: [u16; 3]) -> i32 {
        let key = u64::from(rows[0]) | u64::from(rows[1]) << 16 | u64::from(rows[2]) << 32;
        let spread = key.wrapping_mul(SPREAD) & ((1 << KEY_BITS) - 1);
        let entry = &mut self.entries[(spread >> (KEY_BITS - INDEX_BITS)) as usize];
        let rest = spread & ((1 << (KEY_BITS - INDEX_BITS)) - 1);
        if *entry >> VALUE_BITS != rest {
            *entry = rest << VALUE_BITS | half(rows) as u64;
        }
        (*entry & ((1 << VALUE_BITS) - 1)) as i32
    }
}

/// What the tiles of the first row of a board and of the second add to its clustering, given the third.
#[cold]
fn half(rows: [u16; 3]) -> u32 {
    let value = |row: usize, column: usize| {
        let rank = rows[row] >> (4 * column) & 15;
        if rank == 0 { 0 } else { 1_u32 << rank }
    };
    let mut sum = 0;
    for (row, around) in [(0, 0..=1), (1, 0..=2)] {
        for column in 0..4_usize {
            let own = value(row, column);
            if own == 0 {
                continue;
            }
            let (mut differences, mut tiles) = (0, 0);
            for near_row in around.clone() {
                for near_column in column.saturating_sub(1)..=(column + 1).min(3) {
                    let other = value(near_row, near_column);
                    differences += if other == 0 { 0 } else { own.abs_diff(other) };
                    tiles += u32::from(other != 0);
                }
            }
            sum += differences / tiles;
        }
    }
    sum
}
