//! Estimates along an axis of values: several curves, with intervals.

use gauntlet_core::text::names;
use gauntlet_stats::Estimate;

use super::axis::Axis;
use super::canvas::{
    self, Anchor, Canvas, Colour, Drawing, GRID, Layer, MUTED, Mark, SERIES_COLOURS, SERIES_MARKS,
    SMALL_TEXT_SIZE, ScreenSize, max_letters, text_width,
};
use super::intervals::Unit;
use super::plot_area::PlotArea;

/// A plot of curves.
pub(in crate::page) struct Curves<'a> {
    pub(in crate::page) title: &'a str,
    /// Names of the horizontal and the vertical axis.
    pub(in crate::page) axes: [&'a str; 2],
    pub(in crate::page) unit: Unit,
    /// Numbers that the vertical axis must contain.
    pub(in crate::page) required_values: &'a [f64],
    /// Values on the horizontal axis by position, in ascending order.
    pub(in crate::page) ticks: &'a [(f64, String)],
    pub(in crate::page) curves: &'a [Curve],
}

pub(in crate::page) struct Curve {
    pub(in crate::page) name: String,
    pub(in crate::page) points: Vec<PlotPoint>,
    /// The position where it falls to 0, if known.
    pub(in crate::page) zero_position: Option<f64>,
}

/// A point of a curve.
pub(in crate::page) struct PlotPoint {
    pub(in crate::page) position: f64,
    pub(in crate::page) estimate: Estimate,
    /// Its tooltip.
    pub(in crate::page) hint: String,
}

/// If there are more values than this, they have no grid lines.
const MAX_GRID_LINES: usize = 60;

/// The most curves that are easy to distinguish in one plot.
pub(in crate::page) const MAX_CURVES: usize = SERIES_COLOURS.len();

/// Returns colour and mark of a curve. Each group of seven curves uses all colours, combined with
/// other marks than the group before.
pub(super) fn curve_style(i: usize) -> (Colour, Mark) {
    (
        SERIES_COLOURS[i % SERIES_COLOURS.len()],
        SERIES_MARKS[(i + i / SERIES_COLOURS.len()) % SERIES_MARKS.len()],
    )
}

/// Draws the mark of a curve, for a list next to the drawing.
pub(in crate::page) fn draw_swatch(i: usize) -> Drawing {
    let (colour, mark) = curve_style(i);
    canvas::apply_theme(&canvas::draw("", 16, 16, |canvas| canvas.mark(mark, (8, 8), colour)))
}

impl Curves<'_> {
    /// Draws the curves with a key. Without a key each curve is in a layer that can be hidden, and
    /// a list next to the drawing has the names.
    pub(in crate::page) fn draw(&self, sheet: ScreenSize, has_key: bool) -> String {
        let Curves { title, axes, unit, required_values, ticks, curves } = *self;
        let area = PlotArea {
            left: if unit == Unit::Plain { 66 } else { 54 },
            right: sheet.width() - 16,
            top: 28,
            bottom: 270,
        };
        let points = curves.iter().flat_map(|curve| &curve.points);
        let ends = points.flat_map(|point| <[f64; 2]>::from(point.estimate.span()));
        let y_axis = &unit.axis(ends.chain(required_values.iter().copied()), (area.bottom, area.top), 7);
        let positions = || ticks.iter().map(|(position, _)| *position);
        let (low, high) =
            (positions().fold(f64::INFINITY, f64::min), positions().fold(f64::NEG_INFINITY, f64::max));
        let width = f64::from(area.right - area.left - 60);
        let to_x = |position: f64| {
            area.left + 30 + (width * (position - low) / (high - low).max(1e-12)).round() as i32
        };
        let base = |canvas: &Canvas| {
            canvas.text(axes[1], (2, 10), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
            area.draw_horizontal_lines(canvas, y_axis);
            // A value whose text would overlap its neighbour's has a line without a text. Texts are
            // placed from the right, because readers look for the largest value.
            let mut free_right = sheet.width();
            for (position, text) in ticks.iter().rev() {
                let (x, half_width) = (to_x(*position), text_width(text, SMALL_TEXT_SIZE) / 2);
                if ticks.len() <= MAX_GRID_LINES {
                    canvas.line((x, area.top), (x, area.bottom + 4), GRID, 1);
                }
                if x + half_width <= free_right && x - half_width >= 0 {
                    canvas.text(text, (x, area.bottom + 14), SMALL_TEXT_SIZE, MUTED, Anchor::Middle);
                    free_right = x - half_width - 6;
                }
            }
            area.write_axis_name(canvas, axes[0]);
        };
        let curve = |canvas: &Canvas, i: usize| {
            // Curves are shifted sideways, or the intervals of equal players would hide each other.
            let x_shift = curve_shift(i, curves.len(), 4);
            let to_point =
                |position: f64, value: i32, offset: i32| (to_x(position) + x_shift + offset, value);
            draw_curve(canvas, i, &curves[i], y_axis, to_point);
        };
        draw_curves(sheet, title, area.bottom + 48, base, curves, curve, has_key)
    }
}

