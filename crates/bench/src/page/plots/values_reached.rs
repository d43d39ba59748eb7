//! Share of the games that reached each value of a fact: a line for each player, with intervals.

use super::axis::Axis;
use super::canvas::{
    self, Anchor, Canvas, Colour, Drawing, GRID, Layer, MARKS, MUTED, Mark, SERIES, SMALL, Sheet, columns,
    text_width,
};
use super::intervals::Unit;
use crate::stats::Estimate;
use crate::text::names;

/// A line.
pub(in crate::page) struct Series {
    /// The name of the player.
    pub(in crate::page) name: String,
    /// Values in ascending order, and the share of games that reached each.
    pub(in crate::page) rates: Vec<(u64, Estimate)>,
}

/// The most lines of one sheet that are easily told apart.
pub(in crate::page) const MOST_SERIES: usize = SERIES.len();

/// The colour and the mark of a line. Each seven lines have all colours, and marks of other colours than the seven before.
fn look(i: usize) -> (Colour, Mark) {
    (SERIES[i % SERIES.len()], MARKS[(i + i / SERIES.len()) % MARKS.len()])
}

/// The mark of a line alone, for a list beside the drawing.
pub(in crate::page) fn swatch(i: usize) -> Drawing {
    let (colour, mark) = look(i);
    canvas::themed(&canvas::draw("", 16, 16, |canvas| canvas.mark(mark, (8, 8), colour)))
}

/// The class of the layer of a line.
pub(in crate::page) fn class(i: usize) -> String {
    format!("s{i}")
}

/// Draws it with a layer for each line; and with a legend, unless a list beside the drawing has the names.
pub(in crate::page) fn draw(
    sheet: Sheet,
    title: &str,
    noun: &str,
    all: &[Series],
    has_legend: bool,
) -> String {
    let mut values: Vec<u64> = all.iter().flat_map(|one| one.rates.iter().map(|&(value, _)| value)).collect();
    values.sort_unstable();
    values.dedup();
    let (left, right, top, bottom) = (52, sheet.width() - 26, 12, 270);
    let height = bottom + 48 + if has_legend { 20 * all.len() as i32 } else { 0 };
    let step = f64::from(right - left - 30) / (values.len().max(2) - 1) as f64;
    let place = |value: u64| {
        let i = values.iter().position(|&other| other == value).unwrap_or(0);
        left + 15 + (step * i as f64).round() as i32
    };
    let axis = &Axis::percent([0.0, 1.0].into_iter(), (bottom, top), 6);
    let base = |canvas: &Canvas| {
        for (tick, text) in &axis.ticks {
            let y = axis.at(*tick);
            canvas.line((left, y), (right, y), GRID, 1);
            canvas.text(text, (left - 8, y), SMALL, MUTED, Anchor::End);
        }
        let widest = values.iter().map(|value| text_width(&value.to_string(), SMALL)).max().unwrap_or(0);
        let every = (1..=values.len()).find(|&n| step * n as f64 > f64::from(widest) + 4.0).unwrap_or(1);
        // From the right: the largest value is the one that people look for.
        for &value in values.iter().rev().step_by(every) {
            canvas.text(&value.to_string(), (place(value), bottom + 14), SMALL, MUTED, Anchor::Middle);
        }
        let label = &format!("{noun} at the end, or a larger one");
        canvas.text(label, ((left + right) / 2, bottom + 34), SMALL, MUTED, Anchor::Middle);
        let names: Vec<&str> = all.iter().map(|one| &*one.name).filter(|_| has_legend).collect();
        for (i, name) in names::fitted(&names, columns(sheet.width() - 46, SMALL)).iter().enumerate() {
            let y = bottom + 58 + 20 * i as i32;
            let (colour, mark) = look(i);
            canvas.mark(mark, (left - 32, y), colour);
            canvas.text(name, (left - 14, y), SMALL, MUTED, Anchor::Start);
        }
    };
    let abreast = all.len().min(SERIES.len()) as i32;
    let (place, values) = (&place, &values);
    let line = |(i, one): (usize, &'_ Series)| {
        let rates = one.rates.clone();
        let name = one.name.clone();
        let draw = move |canvas: &Canvas| {
            let (colour, mark) = look(i);
            // Side by side, or the intervals of equal players would hide each other.
            let aside = 4 * (i % SERIES.len()) as i32 - 2 * (abreast - 1);
            let spot = |&(value, rate): &(u64, Estimate)| (place(value) + aside, axis.at(rate.value));
            let points: Vec<_> = rates.iter().map(spot).collect();
            // A value that none of its games came to has no row; on the way there the line ends at 0.
            let last = rates.last().and_then(|(last, _)| values.iter().find(|&value| value > last));
            let end = last.map(|&value| (place(value) + aside, axis.at(0.0)));
            canvas.path(&points.iter().copied().chain(end).collect::<Vec<_>>(), colour, 1);
            for ((value, rate), &(x, y)) in rates.iter().zip(&points) {
                if let Some(ends) = axis.interval(rate) {
                    canvas.interval(ends, |along, aside| (x + aside, along), colour, 1);
                }
                let hint = format!("{name}: {} of games reached {value}", Unit::Share.estimate(rate));
                canvas.mark(mark, (x, y), colour);
                canvas.hint_at((x, y), hint);
            }
        };
        Layer { class: class(i), draw: Box::new(draw) }
    };
    // The first lies on top: it is what people look for.
    let layers: Vec<Layer> = all.iter().enumerate().rev().map(line).collect();
    canvas::draw_in_layers(title, sheet.width(), height, base, &layers)
}
