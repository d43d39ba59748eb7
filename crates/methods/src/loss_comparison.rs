//! Comparison of losses on the same blocks.

use gauntlet_stats::SampleMoments;

/// Returns the mean of some losses.
pub fn mean(losses: &[f64]) -> f64 {
    losses.iter().sum::<f64>() / losses.len() as f64
}

/// Returns mean and standard deviation of some losses; `None` for fewer than two.
pub fn sample_moments(losses: impl Iterator<Item = f64> + Clone) -> Option<SampleMoments> {
    let count = losses.clone().count() as f64;
    let value = losses.clone().sum::<f64>() / count;
    let squares: f64 = losses.map(|loss| (loss - value) * (loss - value)).sum();
    (count > 1.0).then(|| SampleMoments {
        count: count as u64,
        value,
        deviation: (squares / (count - 1.0)).sqrt(),
    })
}

/// Returns the mean difference of losses, first minus second, block by block; `None` for fewer than
/// two blocks.
pub fn excess(first: &[f64], second: &[f64]) -> Option<SampleMoments> {
    sample_moments(first.iter().zip(second).map(|(first, second)| first - second))
}

/// Returns true if the mean is significantly above 0 by Student's one-sided test at this risk.
pub fn is_positive(mean: SampleMoments, risk: f64) -> bool {
    mean.value > 0.0 && mean.p(0.0, None) / 2.0 <= risk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excess_is_tested_on_one_side() {
        let difference = excess(&[3.0, 5.0, 4.0], &[1.0, 2.0, 3.0]).expect("three blocks");
        assert_eq!((difference.count, difference.value, difference.deviation), (3, 2.0, 1.0));
        // t = 2 * sqrt(3) with two degrees of freedom: the tail is 1/2 - t / (2 sqrt(2 + t^2)) =
        // 0.0371.
        assert!(is_positive(difference, 0.038) && !is_positive(difference, 0.037));
        assert!(!is_positive(SampleMoments { value: -2.0, ..difference }, 0.5));
        assert_eq!(excess(&[1.0], &[2.0]), None);
    }
}
