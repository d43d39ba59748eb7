//! Generalized sequential probability ratio test (GSPRT) of strength. It measures how much better
//! one expected score than another explains wins, draws and losses, or pairs of games. The
//! hypotheses do not fix the draw rate: for each, the best-fitting draw rate is used.
//!
//! After Michel Van den Bergh's notes on the test in chess engine development (fishtest, 2020); the
//! bounds are Wald's. It is the large-sample form of an exact test, and is inaccurate on its first
//! few trials: see [`MIN_DISCORDANT`].

use std::f64::consts::SQRT_2;

use serde::{Deserialize, Serialize};

use super::super::elo::{NORMALIZED_UNIT, share_of_elo};

/// Count used in place of 0, so that no logarithm is infinite.
const EMPTY_CELL: f64 = 1e-3;

/// Minimum number of discordant trials (ended in another cell than the middle one) before the first
/// decision.
///
/// It was measured by `cargo bench --bench verdicts -- stopping`. The test decides after every
/// block, with bounds for errors of 5 %, between a score of 0.5 and one of 0.51 or 0.55. Each case
/// has 20,000 runs (standard error 0.15 %), and 5,000 (0.3 %) for 0.51 if 30 % or more of the
/// blocks differ.
///
/// If 30 or 50 % of the blocks differ, the test errs in 4.5 to 5.3 % of the runs, regardless of the
/// first decision. If few differ, so that the better score wins at least a fifth of them beyond an
/// even share, a streak at the start counts too much. Up to 5.8 % of the runs err if 12 to 15 %
/// differ (0.55), and up to 6.1 % if 3 % differ (0.51). If the first decision is after 8 discordant
/// trials, errors stay below 5.1 %; after 12, below 5.0 %; after 20, below 4.8 %. No single number
/// of blocks suits all cases: it would be 50 for 0.55 and 300 for 0.51.
///
/// As a consequence, two players that never differ are never found equal. Only a limit on trials
/// ends their run.
pub const MIN_DISCORDANT: u64 = 12;

/// Scale of an Elo difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EloScale {
    /// Expected score 1 / (1 + 10^(-Elo / 400)).
    #[default]
    Logistic,
    /// Expected score minus 1/2, in standard deviations of one game. On this scale the number of
    /// games needed does not depend on the draw rate.
    #[serde(rename = "normalised", alias = "normalized")]
    Normalized,
}

/// Returns the log-likelihood ratio of a difference of `elo1` to one of `elo0`. `counts` are
/// losses, draws and wins (N = 3), or pairs of games by their points, 0 to 2 by halves (N = 5). 0
/// without trials.
///
/// A strength that no cell probabilities can have (many thousand points) explains nothing; then the
/// ratio is 0.
pub fn elo_ratio<const N: usize>(counts: [u64; N], elo0: f64, elo1: f64, model: EloScale) -> f64 {
    let shares = Shares::new(counts);
    match model {
        EloScale::Logistic => shares.score_ratio(share_of_elo(elo0), share_of_elo(elo1)),
        EloScale::Normalized => {
            shares.deviations_ratio(deviations_of_elo::<N>(elo0), deviations_of_elo::<N>(elo1))
        }
    }
}

/// Returns the standard deviations of a trial by which the expected score exceeds 1/2, for a player
/// stronger by this normalized Elo. The mean of two games has half the variance of one.
pub(super) fn deviations_of_elo<const N: usize>(elo: f64) -> f64 {
    let pairing = if N == 5 { SQRT_2 } else { 1.0 };
    elo / NORMALIZED_UNIT * pairing
}

/// Returns the log-likelihood ratio of two expected scores, from counts as in [`elo_ratio`].
///
/// # Panics
/// If a score is not between 0 and 1.
pub fn score_ratio<const N: usize>(counts: [u64; N], score0: f64, score1: f64) -> f64 {
    for score in [score0, score1] {
        assert!(score > 0.0 && score < 1.0, "an expected score of {score}");
    }
    Shares::new(counts).score_ratio(score0, score1)
}

