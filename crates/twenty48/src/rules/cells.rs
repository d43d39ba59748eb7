//! Storage of sixteen cells, their text form, and properties of all cells at once.
//!
//! A cell contains a *rank*: 0 for empty, r for the tile 2^r. Sixteen ranks of four bits make one
//! `u64`. So a row has 16 bits, and any property of a row is one load from a table of 65,536
//! entries.
//!
//! Four bits end at rank 15, the tile 32768, but a long game can reach 131072, which is rank 17. So
//! a second `u64`, `above`, contains for each cell by how much its rank exceeds 15. The rank is the
//! sum of the two nibbles, which is exact up to 2^30. `above` is zero on all boards without a tile
//! over 32768. An empty cell is always a zero nibble in `ranks`, so counting and filling empty
//! cells ignore `above`. A slide reads it only if a nibble is 15. The price of exactness is that
//! one test, whose branch is nearly always predicted correctly.

use std::fmt;
use std::hint::select_unpredictable;
use std::str::FromStr;

use super::line::Line;

/// Rank of the largest tile that a game can reach: 131072.
pub const MAX_RANK: u8 = 17;

/// A one in each nibble.
pub(super) const ONES: u64 = 0x1111_1111_1111_1111;

/// Sixteen cells, row-major, row 0 on top. `Board` and `Afterstate` wrap them and define whose turn
/// it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cells {
    pub(super) ranks: u64,
    pub(super) excess: u64,
}

impl Cells {
    /// Creates cells from ranks.
    ///
    /// # Panics
    /// If a rank is over 30.
    #[inline(always)]
    pub const fn from_ranks(ranks: [u8; 16]) -> Cells {
        let bytes = u128::from_le_bytes(ranks);
        if bytes & 0xF0F0_F0F0_F0F0_F0F0_F0F0_F0F0_F0F0_F0F0 == 0 {
            // No rank exceeds its nibble. This shortcut saves 3 % of the time of random games in
            // lanes.
            return Cells { ranks: low_nibbles(bytes), excess: 0 };
        }
        Cells::from_large_ranks(ranks)
    }

    #[cold]
    const fn from_large_ranks(ranks: [u8; 16]) -> Cells {
        let mut cells = Cells { ranks: 0, excess: 0 };
        let mut i = 0;
        while i < 16 {
            let rank = ranks[i];
            assert!(rank <= 30, "ranks end at 30");
            let low = if rank > 15 { 15 } else { rank };
            cells.ranks |= (low as u64) << (4 * i);
            cells.excess |= ((rank - low) as u64) << (4 * i);
            i += 1;
        }
        cells
    }

    /// Returns the rank of each cell.
    #[inline]
    pub fn ranks(self) -> [u8; 16] {
        std::array::from_fn(|i| self.rank(i))
    }

    /// Returns the ranks of the rows from top to bottom, each from left to right.
    #[inline]
    pub fn rows(self) -> [Line; 4] {
        let ranks = self.ranks();
        std::array::from_fn(|row| std::array::from_fn(|column| ranks[4 * row + column]))
    }

    /// Returns the ranks of the columns from left to right, each from top to bottom.
    #[inline]
    pub fn columns(self) -> [Line; 4] {
        self.transpose().rows()
    }

    /// Returns the rank of one cell.
    pub fn rank(self, index: usize) -> u8 {
        let nibble = |word: u64| (word >> (4 * index)) as u8 & 15;
        nibble(self.ranks) + nibble(self.excess)
    }

    /// Returns the value of each cell: 0, 2, 4, 8, …
    #[inline]
    pub fn values(self) -> [u32; 16] {
        self.ranks().map(value_of)
    }

    /// Appends the value of each cell to a line, each followed by a blank. A batch for a program
    /// contains thousands of boards, so the texts come from a table and are copied at a fixed
    /// length.
    pub fn write_values(self, line: &mut Vec<u8>) {
        let mut text = [0; 16 * LONGEST_WORD];
        let mut end = 0;
        for rank in self.ranks() {
            let (word, length) = &WORDS[usize::from(rank)];
            text[end..end + LONGEST_WORD].copy_from_slice(word);
            end += length;
        }
        line.extend_from_slice(&text[..end]);
    }

