//! Two players by the points of their games against each other.

use std::cmp::Ordering;

use gauntlet_run::tally::meeting::Meeting;
use gauntlet_stats::{ClusterCounts, PairCounts, anytime_share, anytime_share_p};

use super::finding::{DifferenceDetail, Effect, HALF, MeasuredDifference};
use super::question::ComparisonQuestion;

/// First rules of verdicts that test equality of players by sign flips.
const SIGN_FLIP_RULES: u32 = 2;

/// Returns true if the test of points is newer than games played under these
/// [rules](gauntlet_stats::RULES).
pub fn is_newer_than(rules: u32) -> bool {
    rules < SIGN_FLIP_RULES
}

/// Compares two players and returns p, which without a margin tests whether they are equal. The
/// difference is the first player's share of the points minus one half.
pub(super) fn compare(
    meeting: Option<&Meeting>,
    question: ComparisonQuestion,
) -> (MeasuredDifference, Option<f64>) {
    let ComparisonQuestion { level, margin, is_sequential, .. } = question;
    let (share, p, openings) = match meeting {
        Some(meeting) if is_sequential => {
            let share = anytime_share(meeting.first_pairs, level);
            let p = share.map(|share| anytime_p(meeting.first_pairs, share.value, margin));
            (share, p, meeting.first_pairs.iter().sum())
        }
        _ => {
            let cluster_counts = meeting.and_then(Meeting::cluster_counts);
            let p = cluster_counts.as_ref().map(|counts| match margin {
                None => counts.p_of_equals(),
                Some(margin) => counts.one_sided_p(HALF - margin, Ordering::Greater),
            });
            let openings = cluster_counts.as_ref().map_or(0, ClusterCounts::clusters);
            (cluster_counts.map(|counts| counts.interval(level)), p, openings)
        }
    };
    let value = share.map(|share| share.value);
    let finding = MeasuredDifference {
        values: [value, value.map(|share| 1.0 - share)],
        effect: share.map(|share| Effect::Difference(share.map(|share| share - HALF))),
        detail: DifferenceDetail::Points {
            share,
            openings,
            correlation: meeting.and_then(Meeting::correlation),
        },
    };
    (finding, p)
}

/// Returns the p for a run that may have stopped early. With a margin it is one-sided and has the
/// whole risk of the interval.
fn anytime_p(pairs: PairCounts, share: f64, margin: Option<f64>) -> f64 {
    let threshold = HALF - margin.unwrap_or(0.0);
    let p = anytime_share_p(pairs, threshold);
    if margin.is_none() || share >= threshold { p } else { 1.0 - p }
}
