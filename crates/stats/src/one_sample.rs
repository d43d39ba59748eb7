//! Tests of one sample against an external number: a rate, a mean, or a median.
//!
//! If that number comes from trials, it has an error, too. Published means and medians come without
//! a spread, so the spread of the sample is used for both.

use super::bisection::bisect_integer;
use super::histogram::Histogram;
use super::special::{Binomial, student_beyond, two_sided_student};

/// Returns the p of the exact test that trials succeed at this rate: twice the smaller binomial
/// tail, at most 1.
///
/// # Panics
/// If the rate is not within 0 and 1.
pub fn rate_p(successes: u64, trials: u64, rate: f64) -> f64 {
    let at_most = Binomial::new(trials, rate).cdf(successes);
    let at_least = Binomial::new(trials, 1.0 - rate).cdf(trials - successes);
    (2.0 * at_most.min(at_least)).min(1.0)
}

/// Returns the upper bound of a rate without any success in `trials` trials, after Clopper and
/// Pearson (1934): the highest rate at which that has probability `risk`.
///
/// # Panics
/// If the risk is not between 0 and 1.
pub fn upper_bound_without_success(trials: u64, risk: f64) -> f64 {
    assert!(risk > 0.0 && risk < 1.0, "a risk of {risk}");
    if trials == 0 { 1.0 } else { -libm::expm1(libm::log(risk) / trials as f64) }
}

/// Mean and standard deviation of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleMoments {
    /// Number of values, at least 2.
    pub count: u64,
    /// Mean of the values.
    pub value: f64,
    /// Standard deviation of the values.
    pub deviation: f64,
}

impl SampleMoments {
    /// Computes the mean and spread; `None` for fewer than two values, which have no spread.
    pub fn new(values: &Histogram) -> Option<SampleMoments> {
        let count = values.count();
        let (value, variance) = values.mean_and_variance().filter(|_| count > 1)?;
        Some(SampleMoments { count, value, deviation: variance.sqrt() })
    }

    fn degrees(self) -> f64 {
        self.count as f64 - 1.0
    }

    /// Returns Student's interval at this level.
    pub fn interval(self, level: f64) -> (f64, f64) {
        let half_width =
            two_sided_student(level, self.degrees()) * self.deviation / (self.count as f64).sqrt();
        (self.value - half_width, self.value + half_width)
    }

    /// Returns the p of Student's test that this number is the true mean, or is the mean of
    /// `others` values with equal spread.
    pub fn p(self, number: f64, others: Option<u64>) -> f64 {
        let distance = (self.value - number).abs();
        let parts = 1.0 / self.count as f64 + others.map_or(0.0, |others| 1.0 / others as f64);
        let error = self.deviation * parts.sqrt();
        if distance == 0.0 {
            1.0
        } else if error == 0.0 {
            0.0
        } else {
            student_beyond(distance / error, self.degrees())
        }
    }
}

/// Returns the ranks, from 0, of the values that bound the median at this level, by inverting the
/// sign test. `None` if there are too few values for the level.
///
/// # Panics
/// If the level is not between 0 and 1.
pub fn median_ranks(count: u64, level: f64) -> Option<(u64, u64)> {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    let tail = (1.0 - level) / 2.0;
    let coin = Binomial::new(count, 0.5);
    let is_outside = |rank: u64| coin.cdf(rank) <= tail;
    if count == 0 || !is_outside(0) {
        return None;
    }
    let (_, outside_rank) = bisect_integer(count / 2, 0, is_outside);
    Some((outside_rank, count - 1 - outside_rank))
}

/// Returns the p of the hypothesis that a number is the median of a distribution, given how many
/// values are below and equal to it. This is the sign test, or Mathisen's test (1943) if the number
/// is the median of other values. Equal values count on the more cautious side.
///
/// # Panics
/// If more values are below the number, or equal to it, than there are.
pub fn median_p(below: u64, equal: u64, count: u64, others: Option<u64>) -> f64 {
    assert!(below + equal <= count, "{below} values below and {equal} equal exceed the {count} values");
    // Both distributions are symmetric.
    let at_most = |values: u64| match others {
        None => Binomial::new(count, 0.5).cdf(values),
        Some(others) => below_median_at_most(values, count, others),
    };
    (2.0 * at_most(below + equal).min(at_most(count - below))).min(1.0)
}

