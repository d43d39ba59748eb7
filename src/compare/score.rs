//! Two players by their scores: how many times as high the one's are as the other's.

use std::cmp::Ordering;

use super::question::{POWER, Question, Relevant};
use super::sample::{Pairing, Sample, same_seeds};
use super::words::{self, Off, Said};
use crate::stats::power::{pairs_for_ratio, ratio_shown};
use crate::stats::{
    ALIKE, Estimate, Ratio, SignedRanks, above_zero, hodges_lehmann, independent_ratio, p_beyond,
    paired_ratio,
};
use crate::text::{percent, significant};

/// What a comparison by scores found.
#[derive(Clone, Copy, Debug)]
pub struct ScoreFinding {
    /// The mean score of each; none of no games.
    pub means: [Option<f64>; 2],
    /// How many times as high the first's scores are; none of too few games.
    pub ratio: Option<Ratio>,
    /// Whether one point was added to every score, for some are 0.
    pub is_shifted: bool,
    /// Of paired games, what the ranks of the differences say.
    pub ranks: Option<Ranks>,
}

/// Differences of scores, by their ranks: a few large scores have little influence on them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranks {
    /// Wilcoxon's p.
    pub p: f64,
    /// The median of the means of two differences, after Hodges and Lehmann.
    pub difference: Estimate,
}

/// Compares two players; also tells which games were compared, and p.
pub(super) fn compare(
    first: &Sample,
    second: &Sample,
    question: Question,
) -> (ScoreFinding, Pairing, Option<f64>) {
    let scores: Vec<(f64, f64)> = same_seeds(first, second)
        .map(|(at, there)| (first.score(at) as f64, second.score(there) as f64))
        .collect();
    let pairing = Pairing::of(scores.len() as u64, first, second);
    let (finding, p) = match pairing {
        Pairing::Paired(_) => paired(&scores, question),
        Pairing::Independent(..) => independent(first, second, question),
    };
    (finding, pairing, p)
}

fn paired(scores: &[(f64, f64)], question: Question) -> (ScoreFinding, Option<f64>) {
    let (one, other): (Vec<f64>, Vec<f64>) = scores.iter().copied().unzip();
    let differences: Vec<f64> = scores.iter().map(|(one, other)| one - other).collect();
    let p = SignedRanks::of(&differences).p();
    let ranks = hodges_lehmann(&differences, question.level).map(|difference| Ranks { p, difference });
    let (scores, is_shifted) = above_zero(scores);
    let (ratio, p) = tested(question, |level| paired_ratio(scores.iter().copied(), level));
    (ScoreFinding { means: [mean(&one), mean(&other)], ratio, is_shifted, ranks }, p)
}

fn independent(first: &Sample, second: &Sample, question: Question) -> (ScoreFinding, Option<f64>) {
    let mut scores =
        [first, second].map(|sample| sample.scores().map(|score| score as f64).collect::<Vec<_>>());
    let means = [mean(&scores[0]), mean(&scores[1])];
    let is_shifted = scores.iter().flatten().any(|&score| score == 0.0);
    if is_shifted {
        scores.iter_mut().flatten().for_each(|score| *score += 1.0);
    }
    let (ratio, p) = tested(question, |level| independent_ratio(&scores[0], &scores[1], level));
    (ScoreFinding { means, ratio, is_shifted, ranks: None }, p)
}

/// The ratio at the level that is asked for, and its p.
fn tested(question: Question, ratio: impl Fn(f64) -> Option<Ratio>) -> (Option<Ratio>, Option<f64>) {
    let Some(found) = ratio(question.level) else { return (None, None) };
    let p = match question.margin {
        Some(margin) => {
            let interval = |level| ratio(level).map(|ratio| ratio.estimate);
            p_beyond(1.0 - margin, Ordering::Greater, ALIKE, interval)
        }
        None => Some(found.p),
    };
    (Some(found), p)
}

fn mean(scores: &[f64]) -> Option<f64> {
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

impl ScoreFinding {
    /// On which side of the margin the first player lies.
    pub(super) fn side(&self, margin: f64) -> Option<Ordering> {
        self.ratio?.estimate.value.partial_cmp(&(1.0 - margin))
    }

    /// Whether both did the same on every seed.
    pub(super) fn is_same(&self, pairing: Pairing) -> bool {
        let is_same = |ratio: Ratio| ratio.spread == 0.0 && ratio.estimate.value == 1.0;
        matches!(pairing, Pairing::Paired(_)) && self.ratio.is_some_and(is_same)
    }

    /// The ratio in words; turned, of the second player.
    pub(super) fn said(&self, question: Question, pairing: Pairing, is_turned: bool) -> Option<Said> {
        let ratio = self.ratio?.estimate;
        let ratio = if is_turned { words::inverted(ratio) } else { ratio };
        // The mean of logarithms; the means of the tables may differ by more or less.
        let amount = match words::percent_off(ratio) {
            Off::Nothing => "has scores typically about as high".to_owned(),
            Off::Percent(percent) => {
                let higher = if ratio.value < 1.0 { "lower" } else { "higher" };
                format!("has scores typically {percent} {higher}")
            }
            Off::Far => format!("has scores typically {} times as high", significant(ratio.value)),
        };
        Some(Said {
            verb: "beats",
            amount,
            within: words::ratio_within(ratio),
            test: if question.margin.is_none() { "t-test p" } else { "one-sided p" },
            games: words::compared(pairing),
            tolerance: question.margin.map(percent),
        })
    }

    /// How many more games would show a relevant difference at this level.
    pub(super) fn more_games(&self, pairing: Pairing, level: f64, relevant: Relevant) -> Option<String> {
        let spread = self.ratio.map(|ratio| ratio.spread).filter(|&spread| spread > 0.0)?;
        let needed = pairs_for_ratio(1.0 + relevant.part, spread, level, POWER);
        let would_show = ratio_shown(pairing.fewer(), spread, level, POWER) - 1.0;
        words::more_games(pairing.fewer(), needed, &percent(relevant.part), Some(percent(would_show)))
    }
}
