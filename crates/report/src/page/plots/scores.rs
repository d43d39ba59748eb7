//! Distributions of scores: a hill for each player, whose height at a score is the number of games
//! near this score.

use super::axis::Axis;
use super::canvas::{BLUE, INK, Legend, Mark, ScreenSize, VERMILION};
use super::rows::{Row, RowLayout};

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
pub(in crate::page) fn draw(
    sheet: ScreenSize,
    title: &str,
    width: u64,
    distributions: &[ScoreDistribution],
) -> String {
    let rows: Vec<Row> =
        distributions.iter().map(|distribution| Row::new(&distribution.name, &distribution.value)).collect();
    let legend = [(Mark::Diamond, INK, "median"), (Mark::Ring, VERMILION, "mean")];
    let frame = RowLayout::new(sheet, &rows, 36, Some(Legend::full_width(sheet, legend)));
    let max_score =
        distributions.iter().map(|distribution| distribution.counts.len() as u64 * width).max().unwrap_or(1);
    let range = [0.0, max_score as f64];
    let axis =
        frame.axis(sheet.max_ticks() - 1, |ends, max_ticks| Axis::plain(range.into_iter(), ends, max_ticks));
    frame.draw(title, &rows, &axis, "score", |canvas| {
        for (i, distribution) in distributions.iter().enumerate() {
            let (upper, lower) = frame.drawing_span(i);
            let text =
                format!("{}: {}, mean {:.0}", distribution.name, distribution.value, distribution.mean);
            canvas.add_tooltip((0, upper), (sheet.width(), lower), text);
            let max_count = distribution.counts.iter().copied().max().unwrap_or(0).max(1);
            let mut points = vec![(axis.position(0.0), lower)];
            for (bin, &count) in distribution.counts.iter().enumerate() {
                let (from, to) = (bin as u64 * width, (bin as u64 + 1) * width);
                let height = f64::from(lower - upper) * count as f64 / max_count as f64;
                let y = lower - height.round() as i32;
                points.extend([(axis.position(from as f64), y), (axis.position(to as f64), y)]);
            }
            points.push((axis.position(distribution.counts.len() as f64 * width as f64), lower));
            canvas.polygon(&points, BLUE, 0.35);
            canvas.path(&points, BLUE, 1);
            canvas.mark(Mark::Ring, (axis.position(distribution.mean), lower), VERMILION);
            canvas.mark(Mark::Diamond, (axis.position(distribution.median), lower), INK);
        }
    })
}
