//! Phrases that several answers share.

use gauntlet_core::measure::Measure;
use gauntlet_core::text::{decimals, format_level, format_probability, round_to};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

/// Returns true if a ratio is near 1: it is printed in per cent, others as factors.
pub(super) fn is_near_one(ratio: Estimate) -> bool {
    (0.5..2.0).contains(&ratio.value)
}

/// Names the level of an interval, to follow it; empty at the usual level.
pub(super) fn level_suffix(level: f64) -> String {
    other_level_suffix(level, LEVEL)
}

/// Names the level of an interval, to follow it; empty at the level that is shown elsewhere.
pub(crate) fn other_level_suffix(level: f64, shown_level: f64) -> String {
    if (level - shown_level).abs() < 1e-12 { String::new() } else { format!(" at {}", format_level(level)) }
}

/// Formats a difference of rates with its measure: `+4.1 points of wins [2.9, 5.3]`. `level`
/// follows.
pub(super) fn format_rate_difference(measure: Measure, difference: Estimate, level: &str) -> String {
    let phrase = match measure {
        Measure::Reach(threshold) => format!("of games reaching {}", threshold.value()),
        Measure::Score => "of blocks won".to_owned(),
        _ => "of wins".to_owned(),
    };
    format_change(difference, &format!(" points {phrase} ")) + level
}

/// Formats a change as hundredths with its sign and its bounds: `+4.1 points [2.9, 5.3]`.
pub(super) fn format_change(fraction: Estimate, unit: &str) -> String {
    let text = format_hundredths(fraction, unit);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// Formats a part as hundredths with its bounds: `64.1 % of points [62.9, 65.3]`.
pub fn format_hundredths(fraction: Estimate, unit: &str) -> String {
    let decimals = decimals(100.0 * fraction.half_width());
    let [value, low, high] =
        [fraction.value, fraction.low, fraction.high].map(|number| round_to(100.0 * number, decimals));
    format!("{value:.decimals$}{unit}[{low:.decimals$}, {high:.decimals$}]")
}

/// Formats p with its test and its corrections: `p = 0.12 (McNemar, Holm over 7)`.
pub(super) fn format_p_value(p: f64, test: &str, family_size: usize, correction: Option<String>) -> String {
    let test = Some(test.to_owned()).filter(|test| !test.is_empty());
    let family = (family_size > 1).then(|| format!("Holm over {family_size}"));
    let notes: Vec<String> = [test, family, correction].into_iter().flatten().collect();
    let suffix = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("p {}{suffix}", format_probability(p))
}

/// Formats a number with its sign.
pub(super) fn format_signed(number: f64, decimals: usize) -> String {
    format!("{:+.decimals$}", round_to(number, decimals))
}

/// Formats a lead on an Elo scale with its bounds. It is infinite for a player that got all points.
pub(super) fn format_elo_lead(scale: &str, lead: Estimate) -> String {
    let decimals = if lead.half_width().is_finite() { decimals(lead.half_width()) } else { 0 };
    let number = |elo: f64| match elo {
        f64::INFINITY => "+infinite".to_owned(),
        f64::NEG_INFINITY => "-infinite".to_owned(),
        elo => format_signed(elo, decimals),
    };
    format!("{scale} {} [{}, {}]", number(lead.value), number(lead.low), number(lead.high))
}
