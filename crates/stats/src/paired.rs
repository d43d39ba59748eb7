//! Comparisons of two players on common trials: by success, or by amount.

use super::estimate::Estimate;
use super::interval::{difference, wilson};
use super::special::{Binomial, student_beyond, two_sided_student};

/// Paired outcomes as a two-by-two table of counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContingencyTable {
    /// Trials in which both succeeded.
    pub both: u64,
    /// Trials in which only the first succeeded.
    pub only_first: u64,
    /// Trials in which only the second succeeded.
    pub only_second: u64,
    /// Trials in which both failed.
    pub neither: u64,
}

impl ContingencyTable {
    /// Counts a trial.
    pub fn add(&mut self, first: bool, second: bool) {
        *match (first, second) {
            (true, true) => &mut self.both,
            (true, false) => &mut self.only_first,
            (false, true) => &mut self.only_second,
            (false, false) => &mut self.neither,
        } += 1;
    }

    /// Returns the number of trials.
    pub fn trials(self) -> u64 {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// Returns the number of discordant trials, which alone show who is better.
    pub fn discordant(self) -> u64 {
        self.only_first + self.only_second
    }

    /// Returns the exact two-sided p of McNemar's test (1947): the probability that two equal
    /// players split the discordant trials at least as unevenly. 1 if there are none.
    pub fn mcnemar(self) -> f64 {
        let lesser = self.only_first.min(self.only_second);
        (2.0 * Binomial::new(self.discordant(), 0.5).cdf(lesser)).min(1.0)
    }

    /// Returns the difference of the two rates after Newcombe (1998), method 10 for paired data: as
    /// for independent samples, reduced by their correlation. `None` without trials.
    ///
    /// # Panics
    /// If the level is not between 0 and 1.
    pub fn difference(self, level: f64) -> Option<Estimate> {
        let trials = self.trials();
        let first = wilson(self.both + self.only_first, trials, level)?;
        let second = wilson(self.both + self.only_second, trials, level)?;
        let value = (self.only_first as f64 - self.only_second as f64) / trials as f64;
        Some(difference(value, first, second, self.corrected_phi()))
    }

    /// Returns the correlation of the two outcomes, the coefficient phi, from -1 to 1. `None` if
    /// one of the two always succeeds or always fails.
    pub fn correlation(self) -> Option<f64> {
        Some((self.agreement() / self.margins()?).clamp(-1.0, 1.0))
    }

    /// Returns phi with Newcombe's correction, which subtracts half a trial from a positive
    /// agreement; 0 if phi is undefined.
    fn corrected_phi(self) -> f64 {
        let Some(margins) = self.margins() else { return 0.0 };
        let agreement = self.agreement();
        let half = self.trials() as f64 / 2.0;
        if agreement > 0.0 { (agreement - half).max(0.0) / margins } else { agreement / margins }
    }

    /// Returns the difference of the diagonal products of the table: the numerator of phi.
    fn agreement(self) -> f64 {
        let product = |one: u64, other: u64| i128::from(one) * i128::from(other);
        (product(self.both, self.neither) - product(self.only_first, self.only_second)) as f64
    }

    /// Returns the denominator of phi: the square root of the product of the four margins. `None`
    /// if it is zero.
    fn margins(self) -> Option<f64> {
        let root = |successes: u64, failures: u64| (successes as f64).sqrt() * (failures as f64).sqrt();
        let first = root(self.both + self.only_first, self.only_second + self.neither);
        let second = root(self.both + self.only_second, self.only_first + self.neither);
        Some(first * second).filter(|&product| product > 0.0)
    }
}

/// Ratio of two geometric means: how many times as much one gets as the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanRatio {
    /// Ratio with Student's bounds.
    pub estimate: Estimate,
    /// Two-sided p of the t-test that the ratio is 1.
    pub p: f64,
    /// Standard deviation of the logarithm of the ratio per trial.
    pub spread: f64,
}

