//! Interquartile mean: the mean of the middle half, which outliers cannot move.

use super::estimate::Estimate;
use super::histogram::Histogram;
use super::interval::mean_and_variance;
use super::special::two_sided_student;

/// Returns the interquartile mean with the interval of Tukey and McLaughlin (1963): a quarter of
/// the values, rounded down, is left out at each end. `None` without values; unbounded for one.
///
/// The error comes from the winsorized values, in which the values left out are replaced by their
/// nearest neighbours in the middle half. It is divided by the share of the values that are kept,
/// which is more than half if 4 does not divide their number. Unlike a bootstrap, the interval
/// needs no random numbers.
///
/// # Panics
/// If the level is not between 0 and 1.
pub fn interquartile_mean(values: &Histogram, level: f64) -> Option<Estimate> {
    let count = values.count();
    let omitted = count / 4;
    let middle_count = count - 2 * omitted;
    let (low, high) = (values.value_at_rank(omitted)?, values.value_at_rank(count - 1 - omitted)?);
    let (mut sum, mut squares) = (0_u128, 0_u128);
    for (value, count) in values.iter() {
        let winsorized = u128::from(value.clamp(low, high));
        sum += winsorized * u128::from(count);
        squares += winsorized.pow(2) * u128::from(count);
    }
    let middle_sum = sum - u128::from(omitted) * (u128::from(low) + u128::from(high));
    let value = middle_sum as f64 / middle_count as f64;
    if count == 1 {
        return Some(Estimate::unbounded(value, level));
    }
    let (_, variance) = mean_and_variance(count, i128::try_from(sum).ok()?, squares)?;
    let error = count as f64 / middle_count as f64 * (variance / count as f64).sqrt();
    let half_width = two_sided_student(level, middle_count as f64 - 1.0) * error;
    Some(Estimate { value, low: value - half_width, high: value + half_width, level })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_scipy() {
        #[track_caller]
        fn check(values: &[u64], expected: [f64; 3]) {
            let histogram: Histogram = values.iter().copied().collect();
            let Estimate { value, low, high, .. } = interquartile_mean(&histogram, 0.95).expect("values");
            let [mean, ends @ ..] = expected;
            // SciPy divides by one half. It omits as many values, so it keeps a larger share.
            let count = values.len();
            let half_per_share = 0.5 * count as f64 / (count - 2 * (count / 4)) as f64;
            let [expected_low, expected_high] = ends.map(|end| mean + (end - mean) * half_per_share);
            for (got, expected) in [(value, mean), (low, expected_low), (high, expected_high)] {
                assert!((got / expected - 1.0).abs() < 1e-9, "{got} is not {expected}");
            }
        }

        // SciPy 1.17.1: `trim_mean(x, 0.25)` and `mstats.trimmed_mean_ci(x, (0.25, 0.25))`. The
        // first values are Dana's, an example of Wilcox.
        let dana =
            [77, 87, 88, 114, 151, 210, 219, 246, 253, 262, 296, 299, 306, 376, 428, 515, 666, 1310, 2611];
        check(&dana, [276.909_090_909_090_93, 165.444_529_233_578_98, 388.373_652_584_602_9]);
        check(&[10, 15, 11, 19], [13.0, -16.343_722_899_235_83, 42.343_722_899_235_83]);
        let scores = [20_480, 30_720, 16_384, 40_960, 28_000, 28_000, 512];
        check(&scores, [24_716.8, 11_177.756_322_116_64, 38_255.843_677_883_36]);
        let many: Vec<u64> = (0..200).map(|i| (i * i * 7919 + i * 31) % 1009).collect();
        check(&many, [493.34, 439.147_095_651_996_3, 547.532_904_348_003_6]);
    }

    #[test]
    fn outliers_do_not_move_it() {
        let mean = |values: [u64; 8]| interquartile_mean(&values.into_iter().collect(), 0.95);
        assert_eq!(mean([1, 2, 3, 4, 5, 6, 7, 8]), mean([0, 0, 3, 4, 5, 6, 1 << 40, 1 << 50]));
    }

    #[test]
    fn few_values_have_wide_bounds_or_none() {
        let mean = |values: &[u64]| interquartile_mean(&values.iter().copied().collect(), 0.95);
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[3]), Some(Estimate::unbounded(3.0, 0.95)));
        let two = mean(&[3, 5]).expect("two values");
        assert!(two.value == 4.0 && two.half_width() > 12.7, "{two:?}");
    }
}
