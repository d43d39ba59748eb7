//! A search as the live page shows it: its settings and its candidates.

use gauntlet_core::settings::format_shortest;
use gauntlet_core::text::{format_count, format_games, shorten_number};
use gauntlet_tune::results::history::SettingChange;
use gauntlet_tune::results::unfinished_tuning::CurrentStep;
use gauntlet_tune::section::Scale;

use crate::picture::{self, LiveCandidates};

/// The most candidates shown.
const MAX_CANDIDATES: usize = 50;

/// The most steps of a path that are drawn.
pub(super) const MAX_STEPS: usize = 200;

/// Returns the settings, with their values at the current point of the search.
pub(super) fn make_settings(
    settings: &[SettingChange],
    current_values: &[String],
) -> Vec<picture::LiveTunedSetting> {
    let make_setting = |(setting, current_value): (&SettingChange, &String)| {
        let texts = [&setting.start, &setting.tuned, current_value];
        let positions = setting.range.and_then(|(min, max, scale)| {
            let position = |text: &String| Some(position_in_range(text.parse().ok()?, min, max, scale));
            let [start, best, current] = texts.map(position);
            Some([start?, best?, current?])
        });
        let bounds = setting.range.map(|(min, max, _)| [format_shortest(min), format_shortest(max)]);
        picture::LiveTunedSetting {
            key: setting.key.clone(),
            values: texts.map(|text| shorten_number(text)),
            places: positions,
            bounds: bounds.unwrap_or_default(),
        }
    };
    settings.iter().zip(current_values).map(make_setting).collect()
}

/// Returns the position of a value between its bounds, from 0 to 1.
fn position_in_range(value: f64, min: f64, max: f64, scale: Scale) -> f64 {
    let position = match scale {
        Scale::Linear => (value - min) / (max - min),
        Scale::Log => libm::log(value / min) / libm::log(max / min),
    };
    // If both bounds are equal, the value is in the middle.
    if position.is_finite() { position.clamp(0.0, 1.0) } else { 0.5 }
}

/// Returns the candidates of a step.
pub(super) fn make_candidates(step: Option<&CurrentStep>, keys: Vec<String>) -> LiveCandidates {
    let Some(step) = step else { return LiveCandidates::default() };
    let candidates = &step.candidates;
    let words = format!(
        "Current {}: {}, {} in total, {} played.",
        step.kind,
        format_count(candidates.len() as u64, "candidate"),
        format_games(step.games),
        gauntlet_core::text::group_digits(step.played)
    );
    let row = |values: &Vec<String>| values.iter().map(|value| shorten_number(value)).collect();
    LiveCandidates { step: words, keys, rows: candidates.iter().take(MAX_CANDIDATES).map(row).collect() }
}
