//! Performance profiles: the share of games that reach each score, as falling steps with a band for
//! each player.

use gauntlet_stats::Estimate;

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, MUTED, SMALL_TEXT_SIZE, ScreenSize};
use super::curves::{Curve, curve_style, draw_curves};
use super::plot_area::{NO_EDGES, PlotArea, horizontal_axis};

/// The opacity of a band.
const BAND_OPACITY: f64 = 0.15;

/// Number of marks on a curve, which have tooltips.
const MARKS: usize = 7;

/// Returns the corners of a curve of steps, from points in ascending order. The value of a point
/// holds from the point before, exclusive, to the point itself.
pub(in crate::page) fn steps(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut corners = Vec::new();
    for (position, value) in points {
        corners.extend(corners.last().map(|&(last_position, _)| (last_position, value)));
        corners.push((position, value));
    }
    corners
}

/// Draws the curves with a key, or without a key in layers. The position of a point is its score.
pub(in crate::page) fn draw(sheet: ScreenSize, title: &str, curves: &[Curve], has_key: bool) -> String {
    // Half of the text of the last tick is on the right.
    let area = PlotArea { left: 54, right: sheet.width() - 36, top: 28, bottom: 270 };
    let y_axis = &Axis::percent([0.0, 1.0].into_iter(), (area.bottom, area.top), 6);
    let scores = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.position);
    let x_axis = &horizontal_axis(sheet.max_ticks(), NO_EDGES, |max_ticks| {
        Axis::plain(scores().chain([0.0]), (area.left, area.right), max_ticks)
    });
    let to_point = |score: f64, share: f64| (x_axis.position(score), y_axis.position(share));
    let base = |canvas: &Canvas| {
        canvas.text("share of games", (2, 10), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
        area.draw_horizontal_lines(canvas, y_axis);
        area.draw_vertical_lines(canvas, x_axis, area.top);
        area.write_axis_name(canvas, "score reached");
    };
    let curve = |canvas: &Canvas, i: usize| {
        let points = &curves[i].points;
        let (colour, mark) = curve_style(i);
        let line = |share: fn(&Estimate) -> f64| {
            let corners = steps(points.iter().map(|point| (point.position, share(&point.estimate))));
            let corners = corners.into_iter().map(|(score, share)| to_point(score, share));
            corners.collect::<Vec<_>>()
        };
        let (lower, upper) = (line(|share| share.low), line(|share| share.high));
        canvas.polygon(
            &lower.into_iter().chain(upper.into_iter().rev()).collect::<Vec<_>>(),
            colour,
            BAND_OPACITY,
        );
        canvas.path(&line(|share| share.value), colour, 2);
        let mark_distance = (points.len() / MARKS).max(1);
        for (index, point) in points.iter().enumerate() {
            // Marks of neighbouring curves are at different shares.
            if index % mark_distance == i % mark_distance {
                let position = to_point(point.position, point.estimate.value);
                canvas.mark(mark, position, colour);
                canvas.hint_at(position, point.hint.clone());
            }
        }
    };
    draw_curves(sheet, title, area.bottom + 48, base, curves, curve, has_key)
}
