//! Estimates along an axis of values: several curves, with intervals.

use gauntlet_core::text::names;
use gauntlet_stats::Estimate;

use super::canvas::{
    self, Anchor, Canvas, Colour, Drawing, GRID, Layer, MARKS, MUTED, Mark, SERIES, SMALL, Sheet, columns,
    text_width,
};
use super::field::Field;
use super::intervals::Unit;

/// A plot of curves.
pub(in crate::page) struct Curves<'a> {
    pub(in crate::page) title: &'a str,
    /// Names of the horizontal and the vertical axis.
    pub(in crate::page) axes: [&'a str; 2],
    pub(in crate::page) unit: Unit,
    /// Numbers that the vertical axis must contain.
    pub(in crate::page) has: &'a [f64],
    /// Values on the horizontal axis by position, in ascending order.
    pub(in crate::page) values: &'a [(f64, String)],
    pub(in crate::page) all: &'a [Curve],
}

pub(in crate::page) struct Curve {
    pub(in crate::page) name: String,
    pub(in crate::page) points: Vec<PlotPoint>,
    /// The position where it falls to 0, if known.
    pub(in crate::page) ends_at: Option<f64>,
}

/// A point of a curve.
pub(in crate::page) struct PlotPoint {
    pub(in crate::page) place: f64,
    pub(in crate::page) estimate: Estimate,
    /// Its tooltip.
    pub(in crate::page) hint: String,
}

/// If there are more values than this, they have no grid lines.
const MOST_GRID_LINES: usize = 60;

/// The most curves that are easy to distinguish in one plot.
pub(in crate::page) const MOST_CURVES: usize = SERIES.len();

/// Returns colour and mark of a curve. Each group of seven curves uses all colours, combined with
/// other marks than the group before.
fn curve_style(i: usize) -> (Colour, Mark) {
    (SERIES[i % SERIES.len()], MARKS[(i + i / SERIES.len()) % MARKS.len()])
}

/// Draws the mark of a curve, for a list next to the drawing.
pub(in crate::page) fn draw_swatch(i: usize) -> Drawing {
    let (colour, mark) = curve_style(i);
    canvas::apply_theme(&canvas::draw("", 16, 16, |canvas| canvas.mark(mark, (8, 8), colour)))
}

impl Curves<'_> {
    /// Draws the curves with a key. Without a key each curve is in a layer that can be hidden, and
    /// a list next to the drawing has the names.
    pub(in crate::page) fn draw(&self, sheet: Sheet, has_key: bool) -> String {
        let Curves { title, axes, unit, has, values, all } = *self;
        let field = Field {
            left: if unit == Unit::Plain { 66 } else { 54 },
            right: sheet.width() - 16,
            top: 28,
            bottom: 270,
        };
        let points = all.iter().flat_map(|curve| &curve.points);
        let ends = points.flat_map(|point| <[f64; 2]>::from(point.estimate.span()));
        let up = &unit.axis(ends.chain(has.iter().copied()), (field.bottom, field.top), 7);
        let places = || values.iter().map(|(place, _)| *place);
        let (low, high) =
            (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max));
        let width = f64::from(field.right - field.left - 60);
        let along =
            |place: f64| field.left + 30 + (width * (place - low) / (high - low).max(1e-12)).round() as i32;
        let base = |canvas: &Canvas| {
            canvas.text(axes[1], (2, 10), SMALL, MUTED, Anchor::Start);
            field.draw_horizontal_lines(canvas, up);
            // A value whose text would overlap its neighbour's has a line without a text. Texts are
            // placed from the right, because readers look for the largest value.
            let mut free_to = sheet.width();
            for (place, text) in values.iter().rev() {
                let (x, half) = (along(*place), text_width(text, SMALL) / 2);
                if values.len() <= MOST_GRID_LINES {
                    canvas.line((x, field.top), (x, field.bottom + 4), GRID, 1);
                }
                if x + half <= free_to && x - half >= 0 {
                    canvas.text(text, (x, field.bottom + 14), SMALL, MUTED, Anchor::Middle);
                    free_to = x - half - 6;
                }
            }
            field.write_axis_name(canvas, axes[0]);
        };
        let curve = |canvas: &Canvas, i: usize| {
            let (Curve { points, ends_at, .. }, (colour, mark)) = (&all[i], curve_style(i));
            // Curves are shifted sideways, or the intervals of equal players would hide each other.
            let aside = 4 * (i % SERIES.len()) as i32 - 2 * (all.len().min(SERIES.len()) as i32 - 1);
            let spot = |place: f64, value: f64| (along(place) + aside, up.position(value));
            let line = points.iter().map(|point| spot(point.place, point.estimate.value));
            let end = ends_at.map(|place| spot(place, 0.0));
            canvas.path(&line.chain(end).collect::<Vec<_>>(), colour, 1);
            for PlotPoint { place, estimate, hint } in points {
                let (x, y) = spot(*place, estimate.value);
                if let Some(ends) = up.interval_ends(estimate) {
                    canvas.interval(ends, |along, aside| (x + aside, along), colour, 1);
                }
                canvas.mark(mark, (x, y), colour);
                canvas.hint_at((x, y), hint.clone());
            }
        };
        // The first curve is on top, because readers look for it.
        let from_below = (0..all.len()).rev();
        let height = field.bottom + 48;
        if !has_key {
            let layer =
                |i| Layer { class: format!("s{i}"), draw: Box::new(move |canvas: &Canvas| curve(canvas, i)) };
            let layers: Vec<Layer> = from_below.map(layer).collect();
            return canvas::draw_in_layers(title, sheet.width(), height, base, &layers);
        }
        canvas::draw(title, sheet.width(), height + 20 * all.len() as i32, |canvas| {
            base(canvas);
            from_below.for_each(|i| curve(canvas, i));
            let names: Vec<&str> = all.iter().map(|curve| &*curve.name).collect();
            for (i, name) in names::fit_names(&names, columns(sheet.width() - 60, SMALL)).iter().enumerate() {
                let (y, (colour, mark)) = (field.bottom + 58 + 20 * i as i32, curve_style(i));
                canvas.mark(mark, (20, y), colour);
                canvas.text(name, (38, y), SMALL, MUTED, Anchor::Start);
            }
        })
    }
}
