//! A distribution of whole numbers: of the scores of a million games, say, without keeping the games.

use std::collections::BTreeMap;

use super::quantile::{Quantile, quantile_ranks};
use super::{estimate::Estimate, interval::student_mean};

/// How often each value occurred. Equal whatever the order in which the values came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    counts: BTreeMap<u64, u64>,
}

impl Distribution {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        *self.counts.entry(value).or_default() += 1;
    }

    /// Counts all values of another distribution.
    pub fn merge(&mut self, other: &Distribution) {
        for (&value, count) in &other.counts {
            *self.counts.entry(value).or_default() += count;
        }
    }

    /// The values that occurred and how often, the smallest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        self.counts.iter().map(|(&value, &count)| (value, count))
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The sum of all values.
    pub fn sum(&self) -> u128 {
        self.iter().map(|(value, count)| u128::from(value) * u128::from(count)).sum()
    }

    /// The sum of their squares.
    ///
    /// # Panics
    /// If that is over 2^128, which a million million values below 2^40 do not reach.
    pub fn sum_of_squares(&self) -> u128 {
        let squares = self.iter().map(|(value, count)| u128::from(value).pow(2).checked_mul(count.into()));
        let sum = squares.into_iter().try_fold(0_u128, |sum, square| sum.checked_add(square?));
        sum.expect("squares of such values do not fit 128 bits")
    }

    /// The largest value.
    pub fn max(&self) -> Option<u64> {
        self.iter().next_back().map(|(value, _)| value)
    }

    /// The value in the middle; the mean of the two there if their number is even.
    pub fn median(&self) -> Option<f64> {
        let count = self.count();
        let upper = self.ranked(count / 2)? as f64;
        let lower = if count % 2 == 1 { upper } else { self.ranked(count / 2 - 1)? as f64 };
        Some((lower + upper) / 2.0)
    }

    /// The smallest value up to which a `part` of all values lies, with bounds that hold whatever the distribution is.
    /// None without values.
    ///
    /// # Panics
    /// If the part or the level is not between 0 and 1.
    pub fn quantile_within(&self, part: f64, level: f64) -> Option<Quantile> {
        let count = self.count();
        let ranks = quantile_ranks(count, part, level);
        // A tenth of ten is one, however the fraction is rounded.
        let before = (count as f64 * part * (1.0 - 1e-12)).ceil() - 1.0;
        let value = self.ranked(before.max(0.0) as u64)?;
        let bound = |rank: Option<u64>| self.ranked(rank? - 1);
        let (low, high) = (bound(ranks.lower), bound(ranks.upper));
        Some(Quantile { value, low, high, level, coverage: ranks.coverage })
    }

    /// The value that `rank` values come before.
    fn ranked(&self, rank: u64) -> Option<u64> {
        let mut up_to_here = 0;
        self.iter().find_map(|(value, count)| {
            up_to_here += count;
            (up_to_here > rank).then_some(value)
        })
    }

    /// The mean: unbounded of one value, none without values.
    pub fn mean(&self, level: f64) -> Option<Estimate> {
        let sum = i128::try_from(self.sum()).expect("the squares of such values do not fit 128 bits either");
        student_mean(self.count(), sum, self.sum_of_squares(), level)
    }
}

impl FromIterator<u64> for Distribution {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Distribution {
        let mut distribution = Distribution::default();
        values.into_iter().for_each(|value| distribution.add(value));
        distribution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A distribution against the plain list.
    #[track_caller]
    fn check(values: &[u64], median: Option<f64>) {
        let distribution: Distribution = values.iter().copied().collect();
        assert_eq!(distribution.count(), values.len() as u64);
        assert_eq!(distribution.sum(), values.iter().copied().map(u128::from).sum());
        assert_eq!(distribution.sum_of_squares(), values.iter().map(|&value| u128::from(value).pow(2)).sum());
        assert_eq!(distribution.max(), values.iter().copied().max());
        assert_eq!(distribution.median(), median);
        for cut in 0..=values.len() {
            let mut merged: Distribution = values[cut..].iter().copied().collect();
            merged.merge(&values[..cut].iter().copied().collect());
            assert_eq!(merged, distribution, "merged at {cut}");
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
        check(&[1 << 62, (1 << 62) + (1 << 20)], Some(((1_u64 << 62) + (1 << 19)) as f64));
    }

    #[test]
    fn the_mean_has_bounds_where_it_can() {
        let of = |values: &[u64]| values.iter().copied().collect::<Distribution>().mean(0.95);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3]), Some(Estimate::unbounded(3.0, 0.95)));
        let interval = of(&[3, 5]).expect("two values");
        assert_eq!(interval.value, 4.0);
        assert!((interval.high - 16.706204736174704).abs() < 1e-9, "4 + 12.7 (√2 / √2)");
    }

    #[test]
    fn quantiles_have_bounds_where_they_can() {
        assert_eq!(Distribution::default().quantile_within(0.5, 0.95), None);
        let one = [7].into_iter().collect::<Distribution>().quantile_within(0.5, 0.95).unwrap();
        assert_eq!((one.low, one.value, one.high, one.coverage), (None, 7, None, 1.0));
        let ten: Distribution = (1..=10).map(|value| value * value).collect();
        let of = |part: f64| {
            let quantile = ten.quantile_within(part, 0.95).unwrap();
            (quantile.low, quantile.value, quantile.high)
        };
        assert_eq!(of(0.5), (Some(4), 25, Some(81)));
        assert_eq!(of(0.1), (None, 1, Some(16)));
        assert_eq!(of(0.11), (None, 4, Some(16)));
        assert_eq!(of(0.9), (Some(49), 81, None));
        assert_eq!(of(0.999), (Some(100), 100, None));
        let equal: Distribution = [5; 1000].into_iter().collect();
        let equal = equal.quantile_within(0.99, 0.95).unwrap();
        assert_eq!((equal.low, equal.value, equal.high), (Some(5), 5, Some(5)));
    }

    #[test]
    #[should_panic(expected = "128 bits")]
    fn squares_too_large_are_refused() {
        let _ = [u64::MAX; 2].into_iter().collect::<Distribution>().sum_of_squares();
    }
}
