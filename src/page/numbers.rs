//! Numbers out of tables that were read back: their cells are text, and any may be empty.

use crate::stats::Estimate;
use crate::table::{Row, Table};

/// A table to be read by the names of its columns. What is not there is empty.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a>(pub(super) &'a Table);

impl Numbers<'_> {
    pub(super) fn rows(self) -> usize {
        self.0.rows.len()
    }

    fn row(&self, row: usize) -> Row<'_> {
        self.0.rows().nth(row).expect("a row of the table")
    }

    pub(super) fn text(&self, row: usize, column: &str) -> String {
        self.row(row).words(column).to_owned()
    }

    pub(super) fn number(self, row: usize, column: &str) -> Option<f64> {
        self.row(row).number(column)
    }

    pub(super) fn whole(self, row: usize, column: &str) -> Option<u64> {
        self.row(row).count(column)
    }

    /// An estimate and its bounds.
    pub(super) fn estimate(self, row: usize, column: &str) -> Option<Estimate> {
        self.row(row).estimate(column)
    }

    /// The same as people read it, as in the tables.
    pub(super) fn shown(self, column: &str) -> Vec<String> {
        self.0.rows().map(|row| row.written(column).with_bounds()).collect()
    }

    /// Rows of one player after another: the player, and its rows.
    pub(super) fn groups(self) -> Vec<(String, Vec<usize>)> {
        let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
        for row in 0..self.rows() {
            let player = self.text(row, "player");
            match groups.last_mut() {
                Some((last, rows)) if *last == player => rows.push(row),
                _ => groups.push((player, vec![row])),
            }
        }
        groups
    }
}
