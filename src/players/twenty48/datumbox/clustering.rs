//! The clustering of boards, remembered by halves.
//!
//! What a tile adds depends on its row and the two rows beside it, so the clustering of a board is the sum of two
//! functions of three rows each: what rows 0 and 1 add, seen from above, and what rows 3 and 2 add, seen from below.
//! Leaves of a search are so much alike that few of these halves are new.
//!
//! A board is a word of sixteen nibbles, which are ranks.

/// Bits of an index into a memory: 2^13 entries of eight bytes are 64 KiB.
const INDEX_BITS: u32 = 13;

/// Bits of a value: eight tiles of at most 32768 each.
const VALUE_BITS: u32 = 19;

/// Bits of three rows.
const KEY_BITS: u32 = 48;

/// An odd number, so that multiplying by it loses nothing.
const SPREAD: u64 = 0x9E37_79B9_7F4B;

const fn low_bits(count: u32) -> u64 {
    (1 << count) - 1
}

/// What halves of boards add, as computed before. What is in it changes no answer.
pub(super) struct Memory {
    upper: Halves,
    lower: Halves,
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory { upper: Halves::new(), lower: Halves::new() }
    }

    /// The clustering of a board, which is also that of its transposed board.
    #[inline]
    pub(super) fn clustering(&mut self, board: u64) -> i32 {
        let upper =
            self.upper.get(board & low_bits(KEY_BITS), |key| half(row(key, 0), row(key, 1), row(key, 2)));
        let lower = self.lower.get(board >> 16, |key| half(row(key, 2), row(key, 1), row(key, 0)));
        upper + lower
    }
}

fn row(key: u64, index: u32) -> u16 {
    (key >> (16 * index)) as u16
}

/// By the highest bits of the spread key. An entry holds the other bits of it, which with its place say the whole
/// key, then the value.
struct Halves(Box<[u64; 1 << INDEX_BITS]>);

impl Halves {
    fn new() -> Halves {
        // No key has its highest bits set, so nothing is found here.
        Halves(vec![u64::MAX; 1 << INDEX_BITS].try_into().expect("of this length"))
    }

    #[inline]
    fn get(&mut self, key: u64, compute: impl FnOnce(u64) -> u32) -> i32 {
        let spread = key.wrapping_mul(SPREAD) & low_bits(KEY_BITS);
        let entry = &mut self.0[(spread >> (KEY_BITS - INDEX_BITS)) as usize];
        let rest = spread & low_bits(KEY_BITS - INDEX_BITS);
        if *entry >> VALUE_BITS != rest {
            *entry = rest << VALUE_BITS | u64::from(compute(key));
        }
        (*entry & low_bits(VALUE_BITS)) as i32
    }
}

/// What the tiles of a row at the edge and of the row next to it add to the clustering, given the third row.
///
/// The eight tiles stand in eight lanes of 16 bits, where the sum of eight differences fits if no tile exceeds 8192;
/// the compiler makes vector instructions of it.
fn half(edge: u16, middle: u16, beyond: u16) -> u32 {
    if [edge, middle, beyond].into_iter().any(|row| row & row >> 1 & row >> 2 & 0x2222 != 0) {
        return half_plainly(edge, middle, beyond);
    }
    let [edge, middle, beyond] = [edge, middle, beyond].map(values);
    let tiles = lanes(edge, middle);
    let (mut differences, mut count) = ([0_u16; 8], [0_u16; 8]);
    let mut meet = |others: [u16; 8]| {
        for lane in 0..8 {
            let other = others[lane];
            let difference = tiles[lane].abs_diff(other);
            differences[lane] += if other == 0 { 0 } else { difference };
            count[lane] += u16::from(other != 0);
        }
    };
    // The rows themselves, those after them, those before them; each in place, from the right, and from the left.
    for (first, second) in [(edge, middle), (middle, beyond), (0, edge)] {
        meet(lanes(first, second));
        meet(lanes(first >> 16, second >> 16));
        meet(lanes(first << 16, second << 16));
    }
    let mut sum = 0;
    for lane in 0..8 {
        // Without a tile the count may be 0, and what stands here means nothing.
        let share = share(differences[lane], count[lane]);
        sum += if tiles[lane] == 0 { 0 } else { share };
    }
    sum
}

