//! Sixteen ranks in one word, for searches that work with whole lines.
//!
//! A rank has four bits, so a line of four is one of 65,536 numbers. Any property of a line is one
//! load from a table of that length ([`build_table`]). Four bits end at the tile 32768, so a search
//! first checks whether a larger one can appear before it ends ([`Cells::nibbles_for`]).

use super::cells::{Cells, ONES, mirror, transpose, zero_nibbles};
use super::line::{Line, unpack};
use super::slide::{lines_of, slide_row_both_ways};

/// Ranks of a board without a tile over 32768 as four lines: the rows from the top, or the columns
/// from the left. The first line is lowest, and the first cell of each line is lowest in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackedLines(u64);

/// First nibble of each line.
const FIRST_NIBBLES: u64 = 0x000F_000F_000F_000F;
/// Every other line.
const LOW_LINES: u64 = 0x0000_FFFF_0000_FFFF;

impl Cells {
    /// Returns the rows, if no tile is over 32768.
    #[inline]
    pub const fn nibbles(self) -> Option<PackedLines> {
        if self.excess == 0 { Some(PackedLines(self.ranks)) } else { None }
    }

    /// Returns the rows, with each tile over 32768 replaced by 32768.
    #[inline]
    pub const fn capped_nibbles(self) -> PackedLines {
        PackedLines(self.ranks)
    }

    /// Returns the rows, if no tile over 32768 exists or can appear within this many plies. 65536
    /// is the sum of all tiles that it is merged from, and a ply adds at most a 4.
    #[inline]
    pub fn nibbles_for(self, plies: u32) -> Option<PackedLines> {
        let sum: u64 = self.values().into_iter().map(u64::from).sum();
        self.nibbles().filter(|_| sum + 4 * u64::from(plies) < 1 << 16)
    }
}

impl PackedLines {
    /// Creates lines from a word.
    #[inline(always)]
    pub const fn new(word: u64) -> PackedLines {
        PackedLines(word)
    }

    /// Creates the word of four lines.
    #[inline(always)]
    pub fn from_lines([a, b, c, d]: [u16; 4]) -> PackedLines {
        PackedLines(u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48)
    }

    /// Returns all ranks in one word.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self.0
    }

    /// Returns the cells of a board with these rows.
    #[inline(always)]
    pub const fn cells(self) -> Cells {
        Cells { ranks: self.0, excess: 0 }
    }

    /// Returns the four lines.
    #[inline(always)]
    pub const fn lines(self) -> [u16; 4] {
        lines_of(self.0)
    }

    /// Returns the line with this index.
    #[inline(always)]
    pub const fn line(self, index: usize) -> u16 {
        (self.0 >> (16 * index)) as u16
    }

    /// Replaces the line with this index.
    #[inline(always)]
    #[must_use]
    pub fn with_line(self, index: usize, line: u16) -> PackedLines {
        PackedLines(self.0 & !(0xFFFF << (16 * index)) | u64::from(line) << (16 * index))
    }

    /// Replaces the nibble with this index in each line.
    #[inline(always)]
    #[must_use]
    pub fn with_nibbles(self, index: usize, nibbles: u16) -> PackedLines {
        let pairs = (u64::from(nibbles) | u64::from(nibbles) << 24) & 0x0000_00FF_0000_00FF;
        let nibble_per_line = (pairs | pairs << 12) & FIRST_NIBBLES;
        PackedLines(self.0 & !(FIRST_NIBBLES << (4 * index)) | nibble_per_line << (4 * index))
    }

    /// Puts a tile of this rank on an empty cell, counted from 0 line by line.
    #[inline(always)]
    #[must_use]
    pub fn with_tile(self, cell: usize, rank: u8) -> PackedLines {
        PackedLines(self.0 | u64::from(rank) << (4 * cell))
    }

    /// Returns the transposed lines: columns for rows, and rows for columns.
    #[inline(always)]
    #[must_use]
    pub const fn transpose(self) -> PackedLines {
        PackedLines(transpose(self.0))
    }

    /// Returns each line reversed.
    #[inline(always)]
    #[must_use]
    pub const fn mirror(self) -> PackedLines {
        PackedLines(mirror(self.0))
    }

    /// Returns the lines in reverse order.
    #[inline(always)]
    #[must_use]
    pub const fn flip_vertically(self) -> PackedLines {
        let halves = self.0.rotate_left(32);
        PackedLines((halves & LOW_LINES) << 16 | halves >> 16 & LOW_LINES)
    }

    /// Returns all lines slid towards their first cells, and towards their last. The lines must not
    /// contain two tiles of 32768 that could merge.
    #[inline(always)]
    pub fn slide_both_ways(self) -> (PackedLines, PackedLines) {
        let lines = self.lines().map(slide_row_both_ways);
        (
            PackedLines::from_lines(lines.map(|(start, _)| start)),
            PackedLines::from_lines(lines.map(|(_, end)| end)),
        )
    }

    /// Returns a one in the nibble of each empty cell.
    #[inline(always)]
    pub const fn empty_mask(self) -> u64 {
        zero_nibbles(self.0)
    }

    /// Returns a one in the nibble of the first cell of each run of empty cells in a line. A tile
    /// on any cell of a run slides to the same place.
    #[inline(always)]
    pub const fn run_starts(self) -> u64 {
        let empty = self.empty_mask();
        empty & !(self.run_continuations() << 4)
    }

    /// Returns a one in the nibble of each cell of such a run except its last.
    #[inline(always)]
    pub const fn run_continuations(self) -> u64 {
        let empty = self.empty_mask();
        empty & (empty >> 4) & 0x0111_0111_0111_0111
    }

    /// Returns the sum of the distinct tiles: one bit for each rank present.
    #[inline]
    pub fn different_tiles(self) -> u32 {
        (0..16).fold(0_u32, |tiles, cell| tiles | 1 << (self.0 >> (4 * cell) & 15)) & !1
    }

    /// Returns a one in the nibble of each cell of this rank, which is at most 15.
    #[inline(always)]
    pub fn rank_mask(self, rank: u8) -> u64 {
        zero_nibbles(self.0 ^ (u64::from(rank) * ONES))
    }
}

