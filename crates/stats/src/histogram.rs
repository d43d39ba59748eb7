//! Distributions of whole numbers, kept as counts: memory depends on the number of distinct values.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::estimate::Estimate;
use super::interval::{mean_and_variance, student_mean};

/// Largest length of the list of counts.
const MAX_LIST: usize = 1 << 14;

/// Smallest length of the list of counts.
const MIN_LIST: usize = 1 << 8;

/// Largest number of list entries per distinct value. A list of this length takes some three times
/// the memory of a tree, and is several times faster.
const ENTRIES_PER_VALUE: usize = 16;

/// Values with their counts, independent of the order of the values.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// Counts of small values, by value; empty if there are few such values.
    dense: Vec<u64>,
    /// Counts of the other values.
    sparse: BTreeMap<u64, u64>,
}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        self.add_count(value, 1);
    }

    fn add_count(&mut self, value: u64, count: u64) {
        if value < self.dense.len() as u64 {
            self.dense[value as usize] += count;
            return;
        }
        let values_before = self.sparse.len();
        *self.sparse.entry(value).or_default() += count;
        // The check counts the values in the tree, so it is made only when their number has
        // doubled.
        if self.sparse.len() > values_before && self.sparse.len().is_power_of_two() {
            self.extend_list();
        }
    }

    /// Extends the list if it then has enough distinct values.
    fn extend_list(&mut self) {
        let has_enough = |length: &usize| {
            let values = self.sparse.range(..*length as u64).count() + self.dense.len() / ENTRIES_PER_VALUE;
            ENTRIES_PER_VALUE * values >= *length
        };
        let lengths = std::iter::successors(Some(MAX_LIST), |length| Some(length / 2));
        let longer = lengths.take_while(|&length| length >= MIN_LIST.max(self.dense.len() + 1));
        if let Some(length) = longer.into_iter().find(has_enough) {
            let others = self.sparse.split_off(&(length as u64));
            self.dense.resize(length, 0);
            for (value, count) in std::mem::replace(&mut self.sparse, others) {
                self.dense[value as usize] = count;
            }
        }
    }

    /// Adds all values of another distribution.
    pub fn merge(&mut self, other: &Histogram) {
        for (value, count) in other.iter() {
            self.add_count(value, count);
        }
    }

    /// Returns the distinct values and their counts, in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        let dense = self.dense.iter().enumerate().map(|(value, &count)| (value as u64, count));
        let sparse = self.sparse.iter().map(|(&value, &count)| (value, count));
        dense.filter(|&(_, count)| count > 0).chain(sparse)
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// Returns the sum of all values.
    pub fn sum(&self) -> u128 {
        self.iter().map(|(value, count)| u128::from(value) * u128::from(count)).sum()
    }

    /// Returns the sum of squares.
    ///
    /// # Panics
    /// If it exceeds 2^128, which a trillion values below 2^40 do not reach.
    pub fn sum_of_squares(&self) -> u128 {
        let squares = self.iter().map(|(value, count)| u128::from(value).pow(2).checked_mul(count.into()));
        let sum = squares.into_iter().try_fold(0_u128, |sum, square| sum.checked_add(square?));
        sum.expect("the sum of squares exceeds 128 bits")
    }

    /// Returns the largest value.
    pub fn max(&self) -> Option<u64> {
        self.iter().next_back().map(|(value, _)| value)
    }

    /// Returns the median, which is the mean of the two middle values for an even number.
    pub fn median(&self) -> Option<f64> {
        let count = self.count();
        let upper = self.value_at_rank(count / 2)? as f64;
        let lower = if count % 2 == 1 { upper } else { self.value_at_rank(count / 2 - 1)? as f64 };
        Some((lower + upper) / 2.0)
    }

    /// Returns the value with this rank, from 0.
    pub fn value_at_rank(&self, rank: u64) -> Option<u64> {
        let mut cumulative = 0;
        self.iter().find_map(|(value, count)| {
            cumulative += count;
            (cumulative > rank).then_some(value)
        })
    }

    /// Returns the quantile at this fraction, interpolated between neighbouring values.
    pub fn quantile(&self, fraction: f64) -> Option<f64> {
        let rank = fraction * (self.count().checked_sub(1)?) as f64;
        let (below, above) =
            (self.value_at_rank(rank.floor() as u64)?, self.value_at_rank(rank.ceil() as u64)?);
        Some(below as f64 + (above as f64 - below as f64) * rank.fract())
    }

    /// Returns the number of values below a number, and of those equal to it.
    pub fn count_below(&self, number: f64) -> (u64, u64) {
        let count_value =
            |counts: (u64, u64), (value, count): (u64, u64)| match (value as f64).partial_cmp(&number) {
                Some(Ordering::Less) => (counts.0 + count, counts.1),
                Some(Ordering::Equal) => (counts.0, counts.1 + count),
                _ => counts,
            };
        self.iter().fold((0, 0), count_value)
    }

    /// Returns the mean with bounds; unbounded for one value, `None` without values.
    pub fn mean(&self, level: f64) -> Option<Estimate> {
        student_mean(self.count(), self.signed_sum(), self.sum_of_squares(), level)
    }

    /// Returns the mean and the variance, which is 0 for one value; `None` without values.
    pub fn mean_and_variance(&self) -> Option<(f64, f64)> {
        mean_and_variance(self.count(), self.signed_sum(), self.sum_of_squares())
    }

    fn signed_sum(&self) -> i128 {
        i128::try_from(self.sum()).expect("the sum exceeds 127 bits")
    }
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Histogram) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Histogram {}

