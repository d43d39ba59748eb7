//! Two players by the points of their games against each other.

use std::cmp::Ordering;

use gauntlet_core::text::{counted, decimals, percent, points, rounded};
use gauntlet_run::tally::meeting::Meeting;
use gauntlet_stats::{Clustered, Estimate, PairCounts, anytime_share, anytime_share_p, elo};

use super::finding::{Detail, Effect, Finding, HALF};
use super::question::Question;
use super::words::Said;

/// The rules of verdicts under which players are first called equal or not by sign flips.
const RULES_OF_FLIPS: u32 = 2;

/// True if the test of points is younger than games that were played under these
/// [rules](gauntlet_stats::RULES).
pub fn is_younger_than(rules: u32) -> bool {
    rules < RULES_OF_FLIPS
}

/// Compares two players; also tells p, which without a margin asks whether they are equal. The
/// difference is by how much the first's share exceeds half of the points.
pub(super) fn compare(meeting: Option<&Meeting>, question: Question) -> (Finding, Option<f64>) {
    let Question { level, margin, sequential, .. } = question;
    let (share, p, openings) = match meeting {
        Some(meeting) if sequential => {
            let share = anytime_share(meeting.firsts, level);
            let p = share.map(|share| anytime_p(meeting.firsts, share.value, margin));
            (share, p, meeting.firsts.iter().sum())
        }
        _ => {
            let clustered = meeting.and_then(Meeting::clustered);
            let p = clustered.as_ref().map(|clustered| match margin {
                None => clustered.p_of_equals(),
                Some(margin) => clustered.p_beyond(HALF - margin, Ordering::Greater),
            });
            let openings = clustered.as_ref().map_or(0, Clustered::clusters);
            (clustered.map(|clustered| clustered.interval(level)), p, openings)
        }
    };
    let value = share.map(|share| share.value);
    let finding = Finding {
        values: [value, value.map(|share| 1.0 - share)],
        effect: share.map(|share| Effect::Difference(share.map(|share| share - HALF))),
        detail: Detail::Points { share, openings, correlation: meeting.and_then(Meeting::correlation) },
    };
    (finding, p)
}

/// The p of a run that may have stopped early; with a margin that of one side, with the whole risk
/// of the interval.
fn anytime_p(pairs: PairCounts, share: f64, margin: Option<f64>) -> f64 {
    let border = HALF - margin.unwrap_or(0.0);
    let p = anytime_share_p(pairs, border);
    if margin.is_none() || share >= border { p } else { 1.0 - p }
}

/// A number of Elo, which may be infinite: a player that got all of the points may be as strong as
/// can be.
fn told(elo: f64, decimals: usize) -> String {
    match elo {
        f64::INFINITY => "+infinite".to_owned(),
        f64::NEG_INFINITY => "-infinite".to_owned(),
        elo => format!("{:+.decimals$}", rounded(elo, decimals) + 0.0),
    }
}

/// As many decimals of Elo as are worth telling.
fn of_elo(elo: Estimate) -> usize {
    if elo.half_width().is_finite() { decimals(elo.half_width()) } else { 0 }
}

/// A lead on some scale of Elo in words, and its bounds.
pub(super) fn lead_in_words(share: f64, scale: &str, lead: Estimate) -> (String, String) {
    let [value, low, high] = [lead.value, lead.low, lead.high].map(|elo| told(elo, of_elo(lead)));
    let percent = percent(rounded(share, 3));
    (format!("gets {percent} of the points, {scale} {value}"), format!("{low} to {high}"))
}

/// The share of the points in words.
pub(super) fn said(question: Question, pairs: u64, openings: u64, share: Estimate) -> Said {
    let in_percent = decimals(100.0 * share.half_width());
    let elo = elo(share);
    let percent = rounded(100.0 * share.value, in_percent);
    let told = |number: f64| told(number, of_elo(elo));
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
        test: match (question.sequential, question.margin) {
            (true, _) => "anytime p",
            (false, Some(_)) => "one-sided p",
            (false, None) => "p",
        },
        games: format!(", {}{openings}", counted(pairs, "pair")),
        tolerance: question.margin.map(points),
    }
}