/// Returns the shift of a curve, with `step` between neighbours.
pub(super) fn curve_shift(i: usize, count: usize, step: i32) -> i32 {
    step * (i % SERIES_COLOURS.len()) as i32 - step * (count.min(SERIES_COLOURS.len()) as i32 - 1) / 2
}

/// Draws a curve. `to_point` maps a position, the position of a value on the axis, and an offset
/// across the axis to a point.
pub(super) fn draw_curve(
    canvas: &Canvas,
    i: usize,
    Curve { points, zero_position, .. }: &Curve,
    axis: &Axis,
    to_point: impl Fn(f64, i32, i32) -> (i32, i32),
) {
    let (colour, mark) = curve_style(i);
    let value_point = |position: f64, value: f64| to_point(position, axis.position(value), 0);
    let line = points.iter().map(|point| value_point(point.position, point.estimate.value));
    let end = zero_position.map(|position| value_point(position, 0.0));
    canvas.path(&line.chain(end).collect::<Vec<_>>(), colour, 1);
    for PlotPoint { position, estimate, hint } in points {
        if let Some(ends) = axis.interval_ends(estimate) {
            canvas.interval(ends, |bound, offset| to_point(*position, bound, offset), colour, 1);
        }
        let point = value_point(*position, estimate.value);
        canvas.mark(mark, point, colour);
        canvas.hint_at(point, hint.clone());
    }
}

/// Draws curves on a base, with a key below. Without a key each curve is in a layer that can be
/// hidden, and a list next to the drawing has the names.
pub(super) fn draw_curves(
    sheet: ScreenSize,
    title: &str,
    height: i32,
    base: impl Fn(&Canvas),
    curves: &[Curve],
    curve: impl Fn(&Canvas, usize),
    has_key: bool,
) -> String {
    // The first curve is on top, because readers look for it.
    let back_to_front = (0..curves.len()).rev();
    if !has_key {
        let curve = &curve;
        let layer =
            |i| Layer { class: format!("s{i}"), draw: Box::new(move |canvas: &Canvas| curve(canvas, i)) };
        let layers: Vec<Layer> = back_to_front.map(layer).collect();
        return canvas::draw_in_layers(title, sheet.width(), height, base, &layers);
    }
    canvas::draw(title, sheet.width(), height + 20 * curves.len() as i32, |canvas| {
        base(canvas);
        back_to_front.for_each(|i| curve(canvas, i));
        let names: Vec<&str> = curves.iter().map(|curve| &*curve.name).collect();
        let names = names::fit_names(&names, max_letters(sheet.width() - 60, SMALL_TEXT_SIZE));
        for (i, name) in names.iter().enumerate() {
            let (y, (colour, mark)) = (height + 10 + 20 * i as i32, curve_style(i));
            canvas.mark(mark, (20, y), colour);
            canvas.text(name, (38, y), SMALL_TEXT_SIZE, MUTED, Anchor::Start);
        }
    })
}
