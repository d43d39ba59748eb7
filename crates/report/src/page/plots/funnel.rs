//! Shares of games that reached each stage: a row for each stage, in order, and a curve from top to
//! bottom for each player. Rows have room for long names of stages, also on narrow screens.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, GRID, MUTED, SMALL_TEXT_SIZE, ScreenSize, text_width};
use super::curves::{Curve, curve_shift, draw_curve, draw_curves};
use super::plot_area::{NO_EDGES, PlotArea, horizontal_axis};

/// The height of the row of a stage.
const ROW_HEIGHT: i32 = 24;

/// Draws the curves with a key, or without a key in layers. The position of a point is the index of
/// its stage.
pub(in crate::page) fn draw(
    sheet: ScreenSize,
    title: &str,
    stages: &[String],
    curves: &[Curve],
    has_key: bool,
) -> String {
    let name_widths = stages.iter().map(|stage| text_width(stage, SMALL_TEXT_SIZE));
    let area = PlotArea {
        left: name_widths.max().unwrap_or(0) + 16,
        right: sheet.width() - 24,
        top: 4,
        bottom: 4 + ROW_HEIGHT * stages.len() as i32,
    };
    let axis = &horizontal_axis(sheet.max_ticks().max(6), NO_EDGES, |max_ticks| {
        Axis::percent([0.0, 1.0].into_iter(), (area.left, area.right), max_ticks)
    });
    let to_y = |position: f64| area.top + (f64::from(ROW_HEIGHT) * (position + 0.5)).round() as i32;
    let base = |canvas: &Canvas| {
        area.draw_vertical_lines(canvas, axis, area.top);
        for (index, stage) in stages.iter().enumerate() {
            let y = to_y(index as f64);
            canvas.line((area.left, y), (area.right, y), GRID, 1);
            canvas.text(stage, (area.left - 10, y), SMALL_TEXT_SIZE, MUTED, Anchor::End);
        }
        area.write_axis_name(canvas, "share of games");
    };
    let curve = |canvas: &Canvas, i: usize| {
        // As in other plots of curves, intervals of equal players must not hide each other.
        let y_shift = curve_shift(i, curves.len(), 3);
        let to_point = |position: f64, value: i32, offset: i32| (value, to_y(position) + y_shift + offset);
        draw_curve(canvas, i, &curves[i], axis, to_point);
    };
    draw_curves(sheet, title, area.bottom + 48, base, curves, curve, has_key)
}
