//! Figures of unfinished work, for a page that redraws them.

use gauntlet_stats::Estimate;
use gauntlet_tune::results::history::SearchHistory;
use serde::Serialize;

use super::figures::Figure;
use super::learning_curve;
use super::search_plots;

/// A figure with words and two drawings: for a desktop and for a phone. Colours have names, which
/// the style of the page resolves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DrawnPlot {
    pub title: String,
    /// What it shows, or the text that replaces a drawing.
    pub caption: String,
    /// SVG, or empty.
    pub wide: String,
    /// SVG for a phone, or empty.
    pub narrow: String,
}

/// Draws the search of a tuning: its gain, its path, and the values tried.
pub fn draw_search(history: &SearchHistory) -> Vec<DrawnPlot> {
    let to_plot = |Figure { title, caption, note, drawings, .. }: Figure| {
        let [wide, narrow] = match &drawings {
            Some((wide, narrow)) => [wide, narrow].map(|drawing| drawing.svg().to_owned()),
            None => Default::default(),
        };
        DrawnPlot { title: title.into_owned(), caption: note.unwrap_or(caption), wide, narrow }
    };
    // Before the first step there is nothing to draw, and before the first check no gain.
    let has_content = |figure: &Figure| figure.drawings.is_some() || figure.name == "path";
    let figures = search_plots::make_figures(history).into_iter();
    figures.filter(|figure| !history.path.is_empty() && has_content(figure)).map(to_plot).collect()
}

/// If the largest number of games is more than this many times the smallest, the axis is
/// logarithmic.
const LOG_AXIS_RATIO: u64 = 20;

/// Draws the learning curve of a training for a file. `None` before the first test.
pub fn draw_curve_file(tests: &[(u64, Estimate)]) -> Option<String> {
    (!tests.is_empty()).then(|| learning_curve::plot_scores("Learning curve", tests, true, true).file())
}

/// Draws the learning curve of a training: mean scores after numbers of games. `None` before the
/// first test.
pub fn draw_training(tests: &[(u64, Estimate)]) -> Option<DrawnPlot> {
    let (first, last) = (tests.first()?.0.max(1), tests.last()?.0);
    let is_log = last / first > LOG_AXIS_RATIO;
    let title = "Learning curve";
    let plot = learning_curve::plot_scores(title, tests, is_log, true);
    let (wide, narrow) = plot.drawings();
    let [wide, narrow] = [wide, narrow].map(|drawing| drawing.svg().to_owned());
    let scale = if is_log { " The x axis is logarithmic." } else { "" };
    let caption = format!(
        "Mean score of test games without learning, on the same seeds each time. Bars are 95 % intervals.{scale}"
    );
    Some(DrawnPlot { title: title.to_owned(), caption, wide, narrow })
}
