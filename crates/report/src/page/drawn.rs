//! The figures of work that has not ended, for a page that draws them again as it goes.

use gauntlet_stats::Estimate;
use gauntlet_tune::results::course::Course;
use serde::Serialize;

use super::figures::Figure;
use super::learned;
use super::searched;

/// A figure in words and as two drawings: for a desk, and for a phone. Their colours have names,
/// which a page resolves by its style.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Drawn {
    /// Its title.
    pub title: String,
    /// What it shows, or what there is in place of a drawing.
    pub caption: String,
    /// SVG, or nothing.
    pub wide: String,
    /// The same for a phone.
    pub narrow: String,
}

/// The search of a tuning: what it gained, where it went, what it tried.
pub fn of_search(course: &Course) -> Vec<Drawn> {
    let of = |Figure { title, caption, note, drawings, .. }: Figure| {
        let [wide, narrow] = match &drawings {
            Some((wide, narrow)) => [wide, narrow].map(|drawing| drawing.svg().to_owned()),
            None => Default::default(),
        };
        Drawn { title: title.into_owned(), caption: note.unwrap_or(caption), wide, narrow }
    };
    // Before the first step there is nothing to be seen, and before the first check no gain.
    let is_known = |figure: &Figure| figure.drawings.is_some() || figure.name == "path";
    let figures = searched::figures(course).into_iter();
    figures.filter(|figure| !course.path.is_empty() && is_known(figure)).map(of).collect()
}

/// Farther apart than this, numbers of games stand on a logarithmic axis.
const FAR: u64 = 20;

/// The learning curve of a training: mean scores after numbers of games. None before the first
/// test.
pub fn of_training(tests: &[(u64, Estimate)]) -> Option<Drawn> {
    let (first, last) = (tests.first()?.0.max(1), tests.last()?.0);
    let is_log = last / first > FAR;
    let title = "What was learned";
    let plot = learned::plot(title, tests, is_log, true);
    let (wide, narrow) = plot.drawings();
    let [wide, narrow] = [wide, narrow].map(|drawing| drawing.svg().to_owned());
    let scale = if is_log { " The axis of games is logarithmic." } else { "" };
    let caption = format!(
        "Each test plays the same games, without learning; bars are 95 % intervals of the mean score.{scale}"
    );
    Some(Drawn { title: title.to_owned(), caption, wide, narrow })
}
