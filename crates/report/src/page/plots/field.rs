//! The area between two axes, in which points are drawn.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, GRID, MUTED, SMALL};

/// The sides of the area on the sheet.
pub(super) struct Field {
    pub(super) left: i32,
    pub(super) right: i32,
    pub(super) top: i32,
    pub(super) bottom: i32,
}

impl Field {
    /// Draws a horizontal line for each tick of the vertical axis, with its number on the left.
    pub(super) fn across(&self, canvas: &Canvas, up: &Axis) {
        for (tick, text) in &up.ticks {
            let y = up.at(*tick);
            canvas.line((self.left, y), (self.right, y), GRID, 1);
            canvas.text(text, (self.left - 8, y), SMALL, MUTED, Anchor::End);
        }
    }

    /// Draws a vertical line from `from` for each tick of the horizontal axis, with its number
    /// below.
    pub(super) fn down(&self, canvas: &Canvas, along: &Axis, from: i32) {
        for (tick, text) in &along.ticks {
            let x = along.at(*tick);
            canvas.line((x, from), (x, self.bottom + 4), GRID, 1);
            canvas.text(text, (x, self.bottom + 14), SMALL, MUTED, Anchor::Middle);
        }
    }

    /// Writes the name of the horizontal axis.
    pub(super) fn name_along(&self, canvas: &Canvas, name: &str) {
        let middle = (self.left + self.right) / 2;
        canvas.text(name, (middle, self.bottom + 34), SMALL, MUTED, Anchor::Middle);
    }
}
