//! The estimates of Hodges and Lehmann (1963): the middle of all means of two values.

use super::super::estimate::Estimate;
use super::super::special::{normal_above, two_sided_normal};
use super::signed::{COUNTED_OUT, distribution, moments};

/// Where values that lie symmetrically have their middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// The middle, with bounds made for this level.
    pub estimate: Estimate,
    /// How often such bounds hold the middle indeed: at least the level, but for under six values or so, of which all
    /// are too few.
    pub achieved: f64,
    /// Which of the means of two values the bounds are, counted from either end.
    pub rank: u64,
}

/// The middle of values: the median of the means of all two of them and of each alone. Bounds are those middles that
/// the test of signed ranks does not reject (as `wilcox.test` of R has it). None without values.
///
/// Means are counted and not stored, so that it takes a million values in about a second.
///
/// # Panics
/// If a value is infinite or no number, or the level is not between 0 and 1.
pub fn hodges_lehmann(values: &[f64], level: f64) -> Option<Location> {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    let sorted = sorted(values);
    let (&first, &last) = (sorted.first()?, sorted.last()?);
    let count = sorted.len() as u64;
    let means = count * (count + 1) / 2;
    let (rank, achieved) = bound(count, level);
    // Sums instead of means; halves of them are exact.
    let nth = |nth: u64| nth_smallest(nth, first + first, last + last, |sum| sums_up_to(&sorted, sum)) / 2.0;
    let value = f64::midpoint(nth(means.div_ceil(2)), nth(means / 2 + 1));
    let estimate = Estimate { low: nth(rank), value, high: nth(means + 1 - rank), level };
    Some(Location { estimate, achieved, rank })
}