    /// Creates cells from values; the error contains the first value that is not a tile.
    pub fn from_values(values: [u64; 16]) -> Result<Cells, BoardParseError> {
        let mut ranks = [0; 16];
        for (rank, value) in ranks.iter_mut().zip(values) {
            *rank = match value {
                0 => 0,
                tile if tile.is_power_of_two() && (1..=MAX_RANK.into()).contains(&tile.ilog2()) => {
                    tile.ilog2() as u8
                }
                _ => return Err(BoardParseError::NoTile(value.to_string())),
            };
        }
        Ok(Cells::from_ranks(ranks))
    }

    /// Returns the rank of the largest tile, 0 on an empty board.
    #[inline]
    pub fn max_rank(self) -> u8 {
        if self.excess != 0 {
            return self.ranks().into_iter().max().unwrap_or(0);
        }
        // Bit by bit from the top: among cells that may still be the largest, keep those with the
        // bit set, if any.
        let mut largest = ONES;
        let mut rank = 0;
        for bit in [3, 2, 1, 0] {
            let with_bit = largest & (self.ranks >> bit);
            if with_bit != 0 {
                largest = with_bit;
                rank |= 1 << bit;
            }
        }
        rank
    }

    /// Returns the value of the largest tile, 0 on an empty board.
    #[inline]
    pub fn max_tile(self) -> u32 {
        value_of(self.max_rank())
    }

    /// Returns the sum of the distinct tiles: one bit for each rank present.
    pub fn different_tiles(self) -> u32 {
        self.ranks().into_iter().fold(0, |tiles, rank| tiles | 1 << rank) & !1
    }

    /// Returns true if a tile has exactly this rank.
    #[inline]
    pub fn has_rank(self, rank: u8) -> bool {
        if rank < 15 {
            zero_nibbles(self.ranks ^ (u64::from(rank) * ONES)) != 0
        } else {
            self.ranks().contains(&rank)
        }
    }

    /// Returns the number of empty cells.
    pub fn count_empty(self) -> u32 {
        self.empty_mask().count_ones()
    }

    /// Returns the transposed cells.
    #[inline]
    #[must_use]
    pub fn transpose(self) -> Cells {
        self.map_words(transpose)
    }

    /// Returns the cells, transposed if the condition holds, without a branch.
    #[inline]
    pub(super) fn transpose_if(self, condition: bool) -> Cells {
        self.map_words(|word| select_unpredictable(condition, transpose(word), word))
    }

    /// Returns the cells mirrored left to right.
    #[must_use]
    pub fn mirror(self) -> Cells {
        self.map_words(mirror)
    }

    /// Returns the eight symmetric images of the square, this one first.
    pub fn symmetries(self) -> [Cells; 8] {
        let mut images = [self; 8];
        for i in 1..8 {
            images[i] = if i % 2 == 1 { images[i - 1].mirror() } else { images[i - 1].transpose() };
        }
        images
    }

    /// Writes sixteen values on one line, separated by blanks.
    pub fn format_line(self) -> String {
        self.values().map(|value| value.to_string()).join(" ")
    }

    /// Returns a one in the nibble of each empty cell.
    #[inline]
    pub fn empty_mask(self) -> u64 {
        zero_nibbles(self.ranks)
    }

    /// Returns true if two neighbours are equal tiles. It is only correct on a full board, because
    /// two empty neighbours would count as equal.
    #[inline]
    pub(super) fn full_has_merge(self) -> bool {
        let equal = |distance: u32| {
            zero_nibbles((self.ranks ^ (self.ranks >> distance)) | (self.excess ^ (self.excess >> distance)))
        };
        // A cell in column 3 has no right neighbour, and none in row 3 has one below.
        (equal(4) & 0x0111_0111_0111_0111) | (equal(16) & 0x0000_1111_1111_1111) != 0
    }

