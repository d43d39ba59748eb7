//! Two players by the points of their games against each other.

use std::cmp::Ordering;

use super::finding::{Detail, Effect, Finding};
use super::question::Question;
use super::words::Said;
use crate::stats::{Estimate, elo};
use crate::tally::meeting::Meeting;
use crate::text::{counted, decimals, points, rounded};

/// Half of the points.
const HALF: f64 = 0.5;

/// Compares two players; also tells p, which without a margin asks whether they are equal. The difference is by how much the
/// first's share exceeds half of the points.
pub(super) fn compare(meeting: Option<&Meeting>, question: Question) -> (Finding, Option<f64>) {
    let clustered = meeting.and_then(Meeting::clustered);
    let share = clustered.as_ref().map(|clustered| clustered.interval(question.level));
    let p = clustered.as_ref().map(|clustered| match question.margin {
        None => clustered.p_of_equals(),
        Some(margin) => clustered.p_beyond(HALF - margin, Ordering::Greater),
    });
    let value = share.map(|share| share.value);
    let finding = Finding {
        values: [value, value.map(|share| 1.0 - share)],
        effect: share.map(|share| Effect::Difference(share.map(|share| share - HALF))),
        detail: Detail::Points { share, openings: clustered.map_or(0, |clustered| clustered.clusters()) },
    };
    (finding, p)
}

/// The share of the points in words.
pub(super) fn said(question: Question, pairs: u64, openings: u64, share: Estimate) -> Said {
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
    let openings = match openings {
        openings if openings == pairs => String::new(),
        openings => format!(" from {}", counted(openings, "opening")),
    };
    Said {
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
    }
}