/// By how much values of the first sample lie above those of the second: the median of all differences between one of
/// either. None where a sample is empty.
///
/// # Panics
/// If a value is infinite or no number.
pub fn hodges_lehmann_shift(first: &[f64], second: &[f64]) -> Option<f64> {
    let (first, second) = (sorted(first), sorted(second));
    let least = first.first()? - second.last()?;
    let most = first.last()? - second.first()?;
    let differences = first.len() as u64 * second.len() as u64;
    let nth = |nth: u64| {
        nth_smallest(nth, least, most, |difference| differences_up_to(&first, &second, difference))
    };
    Some(f64::midpoint(nth(differences.div_ceil(2)), nth(differences / 2 + 1)))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    assert!(values.iter().all(|value| value.is_finite()), "a value is infinite or no number");
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The rank that bounds the middle, and how often it does: the smallest sum of ranks that has half of what the level
/// leaves at least, itself and all below it.
fn bound(values: u64, level: f64) -> (u64, f64) {
    let tail = (1.0 - level) / 2.0;
    if values > COUNTED_OUT {
        let (mean, variance) = moments(values);
        let deviation = variance.sqrt();
        let rank = (mean - two_sided_normal(level) * deviation - 0.5).ceil().max(1.0);
        return (rank as u64, 1.0 - 2.0 * normal_above((mean - (rank - 0.5)) / deviation));
    }
    let (mut below, mut up_to_here) = (0.0, 0.0);
    for (rank, probability) in (0..).zip(distribution(values)) {
        up_to_here += probability;
        // Sums that are meant to be equal may differ in their last digits.
        if rank > 0 && up_to_here >= tail * (1.0 - 1e-12) {
            return (rank, 1.0 - 2.0 * below);
        }
        below = up_to_here;
    }
    (1, 0.0)
}

/// The `nth` smallest, counted from 1, of numbers that are known by how many of them there are up to any number, all
/// between `least` and `most`. By halves over the numbers that there are: at most 64 of them.
fn nth_smallest(nth: u64, least: f64, most: f64, up_to: impl Fn(f64) -> u64) -> f64 {
    let (mut low, mut high) = (place(least), place(most));
    while low < high {
        let middle = i64::midpoint(low, high);
        let middle = if middle == high { low } else { middle };
        if up_to(at(middle)) >= nth {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // No zero below zero.
    at(low) + 0.0
}

/// The place of a number among all numbers in their order.
fn place(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

fn at(place: i64) -> f64 {
    f64::from_bits((if place < 0 { place ^ i64::MAX } else { place }) as u64)
}

/// How many sums of two of these, or of one with itself, are no more than `most`.
fn sums_up_to(sorted: &[f64], most: f64) -> u64 {
    let (mut count, mut end) = (0, sorted.len());
    for (start, value) in sorted.iter().enumerate() {
        while end > start && value + sorted[end - 1] > most {
            end -= 1;
        }
        if end <= start {
            break;
        }
        count += (end - start) as u64;
    }
    count
}

/// How many differences between one of the first and one of the second are no more than `most`.
fn differences_up_to(first: &[f64], second: &[f64], most: f64) -> u64 {
    let (mut count, mut start) = (0, 0);
    for value in first {
        while start < second.len() && value - second[start] > most {
            start += 1;
        }
        count += (second.len() - start) as u64;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every mean written down.
    fn plain(values: &[f64]) -> Vec<f64> {
        let mut means = Vec::new();
        for (at, one) in values.iter().enumerate() {
            means.extend(values[..=at].iter().map(|other| f64::midpoint(*one, *other)));
        }
        means.sort_by(f64::total_cmp);
        means
    }

    /// Numbers that are no pattern, some of them equal.
    fn values(count: i32) -> Vec<f64> {
        (0..count).map(|i| f64::from((i * i * 7919 + i * 31) % 1009 - 400) / 8.0).collect()
    }

    #[test]
    fn agrees_with_the_plain_list() {
        for count in [1, 2, 3, 8, 61, 300] {
            let values = values(count);
            let means = plain(&values);
            let got = hodges_lehmann(&values, 0.95).unwrap();
            let median = f64::midpoint(means[(means.len() - 1) / 2], means[means.len() / 2]);
            assert_eq!(got.estimate.value, median);
            assert_eq!(got.estimate.low, means[got.rank as usize - 1]);
            assert_eq!(got.estimate.high, means[means.len() - got.rank as usize]);
            let moved: Vec<f64> = values.iter().map(|value| value + 16.0).collect();
            assert_eq!(hodges_lehmann_shift(&moved, &values), Some(16.0));
            let mut differences: Vec<f64> =
                moved.iter().flat_map(|one| values.iter().map(move |other| one - other)).collect();
            differences.sort_by(f64::total_cmp);
            let third = differences.len() as u64 / 3 + 1;
            let (moved, values) = (sorted(&moved), sorted(&values));
            let got = nth_smallest(third, -1e9, 1e9, |most| differences_up_to(&moved, &values, most));
            assert_eq!(got, differences[third as usize - 1]);
        }
    }

    #[test]
    fn none_one_and_equal_ones() {
        assert_eq!(hodges_lehmann(&[], 0.95), None);
        assert_eq!((hodges_lehmann_shift(&[], &[1.0]), hodges_lehmann_shift(&[1.0], &[])), (None, None));
        let one = hodges_lehmann(&[-3.0], 0.95).unwrap();
        assert_eq!((one.estimate.low, one.estimate.value, one.estimate.high), (-3.0, -3.0, -3.0));
        assert_eq!(one.achieved, 0.0);
        for count in [2, 5, 6, 1000] {
            let equal = hodges_lehmann(&vec![7.5; count], 0.95).unwrap();
            assert_eq!((equal.estimate.low, equal.estimate.value, equal.estimate.high), (7.5, 7.5, 7.5));
            assert_eq!(equal.achieved >= 0.95, count >= 6);
        }
    }

    #[test]
    fn both_ways_to_the_rank_meet() {
        for level in [0.8, 0.95, 0.999] {
            let counted = bound(COUNTED_OUT, level);
            let normal = bound(COUNTED_OUT + 1, level);
            assert!(normal.0.abs_diff(counted.0) < 120, "{counted:?}, {normal:?}");
            assert!((normal.1 - level).abs() < 1e-3 && counted.1 >= level);
        }
    }
}
