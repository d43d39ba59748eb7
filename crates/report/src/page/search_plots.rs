//! The figures of a tuning: the gain of the search, its path, and the loss if a setting is reset to
//! its start.

use gauntlet_analysis::compare::table::ComparisonRow;
use gauntlet_core::measure::Measure;
use gauntlet_core::text::shorten_number;
use gauntlet_stats::Estimate;
use gauntlet_tune::results::RESET_SUFFIX;
use gauntlet_tune::results::history::{SearchHistory, SettingChange};
use gauntlet_tune::results::path::TrajectoryRow;
use gauntlet_tune::results::tuning_results::TuningResults;
use gauntlet_tune::section::{CandidateSpace, Scale};

use super::figures::{Figure, describe_omission};
use super::plots::gain::{self, Check};
use super::plots::intervals::{self, IntervalLine, Unit};
use super::plots::paths::{self, SettingPath};
use super::plots::value_strips::{self, Strip};
use super::plots::{MAX_ROWS, Plot};

/// Returns the figures of the search: its gain, its path, and the values tried.
pub(super) fn make_figures(history: &SearchHistory) -> Vec<Figure> {
    let mut figures = vec![plot_gains(history)];
    figures.push(match &history.tune.field {
        CandidateSpace::Params { .. } => plot_path(history),
        CandidateSpace::Players { .. } => plot_leaders(history),
    });
    figures.extend(plot_tried_values(history));
    figures
}

/// Plots the values that were tried; `None` before the first step.
fn plot_tried_values(history: &SearchHistory) -> Option<Figure> {
    let numbers = history.tried_table()?;
    let title = "Tried values";
    let strip = |key: &String| Strip {
        name: key.clone(),
        parts: history
            .tried_values
            .iter()
            .filter(|part| part.setting == *key)
            .map(|part| (shorten_number(&part.from), shorten_number(&part.to), part.games))
            .collect(),
    };
    let strips: Vec<Strip> = history.keys.iter().map(strip).collect();
    let plot = Plot::new(|sheet| value_strips::draw(sheet, title, &strips));
    let subject = match history.tune.field {
        CandidateSpace::Params { .. } => "value of each setting",
        CandidateSpace::Players { .. } => "player",
    };
    let caption = format!(
        "Number of search games per {subject}, without the games of checks. Values without a bar were not tried."
    );
    Some(Figure::new("tried", title, &caption, plot, &numbers))
}

/// Plots the gain of each check over the start.
fn plot_gains(history: &SearchHistory) -> Figure {
    let title = "Gain over the start";
    let unit = gain_unit(history.tune.objective);
    // Losses of scores are logarithms.
    let to_gain = |loss: f64| if unit == Unit::Relative { libm::expm1(loss) } else { loss };
    let check = |step: &TrajectoryRow| {
        let Estimate { value, low, high, level } = step.gain?;
        let gain = Estimate { value: to_gain(value), low: to_gain(low), high, level };
        let gain = Estimate { high: if high.is_finite() { to_gain(high) } else { high }, ..gain };
        Some(Check { games: step.games, gain, is_kept: step.kept? })
    };
    let checks: Vec<Check> = history.path.iter().filter_map(check).collect();
    if checks.is_empty() {
        let reason = "No checks: the search found nothing better than the initial settings, or its budget was too small.";
        return Figure::without_plot("gain", title, reason.to_owned());
    }
    let label = match history.tune.objective {
        Measure::Score => "gain in score, in %",
        Measure::Reach(_) => "gain in games that reach the tile, in percentage points",
        Measure::Points => "gain in share of points, in percentage points",
        _ => "gain in win rate, in percentage points",
    };
    let plot = Plot::new(|sheet| gain::draw(sheet, title, label, unit, &checks));
    let penalty = match history.tune.at_most_nodes {
        Some(_) => " Points that exceed `at_most_nodes` are penalized.",
        None => "",
    };
    let caption = format!(
        "At each check, the start, the best point and the current point played the same games. Bars are 95 % intervals. These games are biased in favour of the best point; use the validation to estimate the gain.{penalty}"
    );
    let numbers = history.path_table(|step| step.kept.is_some());
    Figure::new("gain", title, &caption, plot, &numbers)
}

/// Returns the unit of differences by the objective.
fn gain_unit(objective: Measure) -> Unit {
    if objective == Measure::Score { Unit::Relative } else { Unit::Points }
}