/// Mean logarithm of a ratio, from which the ratio follows at every level without the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanLogRatio {
    mean: f64,
    /// Standard error of the mean.
    error: f64,
    /// Degrees of freedom of the error.
    degrees: f64,
    /// Standard deviation of the logarithm per trial.
    spread: f64,
}

impl MeanLogRatio {
    /// Returns the mean logarithm of the ratio of the first to the second in each pair. Ratios of
    /// amounts are distributed more evenly than differences, and luck common to both cancels out.
    /// `None` for fewer than two pairs.
    ///
    /// # Panics
    /// If a value is not above 0.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (f64, f64), IntoIter: Clone>) -> Option<MeanLogRatio> {
        let logs = pairs.into_iter().map(|(first, second)| {
            assert!(first > 0.0 && second > 0.0, "values {first} and {second} must be above 0");
            (first / second).ln()
        });
        let logs = Moments::new(logs);
        let count = logs.count as f64;
        let error = (logs.variance / count).sqrt();
        let (degrees, spread) = (count - 1.0, logs.variance.sqrt());
        (logs.count >= 2).then_some(MeanLogRatio { mean: logs.mean, error, degrees, spread })
    }

    /// Returns the difference of mean logarithms of two independent samples, with the error and the
    /// degrees of freedom of Welch (1947). `None` if a sample has fewer than two values.
    ///
    /// # Panics
    /// If a value is not above 0.
    pub fn from_samples(
        first: impl IntoIterator<Item = f64, IntoIter: Clone>,
        second: impl IntoIterator<Item = f64, IntoIter: Clone>,
    ) -> Option<MeanLogRatio> {
        let log = |value: f64| {
            assert!(value > 0.0, "{value} has no logarithm");
            value.ln()
        };
        let first = Moments::new(first.into_iter().map(log));
        let second = Moments::new(second.into_iter().map(log));
        if first.count < 2 || second.count < 2 {
            return None;
        }
        let (one, other) = (first.variance / first.count as f64, second.variance / second.count as f64);
        let degrees = |share: f64, count: u64| share * share / (count as f64 - 1.0);
        let sum = one + other;
        // As shares of the sum, because the squares of small variances underflow.
        let degrees = 1.0 / (degrees(one / sum, first.count) + degrees(other / sum, second.count));
        let spread = (first.variance + second.variance).sqrt();
        Some(MeanLogRatio { mean: first.mean - second.mean, error: sum.sqrt(), degrees, spread })
    }

    /// Returns the ratio with Student's bounds at this level.
    ///
    /// # Panics
    /// If the level is not between 0 and 1.
    pub fn ratio(self, level: f64) -> MeanRatio {
        let MeanLogRatio { mean, error, degrees, spread } = self;
        let half_width = if error > 0.0 {
            two_sided_student(level, degrees) * error
        } else {
            assert!(level > 0.0 && level < 1.0, "a level of {level}");
            0.0
        };
        let (value, p) = self.test();
        let (low, high) = (exp_saturating(mean - half_width), exp_saturating(mean + half_width));
        MeanRatio { estimate: Estimate { value, low, high, level }, p, spread }
    }

    /// Returns the ratio and the p of its t-test, without bounds, which take most of the time.
    pub fn test(self) -> (f64, f64) {
        let MeanLogRatio { mean, error, degrees, .. } = self;
        let p = match error > 0.0 {
            true => student_beyond(mean / error, degrees),
            false => f64::from(mean == 0.0),
        };
        (exp_saturating(mean), p)
    }
}

/// Returns the exponential of a logarithm; an overflow becomes the largest number.
fn exp_saturating(log: f64) -> f64 {
    log.exp().clamp(f64::MIN_POSITIVE, f64::MAX)
}

/// Mean and variance of some values.
struct Moments {
    count: u64,
    mean: f64,
    variance: f64,
}

