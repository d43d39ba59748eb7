//! The plots of a report, as SVG: each from numbers, the same bytes from the same numbers.
//!
//! - `canvas`: a sheet to draw on, its colours and marks
//! - `labels`: names beside points, where there is room
//! - `axis`: from numbers to places, with ticks
//! - `rows`: a line for each player: names, values, the axis below
//! - `curves`: estimates along a line of values
//! - `field`: what lies between two axes
//! - `gain`, `paths`, `tried`: a search, by what it gained, by where it stood and by what it tried
//! - `heat`: a measure by the values of two settings
//! - `intervals`: estimates with their intervals
//! - `scores`, `times`: distributions of scores and of times of moves
//! - `strength`: strength against time
//! - `values_ended`: the values of a fact

mod axis;
mod canvas;
mod field;
mod labels;
mod rows;

pub(super) mod curves;
pub(super) mod gain;
pub(super) mod heat;
pub(super) mod intervals;
pub(super) mod paths;
pub(super) mod scores;
pub(super) mod strength;
pub(super) mod times;
pub(super) mod tried;
pub(super) mod values_ended;

pub(super) use canvas::{Drawing, Sheet, is_plot};
pub(super) use rows::MOST_ROWS;

/// A plot, drawn twice: for a desk and, upright, for a phone. Letters do not shrink with the
/// screen.
pub(super) struct Plot {
    wide: String,
    narrow: String,
    /// The drawing of the file, where that is another.
    file: Option<String>,
}

impl Plot {
    /// Draws it on both sheets.
    pub(super) fn new(draw: impl Fn(Sheet) -> String) -> Plot {
        Plot { wide: draw(Sheet::Wide), narrow: draw(Sheet::Narrow), file: None }
    }

    /// The same with another drawing in its file, where nothing can be chosen.
    pub(super) fn with_file(self, file: String) -> Plot {
        Plot { file: Some(file), ..self }
    }

    /// Both drawings for the page, the wide one first.
    pub(super) fn drawings(&self) -> (Drawing, Drawing) {
        (canvas::themed(&self.wide), canvas::themed(&self.narrow))
    }

    /// Drawing for a file: the wide one, if there is no other.
    pub(super) fn file(self) -> String {
        self.file.unwrap_or(self.wide)
    }
}
