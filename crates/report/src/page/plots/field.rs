//! The area between two axes, in which points are drawn, and horizontal axes whose texts fit.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, GRID, MUTED, SMALL, text_width};

/// Smallest gap between the texts of two ticks, in pixels.
const GAP: i32 = 8;

/// Makes a horizontal axis with at most `most` ticks, and fewer if their texts would meet. No text
/// crosses the edges `within`.
pub(super) fn horizontal_axis(most: usize, within: (i32, i32), make: impl Fn(usize) -> Axis) -> Axis {
    let fits = |axis: &Axis| {
        let ends = |(tick, text): &(f64, String)| {
            let (middle, half) = (tick_text_middle(axis, *tick, text, within), half_width(text));
            (middle - half, middle + half)
        };
        axis.ticks.windows(2).all(|pair| ends(&pair[0]).1 + GAP <= ends(&pair[1]).0)
    };
    (2..=most).rev().map(&make).find(fits).unwrap_or_else(|| make(2))
}

/// Returns the middle of a tick's text, so that the text does not cross an edge.
pub(super) fn tick_text_middle(axis: &Axis, tick: f64, text: &str, (left, right): (i32, i32)) -> i32 {
    axis.position(tick).min(right - half_width(text)).max(left + half_width(text))
}

fn half_width(text: &str) -> i32 {
    (text_width(text, SMALL) + 1) / 2
}

/// No edges: texts below the area may extend as far left or right as they need.
pub(super) const EDGES: (i32, i32) = (i32::MIN / 2, i32::MAX / 2);

/// The sides of the area on the sheet.
pub(super) struct Field {
    pub(super) left: i32,
    pub(super) right: i32,
    pub(super) top: i32,
    pub(super) bottom: i32,
}

impl Field {
    /// Draws a horizontal line for each tick of the vertical axis, with its number on the left.
    pub(super) fn draw_horizontal_lines(&self, canvas: &Canvas, up: &Axis) {
        for (tick, text) in &up.ticks {
            let y = up.position(*tick);
            canvas.line((self.left, y), (self.right, y), GRID, 1);
            canvas.text(text, (self.left - 8, y), SMALL, MUTED, Anchor::End);
        }
    }

    /// Draws a vertical line from `from` for each tick of the horizontal axis, with its number
    /// below.
    pub(super) fn draw_vertical_lines(&self, canvas: &Canvas, along: &Axis, from: i32) {
        for (tick, text) in &along.ticks {
            let x = along.position(*tick);
            canvas.line((x, from), (x, self.bottom + 4), GRID, 1);
            canvas.text(text, (x, self.bottom + 14), SMALL, MUTED, Anchor::Middle);
        }
    }

    /// Writes the name of the horizontal axis.
    pub(super) fn write_axis_name(&self, canvas: &Canvas, name: &str) {
        let middle = (self.left + self.right) / 2;
        canvas.text(name, (middle, self.bottom + 34), SMALL, MUTED, Anchor::Middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six texts of six digits do not fit into 240 pixels, but four do. The texts of 1, 2 and 5 in
    /// each of three decades do not fit either.
    #[test]
    fn texts_of_ticks_do_not_meet() {
        let written = |axis: &Axis| axis.ticks.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>();
        let scores = |most| Axis::plain([0.0, 248_309.0].into_iter(), (0, 240), most);
        let fitted = horizontal_axis(7, (-30, 270), scores);
        assert_eq!(written(&fitted), ["0", "100,000", "200,000", "300,000"]);
        assert_eq!(written(&scores(7)).len(), 6);
        let time = |most| Axis::time([1.0, 900.0].into_iter(), (0, 240), most);
        let fitted = horizontal_axis(12, (-30, 270), time);
        assert_eq!(written(&fitted), ["1 ms", "10 ms", "100 ms", "1 s"]);
        let (tick, text) = &fitted.ticks[0];
        assert_eq!(tick_text_middle(&fitted, *tick, text, (30, 270)), 45);
    }
}