/// The sum of differences divided by the number of tiles, up to 9, without its fraction. The product is larger than
/// 2^20 of the true quotient by less than a sixteenth of 2^20, and no fraction is so near to the next whole number.
#[inline]
fn share(differences: u16, count: u16) -> u32 {
    (u64::from(differences) * RECIPROCALS[usize::from(count & 15)] >> 20) as u32
}

/// 2^20 / n, rounded up.
const RECIPROCALS: [u64; 16] = {
    let mut reciprocals = [0; 16];
    let mut n = 1;
    while n < 16 {
        reciprocals[n] = (1_u64 << 20).div_ceil(n as u64);
        n += 1;
    }
    reciprocals
};

#[inline]
fn lanes(first: u64, second: u64) -> [u16; 8] {
    let bytes = (u128::from(first) | u128::from(second) << 64).to_le_bytes();
    std::array::from_fn(|lane| u16::from_le_bytes([bytes[2 * lane], bytes[2 * lane + 1]]))
}

/// The values of a row's tiles, in four lanes of 16 bits.
#[inline]
fn values(row: u16) -> u64 {
    let pair = |byte: u16| u64::from(PAIRS[usize::from(byte & 255)]);
    pair(row) | pair(row >> 8) << 32
}

/// The values of two tiles, up to 8192 each, in two lanes of 16 bits.
static PAIRS: [u32; 256] = {
    let mut pairs = [0; 256];
    let mut pair = 0;
    while pair < 256 {
        pairs[pair] = value((pair & 15) as u32) & 0xFFFF | value((pair >> 4) as u32) << 16;
        pair += 1;
    }
    pairs
};

const fn value(rank: u32) -> u32 {
    if rank == 0 { 0 } else { 1 << rank }
}

/// As [`half`], by the definition.
#[cold]
fn half_plainly(edge: u16, middle: u16, beyond: u16) -> u32 {
    let rows = [edge, middle, beyond];
    let value = |row: usize, column: usize| value(u32::from(rows[row] >> (4 * column) & 15));
    let mut sum = 0;
    for (row, around) in [(0, 0..=1), (1, 0..=2)] {
        for column in (0..4_usize).filter(|&column| value(row, column) != 0) {
            let (mut differences, mut tiles) = (0, 0);
            for near_row in around.clone() {
                for near_column in column.saturating_sub(1)..=(column + 1).min(3) {
                    let other = value(near_row, near_column);
                    if other != 0 {
                        differences += value(row, column).abs_diff(other);
                        tiles += 1;
                    }
                }
            }
            sum += differences / tiles;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::twenty48;
    use crate::games::twenty48::Cells;
    use crate::rng::Seed;

    #[test]
    fn shares_are_whole_quotients() {
        for n in 1..=9 {
            for differences in 0..=u16::MAX {
                assert_eq!(share(differences, n), u32::from(differences / n));
            }
        }
    }

    #[test]
    fn what_is_remembered_is_the_feature() {
        let mut rng = Seed::root(1).rng();
        let mut memory = Memory::new();
        for i in 0..300_000 {
            // Few ranks and many, small ones and large ones, full boards and empty ones.
            let (least, most) = [(0, 3), (0, 15), (0, 13), (1, 13), (11, 15), (1, 11)][i % 6];
            let mut ranks = [0; 16];
            for rank in &mut ranks {
                let filled = i % 5 < 3 || rng.below(3) == 0;
                *rank = if filled { least + rng.below(most - least + 1) } else { 0 } as u8;
            }
            let cells = Cells::from_ranks(ranks);
            let expected = twenty48::clustering(cells) as i32;
            let board = cells.nibbles().expect("no tile over 32768");
            for _ in 0..2 {
                assert_eq!(memory.clustering(board), expected, "{}", cells.line());
            }
            assert_eq!(memory.clustering(cells.transposed().nibbles().expect("none")), expected);
        }
    }
}
