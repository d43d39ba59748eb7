//! Sums over rows and columns.

use crate::rules::{Cells, Line};

/// Returns the sum of a whole number over all rows and columns.
pub(super) fn sum_of_lines(cells: Cells, line_value: impl Fn(Line) -> i64) -> i64 {
    cells.rows().into_iter().chain(cells.columns()).map(line_value).sum()
}

/// Returns the sum of a whole number over all rows, each with its index.
pub(super) fn sum_of_rows(cells: Cells, row_value: impl Fn(usize, Line) -> i64) -> i64 {
    cells.rows().into_iter().enumerate().map(|(index, row)| row_value(index, row)).sum()
}
