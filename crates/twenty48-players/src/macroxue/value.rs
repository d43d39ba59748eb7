//! Boards of the search, turned by half: the original's last cell is the first here, so that its
//! number of a board is the word of nibbles.

use std::sync::LazyLock;

use gauntlet_twenty48::eval::corner_slope_of_line;
use gauntlet_twenty48::rules::line::reverse;
use gauntlet_twenty48::rules::nibbles::table;
use gauntlet_twenty48::rules::{Board, Cells, Direction, Line, PackedLines};

/// Value of each line, by its nibbles.
pub(super) static VALUES: LazyLock<Box<[i32; 1 << 16]>> = LazyLock::new(|| table(value_of_line));

/// Below any value.
pub(super) const NONE: i32 = i32::MIN;

/// Returns the value of a turned line. Values fit: a line with two tiles of 131072 has 53 million.
fn value_of_line(line: Line) -> i32 {
    corner_slope_of_line(reverse(line)) as i32
}

/// Board of the search.
pub(super) trait SearchBoard: Copy + PartialEq {
    /// Returns the original's evaluation.
    fn value(self) -> i32;

    /// Returns the original's number of the board, which is unique without tiles over 32768.
    fn number(self) -> u64;

    /// Returns a one in the nibble of each empty cell.
    fn empty(self) -> u64;

    /// Puts a tile of this rank on an empty cell.
    fn with_tile(self, cell: usize, rank: u8) -> Self;

    /// Returns the boards after the original's slides up, left, right and down, changed or not.
    fn slides(self) -> [Self; 4];

    /// Returns for each empty cell the largest value after a tile of this rank there and a slide,
    /// or `NONE`.
    fn best_values(self, rank: u8) -> [i32; 16] {
        std::array::from_fn(|cell| {
            if self.empty() >> (4 * cell) & 1 == 0 {
                return NONE;
            }
            let board = self.with_tile(cell, rank);
            let moved = board.slides().into_iter().filter(|&slid| slid != board);
            moved.map(SearchBoard::value).max().unwrap_or(NONE)
        })
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

#[inline(always)]
fn values(lines: PackedLines) -> [i32; 4] {
    lines.lines().map(|line| VALUES[usize::from(line)])
}

impl SearchBoard for SmallBoard {
    #[inline(always)]
    fn value(self) -> i32 {
        values(self.rows).iter().sum::<i32>() + values(self.columns).iter().sum::<i32>()
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
    fn value(self) -> i32 {
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
