//! Words that several measures share.

use gauntlet_core::text::{decimals, grouped, round_up, rounded, significant};
use gauntlet_stats::Estimate;

use super::sample::Pairing;

/// The words of a measure for the difference of two players. The answer is made of them.
#[derive(Debug)]
pub(super) struct Said {
    /// The verb for being better, as "beats".
    pub(super) verb: &'static str,
    /// The amount by which the subject differs, as "wins 4.1 points more of the games".
    pub(super) amount: String,
    /// The bounds of that, as "2.9 to 5.3".
    pub(super) within: String,
    /// The test that p is of, as "McNemar p".
    pub(super) test: &'static str,
    /// The games on which it rests, as ", 1,000 paired seeds".
    pub(super) games: String,
    /// The margin within which worse is as good, if there is one, as "1 point".
    pub(super) tolerance: Option<String>,
}

/// A bound beyond this bounds nothing.
pub(super) const UNBOUNDED: f64 = 1e6;

/// The games that were compared, as they stand behind the p.
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

/// Ratios near 1 are said in per cent, others as factors.
pub(super) fn is_near(ratio: Estimate) -> bool {
    (0.5..2.0).contains(&ratio.value)
}

/// The distance of a ratio from 1.
pub(super) enum Off {
    /// Not at all, to the digits that are known.
    Nothing,
    /// In per cent.
    Percent(String),
    /// Too far for that.
    Far,
}

/// The distance of a ratio from 1.
pub(super) fn percent_off(ratio: Estimate) -> Off {
    if !is_near(ratio) {
        return Off::Far;
    }
    let decimals = decimals(100.0 * ratio.half_width());
    let percent = rounded(100.0 * (ratio.value - 1.0).abs(), decimals);
    if percent == 0.0 { Off::Nothing } else { Off::Percent(format!("{percent:.decimals$} %")) }
}

/// The bounds of a ratio.
pub(super) fn ratio_within(ratio: Estimate) -> String {
    if ratio.high >= UNBOUNDED {
        return "of any size".to_owned();
    }
    if !is_near(ratio) {
        return format!("{} to {}", significant(ratio.low), significant(ratio.high));
    }
    let decimals = decimals(100.0 * ratio.half_width());
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    // Said of what is less, the bounds are of how much less.
    let (low, high) = match ratio.value < 1.0 {
        true => (-percent(ratio.high), -percent(ratio.low)),
        false => (percent(ratio.low), percent(ratio.high)),
    };
    format!("{low:.decimals$} to {high:.decimals$} %")
}

/// The number of further games that would show a difference; where those played would have shown
/// it, the difference that they would have shown.
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
