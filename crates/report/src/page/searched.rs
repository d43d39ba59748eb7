//! The figures of a tuning: the gain of the search, its path, and the loss if a setting is reset to
//! its start.

use gauntlet_analysis::compare::table::ComparisonRow;
use gauntlet_core::measure::Measure;
use gauntlet_core::text::shorten_number;
use gauntlet_stats::Estimate;
use gauntlet_tune::results::BACK;
use gauntlet_tune::results::course::{SearchHistory, SettingChange};
use gauntlet_tune::results::path::TrajectoryRow;
use gauntlet_tune::results::tuned::TuningResults;
use gauntlet_tune::section::{CandidateSpace, Scale};

use super::figures::{Figure, describe_cut};
use super::plots::gain::{self, Check};
use super::plots::intervals::{self, IntervalLine, Unit};
use super::plots::paths::{self, Path};
use super::plots::tried::{self, Strip};
use super::plots::{MOST_ROWS, Plot};

/// Returns the figures of the search: its gain, its path, and the values tried.
pub(super) fn make_figures(course: &SearchHistory) -> Vec<Figure> {
    let mut figures = vec![plot_gains(course)];
    figures.push(match &course.tune.field {
        CandidateSpace::Params { .. } => plot_path(course),
        CandidateSpace::Players { .. } => plot_leaders(course),
    });
    figures.extend(plot_tried_values(course));
    figures
}

/// Plots the values that were tried; `None` before the first step.
fn plot_tried_values(course: &SearchHistory) -> Option<Figure> {
    let numbers = course.tried_table()?;
    let title = "Tried values";
    let strip = |key: &String| Strip {
        name: key.clone(),
        parts: course
            .tried
            .iter()
            .filter(|part| part.setting == *key)
            .map(|part| (shorten_number(&part.from), shorten_number(&part.to), part.games))
            .collect(),
    };
    let strips: Vec<Strip> = course.keys.iter().map(strip).collect();
    let plot = Plot::new(|sheet| tried::draw(sheet, title, &strips));
    let what = match course.tune.field {
        CandidateSpace::Params { .. } => "value of each setting",
        CandidateSpace::Players { .. } => "player",
    };
    let caption = format!(
        "Number of search games per {what}, without the games of checks. Values without a bar were not tried."
    );
    Some(Figure::new("tried", title, &caption, plot, &numbers))
}

/// Plots the gain of each check over the start.
fn plot_gains(course: &SearchHistory) -> Figure {
    let title = "Gain over the start";
    let unit = gain_unit(course.tune.objective);
    // Losses of scores are logarithms.
    let gained = |loss: f64| if unit == Unit::More { libm::expm1(loss) } else { loss };
    let check = |step: &TrajectoryRow| {
        let Estimate { value, low, high, level } = step.gain?;
        let gain = Estimate { value: gained(value), low: gained(low), high, level };
        let gain = Estimate { high: if high.is_finite() { gained(high) } else { high }, ..gain };
        Some(Check { games: step.games, gain, is_kept: step.kept? })
    };
    let checks: Vec<Check> = course.path.iter().filter_map(check).collect();
    if checks.is_empty() {
        let why = "No checks: the search found nothing better than the initial settings, or its budget was too small.";
        return Figure::without_plot("gain", title, why.to_owned());
    }
    let label = match course.tune.objective {
        Measure::Score => "gain in score, in %",
        Measure::Reach(_) => "gain in games that reach the tile, in percentage points",
        Measure::Points => "gain in share of points, in percentage points",
        _ => "gain in win rate, in percentage points",
    };
    let plot = Plot::new(|sheet| gain::draw(sheet, title, label, unit, &checks));
    let penalty = match course.tune.at_most_nodes {
        Some(_) => " Points that exceed `at_most_nodes` are penalized.",
        None => "",
    };
    let caption = format!(
        "At each check, the start, the best point and the current point played the same games. Bars are 95 % intervals. These games are biased in favour of the best point; use the validation to estimate the gain.{penalty}"
    );
    let numbers = course.path_table(|step| step.kept.is_some());
    Figure::new("gain", title, &caption, plot, &numbers)
}

/// Returns the unit of differences by the objective.
fn gain_unit(objective: Measure) -> Unit {
    if objective == Measure::Score { Unit::More } else { Unit::Points }
}

