//! A measure against a setting: a curve for each player that was swept, with intervals.

use super::canvas::{self, Anchor, GRID, MARKS, MUTED, SERIES, SMALL, Sheet, columns, text_width};
use super::intervals::Unit;
use crate::stats::Estimate;
use crate::text::names;

/// Curve of a player that was swept.
pub(in crate::page) struct Curve {
    /// Name that its players have in common.
    pub(in crate::page) name: String,
    /// Place of each player along the setting, and its number.
    pub(in crate::page) points: Vec<Point>,
}

/// A player on a curve.
pub(in crate::page) struct Point {
    pub(in crate::page) place: f64,
    pub(in crate::page) estimate: Estimate,
    /// The name of the player.
    pub(in crate::page) name: String,
}

/// More values than this have no lines of their own to be found by.
const MOST_GRID_LINES: usize = 60;

/// The most lines that can be told apart.
pub(in crate::page) const MOST_LINES: usize = SERIES.len();

/// The titles of a plot and its axes.
pub(in crate::page) struct Titles<'a> {
    pub(in crate::page) plot: &'a str,
    pub(in crate::page) setting: &'a str,
    pub(in crate::page) measure: &'a str,
}

/// Draws it; `values` are those of the setting, by their places.
pub(in crate::page) fn draw(
    sheet: Sheet,
    titles: &Titles,
    unit: Unit,
    values: &[(f64, String)],
    lines: &[Curve],
) -> String {
    let (left, right, top, bottom) = (if unit == Unit::Share { 54 } else { 66 }, sheet.width() - 16, 28, 270);
    let height = bottom + 48 + 20 * lines.len() as i32;
    let ends = lines.iter().flat_map(|line| &line.points).flat_map(|point| {
        let (low, high) = point.estimate.span();
        [low, high]
    });
    let up = unit.axis(ends, (bottom, top), 7);
    let places = || values.iter().map(|(place, _)| *place);
    let (low, high) = (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max));
    let width = f64::from(right - left - 60);
    let along = |place: f64| left + 30 + (width * (place - low) / (high - low).max(1e-12)).round() as i32;
    canvas::draw(titles.plot, sheet.width(), height, |canvas| {
        canvas.text(titles.measure, (2, 10), SMALL, MUTED, Anchor::Start);
        for (tick, text) in &up.ticks {
            let y = up.at(*tick);
            canvas.line((left, y), (right, y), GRID, 1);
            canvas.text(text, (left - 8, y), SMALL, MUTED, Anchor::End);
        }
        // A value whose text would stand on its neighbour's has a line and no text.
        let mut free_from = 0;
        for (place, text) in values {
            let (x, half) = (along(*place), text_width(text, SMALL) / 2);
            if values.len() <= MOST_GRID_LINES {
                canvas.line((x, top), (x, bottom + 4), GRID, 1);
            }
            if x - half >= free_from && x + half <= sheet.width() {
                canvas.text(text, (x, bottom + 14), SMALL, MUTED, Anchor::Middle);
                free_from = x + half + 6;
            }
        }
        canvas.text(titles.setting, ((left + right) / 2, bottom + 34), SMALL, MUTED, Anchor::Middle);
        for (i, line) in lines.iter().enumerate().rev() {
            let (colour, mark) = (SERIES[i % SERIES.len()], MARKS[i % MARKS.len()]);
            // Side by side, or the intervals of equal players would hide each other.
            let aside = 4 * i as i32 - 2 * (lines.len() as i32 - 1);
            let spot = |point: &Point| (along(point.place) + aside, up.at(point.estimate.value));
            canvas.path(&line.points.iter().map(spot).collect::<Vec<_>>(), colour, 1);
            for point in &line.points {
                let (x, y) = spot(point);
                if let Some(ends) = up.interval(&point.estimate) {
                    canvas.interval(ends, |along, aside| (x + aside, along), colour, 1);
                }
                canvas.mark(mark, (x, y), colour);
                canvas.hint_at((x, y), format!("{}: {}", point.name, unit.estimate(&point.estimate)));
            }
        }
        let names: Vec<&str> = lines.iter().map(|line| &*line.name).collect();
        for (i, name) in names::fitted(&names, columns(sheet.width() - 46, SMALL)).iter().enumerate() {
            let y = bottom + 58 + 20 * i as i32;
            canvas.mark(MARKS[i % MARKS.len()], (20, y), SERIES[i % SERIES.len()]);
            canvas.text(name, (38, y), SMALL, MUTED, Anchor::Start);
        }
    })
}
