//! Performance profiles: the share of games that reach each score, as a falling curve with a band
//! for each player.

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, MUTED, SMALL_TEXT_SIZE, ScreenSize};
use super::curves::{Curve, PlotPoint, curve_style, draw_curves};
use super::plot_area::{NO_EDGES, PlotArea, horizontal_axis};

/// The opacity of a band.
const BAND_OPACITY: f64 = 0.15;

/// Number of points from one mark of a curve, which has a tooltip, to the next.
const MARK_DISTANCE: usize = 6;

/// Draws the curves with a key, or without a key in layers. The position of a point is its score.
pub(in crate::page) fn draw(sheet: ScreenSize, title: &str, curves: &[Curve], has_key: bool) -> String {
    let area = PlotArea { left: 54, right: sheet.width() - 24, top: 28, bottom: 270 };
    let y_axis = &Axis::percent([0.0, 1.0].into_iter(), (area.bottom, area.top), 6);
    let scores = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.position);
    let x_axis = &horizontal_axis(sheet.max_ticks(), NO_EDGES, |max_ticks| {
        Axis::plain(scores().chain([0.0]), (area.left, area.right), max_ticks)
    });
    let base = |canvas: &Canvas| {
        canvas.text("share of games", (2, 10), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
        area.draw_horizontal_lines(canvas, y_axis);
        area.draw_vertical_lines(canvas, x_axis, area.top);
        area.write_axis_name(canvas, "score reached");
    };
    let curve = |canvas: &Canvas, i: usize| {
        let points = &curves[i].points;
        let (colour, mark) = curve_style(i);
        let to_point =
            |point: &PlotPoint, share: f64| (x_axis.position(point.position), y_axis.position(share));
        let lower = points.iter().map(|point| to_point(point, point.estimate.low));
        let upper = points.iter().rev().map(|point| to_point(point, point.estimate.high));
        canvas.polygon(&lower.chain(upper).collect::<Vec<_>>(), colour, BAND_OPACITY);
        let line = points.iter().map(|point| to_point(point, point.estimate.value));
        canvas.path(&line.collect::<Vec<_>>(), colour, 2);
        for (index, point) in points.iter().enumerate() {
            let position = to_point(point, point.estimate.value);
            // Marks of neighbouring curves are at different scores.
            if index % MARK_DISTANCE == i % MARK_DISTANCE {
                canvas.mark(mark, position, colour);
                canvas.hint_at(position, point.hint.clone());
            }
        }
    };
    draw_curves(sheet, title, area.bottom + 48, base, curves, curve, has_key)
}
