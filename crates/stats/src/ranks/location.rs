//! Hodges–Lehmann estimator (1963): the median of all means of two values.

use super::super::estimate::Estimate;
use super::super::special::two_sided_normal;
use super::super::value_counts::ValueCounts;
use super::signed_ranks::{MAX_EXACT_VALUES, distribution, moments};

/// Returns the centre of symmetric values: the median of all means of two values, including each
/// value with itself. The bounds contain all centres that the signed-rank test does not reject, as
/// in R's `wilcox.test`. Fewer than six values are too few for 95 %; then the bounds are the
/// outermost values. `None` without values.
///
/// Means are counted and not stored.
///
/// # Panics
/// If a value is infinite or NaN, or the level is not between 0 and 1.
pub fn hodges_lehmann(values: &ValueCounts, level: f64) -> Option<Estimate> {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    assert!(values.iter().all(|(value, _)| value.is_finite()), "a value is infinite or NaN");
    let counts = values.as_slice();
    let (&(first, _), &(last, _)) = (counts.first()?, counts.last()?);
    let count = values.count();
    let mean_count = count * (count + 1) / 2;
    let rank = confidence_rank(count, level);
    // Sums instead of means; halving them is exact.
    let nth_mean = |nth: u64| {
        nth_smallest(nth, first + first, last + last, |sum| count_sums_up_to(counts, count, sum)) / 2.0
    };
    let value = f64::midpoint(nth_mean(mean_count.div_ceil(2)), nth_mean(mean_count / 2 + 1));
    Some(Estimate { value, low: nth_mean(rank), high: nth_mean(mean_count + 1 - rank), level })
}

/// Returns the rank of the mean that bounds the centre, counted from either end: the smallest rank
/// sum whose cumulative probability is at least half of the risk.
fn confidence_rank(value_count: u64, level: f64) -> u64 {
    let tail = (1.0 - level) / 2.0;
    if value_count > MAX_EXACT_VALUES {
        let (mean, variance) = moments(value_count);
        let deviation = variance.sqrt();
        return (mean - two_sided_normal(level) * deviation - 0.5).ceil().max(1.0) as u64;
    }
    let mut cumulative = 0.0;
    for (rank, probability) in (0..).zip(distribution(value_count)) {
        cumulative += probability;
        // Sums that should be equal may differ in their last digits.
        if rank > 0 && cumulative >= tail * (1.0 - 1e-12) {
            return rank;
        }
    }
    1
}

/// Finds the `nth` smallest number, counted from 1, of a set between `minimum` and `maximum`, given
/// only a function that counts the numbers up to any bound. It bisects over the floating-point
/// numbers, in at most 64 steps.
fn nth_smallest(nth: u64, minimum: f64, maximum: f64, count_up_to: impl Fn(f64) -> u64) -> f64 {
    let (mut low, mut high) = (float_to_index(minimum), float_to_index(maximum));
    while low < high {
        let middle = i64::midpoint(low, high);
        let middle = if middle == high { low } else { middle };
        if count_up_to(float_from_index(middle)) >= nth {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // Avoid -0.
    float_from_index(low) + 0.0
}

/// Returns the index of a number in the order of all floating-point numbers.
fn float_to_index(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

fn float_from_index(index: i64) -> f64 {
    f64::from_bits((if index < 0 { index ^ i64::MAX } else { index }) as u64)
}

/// Counts the sums of two values, or of one with itself, that are at most `bound`. `total` is the
/// number of values.
fn count_sums_up_to(counts: &[(f64, u64)], total: u64, bound: f64) -> u64 {
    let mut sums = 0;
    // Values from the present one to the last one whose sum with it is at most the bound.
    let (mut end, mut partners) = (counts.len(), total);
    for (start, &(value, count)) in counts.iter().enumerate() {
        while end > start && value + counts[end - 1].0 > bound {
            end -= 1;
            partners -= counts[end].1;
        }
        if end <= start {
            break;
        }
        partners -= count;
        sums += count * partners + count * (count + 1) / 2;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists every mean.
    fn list_means(values: &[f64]) -> Vec<f64> {
        let mut means = Vec::new();
        for (index, value) in values.iter().enumerate() {
            means.extend(values[..=index].iter().map(|other| f64::midpoint(*value, *other)));
        }
        means.sort_by(f64::total_cmp);
        means
    }

    /// Returns numbers without a pattern, some of them equal.
    fn values(count: i32) -> Vec<f64> {
        (0..count).map(|i| f64::from((i * i * 7919 + i * 31) % 1009 - 400) / 8.0).collect()
    }

    /// Counts every single sum.
    fn count_listed_sums(values: &[f64], bound: f64) -> u64 {
        let sums = (0..values.len()).flat_map(|i| values[i..].iter().map(move |other| values[i] + other));
        sums.filter(|&sum| sum <= bound).count() as u64
    }

    #[test]
    fn sums_of_equal_values_are_counted() {
        let values: Vec<f64> = values(300).into_iter().map(|value| value.rem_euclid(7.0).floor()).collect();
        let counts: ValueCounts = values.iter().copied().collect();
        assert_eq!(counts.as_slice().len(), 7);
        for bound in -1..15 {
            let bound = f64::from(bound);
            let counted_sums = count_sums_up_to(counts.as_slice(), counts.count(), bound);
            assert_eq!(counted_sums, count_listed_sums(&values, bound), "{bound}");
        }
    }

    #[test]
    fn agrees_with_the_plain_list() {
        for count in [1, 2, 3, 8, 61, 300] {
            let values = values(count);
            let means = list_means(&values);
            let got = hodges_lehmann(&values.into_iter().collect(), 0.95).unwrap();
            let median = f64::midpoint(means[(means.len() - 1) / 2], means[means.len() / 2]);
            let rank = confidence_rank(count as u64, 0.95) as usize;
            assert_eq!((got.value, got.low, got.high), (median, means[rank - 1], means[means.len() - rank]));
        }
    }

    #[test]
    fn estimates_of_no_one_and_equal_values() {
        let estimate_of = |values: Vec<f64>| hodges_lehmann(&values.into_iter().collect(), 0.95);
        assert_eq!(estimate_of(vec![]), None);
        let one = estimate_of(vec![-3.0]).unwrap();
        assert_eq!((one.low, one.value, one.high), (-3.0, -3.0, -3.0));
        for count in [2, 5, 6, 1000] {
            let estimate = estimate_of(vec![7.5; count]).unwrap();
            assert_eq!((estimate.low, estimate.value, estimate.high), (7.5, 7.5, 7.5));
        }
    }

    #[test]
    fn both_ways_to_the_rank_meet() {
        for level in [0.8, 0.95, 0.999] {
            let exact = confidence_rank(MAX_EXACT_VALUES, level);
            let normal = confidence_rank(MAX_EXACT_VALUES + 1, level);
            assert!(normal.abs_diff(exact) < 120, "{exact}, {normal}");
        }
    }
}
