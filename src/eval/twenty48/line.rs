//! Rows and columns as ranks: four of a row from left to right, four of a column from top to bottom.

use crate::games::twenty48::Cells;

/// Four ranks, 0 for an empty cell.
pub type Line = [u8; 4];

/// The rows from top to bottom.
#[inline]
pub fn rows(cells: Cells) -> [Line; 4] {
    let ranks = cells.ranks();
    std::array::from_fn(|row| std::array::from_fn(|column| ranks[4 * row + column]))
}

/// The columns from left to right.
#[inline]
pub fn columns(cells: Cells) -> [Line; 4] {
    rows(cells.transposed())
}

/// The sum of a whole number over all rows and columns.
pub(super) fn sum_of_lines(cells: Cells, of_line: impl Fn(Line) -> i64) -> i64 {
    rows(cells).into_iter().chain(columns(cells)).map(of_line).sum()
}

/// The sum of a whole number over all rows, each with its number.
pub(super) fn sum_of_rows(cells: Cells, of_row: impl Fn(usize, Line) -> i64) -> i64 {
    rows(cells).into_iter().enumerate().map(|(index, row)| of_row(index, row)).sum()
}

/// The line whose ranks are these four nibbles, the first lowest.
pub(super) const fn line_of(row: u16) -> Line {
    [row as u8 & 15, (row >> 4) as u8 & 15, (row >> 8) as u8 & 15, (row >> 12) as u8]
}

/// The four rows of a board of nibbles, for a look into a table.
#[inline]
pub(super) fn rows_of(nibbles: u64) -> [usize; 4] {
    std::array::from_fn(|row| usize::from((nibbles >> (16 * row)) as u16))
}
