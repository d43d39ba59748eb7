//! Wilcoxon's signed-rank test (1945).

use super::super::special::normal_above;
use super::super::value_counts::ValueCounts;

/// Maximum number of values with an exact distribution of rank sums; above, the normal
/// approximation is used.
pub(super) const MAX_EXACT_VALUES: u64 = 200;

/// Ranks of differences by absolute size, without zeros, and with mid-ranks for ties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRanks {
    /// Sum of the ranks of positive differences.
    pub sum_above: f64,
    /// Number of differences that are not 0.
    pub values: u64,
    /// Sum of t^3 - t over all groups of t tied values.
    ties: f64,
}

impl SignedRanks {
    /// Ranks these differences.
    ///
    /// # Panics
    /// If one is NaN.
    pub fn new(differences: &ValueCounts) -> SignedRanks {
        assert!(!differences.iter().any(|(value, _)| value.is_nan()), "a difference is not a number");
        let mut nonzero: Vec<(f64, u64)> = differences.iter().filter(|&(value, _)| value != 0.0).collect();
        nonzero.sort_unstable_by(|(one, _), (other, _)| one.abs().total_cmp(&other.abs()));
        let (mut sum_above, mut ties, mut before) = (0.0, 0.0, 0.0);
        for group in nonzero.chunk_by(|(one, _), (other, _)| one.abs() == other.abs()) {
            let size = total_count(group.iter()) as f64;
            let rank = before + (size + 1.0) / 2.0;
            sum_above += rank * total_count(group.iter().filter(|(value, _)| *value > 0.0)) as f64;
            ties += size * (size * size - 1.0);
            before += size;
        }
        SignedRanks { sum_above, values: total_count(nonzero.iter()), ties }
    }

    /// Returns the two-sided p of the hypothesis that each difference is as likely as its opposite:
    /// exact if possible, otherwise by the normal approximation with continuity correction.
    pub fn p(self) -> f64 {
        self.exact_p().unwrap_or_else(|| self.normal_approximation(true).1)
    }

    /// Returns the exact p over all signs; `None` if there are ties or more than 200 values.
    pub fn exact_p(self) -> Option<f64> {
        if self.ties > 0.0 || self.values > MAX_EXACT_VALUES {
            return None;
        }
        // The distribution is symmetric.
        let max_sum = (self.values * (self.values + 1) / 2) as f64;
        let lesser = self.sum_above.min(max_sum - self.sum_above);
        let tail: f64 = distribution(self.values)[..=lesser as usize].iter().sum();
        Some((2.0 * tail).min(1.0))
    }

    /// Returns the normal approximation with the variance corrected for ties: the z-score of the
    /// rank sum, and the two-sided p. With `continuity` the sum is moved half a rank towards its
    /// mean.
    pub fn normal_approximation(self, continuity: bool) -> (f64, f64) {
        let (mean, variance) = moments(self.values);
        let variance = variance - self.ties / 48.0;
        if variance <= 0.0 {
            return (0.0, 1.0);
        }
        let deviation = self.sum_above - mean;
        let correction = if continuity { deviation.abs().min(0.5) } else { 0.0 };
        let z = (deviation.abs() - correction).copysign(deviation) / variance.sqrt();
        (z, (2.0 * normal_above(z.abs())).min(1.0))
    }
}

fn total_count<'a>(counts: impl Iterator<Item = &'a (f64, u64)>) -> u64 {
    counts.map(|(_, count)| count).sum()
}

/// Returns mean and variance of the rank sum of `values` values without ties.
pub(super) fn moments(values: u64) -> (f64, f64) {
    let n = values as f64;
    (n * (n + 1.0) / 4.0, n * (n + 1.0) * (2.0 * n + 1.0) / 24.0)
}

/// Returns the probability of each rank sum, by adding one rank after another, positive or not.
pub(super) fn distribution(values: u64) -> Vec<f64> {
    let values = values as usize;
    let mut probabilities = vec![0.0; values * (values + 1) / 2 + 1];
    probabilities[0] = 1.0;
    for rank in 1..=values {
        for sum in (0..=rank * (rank + 1) / 2).rev() {
            let with_rank = if sum >= rank { probabilities[sum - rank] } else { 0.0 };
            probabilities[sum] = f64::midpoint(probabilities[sum], with_rank);
        }
    }
    probabilities
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(differences: &[f64]) -> SignedRanks {
        SignedRanks::new(&differences.iter().copied().collect())
    }

    /// Ranks every single difference.
    fn rank_list(differences: &[f64]) -> SignedRanks {
        let mut nonzero: Vec<f64> = differences.iter().copied().filter(|&value| value != 0.0).collect();
        nonzero.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
        let (mut sum_above, mut ties, mut before) = (0.0, 0.0, 0.0);
        for group in nonzero.chunk_by(|one, other| one.abs() == other.abs()) {
            let size = group.len() as f64;
            let rank = before + (size + 1.0) / 2.0;
            sum_above += rank * group.iter().filter(|&&difference| difference > 0.0).count() as f64;
            ties += size * (size * size - 1.0);
            before += size;
        }
        SignedRanks { sum_above, values: nonzero.len() as u64, ties }
    }

    #[test]
    fn agrees_with_the_plain_list() {
        for distinct_values in [1, 2, 30, 1009] {
            for count in [0, 1, 2, 7, 199, 300, 40_000] {
                let values = |shift: i64| -> Vec<f64> {
                    let value = |i: i64| ((i * i * 7919 + i * 31) % distinct_values - shift) as f64 / 8.0;
                    (0..count).map(value).collect()
                };
                for shift in [0, distinct_values / 3, distinct_values] {
                    let differences = values(shift);
                    assert_eq!(ranks(&differences), rank_list(&differences), "{distinct_values}, {count}");
                }
            }
        }
    }

    #[test]
    fn none_one_and_zeros() {
        for differences in [&[][..], &[0.0], &[0.0, -0.0, 0.0]] {
            let ranks = ranks(differences);
            assert_eq!((ranks.sum_above, ranks.values), (0.0, 0));
            assert_eq!(
                (ranks.p(), ranks.exact_p(), ranks.normal_approximation(true)),
                (1.0, Some(1.0), (0.0, 1.0))
            );
        }
        assert_eq!(ranks(&[3.0]).p(), 1.0);
        assert_eq!(ranks(&[3.0, 4.0, 0.0]).p(), 0.5);
        let tied_ranks = ranks(&[3.0, 3.0, -3.0]);
        assert_eq!((tied_ranks.sum_above, tied_ranks.exact_p()), (4.0, None));
        assert!(tied_ranks.p() <= 1.0);
    }

    #[test]
    fn counted_out_it_is_nearly_normal() {
        let sum: f64 = distribution(MAX_EXACT_VALUES).iter().sum();
        assert!((sum - 1.0).abs() < 1e-12);
        for values in [20, 100, MAX_EXACT_VALUES as i32] {
            // Two of three are positive.
            let differences = (1..=values).map(|size| f64::from(if size % 3 == 0 { -size } else { size }));
            let ranks = SignedRanks::new(&differences.collect());
            let (exact, (_, normal)) = (ranks.exact_p().unwrap(), ranks.normal_approximation(true));
            assert!(
                (exact - normal).abs() < 0.002 && (exact / normal - 1.0).abs() < 0.6,
                "{exact}, {normal}"
            );
        }
    }
}
