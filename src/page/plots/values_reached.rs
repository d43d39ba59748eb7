//! How many games reached each value of a fact: a line for each player, with intervals.

use super::axis::Axis;
use super::canvas::{self, Anchor, GRID, MARKS, MUTED, SERIES, SMALL, Sheet, fitted, text_width};
use crate::stats::Estimate;

/// A line.
pub(in crate::page) struct Series {
    /// The name of the player.
    pub(in crate::page) name: String,
    /// Values in ascending order, and the share of games that reached each.
    pub(in crate::page) rates: Vec<(u64, Estimate)>,
}

/// The most lines that can be told apart.
pub(in crate::page) const MOST_SERIES: usize = SERIES.len();

/// Draws it.
pub(in crate::page) fn draw(sheet: Sheet, title: &str, noun: &str, all: &[Series]) -> String {
    let mut values: Vec<u64> = all.iter().flat_map(|one| one.rates.iter().map(|&(value, _)| value)).collect();
    values.sort_unstable();
    values.dedup();
    let (left, right, top, bottom) = (52, sheet.width() - 26, 12, 270);
    let height = bottom + 48 + 20 * all.len() as i32;
    let step = f64::from(right - left - 30) / (values.len().max(2) - 1) as f64;
    let place = |value: u64| {
        let i = values.iter().position(|&other| other == value).unwrap_or(0);
        left + 15 + (step * i as f64).round() as i32
    };
    let axis = Axis::percent([0.0, 1.0].into_iter(), (bottom, top), 6);
    canvas::draw(title, sheet.width(), height, |canvas| {
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
        for (i, one) in all.iter().enumerate().rev() {
            let (colour, mark) = (SERIES[i % SERIES.len()], MARKS[i % MARKS.len()]);
            // Side by side, or the intervals of equal players would hide each other.
            let aside = 4 * i as i32 - 2 * (all.len() as i32 - 1);
            let spot = |&(value, rate): &(u64, Estimate)| (place(value) + aside, axis.at(rate.value));
            let points: Vec<_> = one.rates.iter().map(spot).collect();
            // A value that none of its games came to has no row; on the way there the line ends at 0.
            let last = one.rates.last().and_then(|(last, _)| values.iter().find(|&value| value > last));
            let end = last.map(|&value| (place(value) + aside, axis.at(0.0)));
            canvas.path(&points.iter().copied().chain(end).collect::<Vec<_>>(), colour, 1);
            for ((_, rate), &(x, y)) in one.rates.iter().zip(&points) {
                if let Some((low, high)) = rate.bounds() {
                    canvas.line((x, axis.at(low)), (x, axis.at(high)), colour, 1);
                }
                canvas.mark(mark, (x, y), colour);
            }
        }
        for (i, one) in all.iter().enumerate() {
            let y = bottom + 58 + 20 * i as i32;
            canvas.mark(MARKS[i % MARKS.len()], (left - 32, y), SERIES[i % SERIES.len()]);
            let text = fitted(&one.name, SMALL, sheet.width() - 46);
            canvas.text(&text, (left - 14, y), SMALL, MUTED, Anchor::Start);
        }
    })
}
