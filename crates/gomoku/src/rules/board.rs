//! Boards with stones, and winning rows.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::cell::{Cell, MAX_CELLS, MAX_SIZE};
use super::stone::Stone;

/// Rule for winning rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// Five or more in a row.
    #[default]
    Free,
    /// Exactly five in a row: six or more neither win nor end the game.
    Standard,
}

impl Rule {
    /// Returns true if a row of this number of stones, from end to end, wins.
    #[inline]
    pub const fn is_five(self, stones: u32) -> bool {
        match self {
            Rule::Free => stones >= 5,
            Rule::Standard => stones == 5,
        }
    }
}

/// Default board size.
pub const SIZE: u8 = 15;

/// Four axes of rows, as steps of column and row.
pub const AXES: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Square board with stones.
#[derive(Clone, PartialEq, Eq)]
pub struct Board {
    size: u8,
    stones: u16,
    /// Cells row by row, [`MAX_SIZE`] per row, so that the index of a cell does not depend on the
    /// size.
    cells: [Option<Stone>; MAX_CELLS],
}

impl Board {
    /// Creates an empty board.
    ///
    /// # Panics
    /// If the size is 0 or above [`MAX_SIZE`].
    pub fn new(size: u8) -> Board {
        assert!((1..=MAX_SIZE).contains(&size), "board size {size} is not between 1 and {MAX_SIZE}");
        Board { size, stones: 0, cells: [None; MAX_CELLS] }
    }

    /// Returns the number of cells on a side.
    #[inline]
    pub fn size(&self) -> u8 {
        self.size
    }

    /// Returns the number of stones.
    #[inline]
    pub fn stones(&self) -> u32 {
        self.stones.into()
    }

    /// Returns true if no cell is empty.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.stones == u16::from(self.size) * u16::from(self.size)
    }

    /// Returns true if the board has this cell.
    #[inline]
    pub fn has(&self, cell: Cell) -> bool {
        cell.x < self.size && cell.y < self.size
    }

    /// Returns the stone on a cell of the board.
    #[inline]
    pub fn stone_at(&self, cell: Cell) -> Option<Stone> {
        self.cells[cell_index(cell)]
    }

    /// Returns the cell this number of steps along an axis, if it is on the board.
    #[inline]
    pub fn step(&self, cell: Cell, (dx, dy): (i8, i8), steps: i8) -> Option<Cell> {
        // A coordinate before the edge wraps to one that no board has.
        let (x, y) = (cell.x.wrapping_add_signed(dx * steps), cell.y.wrapping_add_signed(dy * steps));
        Some(Cell::new(x, y)).filter(|&cell| self.has(cell))
    }

    /// Returns the letter of a cell in diagrams.
    pub fn letter(&self, cell: Cell) -> char {
        self.stone_at(cell).map_or('.', Stone::letter)
    }

    /// Puts a stone on an empty cell of the board.
    #[inline]
    pub fn put(&mut self, cell: Cell, stone: Stone) {
        debug_assert!(self.has(cell) && self.stone_at(cell).is_none(), "{cell} is not empty");
        self.cells[cell_index(cell)] = Some(stone);
        self.stones += 1;
    }

    /// Removes a stone.
    #[inline]
    pub fn take(&mut self, cell: Cell) {
        debug_assert!(self.stone_at(cell).is_some(), "{cell} is empty");
        self.cells[cell_index(cell)] = None;
        self.stones -= 1;
    }

    /// Iterates over all cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let size = self.size;
        (0..size).flat_map(move |y| (0..size).map(move |x| Cell::new(x, y)))
    }

    /// Iterates over the empty cells, row by row.
    pub fn empty_cells(&self) -> impl Iterator<Item = Cell> {
        self.cells().filter(|&cell| self.stone_at(cell).is_none())
    }

    /// Returns true if a stone of this colour on this cell is part of a winning row. The cell may
    /// be empty.
    #[inline]
    pub fn makes_five(&self, cell: Cell, stone: Stone, rule: Rule) -> bool {
        AXES.into_iter().any(|(dx, dy)| {
            let row = 1 + self.run_length(cell, (dx, dy), stone) + self.run_length(cell, (-dx, -dy), stone);
            rule.is_five(row)
        })
    }

    /// Returns the length of the run of this colour that begins next to a cell.
    #[inline]
    fn run_length(&self, cell: Cell, axis: (i8, i8), stone: Stone) -> u32 {
        let mut last = cell;
        let mut run = 0;
        while let Some(next) = self.step(last, axis, 1)
            && self.stone_at(next) == Some(stone)
        {
            last = next;
            run += 1;
        }
        run
    }
}

#[inline]
fn cell_index(cell: Cell) -> usize {
    cell.index(MAX_SIZE)
}

/// Writes one row per line, with `.` for an empty cell, `B` and `W` for stones, separated by
/// blanks.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for y in 0..self.size {
            for x in 0..self.size {
                let separator = match (x, y) {
                    (0, 0) => "",
                    (0, _) => "\n",
                    _ => " ",
                };
                write!(f, "{separator}{}", self.letter(Cell::new(x, y)))?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{self}")
    }
}
