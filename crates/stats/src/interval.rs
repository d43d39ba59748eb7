//! Intervals for a rate, for the difference of two rates, and for a mean.

use super::estimate::Estimate;
use super::special;

/// Returns the success rate with Wilson's interval (1927). It stays within 0 and 1, and close to
/// its level even with few or no successes. `None` without trials.
///
/// # Panics
/// If there are more successes than trials, or the level is not between 0 and 1.
pub fn wilson(successes: u64, trials: u64, level: f64) -> Option<Estimate> {
    assert!(successes <= trials, "{successes} successes in {trials} trials");
    let z = special::two_sided_normal(level);
    if trials == 0 {
        return None;
    }
    let value = successes as f64 / trials as f64;
    let low = wilson_low(successes, trials, z).min(value);
    // The failures' lower bound gives the successes' upper bound.
    let high = (1.0 - wilson_low(trials - successes, trials, z)).max(value);
    Some(Estimate { value, low, high, level })
}

/// Returns the difference of two independent rates after Newcombe (1998), method 10: the distances
/// of the Wilson bounds from the rates are combined as the root of the sum of squares. Arguments
/// are (successes, trials). `None` if either has no trials.
///
/// # Panics
/// If there are more successes than trials, or the level is not between 0 and 1.
pub fn newcombe(first: (u64, u64), second: (u64, u64), level: f64) -> Option<Estimate> {
    let first = wilson(first.0, first.1, level)?;
    let second = wilson(second.0, second.1, level)?;
    Some(difference(first.value - second.value, first, second, 0.0))
}

/// Returns the difference of two correlated rates from the Wilson bounds of each. The distances are
/// combined by the law of cosines, with the correlation as cosine.
pub(super) fn difference(value: f64, first: Estimate, second: Estimate, correlation: f64) -> Estimate {
    // `hypot` is avoided because its last digit depends on the platform, while a square root does
    // not.
    let combine =
        |one: f64, other: f64| (one * one - 2.0 * correlation * one * other + other * other).max(0.0).sqrt();
    let below = combine(first.value - first.low, second.high - second.value);
    let above = combine(first.high - first.value, second.value - second.low);
    // Rounding must not exceed the range of a difference of rates.
    let (low, high) = ((value - below).max(-1.0), (value + above).min(1.0));
    Estimate { value, low, high, level: first.level }
}

/// Returns the lower root x of (p - x)^2 = z^2 x (1 - x) / n. The product of the roots is
/// p^2 / (1 + z^2/n). Dividing it by the upper root avoids a subtraction, so small rates keep their
/// digits, and 0 successes give exactly 0.
fn wilson_low(successes: u64, trials: u64, z: f64) -> f64 {
    let n = trials as f64;
    let p = successes as f64 / n;
    let q = (trials - successes) as f64 / n;
    let spread = z * (p * q / n + z * z / (4.0 * n * n)).sqrt();
    p * p / (p + z * z / (2.0 * n) + spread)
}

/// Returns the mean of `count` values with Student's interval (1908), from their sum and sum of
/// squares. Unbounded for one value; `None` without values.
///
/// # Panics
/// If no values have these sums, or the level is not between 0 and 1.
pub fn student_mean(count: u64, sum: i128, sum_of_squares: u128, level: f64) -> Option<Estimate> {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    let (value, variance) = mean_and_variance(count, sum, sum_of_squares)?;
    if count == 1 {
        return Some(Estimate::unbounded(value, level));
    }
    let n = count as f64;
    let half_width = special::two_sided_student(level, n - 1.0) * (variance / n).sqrt();
    Some(Estimate { value, low: value - half_width, high: value + half_width, level })
}

