//! The area between two axes, in which points are drawn, and horizontal axes whose texts fit.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, GRID, MUTED, SMALL_TEXT_SIZE, text_width};

/// Smallest gap between the texts of two ticks, in pixels.
const GAP: i32 = 8;

/// Makes a horizontal axis with at most `max_ticks` ticks, and fewer if their texts would meet. No
/// text crosses the edges `edges`.
pub(super) fn horizontal_axis(
    max_ticks: usize,
    edges: (i32, i32),
    make_axis: impl Fn(usize) -> Axis,
) -> Axis {
    let fits = |axis: &Axis| {
        let ends = |(tick, text): &(f64, String)| {
            let (middle, half) = (tick_text_middle(axis, *tick, text, edges), half_width(text));
            (middle - half, middle + half)
        };
        axis.ticks.windows(2).all(|pair| ends(&pair[0]).1 + GAP <= ends(&pair[1]).0)
    };
    (2..=max_ticks).rev().map(&make_axis).find(fits).unwrap_or_else(|| make_axis(2))
}

/// Returns the middle of a tick's text, so that the text does not cross an edge.
pub(super) fn tick_text_middle(axis: &Axis, tick: f64, text: &str, (left, right): (i32, i32)) -> i32 {
    axis.position(tick).min(right - half_width(text)).max(left + half_width(text))
}

fn half_width(text: &str) -> i32 {
    (text_width(text, SMALL_TEXT_SIZE) + 1) / 2
}

/// No edges: texts below the area may extend as far left or right as they need.
pub(super) const NO_EDGES: (i32, i32) = (i32::MIN / 2, i32::MAX / 2);

/// The sides of the area on the sheet.
pub(super) struct PlotArea {
    pub(super) left: i32,
    pub(super) right: i32,
    pub(super) top: i32,
    pub(super) bottom: i32,
}

impl PlotArea {
    /// Draws a horizontal line for each tick of the vertical axis, with its number on the left.
    pub(super) fn draw_horizontal_lines(&self, canvas: &Canvas, y_axis: &Axis) {
        for (tick, text) in &y_axis.ticks {
            let y = y_axis.position(*tick);
            canvas.line((self.left, y), (self.right, y), GRID, 1);
            canvas.text(text, (self.left - 8, y), SMALL_TEXT_SIZE, MUTED, Anchor::End);
        }
    }

    /// Draws a vertical line from `top` for each tick of the horizontal axis, with its number
    /// below.
    pub(super) fn draw_vertical_lines(&self, canvas: &Canvas, x_axis: &Axis, top: i32) {
        for (tick, text) in &x_axis.ticks {
            let x = x_axis.position(*tick);
            canvas.line((x, top), (x, self.bottom + 4), GRID, 1);
            canvas.text(text, (x, self.bottom + 14), SMALL_TEXT_SIZE, MUTED, Anchor::Middle);
        }
    }

    /// Writes the name of the horizontal axis.
    pub(super) fn write_axis_name(&self, canvas: &Canvas, name: &str) {
        let middle = (self.left + self.right) / 2;
        canvas.text(name, (middle, self.bottom + 34), SMALL_TEXT_SIZE, MUTED, Anchor::Middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six texts of six digits do not fit into 240 pixels, but four do. The texts of 1, 2 and 5 in
    /// each of three decades do not fit either.
    #[test]
    fn texts_of_ticks_do_not_meet() {
        let texts = |axis: &Axis| axis.ticks.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>();
        let score_axis = |max_ticks| Axis::plain([0.0, 248_309.0].into_iter(), (0, 240), max_ticks);
        let axis = horizontal_axis(7, (-30, 270), score_axis);
        assert_eq!(texts(&axis), ["0", "100,000", "200,000", "300,000"]);
        assert_eq!(texts(&score_axis(7)).len(), 6);
        let time_axis = |max_ticks| Axis::time([1.0, 900.0].into_iter(), (0, 240), max_ticks);
        let axis = horizontal_axis(12, (-30, 270), time_axis);
        assert_eq!(texts(&axis), ["1 ms", "10 ms", "100 ms", "1 s"]);
        let (tick, text) = &axis.ticks[0];
        assert_eq!(tick_text_middle(&axis, *tick, text, (30, 270)), 45);
    }
}
