//! Phrases that several measures share.

use gauntlet_core::measure::Measure;
use gauntlet_core::text::{decimals, grouped, level, round_up, rounded, significant};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::pairing::Pairing;

/// Words of a measure for the difference of two players, the parts of an answer.
#[derive(Debug)]
pub(super) struct Said {
    /// Verb for being better, as "beats".
    pub(super) verb: &'static str,
    /// Difference, as "wins 4.1 points more of the games".
    pub(super) amount: String,
    /// Bounds of the difference, as "2.9 to 5.3".
    pub(super) within: String,
    /// Name of the test, as "McNemar"; empty for the only test of its measure.
    pub(super) test: &'static str,
    /// Games compared, as ", 1,000 paired seeds".
    pub(super) games: String,
    /// Margin within which worse counts as equally good, if there is one, as "1 point".
    pub(super) tolerance: Option<String>,
}

/// A bound beyond this value is not printed as a bound.
pub(super) const UNBOUNDED: f64 = 1e6;

/// Names the games that were compared, to follow the p.
pub(super) fn compared(pairing: Pairing) -> String {
    match pairing {
        Pairing::Paired(1) => ", 1 paired seed".to_owned(),
        Pairing::Paired(games) => format!(", {} paired seeds", grouped(games)),
        Pairing::Independent(one, other) if one == other => {
            format!(", {} games of each on seeds of their own", grouped(one))
        }
        Pairing::Independent(one, other) => {
            format!(", {} and {} games on seeds of their own", grouped(one), grouped(other))
        }
    }
}

/// Returns true if a ratio is near 1: it is printed in per cent, others as factors.
pub(super) fn is_near(ratio: Estimate) -> bool {
    (0.5..2.0).contains(&ratio.value)
}

/// The distance of a ratio from 1.
pub(super) enum Off {
    /// No distance, to the digits that are known.
    Nothing,
    /// Distance in per cent.
    Percent(String),
    /// Too far for per cent.
    Far,
}

pub(super) fn percent_off(ratio: Estimate) -> Off {
    if !is_near(ratio) {
        return Off::Far;
    }
    let decimals = decimals(100.0 * ratio.half_width());
    let percent = rounded(100.0 * (ratio.value - 1.0).abs(), decimals);
    if percent == 0.0 { Off::Nothing } else { Off::Percent(format!("{percent:.decimals$} %")) }
}

/// Formats the bounds of a ratio.
pub(super) fn ratio_within(ratio: Estimate) -> String {
    if ratio.high >= UNBOUNDED {
        return "of any size".to_owned();
    }
    if !is_near(ratio) {
        return format!("{} to {}", significant(ratio.low), significant(ratio.high));
    }
    let decimals = decimals(100.0 * ratio.half_width());
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    // A decrease has the bounds of the decrease.
    let (low, high) = match ratio.value < 1.0 {
        true => (-percent(ratio.high), -percent(ratio.low)),
        false => (percent(ratio.low), percent(ratio.high)),
    };
    format!("{low:.decimals$} to {high:.decimals$} %")
}

/// Says how many more games would show a relevant difference. If the games played are enough, says
/// which difference they would have shown.
pub(super) fn more_games(
    played: u64,
    needed: f64,
    difference: &str,
    would_show: Option<String>,
) -> Option<String> {
    let more = needed.ceil() - played as f64;
    if more >= 1.0 && more.is_finite() {
        let more = grouped(round_up(more as u64));
        Some(format!(
            "{more} more games of each would show a difference of {difference} with a power of 80 %"
        ))
    } else {
        would_show.map(|shown| format!("so many games show a difference of {shown} with a power of 80 %"))
    }
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
