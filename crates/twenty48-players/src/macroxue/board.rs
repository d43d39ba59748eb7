//! Boards of the search. They are turned by half: the original's last cell is the first here, so
//! that its number of a board is the word of nibbles.

use gauntlet_twenty48::rules::{Board, Cells, Direction, PackedLines};

use super::last::best_along;
use super::value::{LineValues, NONE, parts, sum, value_of_line};

/// Board of the search.
pub(super) trait SearchBoard: Copy + PartialEq {
    /// Returns the original's evaluation.
    fn value(self, values: &LineValues) -> i32;

    /// Returns the original's number of the board, which is unique without tiles over 32768.
    fn number(self) -> u64;

    /// Returns a one in the nibble of each empty cell.
    fn empty(self) -> u64;

    /// Puts a tile of this rank on an empty cell.
    fn with_tile(self, cell: usize, rank: u8) -> Self;

    /// Returns the boards after the original's slides up, left, right and down, changed or not.
    fn slides(self) -> [Self; 4];

    /// Returns for each of some tiles and each empty cell the largest value after this tile there
    /// and a slide that moves something, or `NONE`. Results of other cells are meaningless.
    fn best_values<const N: usize>(self, values: &LineValues, tiles: [u8; N]) -> [[i32; 16]; N] {
        let best = |rank, cell| {
            let board = self.with_tile(cell, rank);
            let moved = board.slides().into_iter().filter(|&slid| slid != board);
            moved.map(|slid| slid.value(values)).max().unwrap_or(NONE)
        };
        let is_empty = |cell: usize| self.empty() >> (4 * cell) & 1 == 1;
        tiles.map(|rank| std::array::from_fn(|cell| if is_empty(cell) { best(rank, cell) } else { NONE }))
    }
}

/// Board on which no tile over 32768 appears.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct SmallBoard {
    rows: PackedLines,
    columns: PackedLines,
}

impl SmallBoard {
    pub(super) fn new(rows: PackedLines) -> SmallBoard {
        SmallBoard::of_rows(rows.upside_down().mirrored())
    }

    #[inline(always)]
    fn of_rows(rows: PackedLines) -> SmallBoard {
        SmallBoard { rows, columns: rows.transposed() }
    }

    #[inline(always)]
    fn of_columns(columns: PackedLines) -> SmallBoard {
        SmallBoard { rows: columns.transposed(), columns }
    }
}

impl SearchBoard for SmallBoard {
    #[inline(always)]
    fn value(self, values: &LineValues) -> i32 {
        sum(parts(self.rows, values)) + sum(parts(self.columns, values))
    }

    fn number(self) -> u64 {
        self.rows.word()
    }

    fn empty(self) -> u64 {
        self.rows.empty()
    }

    #[inline(always)]
    fn with_tile(self, cell: usize, rank: u8) -> SmallBoard {
        let turned = cell % 4 * 4 + cell / 4;
        SmallBoard { rows: self.rows.with_tile(cell, rank), columns: self.columns.with_tile(turned, rank) }
    }

    #[inline(always)]
    fn slides(self) -> [SmallBoard; 4] {
        let (down, up) = self.columns.slid();
        let (right, left) = self.rows.slid();
        [
            SmallBoard::of_columns(up),
            SmallBoard::of_rows(left),
            SmallBoard::of_rows(right),
            SmallBoard::of_columns(down),
        ]
    }

    #[inline(always)]
    fn best_values<const N: usize>(self, values: &LineValues, tiles: [u8; N]) -> [[i32; 16]; N] {
        let (by_rows, by_columns) =
            (best_along(self.rows, values, tiles), best_along(self.columns, values, tiles));
        std::array::from_fn(|tile| {
            std::array::from_fn(|cell| by_rows[tile][cell].max(by_columns[tile][cell % 4 * 4 + cell / 4]))
        })
    }
}

/// Any board.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct LargeBoard(Cells);

impl LargeBoard {
    pub(super) fn new(cells: Cells) -> LargeBoard {
        let mut ranks = cells.ranks();
        ranks.reverse();
        LargeBoard(Cells::from_ranks(ranks))
    }
}

impl SearchBoard for LargeBoard {
    fn value(self, _: &LineValues) -> i32 {
        self.0.rows().into_iter().chain(self.0.columns()).map(value_of_line).sum()
    }

    fn number(self) -> u64 {
        let append = |number: u64, rank: u8| (number << 4).wrapping_add(rank.into());
        self.0.ranks().into_iter().rev().fold(0, append)
    }

    fn empty(self) -> u64 {
        self.0.empty_mask()
    }

    fn with_tile(self, cell: usize, rank: u8) -> LargeBoard {
        let mut ranks = self.0.ranks();
        ranks[cell] = rank;
        LargeBoard(Cells::from_ranks(ranks))
    }

    fn slides(self) -> [LargeBoard; 4] {
        let slid =
            |direction| Board::new(self.0).slide(direction).map_or(self, |after| LargeBoard(after.cells()));
        [Direction::Down, Direction::Right, Direction::Left, Direction::Up].map(slid)
    }
}
