//! Performance profile: the share of values that reach a threshold, for all thresholds at once.

use super::estimate::Estimate;
use super::histogram::Histogram;

/// Returns the half-width of the band of Dvoretzky, Kiefer and Wolfowitz (1956) with Massart's
/// constant (1990). With this probability at least, the true shares of all thresholds are within
/// it, for any distribution and any number of values.
///
/// # Panics
/// If the level is not between 0 and 1, or there are no values.
fn half_width(count: u64, level: f64) -> f64 {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    assert!(count > 0, "no values");
    (libm::log(2.0 / (1.0 - level)) / (2.0 * count as f64)).sqrt()
}

/// Returns the share of values that are at least each of these ascending thresholds, with a band
/// that holds for all thresholds together. Empty without values.
///
/// # Panics
/// If the level is not between 0 and 1, or the thresholds are not ascending.
pub fn performance_profile(values: &Histogram, thresholds: &[u64], level: f64) -> Vec<Estimate> {
    let count = values.count();
    if count == 0 {
        return Vec::new();
    }
    assert!(thresholds.is_sorted(), "the thresholds are not ascending");
    let half_width = half_width(count, level);
    let mut values = values.iter().peekable();
    let mut reached = count;
    let point = |&threshold: &u64| {
        while let Some((_, below)) = values.next_if(|&(value, _)| value < threshold) {
            reached -= below;
        }
        let value = reached as f64 / count as f64;
        Estimate { value, low: (value - half_width).max(0.0), high: (value + half_width).min(1.0), level }
    };
    thresholds.iter().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_plain_list() {
        let values: Vec<u64> = (0..500).map(|i| (i * i * 7919 + i * 31) % 1009).collect();
        let thresholds = [0, 1, 7, 7, 300, 301, 1008, 1009, 5000];
        let profile = performance_profile(&values.iter().copied().collect(), &thresholds, 0.95);
        assert_eq!(profile.len(), thresholds.len());
        for (threshold, estimate) in thresholds.iter().zip(profile) {
            let reached = values.iter().filter(|value| *value >= threshold).count();
            assert_eq!(estimate.value, reached as f64 / 500.0, "{threshold}");
            assert!(0.0 <= estimate.low && estimate.high <= 1.0);
        }
        assert_eq!(performance_profile(&Histogram::default(), &thresholds, 0.95), []);
    }

    /// For many values, the constant of the 95 % band is the quantile of Kolmogorov's distribution,
    /// 1.3581.
    #[test]
    fn the_width_is_massarts() {
        for count in [1, 100, 10_000] {
            let constant = half_width(count, 0.95) * (count as f64).sqrt();
            assert!((constant - 1.358_102).abs() < 1e-6, "{constant}");
        }
        assert!((half_width(50, 0.99) * 50_f64.sqrt() - 1.627_624).abs() < 1e-6);
    }
}
