//! Numbers out of tables that were read back: their cells are text, and any may be empty.

use crate::stats::Estimate;
use crate::table::Table;
use crate::tally::LEVEL;

/// A table to be read by the names of its columns. What is not there is empty.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a>(pub(super) &'a Table);

impl Numbers<'_> {
    pub(super) fn rows(self) -> usize {
        self.0.rows.len()
    }

    pub(super) fn text(self, row: usize, column: &str) -> String {
        let place = self.0.columns.iter().position(|name| name == column);
        place.and_then(|place| self.0.rows.get(row)?.get(place)).map(|cell| cell.text()).unwrap_or_default()
    }

    pub(super) fn number(self, row: usize, column: &str) -> Option<f64> {
        self.text(row, column).parse().ok().filter(|number: &f64| number.is_finite())
    }

    pub(super) fn whole(self, row: usize, column: &str) -> Option<u64> {
        self.text(row, column).parse().ok()
    }

    /// An estimate and its bounds, by the rules that tables name them by.
    pub(super) fn estimate(self, row: usize, column: &str) -> Option<Estimate> {
        let bound = |end: &str| self.number(row, &format!("{column}{end}"));
        let value = self.number(row, column)?;
        let bounded = bound("_low").zip(bound("_high"));
        let bounded = bounded.map(|(low, high)| Estimate { value, low, high, level: LEVEL });
        Some(bounded.unwrap_or(Estimate::unbounded(value, LEVEL)))
    }

    /// The same as people read it, as in the tables: a whole column, for it takes a look at the whole table.
    pub(super) fn shown(self, column: &str) -> Vec<String> {
        let head = column.replace('_', " ");
        let (heads, rows) = self.0.folded();
        let place = heads.iter().position(|name| {
            name.strip_prefix(&head).is_some_and(|rest| matches!(rest, "" | " %" | " [95 %]" | " % [95 %]"))
        });
        let cell = |row: Vec<String>| place.and_then(|place| row.get(place).cloned()).unwrap_or_default();
        rows.into_iter().map(cell).collect()
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