/// Possible results of a trial, worst first.
pub(crate) struct OutcomeSpace<const N: usize>;

impl<const N: usize> OutcomeSpace<N> {
    /// Score of each cell, from 0 to 1 by equal steps.
    pub(crate) const SCORES: [f64; N] = {
        assert!(N == 3 || N == 5, "expected three results of a game, or five of a pair of games");
        let mut scores = [0.0; N];
        let mut cell = 0;
        while cell < N {
            scores[cell] = cell as f64 / (N - 1) as f64;
            cell += 1;
        }
        scores
    };
}

/// Returns mean and variance of the score of a trial with these cell probabilities.
pub(super) fn moments<const N: usize>(probabilities: &[f64; N]) -> (f64, f64) {
    let mean_over_cells = |function: &dyn Fn(f64) -> f64| {
        OutcomeSpace::<N>::SCORES.iter().zip(probabilities).map(|(&cell, part)| part * function(cell)).sum()
    };
    let mean = mean_over_cells(&|cell| cell);
    (mean, mean_over_cells(&|cell| (cell - mean) * (cell - mean)))
}

/// Proportion of trials that ended in each cell.
struct Shares<const N: usize> {
    trials: f64,
    proportions: [f64; N],
}

impl<const N: usize> Shares<N> {
    fn new(counts: [u64; N]) -> Shares<N> {
        if counts == [0; N] {
            return Shares { trials: 0.0, proportions: [1.0 / N as f64; N] };
        }
        let counts = counts.map(|count| if count == 0 { EMPTY_CELL } else { count as f64 });
        let trials = counts.iter().sum();
        Shares { trials, proportions: counts.map(|count| count / trials) }
    }

    fn score_ratio(&self, score0: f64, score1: f64) -> f64 {
        let fit_score = |score: f64| {
            self.fit_mean(&OutcomeSpace::<N>::SCORES.map(|cell| cell - score)).unwrap_or([0.0; N])
        };
        self.ratio(fit_score(score0), fit_score(score1))
    }

    fn deviations_ratio(&self, deviations0: f64, deviations1: f64) -> f64 {
        match (self.fit_deviations(deviations0), self.fit_deviations(deviations1)) {
            (Some(null), Some(alternative)) => self.ratio(null, alternative),
            _ => 0.0,
        }
    }

    /// Returns the log-likelihood ratio, from the logarithms of the divisors of two hypotheses: see
    /// `explained`.
    fn ratio(&self, null: [f64; N], alternative: [f64; N]) -> f64 {
        let sum = (0..N).map(|cell| self.proportions[cell] * (null[cell] - alternative[cell])).sum::<f64>();
        self.trials * sum
    }

    /// Maximizes the likelihood under the condition that the mean of `offsets` is 0. The maximizing
    /// proportions are the observed ones, each divided by 1 + θ off (Owen, Empirical Likelihood,
    /// 2001). Returns the logarithms of the divisors. `None` if `offsets` never exceeds 0, or is
    /// never below it.
    fn fit_mean(&self, offsets: &[f64; N]) -> Option<[f64; N]> {
        let min_offset = offsets.iter().copied().fold(f64::INFINITY, f64::min);
        let max_offset = offsets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(min_offset < 0.0 && max_offset > 0.0) {
            return None;
        }
        let balance = |theta: f64| {
            let terms = self.proportions.iter().zip(offsets).map(|(part, offset)| {
                let divided = offset / (1.0 + theta * offset);
                (part * divided, part * divided * divided)
            });
            terms.fold((0.0, 0.0), |(sum, slope), (value, square)| (sum + value, slope + square))
        };
        // Newton's method for a function that falls from infinity to minus infinity between the
        // poles. If a step leaves the bracket of the solution, bisect instead.
        let poles = (-1.0 / max_offset, -1.0 / min_offset);
        let (mut low, mut high) = poles;
        let mut theta = 0.0;
        for _ in 0..200 {
            let (sum, slope) = balance(theta);
            if sum > 0.0 {
                low = theta;
            } else {
                high = theta;
            }
            let step = sum / slope;
            let next = theta + step;
            // Each step squares the error, which is negligible after this one.
            let is_last = step.abs() <= 1e-9 * (theta - poles.0).min(poles.1 - theta);
            theta = if is_last || (next > low && next < high) { next } else { f64::midpoint(low, high) };
            if is_last {
                break;
            }
        }
        Some(offsets.map(|offset| (theta * offset).ln_1p()))
    }