    /// Returns true if a table of rows, which ends at rank 15, could be wrong about a slide. That
    /// is the case if there is a tile over 32768, or two of 32768.
    #[inline]
    pub(super) fn outgrows_tables(self) -> bool {
        let pairs = self.ranks & (self.ranks >> 1);
        let fifteens = pairs & (pairs >> 2) & ONES;
        fifteens != 0 && (self.excess != 0 || fifteens & (fifteens - 1) != 0)
    }

    #[inline]
    pub(super) fn map_words(self, image: impl Fn(u64) -> u64) -> Cells {
        let excess = if self.excess == 0 { 0 } else { image(self.excess) };
        Cells { ranks: image(self.ranks), excess }
    }
}

/// Reverses the order of the nibbles in each group of four.
#[inline(always)]
pub(super) const fn mirror(word: u64) -> u64 {
    let word = (word & 0x00FF_00FF_00FF_00FF) << 8 | (word >> 8) & 0x00FF_00FF_00FF_00FF;
    (word & 0x0F0F_0F0F_0F0F_0F0F) << 4 | (word >> 4) & 0x0F0F_0F0F_0F0F_0F0F
}

/// Returns the tile of a rank, 0 for none.
pub const fn value_of(rank: u8) -> u32 {
    if rank == 0 { 0 } else { 1 << rank }
}

/// Returns the maximum rank of tile number i of a board, the largest first, from 0. It was made of
/// two halves while the i larger ones were on the board, and so on down to a 4, which needed a free
/// cell.
pub(super) const fn max_rank_of(i: u8) -> u8 {
    MAX_RANK - i
}

/// Upper bound on the length of a tile's text with a blank.
const LONGEST_WORD: usize = 16;

/// Text of each rank's value with a blank, and its length.
const WORDS: [([u8; LONGEST_WORD], usize); 31] = tile_words();

const fn tile_words() -> [([u8; LONGEST_WORD], usize); 31] {
    let mut words = [([b' '; LONGEST_WORD], 0); 31];
    let mut rank = 0;
    while rank < words.len() {
        let value = value_of(rank as u8);
        let mut position = if value == 0 { 1 } else { value.ilog10() as usize + 1 };
        words[rank].1 = position + 1;
        let mut remainder = value;
        while position > 0 {
            position -= 1;
            words[rank].0[position] = b'0' + (remainder % 10) as u8;
            remainder /= 10;
        }
        rank += 1;
    }
    words
}

/// Error for a text that is not a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardParseError {
    /// A number of values other than sixteen.
    Count(usize),
    /// A word that is neither a tile nor an empty cell.
    NoTile(String),
}

impl fmt::Display for BoardParseError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            BoardParseError::Count(n) => write!(f, "a board has 16 cells, not {n}"),
            BoardParseError::NoTile(word) => {
                write!(
                    f,
                    "{word} is not a tile: expected 0, `.` or a power of two from 2 to {}",
                    value_of(MAX_RANK)
                )
            }
        }
    }
}

impl std::error::Error for BoardParseError {}

/// Parses sixteen values separated by blanks, line ends or commas, as a grid or on one line.
impl FromStr for Cells {
    type Err = BoardParseError;

    fn from_str(text: &str) -> Result<Cells, BoardParseError> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let values = words
            .map(|word| match word {
                "." => Ok(0),
                _ => word.parse().map_err(|_| BoardParseError::NoTile(word.to_owned())),
            })
            .collect::<Result<Vec<u64>, BoardParseError>>()?;
        Cells::from_values(
            values.try_into().map_err(|values: Vec<u64>| BoardParseError::Count(values.len()))?,
        )
    }
}

