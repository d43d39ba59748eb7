//! Boards by rows and by columns, for searches that slide them in all four directions.

use super::direction::Direction;
use super::nibbles::PackedLines;

/// Board by rows and by columns. A search maintains both, so that each line is looked up whatever
/// its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Rows from the top.
    pub rows: PackedLines,
    /// Columns from the left.
    pub columns: PackedLines,
}

/// Slide of a grid in one direction. Its lines are columns for up and down, and rows for left and
/// right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSlide {
    /// Direction of the slide.
    pub direction: Direction,
    /// Lines before the slide.
    pub before: PackedLines,
    /// Lines after the slide.
    pub after: PackedLines,
}

impl Grid {
    /// Creates a grid from its rows.
    #[inline(always)]
    pub fn from_rows(rows: PackedLines) -> Grid {
        Grid { rows, columns: rows.transpose() }
    }

    /// Creates a grid from its columns.
    #[inline(always)]
    pub fn from_columns(columns: PackedLines) -> Grid {
        Grid { rows: columns.transpose(), columns }
    }

    /// Puts a tile of this rank on an empty cell, counted from 0 row by row.
    #[inline(always)]
    #[must_use]
    pub fn with_tile(self, cell: usize, rank: u8) -> Grid {
        let transposed_cell = cell % 4 * 4 + cell / 4;
        Grid { rows: self.rows.with_tile(cell, rank), columns: self.columns.with_tile(transposed_cell, rank) }
    }

    /// Returns the slides in all directions, by [`Direction`]. The lines must not contain two tiles
    /// of 32768 that could merge.
    #[inline(always)]
    pub fn slides(self) -> [GridSlide; 4] {
        self.slides_by(PackedLines::slide_both_ways)
    }

    /// Returns the slides by another function, which slides lines towards their first cells and
    /// towards their last.
    #[inline(always)]
    pub fn slides_by(self, slide: impl Fn(PackedLines) -> (PackedLines, PackedLines)) -> [GridSlide; 4] {
        let Grid { rows, columns } = self;
        let (left, right) = slide(rows);
        let (up, down) = slide(columns);
        [
            GridSlide { direction: Direction::Up, before: columns, after: up },
            GridSlide { direction: Direction::Right, before: rows, after: right },
            GridSlide { direction: Direction::Down, before: columns, after: down },
            GridSlide { direction: Direction::Left, before: rows, after: left },
        ]
    }
}

impl GridSlide {
    /// Returns true if the slide moves something.
    #[inline(always)]
    pub fn moves(self) -> bool {
        self.after != self.before
    }

    /// Returns the rows after the slide.
    #[inline(always)]
    pub fn rows(self) -> PackedLines {
        if self.direction.is_vertical() { self.after.transpose() } else { self.after }
    }

    /// Returns the board after the slide.
    #[inline(always)]
    pub fn grid(self) -> Grid {
        if self.direction.is_vertical() {
            Grid::from_columns(self.after)
        } else {
            Grid::from_rows(self.after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::board::Board;
    use super::*;
    use crate::testing::random_boards;

    #[test]
    fn slides_are_those_of_the_board() {
        for board in (0..20).flat_map(random_boards) {
            let grid = Grid::from_rows(board.cells().nibbles().expect("small tiles"));
            assert_eq!(grid, Grid::from_columns(grid.columns));
            for (slide, direction) in grid.slides().into_iter().zip(Direction::ALL) {
                assert_eq!(slide.direction, direction);
                let expected = board.slide(direction).map(|after| after.cells());
                assert_eq!(slide.moves().then(|| slide.rows().cells()), expected, "{board:?} {direction}");
                assert_eq!(slide.grid(), Grid::from_rows(slide.rows()));
            }
            for cell in (0..16).filter(|&cell| board.cells().rank(cell) == 0) {
                let with_tile = grid.with_tile(cell, 2);
                assert_eq!(with_tile, Grid::from_columns(with_tile.columns));
                assert_eq!(with_tile.rows.cells().rank(cell), 2);
            }
        }
    }

    #[test]
    fn slides_have_an_order() {
        let board: Board = Board::new("2 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0".parse().expect("a board"));
        let order = [Direction::Left, Direction::Down, Direction::Up, Direction::Right];
        let slides: Vec<Direction> = board.slides(order).map(|(direction, _)| direction).collect();
        assert_eq!(slides, [Direction::Down, Direction::Right]);
    }
}
