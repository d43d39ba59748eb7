//! Two players by their scores: the ratio of the first player's to the second's.

use std::cmp::Ordering;

use gauntlet_run::sample::Sample;
use gauntlet_run::sample::matched_games::{MatchedGames, ScoreRatio};
use gauntlet_stats::exact_power::{detectable_ratio, pairs_needed_for_ratio};
use gauntlet_stats::{
    EQUAL_TAILS, MeanLogRatio, SignedRanks, ValueCounts, hodges_lehmann, one_sided_p,
    probability_of_improvement,
};

use super::finding::{DifferenceDetail, Effect, MeasuredDifference, RankDifference};
use super::pairing::Pairing;
use super::question::{ComparisonQuestion, POWER};

/// Compares two players; returns the finding, which games were compared, and p.
pub(super) fn compare(
    first: &Sample,
    second: &Sample,
    question: ComparisonQuestion,
) -> (MeasuredDifference, Pairing, Option<f64>) {
    let matched_games = MatchedGames::new(first, second);
    let pairing = Pairing::choose(matched_games.count(), first, second);
    let (values, ratio, (differing_seeds, ranks)) = match pairing {
        Pairing::Paired(_) => {
            let (differing_seeds, ranks) = test_ranks(&matched_games.differences(), question.level);
            (matched_games.mean_scores(), matched_games.score_ratio(), (Some(differing_seeds), ranks))
        }
        Pairing::Independent(..) => {
            let means = [first, second].map(Sample::mean_score);
            (means, ScoreRatio::from_all_games(first, second), (None, None))
        }
    };
    let ScoreRatio { log, is_shifted } = ratio;
    let ratio = log.map(|log| log.ratio(question.level));
    let p = log.and_then(|log| p_of(log, question.margin));
    let spread = ratio.map(|ratio| ratio.spread);
    let detail = DifferenceDetail::Score { spread, is_shifted, differing_seeds, ranks };
    let effect = ratio.map(|ratio| Effect::Ratio(ratio.estimate));
    (MeasuredDifference { values, effect, detail }, pairing, p)
}

/// Returns on which side of the margin the first player's scores are, and the p of the comparison.
/// Equals [`compare`], but skips the intervals and the ranks, which take most of its time.
pub(super) fn test(first: &Sample, second: &Sample, margin: Option<f64>) -> Option<(Ordering, f64)> {
    let matched_games = MatchedGames::new(first, second);
    let ratio = match Pairing::choose(matched_games.count(), first, second) {
        Pairing::Paired(_) => matched_games.score_ratio(),
        Pairing::Independent(..) => ScoreRatio::from_all_games(first, second),
    };
    let log = ratio.log?;
    let (ratio, _) = log.test();
    Some((ratio.partial_cmp(&(1.0 - margin.unwrap_or(0.0)))?, p_of(log, margin)?))
}

/// Returns the p of the test for equality; with a margin, of the test that the first player's
/// scores are lower by that much.
fn p_of(log: MeanLogRatio, margin: Option<f64>) -> Option<f64> {
    let interval = |level| Some(log.ratio(level).estimate);
    match margin {
        Some(margin) => one_sided_p(1.0 - margin, Ordering::Greater, EQUAL_TAILS, interval),
        None => Some(log.test().1),
    }
}

/// Returns the number of differences that are not 0, and the test and the estimates by ranks.
fn test_ranks(differences: &ValueCounts, level: f64) -> (u64, Option<RankDifference>) {
    let ranks = SignedRanks::new(differences);
    let estimates = hodges_lehmann(differences, level).zip(probability_of_improvement(differences, level));
    let ranks_of = |(difference, improvement)| RankDifference { p: ranks.p(), difference, improvement };
    (ranks.values, estimates.map(ranks_of))
}