/// Writes a grid of four lines, with dots for empty cells.
impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let values = self.values();
        let width = values.map(|value| value.to_string().len()).into_iter().max().unwrap_or(1);
        for (i, value) in values.into_iter().enumerate() {
            let cell = if value == 0 { ".".to_owned() } else { value.to_string() };
            let end = if i % 4 < 3 {
                "  "
            } else if i < 15 {
                "\n"
            } else {
                ""
            };
            write!(f, "{cell:>width$}{end}")?;
        }
        Ok(())
    }
}

/// Packs the low nibbles of sixteen bytes, whose high nibbles are zero.
const fn low_nibbles(bytes: u128) -> u64 {
    let pairs = (bytes | (bytes >> 4)) & 0x00FF_00FF_00FF_00FF_00FF_00FF_00FF_00FF;
    let fours = (pairs | (pairs >> 8)) & 0x0000_FFFF_0000_FFFF_0000_FFFF_0000_FFFF;
    let eights = fours | (fours >> 16);
    (eights as u64 & 0xFFFF_FFFF) | ((eights >> 64) as u64) << 32
}

/// Returns a one in each nibble that is zero, zero elsewhere.
#[inline]
pub const fn zero_nibbles(word: u64) -> u64 {
    let word = word | (word >> 1);
    !(word | (word >> 2)) & ONES
}

/// Returns the one in the nibble of the `k`-th empty cell, counted from 0 in row-major order.
///
/// Multiplication by ONES sums the nibbles up to each position, giving the number of empty cells up
/// to there. The result is the empty cell where that is k + 1. This works on every processor; if
/// `pdep` is fast, `bmi2` uses it instead. Sixteen empty cells overflow the topmost sum, hence the
/// special case.
#[inline]
pub(super) fn nth_empty(mask: u64, k: u32) -> u64 {
    if mask == ONES {
        return 1 << (4 * k);
    }
    let counts = mask.wrapping_mul(ONES);
    zero_nibbles(counts ^ (u64::from(k) + 1).wrapping_mul(ONES)) & mask
}

/// Returns the number of cells in a mask.
#[inline]
pub(super) fn count_cells(mask: u64) -> u32 {
    // The topmost sum of the product in `nth_empty`, which the compiler shares between the two.
    if mask == ONES { 16 } else { (mask.wrapping_mul(ONES) >> 60) as u32 }
}

/// Transposes the board of sixteen nibbles.
#[inline]
pub(super) const fn transpose(word: u64) -> u64 {
    // Exchange the off-diagonal cells of each 2x2 block, then the off-diagonal blocks.
    let swap = (word ^ (word >> 12)) & 0x0000_F0F0_0000_F0F0;
    let word = word ^ swap ^ (swap << 12);
    let swap = (word ^ (word >> 24)) & 0x0000_0000_FF00_FF00;
    word ^ swap ^ (swap << 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_told_as_their_values_are_written() {
        for first in 0..=30_u8 {
            let cells = Cells::from_ranks(std::array::from_fn(|i| (first + i as u8) % 31));
            let mut line = b"> ".to_vec();
            cells.write_values(&mut line);
            let expected: String = cells.values().map(|value| format!("{value} ")).concat();
            assert_eq!(String::from_utf8(line).unwrap(), format!("> {expected}"));
        }
    }

    #[test]
    fn empty_cells_are_counted_and_found_whichever_they_are() {
        for bits in 0..=u16::MAX {
            let cells: Vec<u32> = (0..16).filter(|cell| bits >> cell & 1 == 1).collect();
            let mask = cells.iter().fold(0, |mask, cell| mask | 1 << (4 * cell));
            assert_eq!(count_cells(mask), cells.len() as u32, "{bits:04x}");
            for (k, cell) in (0..).zip(&cells) {
                assert_eq!(nth_empty(mask, k), 1 << (4 * cell), "{bits:04x}, {k}");
            }
            // The other cells are not empty, whatever their rank.
            assert_eq!(zero_nibbles((ONES ^ mask).wrapping_mul(u64::from(bits % 15) + 1)), mask);
        }
    }
}
