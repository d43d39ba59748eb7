//! Distributions of scores: a hill for each player, whose height at a score is the number of games
//! near this score.

use super::axis::Axis;
use super::canvas::{BLUE, INK, Legend, Mark, Sheet, VERMILION};
use super::rows::{Frame, Row};

/// The distribution of a player's scores.
pub(in crate::page) struct ScoreDistribution {
    pub(in crate::page) name: String,
    /// Number of games in each range of scores. All ranges have one width and start at 0.
    pub(in crate::page) counts: Vec<u64>,
    /// The median score.
    pub(in crate::page) median: f64,
    /// The mean score.
    pub(in crate::page) mean: f64,
    /// The median in words.
    pub(in crate::page) value: String,
}

/// Draws the hills; `width` is the width of the ranges.
pub(in crate::page) fn draw(sheet: Sheet, title: &str, width: u64, hills: &[ScoreDistribution]) -> String {
    let rows: Vec<Row> = hills.iter().map(|hill| Row::new(&hill.name, &hill.value)).collect();
    let legend = [(Mark::Diamond, INK, "median"), (Mark::Ring, VERMILION, "mean")];
    let frame = Frame::new(sheet, &rows, 36, Some(Legend::full_width(sheet, legend)));
    let last = hills.iter().map(|hill| hill.counts.len() as u64 * width).max().unwrap_or(1);
    let range = [0.0, last as f64];
    let axis = frame.axis(sheet.ticks() - 1, |ends, most| Axis::plain(range.into_iter(), ends, most));
    frame.draw(title, &rows, &axis, "score", |canvas| {
        for (i, hill) in hills.iter().enumerate() {
            let (upper, lower) = frame.band(i);
            let text = format!("{}: {}, mean {:.0}", hill.name, hill.value, hill.mean);
            canvas.hint((0, upper), (sheet.width(), lower), text);
            let highest = hill.counts.iter().copied().max().unwrap_or(0).max(1);
            let mut points = vec![(axis.position(0.0), lower)];
            for (bin, &count) in hill.counts.iter().enumerate() {
                let (from, to) = (bin as u64 * width, (bin as u64 + 1) * width);
                let up = f64::from(lower - upper) * count as f64 / highest as f64;
                let y = lower - up.round() as i32;
                points.extend([(axis.position(from as f64), y), (axis.position(to as f64), y)]);
            }
            points.push((axis.position(hill.counts.len() as f64 * width as f64), lower));
            canvas.polygon(&points, BLUE, 0.35);
            canvas.path(&points, BLUE, 1);
            canvas.mark(Mark::Ring, (axis.position(hill.mean), lower), VERMILION);
            canvas.mark(Mark::Diamond, (axis.position(hill.median), lower), INK);
        }
    })
}
