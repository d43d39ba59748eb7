//! The settings of a search, and the steps that it took.

use gauntlet_core::settings::format_shortest;
use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_core::text::shorten_number;

use super::path::{TrajectoryRow, columns};
use super::tried_values::TriedValuesRow;
use super::{BEST, SETTINGS};
use crate::section::{Param, Scale, TuneSection};

/// Settings and path of a search, whether it has ended or not.
#[derive(Debug)]
pub struct SearchHistory {
    /// The `[tune]` section of its experiment.
    pub tune: TuneSection,
    /// Meaning of each value of [`TrajectoryRow::at`]: the keys of the settings; in a race,
    /// `player`.
    pub keys: Vec<String>,
    /// The steps of the search.
    pub path: Vec<TrajectoryRow>,
    /// The values that it tried. Empty before the first step.
    pub tried_values: Vec<TriedValuesRow>,
    /// The settings before and after.
    pub settings: Vec<SettingChange>,
}

/// A setting before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingChange {
    /// Its dotted key.
    pub key: String,
    /// Its value at the start; empty if it was not set.
    pub start: String,
    /// Its value in the answer. If the search has not ended, its value at the best point so far.
    pub tuned: String,
    /// Its range and scale; `None` in a race.
    pub range: Option<(f64, f64, Scale)>,
    /// The values of a setting that is a choice of words.
    pub choices: Vec<String>,
}

impl SettingChange {
    /// Returns the warning about a value at an end of its range.
    pub fn edge_warning(&self) -> Option<String> {
        let (min, max, scale) = self.range?;
        let value: f64 = self.tuned.parse().ok()?;
        let position = match scale {
            Scale::Linear => (value - min) / (max - min),
            Scale::Log => libm::log(value / min) / libm::log(max / min),
        };
        let is_at_edge = self.tuned != self.start && !(EDGE..=1.0 - EDGE).contains(&position);
        is_at_edge.then(|| format!("{} is at or near an end of its range; try a wider range", self.key))
    }

    /// Returns a tuned setting with its value in the answer.
    pub fn new(param: &Param, tuned: String) -> SettingChange {
        let choices = 0..param.choices.len();
        SettingChange {
            key: param.key.clone(),
            start: param.format_value(param.start),
            tuned,
            range: choices.is_empty().then_some((param.min, param.max, param.scale)),
            choices: choices.map(|index| param.format_value(index as f64)).collect(),
        }
    }

    /// Returns a setting that changed without a range, such as the player of a race.
    pub fn without_range(key: String, start: String, tuned: String) -> SettingChange {
        SettingChange { key, start, tuned, range: None, choices: Vec::new() }
    }
}

/// Part of a range near each end in which a value counts as at the end.
const EDGE: f64 = 0.02;

/// Describes what a tuning changed, with warnings about ends of ranges. `race` names the first
/// player and the winner of a race.
pub fn describe_changes(settings: &[SettingChange], race: Option<&[String; 2]>) -> Vec<String> {
    let winner = race.map(|[before, now]| format!("winner of the race: {now}; start: {before}"));
    let changed_settings = || settings.iter().filter(|setting| setting.start != setting.tuned);
    let values = changed_settings().map(|setting| {
        format!(
            "{} = {} (was {})",
            setting.key,
            shorten_number(&setting.tuned),
            shorten_number(&setting.start)
        )
    });
    winner
        .into_iter()
        .chain(values)
        .chain(changed_settings().filter_map(SettingChange::edge_warning))
        .collect()
}

table! {
    /// A setting in the table of all.
    pub(super) struct SettingRow(SETTINGS, None) of it: &SettingChange {
        setting: String, words() = &*it.key;
        start: String, words() = &*it.start;
        tuned: String, words() = &*it.tuned;
        min: Option<String>, words().as_optional() = it.range.map(|(min, ..)| format_shortest(min));
        max: Option<String>, words().as_optional() = it.range.map(|(_, max, _)| format_shortest(max));
        scale: Option<String>, words().as_optional() = it.range.map(|(.., by)| scale_name(by).to_owned());
        choices: String, words().as_optional() = it.choices.join(", ");
    }
}

table! {
    /// The same for a search in progress, with its state.
    pub(super) struct BestRow(BEST, None) of (it, now): (SettingRow, &String) {
        setting: String, words() = it.setting;
        start: String, words() = it.start;
        best_so_far: String, words() = it.tuned;
        now: String, words() = &**now;
        min: Option<String>, words().as_optional() = it.min;
        max: Option<String>, words().as_optional() = it.max;
        scale: Option<String>, words().as_optional() = it.scale;
        choices: String, words().as_optional() = it.choices;
    }
}

fn scale_name(scale: Scale) -> &'static str {
    match scale {
        Scale::Linear => "linear",
        Scale::Log => "log",
    }
}

impl SearchHistory {
    /// Keeps at most about `max_steps` steps: the last one, all checks, and an even sample of the
    /// others.
    pub fn thin(&self, max_steps: usize) -> SearchHistory {
        let steps = &self.path;
        let stride = steps.len().div_ceil(max_steps.max(1)).max(1);
        let is_kept = |(index, step): &(usize, &TrajectoryRow)| {
            index % stride == 0 || index + 1 == steps.len() || step.kept.is_some()
        };
        SearchHistory {
            tune: self.tune.clone(),
            keys: self.keys.clone(),
            path: steps.iter().enumerate().filter(is_kept).map(|(_, step)| step.clone()).collect(),
            tried_values: self.tried_values.clone(),
            settings: self.settings.clone(),
        }
    }

    /// Returns the search path as a table.
    pub fn path_table(&self, is_shown: impl Fn(&TrajectoryRow) -> bool) -> Table {
        TrajectoryRow::table_with(&columns(&self.keys), self.path.iter().filter(|step| is_shown(step)))
    }

    /// Returns the table of the values that were tried, if there are some.
    pub fn tried_table(&self) -> Option<Table> {
        (!self.tried_values.is_empty()).then(|| TriedValuesRow::table(&self.tried_values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_and_ends_of_ranges_are_described() {
        let setting = |key: &str, scale| SettingChange {
            key: key.to_owned(),
            start: "1".to_owned(),
            tuned: "9.5".to_owned(),
            range: Some((0.1, 10.0, scale)),
            choices: Vec::new(),
        };
        let same = SettingChange { tuned: "1".to_owned(), ..setting("z", Scale::Linear) };
        let all = [setting("x", Scale::Log), setting("y", Scale::Linear), same];
        let warning = "x is at or near an end of its range; try a wider range";
        assert_eq!(describe_changes(&all, None), ["x = 9.5 (was 1)", "y = 9.5 (was 1)", warning]);
        let race = ["a", "b"].map(str::to_owned);
        assert_eq!(describe_changes(&[], Some(&race)), ["winner of the race: b; start: a"]);
    }
}