/// Plots the path of each setting.
fn plot_path(history: &SearchHistory) -> Figure {
    let title = "The path of each setting";
    let value =
        |step: &TrajectoryRow, index: usize| Some((step.games, step.at.get(index)?.parse::<f64>().ok()?));
    let setting_path = |(index, setting): (usize, &SettingChange)| {
        let (_, _, scale) = setting.range?;
        let points: Vec<(u64, f64)> = history.path.iter().filter_map(|step| value(step, index)).collect();
        let check = |step: &TrajectoryRow| {
            let (games, value) = value(step, index)?;
            Some((games, value, step.kept?))
        };
        Some(SettingPath {
            name: setting.key.clone(),
            is_log: scale == Scale::Log,
            start: setting.start.parse().ok()?,
            checks: history.path.iter().filter_map(check).collect(),
            points,
        })
    };
    let paths: Vec<SettingPath> = history.settings.iter().enumerate().filter_map(setting_path).collect();
    if paths.is_empty() || history.path.is_empty() {
        return Figure::without_plot("path", title, "The search made no step.".to_owned());
    }
    let plot = Plot::new(|sheet| paths::draw(sheet, title, &paths));
    let is_log = paths.iter().any(|path| path.is_log);
    let scale = if is_log { " Settings with multiplicative steps have a logarithmic axis." } else { "" };
    let caption = format!(
        "Current point after each step; the line is the start. Marks are checks, as in the previous plot.{scale}"
    );
    let checks = history.path_table(|step| step.kept.is_some());
    Figure::new("path", title, &caption, plot, &checks).with_download(&history.path_table(|_| true))
}

/// Plots the players that led a race.
fn plot_leaders(history: &SearchHistory) -> Figure {
    let title = "Leader of the race";
    let find_leaders = |steps: &[TrajectoryRow]| {
        let mut leaders: Vec<(u64, String)> = Vec::new();
        for step in steps {
            let Some(player) = step.at.first() else { continue };
            if leaders.last().is_none_or(|(_, last)| last != player) {
                leaders.push((step.games, player.clone()));
            }
        }
        leaders
    };
    let leaders = find_leaders(&history.path);
    let mut lines: Vec<String> = leaders
        .iter()
        .rev()
        .take(MAX_ROWS)
        .map(|(games, player)| format!("{player} after {}", gauntlet_core::text::format_games(*games)))
        .collect();
    lines.reverse();
    let note = match lines.is_empty() {
        true => "The race had no round.".to_owned(),
        false => format!("Leader after each round in which it changed: {}.", lines.join("; ")),
    };
    Figure::without_plot("path", title, note).with_table(&history.path_table(|_| true))
}

/// Plots the loss if one setting is reset to its initial value.
pub(super) fn plot_importance(tuning: &TuningResults) -> Option<Figure> {
    let table = tuning.importance.as_ref()?;
    let unit = gain_unit(tuning.history.tune.objective);
    let gain_of = |row: &ComparisonRow| match unit {
        Unit::Relative => {
            let subtract_one = |ratio: Estimate| Estimate {
                value: ratio.value - 1.0,
                low: ratio.low - 1.0,
                high: ratio.high - 1.0,
                ..ratio
            };
            row.ratio.map(subtract_one)
        }
        _ => row.difference,
    };
    let line = |row: ComparisonRow| {
        let estimate = gain_of(&row)?;
        let name = row.than.strip_suffix(RESET_SUFFIX).unwrap_or(&row.than).to_owned();
        let (value, short_value) = (unit.format_estimate(&estimate), unit.format_number(estimate.value));
        Some(IntervalLine { name, value, short_value, estimate, published: None })
    };
    let mut lines: Vec<IntervalLine> = table.read_rows().filter_map(line).collect();
    lines.sort_by(|one, other| other.estimate.value.total_cmp(&one.estimate.value));
    let title = "Effect of each setting";
    let count = lines.len();
    lines.truncate(MAX_ROWS);
    if lines.is_empty() {
        let reason = "Too few games to show the effect of each setting.".to_owned();
        return Some(Figure::without_plot("importance", title, reason).with_table(table));
    }
    let label = if unit == Unit::Relative {
        "gain of the best point, in %"
    } else {
        "gain of the best point, in percentage points"
    };
    let plot = Plot::new(|sheet| intervals::draw(sheet, title, label, unit, &lines));
    let caption = "Gain of the best point over the best point with this setting reset to its initial value. Games are on fresh seeds. Bars are intervals without correction for the number of settings. In the table, p is corrected for all settings.";
    Some(Figure::new("importance", title, caption, plot, table).with_note(describe_omission(count, MAX_ROWS)))
}