impl FromIterator<u64> for Histogram {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Histogram {
        let mut distribution = Histogram::default();
        values.into_iter().for_each(|value| distribution.add(value));
        distribution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a distribution against the plain list.
    #[track_caller]
    fn check(values: &[u64], median: Option<f64>) {
        let distribution: Histogram = values.iter().copied().collect();
        assert_eq!(distribution.count(), values.len() as u64);
        assert_eq!(distribution.sum(), values.iter().copied().map(u128::from).sum());
        assert_eq!(distribution.sum_of_squares(), values.iter().map(|&value| u128::from(value).pow(2)).sum());
        assert_eq!(distribution.max(), values.iter().copied().max());
        assert_eq!(distribution.median(), median);
        for number in values.iter().map(|&value| value as f64).chain([-1.0, 2.5]) {
            let count = |predicate: fn(f64, f64) -> bool| {
                values.iter().filter(|&&v| predicate(v as f64, number)).count() as u64
            };
            assert_eq!(distribution.count_below(number), (count(|v, n| v < n), count(|v, n| v == n)));
        }
        for split in 0..=values.len() {
            let mut merged: Histogram = values[split..].iter().copied().collect();
            merged.merge(&values[..split].iter().copied().collect());
            assert_eq!(merged, distribution, "merged at {split}");
        }
    }

    #[test]
    fn agrees_with_the_plain_list() {
        check(&[], None);
        check(&[0], Some(0.0));
        check(&[7], Some(7.0));
        check(&[7, 8], Some(7.5));
        check(&[8, 7, 7], Some(7.0));
        check(&[5, 5, 5, 5], Some(5.0));
        check(&[1, 100, 2, 99], Some(50.5));
        check(&[3, 1, 2, 2, 9, 4], Some(2.5));
        check(&[1 << 14, 3, (1 << 14) - 1, 1 << 14, 70_000], Some(f64::from(1 << 14)));
        // Some of these values are in a list, the largest in a tree.
        let many: Vec<u64> = (0..1100).map(|number| 17 * number).collect();
        check(&many, Some(9341.5));
        check(&[1 << 62, (1 << 62) + (1 << 20)], Some(((1_u64 << 62) + (1 << 19)) as f64));
    }

    /// Checks the length of the list, which limits the memory.
    #[test]
    fn the_list_has_enough_values() {
        let list_length = |values: &[u64]| values.iter().copied().collect::<Histogram>().dense.len();
        let multiples = |factor: u64, count: u64| (0..count).map(|value| factor * value).collect::<Vec<_>>();
        assert_eq!(list_length(&multiples(1, 15)), 0);
        assert_eq!(list_length(&multiples(1, 16)), MIN_LIST);
        assert_eq!(list_length(&multiples(4, 256)), 1 << 10);
        assert_eq!(list_length(&multiples(4, 100_000)), MAX_LIST);
        assert_eq!(list_length(&multiples(1 << 20, 1000)), 0);
    }

    #[test]
    fn quantiles_lie_between() {
        let quantile = |values: &[u64], part| values.iter().copied().collect::<Histogram>().quantile(part);
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[7], 0.9), Some(7.0));
        assert_eq!(quantile(&[10, 1, 3, 2], 0.5), Some(2.5));
        assert_eq!(quantile(&[10, 1, 3, 2], 1.0), Some(10.0));
        assert_eq!(quantile(&[3, 7, 3, 3], 0.75), Some(4.0));
    }

    #[test]
    fn the_mean_has_bounds_where_it_can() {
        let mean_of = |values: &[u64]| values.iter().copied().collect::<Histogram>().mean(0.95);
        assert_eq!(mean_of(&[]), None);
        assert_eq!(mean_of(&[3]), Some(Estimate::unbounded(3.0, 0.95)));
        let interval = mean_of(&[3, 5]).expect("two values");
        assert_eq!(interval.value, 4.0);
        assert!((interval.high - 16.706204736174704).abs() < 1e-9, "4 + 12.7 (√2 / √2)");
    }

    #[test]
    #[should_panic(expected = "128 bits")]
    fn squares_too_large_are_refused() {
        let _ = [u64::MAX; 2].into_iter().collect::<Histogram>().sum_of_squares();
    }
}
