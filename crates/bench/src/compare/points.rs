//! Two players by the points of their games against each other.

use std::cmp::Ordering;

use super::question::Question;
use super::words::Said;
use crate::stats::{Estimate, elo};
use crate::tally::meeting::Meeting;
use crate::text::{counted, decimals, points, rounded};

/// What a comparison by points found.
#[derive(Clone, Copy, Debug)]
pub struct PointsFinding {
    /// The first player's share of the points; none without games.
    pub share: Option<Estimate>,
    /// How many openings differ by more than a symmetry.
    pub openings: u64,
}

/// What is half of the points.
const HALF: f64 = 0.5;

/// Compares two players; also tells p.
pub(super) fn compare(meeting: Option<&Meeting>, question: Question) -> (PointsFinding, Option<f64>) {
    let Some(clustered) = meeting.and_then(Meeting::clustered) else {
        return (PointsFinding { share: None, openings: 0 }, None);
    };
    let share = clustered.interval(question.level);
    let p = match question.margin {
        None => clustered.p(HALF),
        Some(margin) => clustered.p_beyond(HALF - margin, Ordering::Greater),
    };
    (PointsFinding { share: Some(share), openings: clustered.clusters() }, Some(p))
}

impl PointsFinding {
    /// On which side of the margin the first player lies.
    pub(super) fn side(&self, margin: f64) -> Option<Ordering> {
        self.share?.value.partial_cmp(&(HALF - margin))
    }

    /// By how much the first player's share exceeds half of the points.
    pub(super) fn lead(&self) -> Option<Estimate> {
        self.share.map(|Estimate { value, low, high, level }| Estimate {
            value: value - HALF,
            low: low - HALF,
            high: high - HALF,
            level,
        })
    }

    /// The difference in words; turned, of the second player.
    pub(super) fn said(&self, question: Question, pairs: u64, is_turned: bool) -> Option<Said> {
        let share = self.share?;
        let share = if is_turned { turned(share) } else { share };
        let in_percent = decimals(100.0 * share.half_width());
        let elo = elo(share);
        let in_elo = if elo.half_width().is_finite() { decimals(elo.half_width()) } else { 0 };
        let percent = rounded(100.0 * share.value, in_percent);
        let told = |elo: f64| match elo {
            f64::INFINITY => "+infinite".to_owned(),
            f64::NEG_INFINITY => "-infinite".to_owned(),
            elo => format!("{:+.in_elo$}", rounded(elo, in_elo)),
        };
        let (low, high) = (100.0 * share.low, 100.0 * share.high);
        let openings = match self.openings {
            openings if openings == pairs => String::new(),
            openings => format!(" from {}", counted(openings, "opening")),
        };
        Some(Said {
            verb: "beats",
            amount: format!("gets {percent:.in_percent$} % of the points, Elo {}", told(elo.value)),
            within: format!(
                "{low:.in_percent$} to {high:.in_percent$} %, Elo {} to {}",
                told(elo.low),
                told(elo.high)
            ),
            test: if question.margin.is_some() { "one-sided p" } else { "p" },
            games: format!(", {}{openings}", counted(pairs, "pair")),
            tolerance: question.margin.map(points),
        })
    }
}

/// A share of the points as the other player sees it.
fn turned(Estimate { value, low, high, level }: Estimate) -> Estimate {
    Estimate { value: 1.0 - value, low: 1.0 - high, high: 1.0 - low, level }
}