/// Returns the number of games of each player that would detect scores higher by the part
/// `difference`, and the part that the games played detect. The levels are those of this answer and
/// of the next one, after more games.
pub(super) fn games_needed(
    spread: Option<f64>,
    pairing: Pairing,
    [current_level, next_level]: [f64; 2],
    difference: f64,
) -> Option<(f64, Option<f64>)> {
    let spread = spread.filter(|&spread| spread > 0.0)?;
    let needed_games = pairs_needed_for_ratio(1.0 + difference, spread, next_level, POWER);
    Some((needed_games, Some(detectable_ratio(pairing.smaller_count(), spread, current_level, POWER) - 1.0)))
}

#[cfg(test)]
mod tests {
    use gauntlet_core::measure::Measure;

    use super::*;
    use crate::compare::pairing::tests::sample_from_seed;

    const QUESTION: ComparisonQuestion = ComparisonQuestion {
        measure: Measure::Score,
        level: 0.95,
        margin: None,
        is_sequential: false,
        earlier_answers: 0,
    };

    fn score_detail(finding: &MeasuredDifference) -> (Option<f64>, bool, Option<RankDifference>) {
        let DifferenceDetail::Score { spread, is_shifted, ranks, .. } = finding.detail else {
            panic!("must be of scores")
        };
        (spread, is_shifted, ranks)
    }

    #[test]
    fn all_numbers_are_those_of_the_plain_lists() {
        let (one, other) = ([4, 12, 40, 100, 8, 60], [8, 8, 36, 24, 20, 52]);
        let samples = [sample_from_seed(1, &one), sample_from_seed(1, &other)];
        let (finding, pairing, p) = compare(&samples[0], &samples[1], QUESTION);
        assert_eq!(pairing, Pairing::Paired(6));
        assert_eq!(finding.values, [Some(224.0 / 6.0), Some(148.0 / 6.0)]);
        let floats = |scores: [u64; 6]| scores.map(|score| score as f64);
        let log = MeanLogRatio::from_pairs(floats(one).into_iter().zip(floats(other))).expect("six pairs");
        let ratio = log.ratio(0.95);
        assert_eq!((finding.effect, p), (Some(Effect::Ratio(ratio.estimate)), Some(ratio.p)));
        let differences = [-4.0, 4.0, 4.0, 76.0, -12.0, 8.0].into_iter().collect();
        let ranks = RankDifference {
            p: SignedRanks::new(&differences).p(),
            difference: hodges_lehmann(&differences, 0.95).expect("six differences"),
            improvement: probability_of_improvement(&differences, 0.95).expect("six differences"),
        };
        assert_eq!(score_detail(&finding), (Some(ratio.spread), false, Some(ranks)));

        let unpaired_samples = [sample_from_seed(1, &one), sample_from_seed(2, &other)];
        let (finding, pairing, p) = compare(&unpaired_samples[0], &unpaired_samples[1], QUESTION);
        assert_eq!(pairing, Pairing::Independent(6, 6));
        let log = MeanLogRatio::from_samples(floats(one), floats(other)).expect("six of each");
        let ratio = log.ratio(0.95);
        assert_eq!((finding.effect, p), (Some(Effect::Ratio(ratio.estimate)), Some(ratio.p)));
        assert_eq!(finding.values, [Some(224.0 / 6.0), Some(148.0 / 6.0)]);
        assert_eq!(score_detail(&finding), (Some(ratio.spread), false, None));
    }

    #[test]
    fn one_is_added_to_every_score_where_any_is_0() {
        for seed in [1, 2] {
            let zero_samples = [sample_from_seed(1, &[3, 0, 15]), sample_from_seed(seed, &[1, 3, 1])];
            let shifted_samples = [sample_from_seed(1, &[4, 1, 16]), sample_from_seed(seed, &[2, 4, 2])];
            let [(zero_finding, ..), (shifted_finding, ..)] =
                [zero_samples, shifted_samples].map(|samples| compare(&samples[0], &samples[1], QUESTION));
            assert_eq!(zero_finding.values, [Some(6.0), Some(5.0 / 3.0)]);
            assert_eq!(zero_finding.effect, shifted_finding.effect);
            let ((spread, is_shifted, ranks), shifted_detail) =
                (score_detail(&zero_finding), score_detail(&shifted_finding));
            assert!(is_shifted);
            assert_eq!((spread, false, ranks), shifted_detail);
        }
    }
}
