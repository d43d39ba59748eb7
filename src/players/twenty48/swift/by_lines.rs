//! What a search wants of an evaluation.

use crate::games::twenty48::{Cells, Nibbles};

/// What a search wants of an evaluation. Cells without a tile over 32768 can be looked at by lines, and what the lines
/// say can be joined in any order: so a search that changes one row need not look at the others again.
pub(super) trait ByLines: Send {
    /// What some rows say.
    type Rows: Copy;
    /// What some columns say.
    type Columns: Copy;

    /// What the cells are worth, by definition.
    fn value(&self, cells: Cells) -> f64;

    /// What a row of nibbles says, this one from the top.
    fn row(&self, index: usize, row: u16) -> Self::Rows;

    /// What two sets of rows say together.
    fn rows(one: Self::Rows, other: Self::Rows) -> Self::Rows;

    /// What a column of nibbles says.
    fn column(&self, column: u16) -> Self::Columns;

    /// What two sets of columns say together.
    fn columns(one: Self::Columns, other: Self::Columns) -> Self::Columns;

    /// What four rows and four columns are worth, to the last bit as by definition.
    fn sum(&self, rows: Self::Rows, columns: Self::Columns) -> f64;

    /// What any cells are worth, the quick way if there is one.
    #[inline]
    fn worth(&self, cells: Cells) -> f64 {
        match cells.nibbles() {
            Some(rows) => self.quick(rows, rows.transposed()),
            None => self.value(cells),
        }
    }

    /// What all rows say.
    #[inline(always)]
    fn all_rows(&self, rows: Nibbles) -> Self::Rows {
        let [a, b, c, d] = rows.lines();
        Self::rows(Self::rows(self.row(0, a), self.row(1, b)), Self::rows(self.row(2, c), self.row(3, d)))
    }

    /// What all columns say.
    #[inline(always)]
    fn all_columns(&self, columns: Nibbles) -> Self::Columns {
        let [a, b, c, d] = columns.lines().map(|column| self.column(column));
        Self::columns(Self::columns(a, b), Self::columns(c, d))
    }

    /// What the cells are worth, given by rows and by columns.
    #[inline(always)]
    fn quick(&self, rows: Nibbles, columns: Nibbles) -> f64 {
        self.sum(self.all_rows(rows), self.all_columns(columns))
    }
}
