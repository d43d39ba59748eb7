//! Evaluations that a search computes line by line.

use gauntlet_twenty48::rules::{Cells, PackedLines};

/// Evaluation that is a function of sums over rows and over columns, if no tile is over 32768. Sums
/// can be joined in any order, so a search that changes one row need not compute the others again.
pub(super) trait LineEvaluation: Send {
    /// Sums over some rows.
    type Rows: Copy;
    /// Sums over some columns.
    type Columns: Copy;

    /// Returns the value of any cells, by definition.
    fn value(&self, cells: Cells) -> f64;

    /// Returns the sums of one row; `index` counts from the top.
    fn row(&self, index: usize, row: u16) -> Self::Rows;

    /// Returns the sums over two sets of rows together.
    fn add_rows(one: Self::Rows, other: Self::Rows) -> Self::Rows;

    /// Returns the sums of one column.
    fn column(&self, column: u16) -> Self::Columns;

    /// Returns the sums over two sets of columns together.
    fn add_columns(one: Self::Columns, other: Self::Columns) -> Self::Columns;

    /// Returns the value from the sums over all rows and all columns, equal to the definition to
    /// the last bit.
    fn sum(&self, rows: Self::Rows, columns: Self::Columns) -> f64;

    /// Returns the value of any cells, by the fast method if possible.
    #[inline]
    fn fast_value(&self, cells: Cells) -> f64 {
        match cells.nibbles() {
            Some(rows) => self.value_of_lines(rows, rows.transpose()),
            None => self.value(cells),
        }
    }

    /// Returns the sums over all rows.
    #[inline(always)]
    fn all_rows(&self, rows: PackedLines) -> Self::Rows {
        let [a, b, c, d] = rows.lines();
        Self::add_rows(
            Self::add_rows(self.row(0, a), self.row(1, b)),
            Self::add_rows(self.row(2, c), self.row(3, d)),
        )
    }

    /// Returns the sums over all columns.
    #[inline(always)]
    fn all_columns(&self, columns: PackedLines) -> Self::Columns {
        let [a, b, c, d] = columns.lines().map(|column| self.column(column));
        Self::add_columns(Self::add_columns(a, b), Self::add_columns(c, d))
    }

    /// Returns the value of cells given by rows and by columns.
    #[inline(always)]
    fn value_of_lines(&self, rows: PackedLines, columns: PackedLines) -> f64 {
        self.sum(self.all_rows(rows), self.all_columns(columns))
    }
}
