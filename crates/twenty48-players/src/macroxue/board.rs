//! Boards of the search. They are turned by half: the original's last cell is the first here, so
//! that its number of a board is the word of nibbles.

use gauntlet_twenty48::rules::{Board, Cells, Direction, Grid, GridSlide, PackedLines};

use super::value::{LineValues, NONE, value_of_line};
use crate::leaf_values::{LineTables, best_values};

/// Board of the search.
pub(super) trait SearchBoard: Copy + PartialEq {
    /// Returns the original's evaluation.
    fn value(self, values: &LineValues) -> i32;

    /// Returns the original's number of the board, which is unique without tiles over 32768.
    fn number(self) -> u64;

    /// Returns a one in the nibble of each empty cell.
    fn empty_mask(self) -> u64;

    /// Puts a tile of this rank on an empty cell.
    fn with_tile(self, cell: usize, rank: u8) -> Self;

    /// Returns the boards after the original's slides up, left, right and down, changed or not.
    fn slides(self) -> [Self; 4];

    /// Returns for each of some tiles and each empty cell the largest value after this tile there
    /// and a slide that moves something, or `NONE`. Results of other cells are meaningless.
    fn best_values<const N: usize>(self, values: &LineValues, tiles: [u8; N]) -> [[i32; 16]; N] {
        let best = |rank, cell| {
            if self.empty_mask() >> (4 * cell) & 1 == 0 {
                return NONE;
            }
            let board = self.with_tile(cell, rank);
            let legal_boards = board.slides().into_iter().filter(|&after| after != board);
            legal_boards.map(|after| after.value(values)).max().unwrap_or(NONE)
        };
        tiles.map(|rank| std::array::from_fn(|cell| best(rank, cell)))
    }
}

/// The original's slides up, left, right and down, as directions of a turned board.
const TURNED_DIRECTIONS: [Direction; 4] = [Direction::Down, Direction::Right, Direction::Left, Direction::Up];

/// Board on which no tile over 32768 appears.
pub(super) fn small_board(rows: PackedLines) -> Grid {
    Grid::from_rows(rows.flip_vertically().mirror())
}

impl SearchBoard for Grid {
    #[inline(always)]
    fn value(self, values: &LineValues) -> i32 {
        values.sum_all(self.rows) + values.sum_all(self.columns)
    }

    fn number(self) -> u64 {
        self.rows.word()
    }

    fn empty_mask(self) -> u64 {
        self.rows.empty_mask()
    }

    #[inline(always)]
    fn with_tile(self, cell: usize, rank: u8) -> Grid {
        Grid::with_tile(self, cell, rank)
    }

    #[inline(always)]
    fn slides(self) -> [Grid; 4] {
        let slides = Grid::slides(self).map(GridSlide::grid);
        TURNED_DIRECTIONS.map(|direction| slides[direction as usize])
    }

    #[inline(always)]
    fn best_values<const N: usize>(self, values: &LineValues, tiles: [u8; N]) -> [[i32; 16]; N] {
        best_values(self, values, tiles)
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
        self.0.ranks().iter().rev().fold(0, |number, &rank| (number << 4).wrapping_add(rank.into()))
    }

    fn empty_mask(self) -> u64 {
        self.0.empty_mask()
    }

    fn with_tile(self, cell: usize, rank: u8) -> LargeBoard {
        let mut ranks = self.0.ranks();
        ranks[cell] = rank;
        LargeBoard(Cells::from_ranks(ranks))
    }

    fn slides(self) -> [LargeBoard; 4] {
        let board = Board::new(self.0);
        TURNED_DIRECTIONS
            .map(|direction| board.slide(direction).map_or(self, |after| LargeBoard(after.cells())))
    }
}
