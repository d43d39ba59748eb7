//! Phrases that several measures share.

use gauntlet_core::measure::Measure;
use gauntlet_core::text::{decimals, games, grouped, level, round_up, rounded};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

/// A bound beyond this value is not printed as a bound.
pub(super) const UNBOUNDED: f64 = 1e6;

/// Returns true if a ratio is near 1: it is printed in per cent, others as factors.
pub(super) fn is_near(ratio: Estimate) -> bool {
    (0.5..2.0).contains(&ratio.value)
}

/// Returns a sentence on how many more games would detect a relevant difference. If the games
/// played are enough, it is on the difference that they detect.
pub(super) fn more_games(
    played: u64,
    needed: f64,
    difference: &str,
    would_show: Option<String>,
) -> Option<String> {
    let more = needed.ceil() - played as f64;
    let (games, difference) = if more >= 1.0 && more.is_finite() {
        (format!("{} more games of each player would detect", grouped(round_up(more as u64))), difference)
    } else {
        (format!("{} of each player detect", games(played)), would_show.as_deref()?)
    };
    Some(format!("{games} a difference of {difference} with a power of 80 %."))
}

/// Names the level of an interval, to follow it; empty at the usual level.
pub(super) fn at_level(of: f64) -> String {
    if (of - LEVEL).abs() < 1e-12 { String::new() } else { format!(" at {}", level(of)) }
}

/// Formats a difference of rates with its measure: `+4.1 points of wins [2.9, 5.3]`. `level`
/// follows.
pub(super) fn rate_difference(by: Measure, difference: Estimate, level: &str) -> String {
    let of = match by {
        Measure::Reach(reach) => format!("of games reaching {}", reach.value()),
        Measure::Score => "of blocks won".to_owned(),
        _ => "of wins".to_owned(),
    };
    bounded(difference, 0.0, &format!(" points {of} ")) + level
}

/// Formats an estimate minus `moved`, times 100, with its sign and its bounds.
pub(super) fn bounded(estimate: Estimate, moved: f64, unit: &str) -> String {
    let decimals = decimals(100.0 * estimate.half_width());
    let Estimate { value, low, high, .. } = estimate.map(|it| 100.0 * (it + moved));
    let [low, high] = [low, high].map(|bound| rounded(bound, decimals));
    format!("{}{unit}[{low:.decimals$}, {high:.decimals$}]", signed(value, decimals))
}

/// Formats a number with its sign.
pub(super) fn signed(number: f64, decimals: usize) -> String {
    format!("{:+.decimals$}", rounded(number, decimals))
}