/// Number of logarithms that are kept; further ones are computed twice, to save memory.
const MAX_KEPT: usize = 1 << 16;

impl Moments {
    fn new(values: impl Iterator<Item = f64> + Clone) -> Moments {
        let mut rest = values;
        let kept: Vec<f64> = rest.by_ref().take(MAX_KEPT).collect();
        let Some(&origin) = kept.first() else { return Moments { count: 0, mean: 0.0, variance: 0.0 } };
        // Deviations from the first value, so that equal values have a spread of exactly 0.
        let deviations = kept.iter().copied().chain(rest).map(|value| value - origin);
        let add = |(count, sum): (u64, f64), deviation: f64| (count + 1, sum + deviation);
        let (value_count, sum) = deviations.clone().fold((0, 0.0), add);
        let count = value_count as f64;
        let mean_offset = sum / count;
        let squares =
            deviations.map(|deviation| (deviation - mean_offset) * (deviation - mean_offset)).sum::<f64>();
        let variance = if value_count < 2 { 0.0 } else { squares / (count - 1.0) };
        Moments { count: value_count, mean: origin + mean_offset, variance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_trials_and_no_differences() {
        let empty = ContingencyTable::default();
        assert_eq!((empty.trials(), empty.mcnemar()), (0, 1.0));
        assert_eq!((empty.difference(0.95), empty.correlation()), (None, None));
        for (both, neither) in [(1, 0), (0, 1), (1000, 0), (0, 1000), (70, 30), (u64::MAX / 2, 7)] {
            let same = ContingencyTable { both, neither, ..empty };
            assert_eq!(same.mcnemar(), 1.0);
            let Estimate { value, low, high, .. } = same.difference(0.95).unwrap();
            assert!(value == 0.0 && (-1.0..=0.0).contains(&low) && (0.0..=1.0).contains(&high));
            assert!((low + high).abs() < 1e-15);
            assert_eq!(same.correlation().is_none(), both == 0 || neither == 0);
            assert!(same.correlation().is_none_or(|phi| (phi - 1.0).abs() < 1e-9));
        }
    }

    #[test]
    fn a_difference_of_rates_stays_one() {
        let counts = [0, 1, 2, 50, 1_000_000];
        for both in counts {
            for only_first in counts {
                for only_second in counts {
                    for neither in counts {
                        let pairs = ContingencyTable { both, only_first, only_second, neither };
                        let swapped =
                            ContingencyTable { only_first: only_second, only_second: only_first, ..pairs };
                        let Some(Estimate { value, low, high, .. }) = pairs.difference(0.95) else {
                            continue;
                        };
                        assert!(-1.0 <= low && low <= value && value <= high && high <= 1.0, "{pairs:?}");
                        let other = swapped.difference(0.95).unwrap();
                        assert!(
                            (other.low + high).abs() < 1e-12 && (other.high + low).abs() < 1e-12,
                            "{pairs:?}"
                        );
                        assert_eq!(pairs.mcnemar(), swapped.mcnemar());
                        assert!((0.0..=1.0).contains(&pairs.mcnemar()), "{pairs:?}");
                        assert!(
                            pairs.correlation().is_none_or(|phi| (-1.0..=1.0).contains(&phi)),
                            "{pairs:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn pairs_are_counted() {
        let mut pairs = ContingencyTable::default();
        for (first, second) in [(true, false), (true, true), (true, false), (false, false), (false, true)] {
            pairs.add(first, second);
        }
        assert_eq!(pairs, ContingencyTable { both: 1, only_first: 2, only_second: 1, neither: 1 });
        assert_eq!((pairs.trials(), pairs.discordant()), (5, 3));
    }

    #[test]
    fn few_ratios() {
        assert_eq!(MeanLogRatio::from_pairs([]), None);
        assert_eq!(MeanLogRatio::from_pairs([(1.0, 2.0)]), None);
        assert_eq!(MeanLogRatio::from_samples([1.0], [1.0, 2.0]), None);
        assert_eq!(MeanLogRatio::from_samples([], []), None);
        let same = MeanLogRatio::from_pairs([(3.0, 3.0), (7.0, 7.0)]).unwrap().ratio(0.95);
        let one = Estimate { low: 1.0, value: 1.0, high: 1.0, level: 0.95 };
        assert_eq!(same, MeanRatio { estimate: one, p: 1.0, spread: 0.0 });
        let independent = MeanLogRatio::from_samples([2.0, 2.0], [2.0, 2.0, 2.0]).unwrap();
        assert_eq!(independent.ratio(0.95), same);
        for log in [
            MeanLogRatio::from_pairs([(6.0, 3.0), (14.0, 7.0), (1.0, 0.5)]).unwrap(),
            MeanLogRatio::from_samples([2.0, 2.0, 2.0], [1.0, 1.0, 1.0]).unwrap(),
        ] {
            let ratio = log.ratio(0.95);
            assert_eq!((ratio.p, ratio.spread), (0.0, 0.0));
            let Estimate { value, low, high, .. } = ratio.estimate;
            assert!(low == value && high == value && (value - 2.0).abs() < 1e-15);
        }
        // Two contradictory pairs: the bounds are far apart but finite.
        let contradictory = MeanLogRatio::from_pairs([(1e100, 1.0), (1.0, 1e100)]).unwrap().ratio(0.999);
        assert!((contradictory.estimate.value - 1.0).abs() < 1e-12 && (contradictory.p - 1.0).abs() < 1e-9);
        assert!(contradictory.estimate.low > 0.0 && contradictory.estimate.high.is_finite());
    }

    /// Computes mean and variance of a list, in its order.
    fn list_moments(values: &[f64]) -> (u64, f64, f64) {
        let Some(&origin) = values.first() else { return (0, 0.0, 0.0) };
        let count = values.len() as f64;
        let mean_offset = values.iter().map(|value| value - origin).sum::<f64>() / count;
        let square = |value: &f64| (value - origin - mean_offset) * (value - origin - mean_offset);
        let squares = values.iter().map(square).sum::<f64>();
        (values.len() as u64, origin + mean_offset, if count < 2.0 { 0.0 } else { squares / (count - 1.0) })
    }

    #[test]
    fn logarithms_that_are_not_kept_count_alike() {
        for count in [0, 1, 2, 1000, MAX_KEPT - 1, MAX_KEPT, MAX_KEPT + 1, 3 * MAX_KEPT + 7] {
            let values = (0..count).map(|index| (1.0 + (index * 7919 % 10_007) as f64).ln());
            let Moments { count: value_count, mean, variance } = Moments::new(values.clone());
            let expected = list_moments(&values.collect::<Vec<_>>());
            assert_eq!((value_count, mean, variance), expected, "{count}");
        }
    }

    #[test]
    #[should_panic(expected = "must be above 0")]
    fn a_ratio_to_nothing_is_refused() {
        let _ = MeanLogRatio::from_pairs([(1.0, 0.0), (1.0, 1.0)]);
    }

    #[test]
    fn welch_agrees_with_scipy() {
        // SciPy 1.17: ttest_ind of the logarithms, equal_var=False.
        let first = [20480.0, 30720.0, 16384.0, 40960.0, 28000.0, 3000.0];
        let second = [16384.0, 30000.0, 18000.0, 35000.0];
        let got = MeanLogRatio::from_samples(first, second).unwrap().ratio(0.95);
        let expected = [0.28074364251700606, 0.7683892617556755, 2.1030647472121013, 0.5557354397338984];
        for (got, expected) in
            [got.estimate.low, got.estimate.value, got.estimate.high, got.p].into_iter().zip(expected)
        {
            assert!((got - expected).abs() <= 1e-9, "{got} is not {expected}");
        }
    }
}