/// Builds a table of a property over all lines, indexed by their four nibbles.
pub fn build_table<T>(entry: impl Fn(Line) -> T) -> Box<[T; 1 << 16]> {
    let entries: Box<[T]> = (0..=u16::MAX).map(|line| entry(unpack(line))).collect();
    entries.try_into().ok().expect("an entry for each line")
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;
    use crate::rules::board::Board;
    use crate::rules::direction::Direction;

    /// Returns boards of any ranks up to 14, so that nothing exceeds a nibble, and some of few
    /// ranks, so that tiles merge.
    fn boards() -> impl Iterator<Item = Cells> {
        let mut rng = Seed::root(1).rng();
        (0..2000).map(move |board| {
            let rank_limit = if board % 2 == 0 { 15 } else { 3 };
            Cells::from_ranks(std::array::from_fn(|_| rng.below(rank_limit) as u8))
        })
    }

    #[test]
    fn nibbles_are_the_cells() {
        for cells in boards() {
            let rows = cells.nibbles().expect("no large tile");
            let columns = rows.transpose();
            assert_eq!((rows.cells(), cells.capped_nibbles()), (cells, rows));
            assert_eq!(Some(columns), cells.transpose().nibbles());
            assert_eq!((PackedLines::new(rows.word()), PackedLines::from_lines(rows.lines())), (rows, rows));
            assert_eq!(rows.empty_mask(), cells.empty_mask());
            assert_eq!(rows.mirror().cells(), cells.mirror());
            let upside_down = cells.transpose().mirror().transpose();
            assert_eq!(rows.flip_vertically().cells(), upside_down);
            for (index, row) in cells.rows().into_iter().enumerate() {
                assert_eq!(rows.lines()[index], rows.line(index));
                assert_eq!(unpack(rows.line(index)), row);
                assert_eq!(rows.with_line(index, columns.line(0)).line(index), columns.line(0));
                let with_column = rows.with_nibbles(index, columns.line(0));
                assert_eq!(with_column.transpose(), columns.with_line(index, columns.line(0)));
                let without_line = |rows: PackedLines| rows.with_line(index, 0);
                assert_eq!(without_line(rows.with_line(index, columns.line(0))), without_line(rows));
            }
            for rank in 0..=15 {
                let masks = (0..16).filter(|&cell| cells.rank(cell) == rank).map(|cell| 1 << (4 * cell));
                assert_eq!(rows.rank_mask(rank), masks.sum::<u64>());
            }
            for cell in (0..16).filter(|&cell| cells.rank(cell) == 0) {
                let mut ranks = cells.ranks();
                ranks[cell] = 2;
                assert_eq!(rows.with_tile(cell, 2).cells(), Cells::from_ranks(ranks));
            }
        }
    }

    #[test]
    fn nibbles_slide_as_boards_do() {
        for cells in boards() {
            let rows = cells.nibbles().expect("no large tile");
            let ((left, right), (up, down)) = (rows.slide_both_ways(), rows.transpose().slide_both_ways());
            let slides = [
                (Direction::Left, left),
                (Direction::Right, right),
                (Direction::Up, up.transpose()),
                (Direction::Down, down.transpose()),
            ];
            for (direction, slid_rows) in slides {
                let after = Board::new(cells).slide(direction).map_or(cells, |after| after.cells());
                assert_eq!(slid_rows.cells(), after, "{direction} on {}", cells.format_line());
            }
        }
    }

    #[test]
    fn nibbles_fit_until_a_65536_may_come() {
        #[track_caller]
        fn check(board: &str, plies: u32, has_nibbles: bool) {
            let cells: Cells = board.parse().expect("a board");
            assert_eq!(cells.nibbles_for(plies), cells.nibbles().filter(|_| has_nibbles), "{plies} plies");
        }

        // 65536 minus 28: seven plies of 4 complete it.
        let nearly_65536 = "32768 16384 8192 4096  2048 1024 512 256  128 64 32 0  0 0 0 4";
        check(nearly_65536, 0, true);
        check(nearly_65536, 6, true);
        check(nearly_65536, 7, false);
        check(nearly_65536, u32::MAX, false);
        check("32768 32768 0 0  0 0 0 0  0 0 0 0  0 0 0 0", 0, false);
        check("65536 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0", 0, false);
        let large: Cells = "131072 65536 32768 2  0 0 0 0  0 0 0 0  0 0 0 0".parse().expect("a board");
        assert_eq!(large.capped_nibbles(), PackedLines::new(0x1FFF));
        check("2 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0", 16_383, true);
    }

    #[test]
    fn tables_have_an_entry_for_each_line() {
        let lines = build_table(|line| line);
        for line in 0..=u16::MAX {
            assert_eq!(lines[usize::from(line)], unpack(line));
        }
    }
}