    /// Maximizes the likelihood among proportions whose mean is `deviations` standard deviations
    /// above 1/2. This is no linear condition, so mean and deviation are taken from the previous
    /// solution until they converge.
    fn fit_deviations(&self, deviations: f64) -> Option<[f64; N]> {
        let (mut mean, mut variance) = moments(&[1.0 / N as f64; N]);
        let mut log_divisors = [0.0; N];
        for _ in 0..200 {
            let deviation = variance.sqrt();
            let offsets = OutcomeSpace::<N>::SCORES.map(|cell| {
                let distance = (cell - mean) / deviation;
                cell - 0.5 - 0.5 * deviations * deviation * (1.0 + distance * distance)
            });
            log_divisors = self.fit_mean(&offsets)?;
            let probabilities: [f64; N] =
                std::array::from_fn(|cell| self.proportions[cell] * (-log_divisors[cell]).exp());
            let (next_mean, next_variance) = moments(&probabilities);
            let has_converged = (next_mean - mean).abs() + (next_variance - variance).abs() <= 1e-15;
            (mean, variance) = (next_mean, next_variance);
            if has_converged {
                break;
            }
        }
        Some(log_divisors).filter(|logs| logs.iter().all(|log| log.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_says_nothing() {
        for model in [EloScale::Logistic, EloScale::Normalized] {
            assert_eq!(elo_ratio([0; 3], 0.0, 5.0, model), 0.0);
            assert_eq!(elo_ratio([0; 5], 0.0, 5.0, model), 0.0);
            assert_eq!(elo_ratio([7, 2, 9], 5.0, 5.0, model), 0.0);
        }
        assert_eq!(score_ratio([0; 3], 0.5, 0.6), 0.0);
    }

    #[test]
    fn always_a_number_and_turned_around_the_same() {
        let counts = [0, 1, 5, 1_000_000];
        let close = |one: f64, other: f64| (one - other).abs() <= 1e-9 * one.abs().max(1.0);
        for losses in counts {
            for draws in counts {
                for wins in counts {
                    let (original, swapped) = ([losses, draws, wins], [wins, draws, losses]);
                    for (elo0, elo1) in [(0.0, 5.0), (-3.0, 3.0), (0.0, 400.0), (-800.0, 10.0)] {
                        for model in [EloScale::Logistic, EloScale::Normalized] {
                            let ratio = elo_ratio(original, elo0, elo1, model);
                            assert!(ratio.is_finite(), "{original:?}, {elo0}, {elo1}, {model:?}");
                            let swapped_ratio = elo_ratio(swapped, -elo0, -elo1, model);
                            assert!(
                                close(ratio, swapped_ratio),
                                "{original:?}, {elo0}, {elo1}, {model:?}: {ratio}, {swapped_ratio}"
                            );
                        }
                        let scores = score_ratio(original, share_of_elo(elo0), share_of_elo(elo1));
                        assert_eq!(scores, elo_ratio(original, elo0, elo1, EloScale::Logistic));
                    }
                }
            }
        }
    }

    #[test]
    fn without_draws_it_is_walds() {
        // The small difference comes from the thousandth that replaces a count of no draws.
        let wald = 613.0 * (0.65_f64 / 0.6).ln() + 387.0 * (0.35_f64 / 0.4).ln();
        assert!((score_ratio([387, 0, 613], 0.6, 0.65) - wald).abs() < 1e-3);
    }
}
