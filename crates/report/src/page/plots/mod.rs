//! The plots of a report, as SVG. Equal numbers give equal bytes.

mod axis;
mod canvas;
mod labels;
mod plot_area;
mod rows;

pub(super) mod curves;
pub(super) mod end_values;
pub(super) mod funnel;
pub(super) mod gain;
pub(super) mod heat_map;
pub(super) mod intervals;
pub(super) mod paths;
pub(super) mod profiles;
pub(super) mod scores;
pub(super) mod strength;
pub(super) mod times;
pub(super) mod value_strips;

pub(super) use canvas::{Drawing, ScreenSize, is_plot};
pub(super) use rows::MAX_ROWS;

/// A plot, drawn twice: for a desktop and for an upright phone. Text does not shrink with the
/// screen.
pub(super) struct Plot {
    wide: String,
    narrow: String,
    /// The drawing of the file, if it differs.
    file: Option<String>,
}

impl Plot {
    /// Draws the plot on both sheets.
    pub(super) fn new(draw: impl Fn(ScreenSize) -> String) -> Plot {
        Plot { wide: draw(ScreenSize::Wide), narrow: draw(ScreenSize::Narrow), file: None }
    }

    /// Sets another drawing for the file, in which nothing can be hidden.
    pub(super) fn with_file(self, file: String) -> Plot {
        Plot { file: Some(file), ..self }
    }

    /// Returns both drawings for the page, the wide one first.
    pub(super) fn drawings(&self) -> (Drawing, Drawing) {
        (canvas::apply_theme(&self.wide), canvas::apply_theme(&self.narrow))
    }

    /// Returns the drawing for a file, with dark colours for dark screens: the wide one, if there
    /// is no other.
    pub(super) fn file(self) -> String {
        canvas::add_dark_colours(&self.file.unwrap_or(self.wide))
    }
}
