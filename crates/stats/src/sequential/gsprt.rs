//! The generalized sequential probability ratio test (GSPRT) for strengths: how much better one
//! expected score explains wins, draws and losses, or pairs of games, than another does. The
//! hypotheses say nothing of how often draws occur: for each, the rate of draws is taken that fits
//! it best.
//!
//! After Michel Van den Bergh's notes on the test as chess engines use it (fishtest, 2020); the
//! bounds are Wald's. It is the large-sample form of an exact test, and on its first few trials it
//! errs: see [`LEAST_DISCORDANT`].

use std::f64::consts::SQRT_2;

use serde::{Deserialize, Serialize};

use super::super::elo::{NORMALIZED_UNIT, share_of_elo};

/// The count that stands for none, so that no logarithm is infinite.
const EMPTY_CELL: f64 = 1e-3;

/// The trials that must have differed (have ended in another cell than the middle one) before the
/// first look.
///
/// Measured as `benches/sequential.rs` does, looking after every block, with bounds for errors of 5
/// %, scores of 0.5 against 0.51 and 0.55, 20 000 runs each (standard error 0.15 %), 5 000 (0.3 %)
/// for 0.51 with 30 % and more. Where 30 or 50 % of the blocks differ, the test errs in 4.5 to 5.3
/// % of the runs whenever the first look is. Where few do, so that the better score takes a fifth
/// and more of them beyond an even share, a streak at the start counts for more than it should: up
/// to 5.8 % of the runs err where 12 to 15 % differ (0.55), up to 6.1 % where 3 % do (0.51). With
/// the first look after 8 that differ these stay below 5.1 %, after 12 below 5.0 %, after 20 below
/// 4.8 %. No single number of blocks would serve everywhere: it would be 50 for the one and 300 for
/// the other.
///
/// So two that never differ are never found to be equals: a limit of trials has to end their run.
pub const LEAST_DISCORDANT: u64 = 12;

/// The meaning of a difference in Elo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// An expected score: 1 / (1 + 10^(-Elo / 400)).
    #[default]
    Logistic,
    /// An expected score beyond 1/2, in standard deviations of one game: by it the number of games
    /// needed does not depend on how many are drawn.
    #[serde(rename = "normalised", alias = "normalized")]
    Normalized,
}

/// The log-likelihood ratio of a difference of `elo1` to one of `elo0`, by counts of losses, draws
/// and wins (N = 3), or of pairs of games by their points, from none to two by halves (N = 5). 0
/// without trials.
///
/// A strength that no shares of the cells can have (many thousand points) explains nothing, and the
/// ratio is 0 then.
pub fn elo_ratio<const N: usize>(counts: [u64; N], elo0: f64, elo1: f64, model: Model) -> f64 {
    let shares = Shares::of(counts);
    match model {
        Model::Logistic => shares.score_ratio(share_of_elo(elo0), share_of_elo(elo1)),
        Model::Normalized => {
            shares.deviations_ratio(deviations_of_elo::<N>(elo0), deviations_of_elo::<N>(elo1))
        }
    }
}

/// By how many standard deviations of a trial the expected score of a player lies beyond 1/2 that
/// is stronger by this much normalized Elo. Two games vary by half as much as one, on the average
/// of both.
pub(super) fn deviations_of_elo<const N: usize>(elo: f64) -> f64 {
    let pairing = if N == 5 { SQRT_2 } else { 1.0 };
    elo / NORMALIZED_UNIT * pairing
}

/// The log-likelihood ratio of two expected scores, by counts as [`elo_ratio`] takes them.
///
/// # Panics
/// If a score is not between 0 and 1.
pub fn score_ratio<const N: usize>(counts: [u64; N], score0: f64, score1: f64) -> f64 {
    for score in [score0, score1] {
        assert!(score > 0.0 && score < 1.0, "an expected score of {score}");
    }
    Shares::of(counts).score_ratio(score0, score1)
}

/// The results that are counted, the worst first.
pub(crate) struct Cells<const N: usize>;

impl<const N: usize> Cells<N> {
    /// The score of each: from 0 to 1 by equal steps.
    pub(crate) const SCORES: [f64; N] = {
        assert!(N == 3 || N == 5, "three results of a game, or five of a pair of games");
        let mut scores = [0.0; N];
        let mut cell = 0;
        while cell < N {
            scores[cell] = cell as f64 / (N - 1) as f64;
            cell += 1;
        }
        scores
    };
}

/// Mean and variance of the score of a trial, which ends in each cell with these probabilities.
pub(super) fn moments<const N: usize>(parts: &[f64; N]) -> (f64, f64) {
    let over_cells = |of: &dyn Fn(f64) -> f64| {
        Cells::<N>::SCORES.iter().zip(parts).map(|(&cell, part)| part * of(cell)).sum()
    };
    let mean = over_cells(&|cell| cell);
    (mean, over_cells(&|cell| (cell - mean) * (cell - mean)))
}

/// The part of the trials that ended in each cell.
struct Shares<const N: usize> {
    trials: f64,
    parts: [f64; N],
}

