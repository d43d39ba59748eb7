//! Times per move: for each player the median, further quantiles and the maximum, on a logarithmic
//! axis.

use gauntlet_core::text::format_duration;

use super::axis::Axis;
use super::canvas::{BLUE, INK, Legend, MUTED, Mark, ScreenSize, VERMILION};
use super::rows::{Row, RowLayout};

/// The times of a player, in milliseconds; unknown times are not drawn.
pub(in crate::page) struct MoveTimes {
    pub(in crate::page) name: String,
    /// Median, 90th percentile, 99th percentile, maximum.
    pub(in crate::page) quantiles: [Option<f64>; 4],
    pub(in crate::page) mean: Option<f64>,
}

/// Draws the plot.
pub(in crate::page) fn draw(sheet: ScreenSize, title: &str, all_times: &[MoveTimes]) -> String {
    let median = |times: &MoveTimes| times.quantiles[0].map_or("not timed".to_owned(), format_duration);
    let values: Vec<String> = all_times.iter().map(median).collect();
    let rows: Vec<Row> =
        all_times.iter().zip(&values).map(|(times, value)| Row::new(&times.name, value)).collect();
    let marks = [(Mark::Dot, BLUE), (Mark::Square, BLUE), (Mark::Triangle, BLUE), (Mark::Cross, MUTED)];
    let names = ["median", "90 % are shorter", "99 % are shorter", "longest"];
    let legend = marks.iter().zip(names).map(|(&(mark, colour), name)| (mark, colour, name));
    let legend = Legend::full_width(sheet, legend.chain([(Mark::Ring, VERMILION, "mean")]));
    let frame = RowLayout::new(sheet, &rows, 18, Some(legend));
    let known_times =
        || all_times.iter().flat_map(|times| times.quantiles.into_iter().chain([times.mean]).flatten());
    let axis = frame.axis(sheet.max_ticks(), |ends, max_ticks| Axis::time(known_times(), ends, max_ticks));
    frame.draw(title, &rows, &axis, "wall time per move (logarithmic)", |canvas| {
        for (i, times) in all_times.iter().enumerate() {
            let (upper, lower) = frame.drawing_span(i);
            let y = (upper + lower) / 2;
            let named_times = times.quantiles.iter().chain([&times.mean]).zip(names.iter().chain([&"mean"]));
            let descriptions =
                named_times.filter_map(|(ms, name)| Some(format!("{name} {}", format_duration((*ms)?))));
            let text = format!("{}: {}", times.name, descriptions.collect::<Vec<_>>().join(", "));
            canvas.add_tooltip((0, upper), (sheet.width(), lower), text);
            let positions = times.quantiles.map(|ms| ms.filter(|&ms| ms > 0.0).map(|ms| axis.position(ms)));
            if let [Some(median), _, Some(nearly_all), Some(longest)] = positions {
                canvas.line((median, y), (longest, y), MUTED, 1);
                canvas.line((median, y), (nearly_all, y), BLUE, 3);
            }
            if let Some(mean) = times.mean.filter(|&ms| ms > 0.0) {
                canvas.line((axis.position(mean), y - 7), (axis.position(mean), y + 7), INK, 1);
                canvas.mark(Mark::Ring, (axis.position(mean), y), VERMILION);
            }
            for (position, (mark, colour)) in positions.into_iter().zip(marks).rev() {
                if let Some(x) = position {
                    canvas.mark(mark, (x, y), colour);
                }
            }
        }
    })
}
