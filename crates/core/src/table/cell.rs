//! Cells of tables.

use serde_json::Value;

use crate::text::{self, escape};

/// Cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// Count.
    Whole(u64),
    /// Number, and its number of decimals.
    Real(f64, usize),
    /// Upper bound of a number that is not known better, and its number of decimals.
    Below(f64, usize),
    /// Probability, which may be very small.
    Probability(f64),
    /// Missing number, such as the mean of no games or the bounds of one.
    Nothing,
}

impl From<&str> for Cell {
    fn from(words: &str) -> Cell {
        Cell::Text(words.to_owned())
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Cell {
        Cell::Text(words)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Cell {
        Cell::Whole(count)
    }
}

impl From<bool> for Cell {
    fn from(truth: bool) -> Cell {
        Cell::Truth(truth)
    }
}

impl<C: Into<Cell>> From<Option<C>> for Cell {
    fn from(cell: Option<C>) -> Cell {
        cell.map_or(Cell::Nothing, Into::into)
    }
}

impl Cell {
    /// Creates the cell of a measured number, rounded to meaningful decimals; empty if it does not
    /// exist.
    pub fn from_real(number: Option<f64>, decimals: usize) -> Cell {
        let number = number.filter(|number| number.is_finite());
        number.map_or(Cell::Nothing, |number| Cell::Real(text::round_to(number, decimals), decimals))
    }

    /// Replaces 0 by "less than the bound", for readings below a clock's resolution.
    pub(super) fn with_bound(self, bound: Option<f64>) -> Cell {
        match (self, bound.filter(|bound| bound.is_finite())) {
            (Cell::Real(0.0, decimals), Some(bound)) => {
                let scale = 10_f64.powi(decimals as i32);
                Cell::Below((bound * scale).ceil().max(1.0) / scale, decimals)
            }
            (cell, _) => cell,
        }
    }

    /// Creates the cell of a number with the digits as they were written, as far as they are
    /// meaningful.
    pub fn from_printed(number: f64) -> Cell {
        let decimals = number.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Cell::Real(number, decimals)
    }

    /// Returns the cell as CSV. A text that a spreadsheet would take for a formula is escaped;
    /// numbers stay unchanged.
    pub(super) fn to_csv(&self) -> String {
        match self {
            Cell::Text(text) => escape::cell(text).into_owned(),
            number => number.text(),
        }
    }

    /// Returns the content of the cell, without escapes.
    pub fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Truth(truth) => truth.to_string(),
            Cell::Whole(number) => number.to_string(),
            Cell::Real(number, decimals) => format!("{number:.decimals$}"),
            Cell::Below(bound, decimals) => format!("<{bound:.decimals$}"),
            Cell::Probability(0.0) => "0".to_owned(),
            Cell::Probability(p) if *p < 0.001 && *p > 0.0 => format!("{p:.2e}"),
            Cell::Probability(p) => format!("{p:.4}"),
            Cell::Nothing => String::new(),
        }
    }

    /// Returns the number in the cell, if it has one.
    pub(super) fn number(&self) -> Option<f64> {
        match *self {
            Cell::Whole(number) => Some(number as f64),
            Cell::Real(number, _) | Cell::Probability(number) => Some(number),
            Cell::Text(_) | Cell::Truth(_) | Cell::Below(..) | Cell::Nothing => None,
        }
    }

    /// Writes a share in per cent, without the sign.
    pub(super) fn to_percent(&self, decimals: usize) -> String {
        self.number().map_or(String::new(), |share| format!("{:.decimals$}", 100.0 * share))
    }

    pub(super) fn to_json(&self) -> Value {
        match self {
            Cell::Text(text) => Value::String(text.clone()),
            Cell::Below(..) => Value::String(self.text()),
            Cell::Truth(truth) => Value::Bool(*truth),
            Cell::Nothing => Value::Null,
            // The number has the same digits as in other formats.
            number => serde_json::from_str(&number.text()).expect("numbers are valid JSON"),
        }
    }
}
