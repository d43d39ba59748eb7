//! Probability of improvement: how often one player scores more than another on the same seed.

use std::iter::repeat_n;

use super::clusters::{Cluster, ClusterCounts};
use super::estimate::Estimate;
use super::value_counts::ValueCounts;

/// Returns the probability that a difference is positive; ties count half. `None` without
/// differences.
///
/// A seed is a pair of games that is won, drawn or lost, so the bounds are those of a share of
/// points ([`ClusterCounts::interval`]). They are valid for any number of seeds and any share of
/// ties. Without ties they are those of Clopper and Pearson (1934).
///
/// # Panics
/// If the level is not between 0 and 1.
pub fn probability_of_improvement(differences: &ValueCounts, level: f64) -> Option<Estimate> {
    let clusters = differences.iter().flat_map(|(difference, count)| {
        let half_points = match difference {
            difference if difference > 0.0 => 4,
            0.0 => 2,
            _ => 0,
        };
        repeat_n(Cluster { half_points, pairs: 1 }, count as usize)
    });
    Some(ClusterCounts::new(clusters)?.interval(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R: `binom.test(7, 10)` and `binom.test(20, 20)`.
    #[test]
    fn without_ties_it_is_clopper_and_pearsons() {
        #[track_caller]
        fn check(positive: u64, negative: u64, [value, low, high]: [f64; 3]) {
            let differences = repeat_n(5.0, positive as usize).chain(repeat_n(-1.0, negative as usize));
            let got = probability_of_improvement(&differences.collect(), 0.95).expect("differences");
            for (got, expected) in [(got.value, value), (got.low, low), (got.high, high)] {
                assert!((got - expected).abs() < 1e-7, "{got} is not {expected}");
            }
        }

        check(7, 3, [0.7, 0.347_547_1, 0.933_260_5]);
        check(20, 0, [1.0, 0.831_566_5, 1.0]);
    }

    #[test]
    fn ties_count_half() {
        assert_eq!(probability_of_improvement(&ValueCounts::default(), 0.95), None);
        let differences: Vec<f64> = (0..60).map(|i| f64::from(i * i * 7 % 11) - 4.0).collect();
        let sign = |difference: &f64| (difference.partial_cmp(&0.0).expect("a number") as i32 + 1) as f64;
        let expected = differences.iter().map(sign).sum::<f64>() / 2.0 / 60.0;
        let value = |differences: &mut dyn Iterator<Item = f64>| {
            probability_of_improvement(&differences.collect(), 0.95).expect("differences")
        };
        let one = value(&mut differences.iter().copied());
        let other = value(&mut differences.iter().map(|difference| -difference));
        assert!((one.value - expected).abs() < 1e-12);
        // Both players together have all seeds.
        for (got, mirrored) in [(one.value, other.value), (one.low, other.high), (one.high, other.low)] {
            assert!((got + mirrored - 1.0).abs() < 1e-9, "{one:?}, {other:?}");
        }
    }
}
