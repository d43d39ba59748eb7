//! Evaluations that a search takes line by line.

use crate::rules::{Cells, Nibbles};

/// An evaluation that is a function of sums over rows and over columns, where no tile is over
/// 32768. Sums can be joined in any order, so a search that changes one row need not look at the
/// others again.
pub(super) trait ByLines: Send {
    /// The sums over some rows.
    type Rows: Copy;
    /// The sums over some columns.
    type Columns: Copy;

    /// The value of any cells, by definition.
    fn value(&self, cells: Cells) -> f64;

    /// The sums of one row, whose number from the top is `index`.
    fn row(&self, index: usize, row: u16) -> Self::Rows;

    /// The sums over two sets of rows together.
    fn rows(one: Self::Rows, other: Self::Rows) -> Self::Rows;

    /// The sums of one column.
    fn column(&self, column: u16) -> Self::Columns;

    /// The sums over two sets of columns together.
    fn columns(one: Self::Columns, other: Self::Columns) -> Self::Columns;

    /// The value of the sums over all rows and all columns, to the last bit that of the definition.
    fn sum(&self, rows: Self::Rows, columns: Self::Columns) -> f64;

    /// The value of any cells, the quick way if there is one.
    #[inline]
    fn worth(&self, cells: Cells) -> f64 {
        match cells.nibbles() {
            Some(rows) => self.quick(rows, rows.transposed()),
            None => self.value(cells),
        }
    }

    /// The sums over all rows.
    #[inline(always)]
    fn all_rows(&self, rows: Nibbles) -> Self::Rows {
        let [a, b, c, d] = rows.lines();
        Self::rows(Self::rows(self.row(0, a), self.row(1, b)), Self::rows(self.row(2, c), self.row(3, d)))
    }

    /// The sums over all columns.
    #[inline(always)]
    fn all_columns(&self, columns: Nibbles) -> Self::Columns {
        let [a, b, c, d] = columns.lines().map(|column| self.column(column));
        Self::columns(Self::columns(a, b), Self::columns(c, d))
    }

    /// The value of cells given by rows and by columns.
    #[inline(always)]
    fn quick(&self, rows: Nibbles, columns: Nibbles) -> f64 {
        self.sum(self.all_rows(rows), self.all_columns(columns))
    }
}