impl<const N: usize> Shares<N> {
    fn of(counts: [u64; N]) -> Shares<N> {
        if counts == [0; N] {
            return Shares { trials: 0.0, parts: [1.0 / N as f64; N] };
        }
        let counts = counts.map(|count| if count == 0 { EMPTY_CELL } else { count as f64 });
        let trials = counts.iter().sum();
        Shares { trials, parts: counts.map(|count| count / trials) }
    }

    fn score_ratio(&self, score0: f64, score1: f64) -> f64 {
        let explained =
            |score: f64| self.explained(&Cells::<N>::SCORES.map(|cell| cell - score)).unwrap_or([0.0; N]);
        self.ratio(explained(score0), explained(score1))
    }

    fn deviations_ratio(&self, deviations0: f64, deviations1: f64) -> f64 {
        match (self.explained_by_deviations(deviations0), self.explained_by_deviations(deviations1)) {
            (Some(null), Some(alternative)) => self.ratio(null, alternative),
            _ => 0.0,
        }
    }

    /// The log-likelihood ratio, from the logarithms of the divisors of two hypotheses: see
    /// `explained`.
    fn ratio(&self, null: [f64; N], alternative: [f64; N]) -> f64 {
        let sum = (0..N).map(|cell| self.parts[cell] * (null[cell] - alternative[cell])).sum::<f64>();
        self.trials * sum
    }

    /// The maximum likelihood under the condition that `off` is 0 on average. The shares that reach
    /// it are those observed, each divided by 1 + θ off (Owen, Empirical Likelihood, 2001); these
    /// are the logarithms of the divisors. None if `off` is never above or never below 0.
    fn explained(&self, off: &[f64; N]) -> Option<[f64; N]> {
        let least = off.iter().copied().fold(f64::INFINITY, f64::min);
        let most = off.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(least < 0.0 && most > 0.0) {
            return None;
        }
        let balance = |theta: f64| {
            let terms = self.parts.iter().zip(off).map(|(part, off)| {
                let divided = off / (1.0 + theta * off);
                (part * divided, part * divided * divided)
            });
            terms.fold((0.0, 0.0), |(sum, slope), (value, square)| (sum + value, slope + square))
        };
        // Newton's method for a function that falls from infinity to minus infinity between the
        // poles; where a step leaves what is known to hold the solution, half of that instead.
        let poles = (-1.0 / most, -1.0 / least);
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
            // Each step squares the error, which is gone after this one.
            let last = step.abs() <= 1e-9 * (theta - poles.0).min(poles.1 - theta);
            theta = if last || (next > low && next < high) { next } else { f64::midpoint(low, high) };
            if last {
                break;
            }
        }
        Some(off.map(|off| (theta * off).ln_1p()))
    }

    /// The same among those shares whose mean lies `deviations` standard deviations above 1/2. No
    /// condition on averages describes these; so mean and deviation are taken from the last
    /// solution, until they stay.
    fn explained_by_deviations(&self, deviations: f64) -> Option<[f64; N]> {
        let (mut mean, mut variance) = moments(&[1.0 / N as f64; N]);
        let mut explained = [0.0; N];
        for _ in 0..200 {
            let deviation = variance.sqrt();
            let off = Cells::<N>::SCORES.map(|cell| {
                let distance = (cell - mean) / deviation;
                cell - 0.5 - 0.5 * deviations * deviation * (1.0 + distance * distance)
            });
            explained = self.explained(&off)?;
            let parts: [f64; N] = std::array::from_fn(|cell| self.parts[cell] * (-explained[cell]).exp());
            let (next_mean, next_variance) = moments(&parts);
            let settled = (next_mean - mean).abs() + (next_variance - variance).abs() <= 1e-15;
            (mean, variance) = (next_mean, next_variance);
            if settled {
                break;
            }
        }
        Some(explained).filter(|logs| logs.iter().all(|log| log.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_says_nothing() {
        for model in [Model::Logistic, Model::Normalized] {
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
                    let (ahead, behind) = ([losses, draws, wins], [wins, draws, losses]);
                    for (elo0, elo1) in [(0.0, 5.0), (-3.0, 3.0), (0.0, 400.0), (-800.0, 10.0)] {
                        for model in [Model::Logistic, Model::Normalized] {
                            let ratio = elo_ratio(ahead, elo0, elo1, model);
                            assert!(ratio.is_finite(), "{ahead:?}, {elo0}, {elo1}, {model:?}");
                            let back = elo_ratio(behind, -elo0, -elo1, model);
                            assert!(
                                close(ratio, back),
                                "{ahead:?}, {elo0}, {elo1}, {model:?}: {ratio}, {back}"
                            );
                        }
                        let scores = score_ratio(ahead, share_of_elo(elo0), share_of_elo(elo1));
                        assert_eq!(scores, elo_ratio(ahead, elo0, elo1, Model::Logistic));
                    }
                }
            }
        }
    }

    #[test]
    fn without_draws_it_is_walds() {
        // But for the thousandth that stands for no draws.
        let wald = 613.0 * (0.65_f64 / 0.6).ln() + 387.0 * (0.35_f64 / 0.4).ln();
        assert!((score_ratio([387, 0, 613], 0.6, 0.65) - wald).abs() < 1e-3);
    }
}