/// Returns the probability that at most `values` of `count` values are below the median of others
/// from the same distribution. It is beta-binomial, and both parameters are (others + 1) / 2.
fn below_median_at_most(values: u64, count: u64, others: u64) -> f64 {
    let half = (others as f64 + 1.0) / 2.0;
    let n = count as f64;
    // Ratio of consecutive probabilities.
    let growth = |x: f64| (n - x) * (x + half) / ((x + 1.0) * (n - x - 1.0 + half));
    // Relative to the middle, to avoid overflow and underflow.
    let middle = count / 2;
    let (mut weight, mut total, mut tail) = (1.0, 1.0, f64::from(u8::from(middle <= values)));
    for x in middle..count {
        weight *= growth(x as f64);
        total += weight;
        tail += if x < values { weight } else { 0.0 };
    }
    weight = 1.0;
    for x in (0..middle).rev() {
        weight /= growth(x as f64);
        total += weight;
        tail += if x <= values { weight } else { 0.0 };
    }
    tail / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(got: f64, expected: f64) {
        assert!((got / expected - 1.0).abs() < 1e-9, "{got} is not {expected}");
    }

    #[test]
    fn a_rate_is_tested_exactly() {
        // 2 or more of 10 at 11 %: 1 - 0.89^10 - 10 * 0.11 * 0.89^9.
        let two_or_more = 1.0 - 0.89_f64.powi(10) - 1.1 * 0.89_f64.powi(9);
        assert!((0.29..0.31).contains(&two_or_more));
        assert_close(rate_p(2, 10, 0.11), 2.0 * two_or_more);
        assert_close(rate_p(0, 22, 0.1), 2.0 * 0.9_f64.powi(22));
        assert_close(rate_p(22, 22, 0.9), 2.0 * 0.9_f64.powi(22));
        assert_eq!([rate_p(5, 10, 0.5), rate_p(0, 10, 0.0), rate_p(10, 10, 1.0)], [1.0; 3]);
        assert_eq!([rate_p(1, 10, 0.0), rate_p(9, 10, 1.0), rate_p(0, 0, 0.3)], [0.0, 0.0, 1.0]);
    }

    #[test]
    fn what_was_never_seen_is_rare() {
        let rate = upper_bound_without_success(600, 0.025);
        assert!((0.00612..0.00613).contains(&rate), "{rate}");
        assert_close((1.0 - rate).powi(600), 0.025);
        assert_eq!(upper_bound_without_success(0, 0.025), 1.0);
        assert_close(upper_bound_without_success(1, 0.025), 0.975);
    }

    #[test]
    fn a_mean_is_tested_with_the_spread_of_both() {
        let values: Histogram = [10, 15, 11, 19].into_iter().collect();
        let mean = SampleMoments::new(&values).expect("four values");
        let expected = values.mean(0.95).expect("four values");
        let (low, high) = mean.interval(0.95);
        assert_close(low, expected.low);
        assert_close(high, expected.high);
        // At the end of the interval p is one minus its level; if the number has an error, too, it
        // may be further away.
        assert_close(mean.p(high, None), 0.05);
        assert!(mean.p(high, Some(4)) > 0.1);
        assert_close(mean.p(mean.value + (high - mean.value) * 2.0_f64.sqrt(), Some(4)), 0.05);
        assert_eq!(mean.p(mean.value, Some(1)), 1.0);
        assert_eq!(SampleMoments::new(&[7].into_iter().collect()), None);
        let equal = SampleMoments::new(&[7, 7].into_iter().collect()).expect("two values");
        assert_eq!([equal.p(7.0, None), equal.p(8.0, None)], [1.0, 0.0]);
    }

    #[test]
    fn a_median_lies_between_ranks() {
        // The textbook's table for 95 %: of 6 values the first and last, of 20 the 6th and 15th, of
        // 100 the 40th and 61st.
        assert_eq!(median_ranks(5, 0.95), None);
        assert_eq!(median_ranks(6, 0.95), Some((0, 5)));
        assert_eq!(median_ranks(20, 0.95), Some((5, 14)));
        assert_eq!(median_ranks(100, 0.95), Some((39, 60)));
    }

    #[test]
    fn a_median_is_tested_by_signs() {
        assert_close(median_p(0, 0, 6, None), 2.0 / 64.0);
        assert_close(median_p(6, 0, 6, None), 2.0 / 64.0);
        assert_close(median_p(1, 0, 6, None), 2.0 * 7.0 / 64.0);
        assert_close(median_p(0, 1, 6, None), 2.0 * 7.0 / 64.0);
        assert_eq!(median_p(3, 0, 6, None), 1.0);
        // Against one other value, all counts of values below it are equally likely.
        assert_close(median_p(0, 0, 19, Some(1)), 2.0 / 20.0);
        // Against the middle of three: 4! orders of one value and these; of two values both are
        // below it in 6 of 20.
        assert_close(median_p(0, 0, 1, Some(3)), 1.0);
        assert_close(below_median_at_most(0, 2, 3), 0.3);
        // The median of many others is known exactly.
        let (many_others, known_median) =
            (median_p(30, 0, 100, Some(1_000_000_000)), median_p(30, 0, 100, None));
        assert!((many_others / known_median - 1.0).abs() < 1e-5, "{many_others}, {known_median}");
        assert!(median_p(400_000, 0, 1_000_000, Some(10)) > 0.3);
    }
}