/// Returns the mean of numbers with Student's interval; unbounded for one number, `None` without
/// numbers.
///
/// # Panics
/// If the level is not between 0 and 1.
pub fn student_mean_of(numbers: &[f64], level: f64) -> Option<Estimate> {
    let count = numbers.len() as f64;
    let value = numbers.iter().sum::<f64>() / count;
    if numbers.len() < 2 {
        return (!numbers.is_empty()).then(|| Estimate::unbounded(value, level));
    }
    let squares: f64 = numbers.iter().map(|number| (number - value) * (number - value)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    let half_width = special::two_sided_student(level, count - 1.0) * error;
    Some(Estimate { value, low: value - half_width, high: value + half_width, level })
}

/// Returns the mean of `count` values and their variance, which is 0 for a single value; `None`
/// without values.
///
/// # Panics
/// If no values have these sums.
pub fn mean_and_variance(count: u64, sum: i128, sum_of_squares: u128) -> Option<(f64, f64)> {
    if count == 0 {
        return None;
    }
    // Squares are large and their differences may be small. So deviations are taken from w, the
    // whole number nearest to the mean, still in whole numbers: their squares sum to S - 2 w s + n
    // w^2. The terms may wrap around 2^128, but the sum does not, being less than S + n. The
    // distance between the mean and w then subtracts r^2 / n, at most half of that sum, so no
    // digits are lost.
    let n = i128::from(count);
    let (whole, rest) = (sum.div_euclid(n), sum.rem_euclid(n));
    let (whole, rest) = if 2 * rest > n { (whole + 1, rest - n) } else { (whole, rest) };
    let around_whole = sum_of_squares
        .wrapping_sub((2_i128.wrapping_mul(whole).wrapping_mul(sum)) as u128)
        .wrapping_add(n.wrapping_mul(whole).wrapping_mul(whole) as u128);
    let n = count as f64;
    let rest = rest as f64;
    let value = whole as f64 + rest / n;
    assert!(around_whole as f64 <= (sum_of_squares as f64 + n) * 1.01, "no values have such sums");
    let squares = (around_whole as f64 - rest * rest / n).max(0.0);
    Some((value, if count == 1 { 0.0 } else { squares / (n - 1.0) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(got: f64, expected: f64) {
        let error = (got - expected).abs();
        assert!(error <= 1e-9 * expected.abs(), "{got} is not {expected}");
    }

    #[test]
    fn wilson_agrees_with_forty_digits() {
        #[track_caller]
        fn check(successes: u64, trials: u64, level: f64, low: f64, high: f64) {
            let interval = wilson(successes, trials, level).expect("there are trials");
            assert_close(interval.low, low);
            assert_close(interval.high, high);
            assert_close(interval.value, successes as f64 / trials as f64);
            assert_eq!(interval.level, level);
        }

        // Computed with 40 digits (mpmath) and checked against SciPy or statsmodels.
        check(0, 10, 0.95, 0.0, 0.27753279986288926);
        check(7, 10, 0.9, 0.441699795869835, 0.8731234160968021);
        check(37, 100, 0.95, 0.28182360534324535, 0.46779470419057095);
        check(0, 1000, 0.95, 0.0, 0.0038267584855551243);
        check(613, 1000, 0.95, 0.582434326672966, 0.6427008259092986);
        check(3, 7, 0.8, 0.22598811161452573, 0.6583029463790934);
        check(1, 1, 0.95, 0.2065493143772374, 1.0);
        check(250_000, 1_000_000, 0.999, 0.2485778721340795, 0.2514275415903884);
    }

    #[test]
    fn a_rate_stays_a_rate() {
        assert_eq!(wilson(0, 0, 0.95), None);
        for trials in [1, 2, 3, 10, 1000, 1_000_000_007, u64::MAX] {
            for level in [1e-9, 0.5, 0.95, 0.999_999, 1.0 - 1e-15] {
                for successes in [0, 1, trials / 2, trials - 1, trials] {
                    let Estimate { value, low, high, .. } = wilson(successes, trials, level).unwrap();
                    assert!(0.0 <= low && low <= value && value <= high && high <= 1.0);
                    assert_eq!(low == 0.0, successes == 0, "only no success at all may be a rate of 0");
                }
                assert_eq!(wilson(trials, trials, level).unwrap().high, 1.0);
            }
        }
    }

    #[test]
    fn newcombe_turned_around_is_the_same() {
        for (first, second) in
            [((56, 70), (48, 80)), ((5, 56), (0, 29)), ((0, 10), (0, 20)), ((10, 10), (0, 10))]
        {
            let interval = newcombe(first, second, 0.95).expect("there are trials");
            let swapped = newcombe(second, first, 0.95).expect("there are trials");
            assert_eq!((swapped.low, swapped.high), (-interval.high, -interval.low));
        }
    }

    #[test]
    fn a_difference_of_rates_stays_one() {
        assert_eq!(newcombe((0, 0), (1, 2), 0.95), None);
        assert_eq!(newcombe((1, 2), (0, 0), 0.95), None);
        for (trials, others) in [(1, 1), (3, 1000), (1000, 3), (u64::MAX, 7)] {
            for successes in [0, trials / 2, trials] {
                for other in [0, others / 2, others] {
                    let Estimate { value, low, high, .. } =
                        newcombe((successes, trials), (other, others), 0.95).unwrap();
                    assert!(low <= value && value <= high, "{low}, {value}, {high}");
                    assert!(-1.0 <= low && high <= 1.0, "{low}, {high}");
                    // Equal rates never differ.
                    let is_different = low > 0.0 || high < 0.0;
                    let rates = (successes as f64 / trials as f64, other as f64 / others as f64);
                    assert!(!(is_different && rates.0 == rates.1), "{successes}/{trials}, {other}/{others}");
                }
            }
        }
    }

    /// Returns the mean of a list.
    fn mean_of(values: &[i64], level: f64) -> Option<Estimate> {
        let sum = values.iter().copied().map(i128::from).sum();
        let squares = values.iter().map(|&value| u128::from(value.unsigned_abs()).pow(2)).sum();
        student_mean(values.len() as u64, sum, squares, level)
    }

    #[test]
    fn few_values() {
        assert_eq!(mean_of(&[], 0.95), None);
        assert_eq!(mean_of(&[12], 0.95), Some(Estimate::unbounded(12.0, 0.95)));
        assert_eq!(mean_of(&[-7], 0.9), Some(Estimate::unbounded(-7.0, 0.9)));
        for equal_values in [[0; 3], [5; 3], [-1_000_000_007; 3]] {
            let value = equal_values[0] as f64;
            let expected = Estimate { value, low: value, high: value, level: 0.99 };
            assert_eq!(mean_of(&equal_values, 0.99), Some(expected));
        }
    }

    #[test]
    fn student_agrees_with_the_definition() {
        /// Checks mean and bounds against the textbook formula in floating point, which is accurate
        /// enough near 0.
        #[track_caller]
        fn check(values: &[i64], t: f64) {
            let n = values.len() as f64;
            let mean = values.iter().sum::<i64>() as f64 / n;
            let variance = values.iter().map(|&value| (value as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0);
            let half_width = t * (variance / n).sqrt();
            // Far from 0 the deviations are equal, but the textbook formula would lose half of its
            // digits.
            for shift in [0, 1_000_000_000_000_i64, -3_000_000_007] {
                let shifted: Vec<i64> = values.iter().map(|value| value + shift).collect();
                let interval = mean_of(&shifted, 0.95).expect("several values");
                assert_close(interval.value, mean + shift as f64);
                // The bounds themselves are rounded near the shift, and so is the distance between
                // them.
                let error = (interval.high - interval.low - 2.0 * half_width).abs();
                assert!(error <= 1e-9 * half_width + 1e-15 * shift.abs() as f64, "off by {error}");
            }
        }

        // Student's t for 0.95 and 1, 3, 4, 5 degrees: mpmath with 40 digits.
        check(&[1, 2], 12.706_204_736_174_705);
        check(&[10, 15, 11, 19], 3.182_446_305_283_709_5);
        check(&[20_480, 30_720, 16_384, 40_960, 28_000], 2.776_445_105_197_794_3);
        check(&[12, 15, 11, 19, 25, 30], 2.570_581_835_636_315_5);
        check(&[-1, 0, 0, 0, 0, 0], 2.570_581_835_636_315_5);
    }

    #[test]
    fn the_mean_of_numbers_is_that_of_their_sums() {
        assert_eq!(student_mean_of(&[], 0.95), None);
        assert_eq!(student_mean_of(&[2.5], 0.95), Some(Estimate::unbounded(2.5, 0.95)));
        let values = [20_480, 30_720, 16_384, 40_960, 28_000];
        let squares = values.iter().map(|value| value * value).sum::<i128>() as u128;
        let expected = student_mean(5, values.iter().sum(), squares, 0.9).expect("values");
        let got = student_mean_of(&values.map(|value| value as f64), 0.9).expect("values");
        assert_close(got.value, expected.value);
        assert_close(got.low, expected.low);
        assert_close(got.high, expected.high);
    }

    #[test]
    fn many_large_values_are_summed_exactly() {
        // A billion values, half of them 4,000,000 and half 4,000,001: the variance is a quarter.
        let half = 500_000_000_u64;
        let (a, b) = (4_000_000_u128, 4_000_001_u128);
        let sum = u128::from(half) * (a + b);
        let squares = u128::from(half) * (a * a + b * b);
        let interval = student_mean(2 * half, sum as i128, squares, 0.95).unwrap();
        let half_width = 1.959_963_986_9 * (0.25 / 1e9_f64).sqrt();
        assert_eq!(interval.value, 4_000_000.5);
        assert!(((interval.high - interval.low) / 2.0 - half_width).abs() < 1e-9);
    }

    #[test]
    #[should_panic(expected = "no values have such sums")]
    fn impossible_sums_are_refused() {
        let _ = student_mean(2, 10, 3, 0.95);
    }
}