/// Plots the path of each setting.
fn plot_path(course: &SearchHistory) -> Figure {
    let title = "The path of each setting";
    let value =
        |step: &TrajectoryRow, place: usize| Some((step.games, step.at.get(place)?.parse::<f64>().ok()?));
    let of_setting = |(place, setting): (usize, &SettingChange)| {
        let (_, _, scale) = setting.within?;
        let points: Vec<(u64, f64)> = course.path.iter().filter_map(|step| value(step, place)).collect();
        let check = |step: &TrajectoryRow| {
            let (games, value) = value(step, place)?;
            Some((games, value, step.kept?))
        };
        Some(Path {
            name: setting.key.clone(),
            is_log: scale == Scale::Log,
            start: setting.start.parse().ok()?,
            checks: course.path.iter().filter_map(check).collect(),
            points,
        })
    };
    let paths: Vec<Path> = course.settings.iter().enumerate().filter_map(of_setting).collect();
    if paths.is_empty() || course.path.is_empty() {
        return Figure::without_plot("path", title, "The search made no step.".to_owned());
    }
    let plot = Plot::new(|sheet| paths::draw(sheet, title, &paths));
    let is_log = paths.iter().any(|path| path.is_log);
    let scale = if is_log { " Settings with multiplicative steps have a logarithmic axis." } else { "" };
    let caption = format!(
        "Current point after each step; the line is the start. Marks are checks, as in the previous plot.{scale}"
    );
    let shown = course.path_table(|step| step.kept.is_some());
    Figure::new("path", title, &caption, plot, &shown).with_download(&course.path_table(|_| true))
}

/// Plots the players that led a race.
fn plot_leaders(course: &SearchHistory) -> Figure {
    let title = "Leader of the race";
    let led = |steps: &[TrajectoryRow]| {
        let mut all: Vec<(u64, String)> = Vec::new();
        for step in steps {
            let Some(player) = step.at.first() else { continue };
            if all.last().is_none_or(|(_, last)| last != player) {
                all.push((step.games, player.clone()));
            }
        }
        all
    };
    let all = led(&course.path);
    let mut told: Vec<String> = all
        .iter()
        .rev()
        .take(MOST_ROWS)
        .map(|(games, player)| format!("{player} after {}", gauntlet_core::text::format_games(*games)))
        .collect();
    told.reverse();
    let why = match told.is_empty() {
        true => "The race had no round.".to_owned(),
        false => format!("Leader after each round in which it changed: {}.", told.join("; ")),
    };
    Figure::without_plot("path", title, why).with_table(&course.path_table(|_| true))
}

/// Plots the loss if one setting is reset to its initial value.
pub(super) fn plot_importance(tuning: &TuningResults) -> Option<Figure> {
    let table = tuning.importance.as_ref()?;
    let unit = gain_unit(tuning.course.tune.objective);
    let more = |row: &ComparisonRow| match unit {
        Unit::More => {
            let one_less = |it: Estimate| Estimate {
                value: it.value - 1.0,
                low: it.low - 1.0,
                high: it.high - 1.0,
                ..it
            };
            row.ratio.map(one_less)
        }
        _ => row.difference,
    };
    let line = |row: ComparisonRow| {
        let estimate = more(&row)?;
        let name = row.than.strip_suffix(BACK).unwrap_or(&row.than).to_owned();
        let (value, short) = (unit.format_estimate(&estimate), unit.format_number(estimate.value));
        Some(IntervalLine { name, value, short, estimate, published: None })
    };
    let mut lines: Vec<IntervalLine> = table.read_rows().filter_map(line).collect();
    lines.sort_by(|one, other| other.estimate.value.total_cmp(&one.estimate.value));
    let title = "Effect of each setting";
    let count = lines.len();
    lines.truncate(MOST_ROWS);
    if lines.is_empty() {
        let why = "Too few games to show the effect of each setting.".to_owned();
        return Some(Figure::without_plot("importance", title, why).with_table(table));
    }
    let label = if unit == Unit::More {
        "gain of the best point, in %"
    } else {
        "gain of the best point, in percentage points"
    };
    let plot = Plot::new(|sheet| intervals::draw(sheet, title, label, unit, &lines));
    let caption = "Gain of the best point over the best point with this setting reset to its initial value. Games are on fresh seeds. Bars are intervals without correction for the number of settings. In the table, p is corrected for all settings.";
    Some(Figure::new("importance", title, caption, plot, table).with_note(describe_cut(count, MOST_ROWS)))
}
