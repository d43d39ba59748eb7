//! Two players by their scores: how many times as high the one's are as the other's.

use std::cmp::Ordering;

use super::question::{POWER, Question, Relevant};
use super::sample::{Matched, Pairing, Sample};
use super::words::{self, Off, Said};
use crate::stats::power::{pairs_for_ratio, ratio_shown};
use crate::stats::{ALIKE, Estimate, MeanLog, Ratio, SignedRanks, hodges_lehmann, p_beyond};
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
    let matched = Matched::of(first, second);
    let pairing = Pairing::of(matched.iter().count() as u64, first, second);
    let (finding, p) = match pairing {
        Pairing::Paired(_) => {
            let scores = matched.iter().map(|(at, there)| (first.score(at), second.score(there)));
            paired(scores.map(|(one, other)| (one as f64, other as f64)), question)
        }
        Pairing::Independent(..) => independent(first, second, question),
    };
    (finding, pairing, p)
}

/// The scores are gone through several times, and no list of them is made but one for each of the two methods in turn: 8
/// bytes for each pair.
fn paired(
    scores: impl Iterator<Item = (f64, f64)> + Clone,
    question: Question,
) -> (ScoreFinding, Option<f64>) {
    let means = [mean(scores.clone().map(|(one, _)| one)), mean(scores.clone().map(|(_, other)| other))];
    let ranks = ranks(scores.clone().map(|(one, other)| one - other).collect(), question.level);
    let is_shifted = scores.clone().any(|(one, other)| one == 0.0 || other == 0.0);
    let more = if is_shifted { 1.0 } else { 0.0 };
    let (ratio, p) = tested(question, MeanLog::paired(scores.map(|(one, other)| (one + more, other + more))));
    (ScoreFinding { means, ratio, is_shifted, ranks }, p)
}

fn ranks(mut differences: Vec<f64>, level: f64) -> Option<Ranks> {
    let p = SignedRanks::of(&mut differences).p();
    hodges_lehmann(&mut differences, level).map(|difference| Ranks { p, difference })
}

fn independent(first: &Sample, second: &Sample, question: Question) -> (ScoreFinding, Option<f64>) {
    let scores = [first, second].map(|sample| sample.scores().map(|score| score as f64));
    let means = scores.clone().map(mean);
    let is_shifted = scores.clone().into_iter().flatten().any(|score| score == 0.0);
    let more = if is_shifted { 1.0 } else { 0.0 };
    let [one, other] = scores.map(|scores| scores.map(move |score| score + more));
    let (ratio, p) = tested(question, MeanLog::independent(one, other));
    (ScoreFinding { means, ratio, is_shifted, ranks: None }, p)
}

/// The ratio at the level that is asked for, and its p.
fn tested(question: Question, log: Option<MeanLog>) -> (Option<Ratio>, Option<f64>) {
    let Some(log) = log else { return (None, None) };
    let found = log.ratio(question.level);
    let p = match question.margin {
        Some(margin) => {
            let interval = |level| Some(log.ratio(level).estimate);
            p_beyond(1.0 - margin, Ordering::Greater, ALIKE, interval)
        }
        None => Some(found.p),
    };
    (Some(found), p)
}

fn mean(scores: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = scores.fold((0_u64, 0.0), |(count, sum), score| (count + 1, sum + score));
    (count > 0).then(|| sum / count as f64)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sample::tests::derived;
    use crate::measure::Measure;

    const QUESTION: Question = Question { by: Measure::Score, level: 0.95, margin: None, sequential: false };

    #[test]
    fn all_numbers_are_those_of_the_plain_lists() {
        let (one, other) = ([4, 12, 40, 100, 8, 60], [8, 8, 36, 24, 20, 52]);
        let samples = [derived(1, &one), derived(1, &other)];
        let (finding, pairing, p) = compare(&samples[0], &samples[1], QUESTION);
        assert_eq!(pairing, Pairing::Paired(6));
        assert_eq!(finding.means, [Some(224.0 / 6.0), Some(148.0 / 6.0)]);
        let floats = |scores: [u64; 6]| scores.map(|score| score as f64);
        let log = MeanLog::paired(floats(one).into_iter().zip(floats(other))).expect("six pairs");
        assert_eq!((finding.ratio, p), (Some(log.ratio(0.95)), Some(log.ratio(0.95).p)));
        let mut differences = [-4.0, 4.0, 4.0, 76.0, -12.0, 8.0];
        let ranks = Ranks {
            p: SignedRanks::of(&mut differences).p(),
            difference: hodges_lehmann(&mut differences, 0.95).expect("six differences"),
        };
        assert_eq!((finding.ranks, finding.is_shifted), (Some(ranks), false));

        let apart = [derived(1, &one), derived(2, &other)];
        let (finding, pairing, p) = compare(&apart[0], &apart[1], QUESTION);
        assert_eq!(pairing, Pairing::Independent(6, 6));
        let log = MeanLog::independent(floats(one), floats(other)).expect("six of each");
        assert_eq!((finding.ratio, p), (Some(log.ratio(0.95)), Some(log.ratio(0.95).p)));
        assert_eq!((finding.means, finding.ranks), ([Some(224.0 / 6.0), Some(148.0 / 6.0)], None));
    }

    #[test]
    fn one_is_added_to_every_score_where_any_is_0() {
        for seed in [1, 2] {
            let zero = [derived(1, &[3, 0, 15]), derived(seed, &[1, 3, 1])];
            let moved = [derived(1, &[4, 1, 16]), derived(seed, &[2, 4, 2])];
            let [(zero, ..), (moved, ..)] =
                [zero, moved].map(|samples| compare(&samples[0], &samples[1], QUESTION));
            assert_eq!((zero.is_shifted, moved.is_shifted), (true, false));
            assert_eq!(zero.ratio, moved.ratio);
            assert_eq!(zero.means, [Some(6.0), Some(5.0 / 3.0)]);
            assert_eq!(zero.ranks, moved.ranks);
        }
    }
}
