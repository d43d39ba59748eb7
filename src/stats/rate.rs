//! Other intervals for a rate than Wilson's, which [`wilson`](super::wilson) gives: for comparison, and where more
//! caution is wanted.

use super::estimate::Estimate;
use super::special::{Beta, two_sided_normal};

/// The rate at which trials succeed, after Agresti and Coull (1998): the normal interval after z² more trials, half of
/// them successes. Never narrower than Wilson's, and within 0 and 1. None without trials.
///
/// # Panics
/// If there are more successes than trials, or the level is not between 0 and 1.
pub fn agresti_coull(successes: u64, trials: u64, level: f64) -> Option<Estimate> {
    let z = two_sided_normal(level);
    let value = value(successes, trials)?;
    let more = trials as f64 + z * z;
    let centre = (successes as f64 + z * z / 2.0) / more;
    let rest = ((trials - successes) as f64 + z * z / 2.0) / more;
    let reach = z * (centre * rest / more).sqrt();
    let (low, high) = ((centre - reach).max(0.0), (centre + reach).min(1.0));
    Some(Estimate { low: low.min(value), value, high: high.max(value), level })
}

/// The rate at which trials succeed, after Clopper and Pearson (1934): all rates that would not make so few or so many
/// successes too improbable. Holds the true rate at least as often as the level says, mostly more often. None without
/// trials.
///
/// # Panics
/// If there are more successes than trials, or the level is not between 0 and 1.
pub fn clopper_pearson(successes: u64, trials: u64, level: f64) -> Option<Estimate> {
    let tail = tail(level);
    let value = value(successes, trials)?;
    let (k, rest) = (successes as f64, (trials - successes) as f64);
    let low = if successes == 0 { 0.0 } else { Beta::new(k, rest + 1.0).quantile(tail).0 };
    let high = if successes == trials { 1.0 } else { Beta::new(k + 1.0, rest).upper_quantile(tail).0 };
    Some(Estimate { low: low.min(value), value, high: high.max(value), level })
}

/// The rate at which trials succeed, by the prior of Jeffreys (1946) with the rule of Brown, Cai and DasGupta (2001)
/// for the ends: no success leaves 0 possible, and no failure 1. Close to the level on average, and narrow. None
/// without trials.
///
/// # Panics
/// If there are more successes than trials, or the level is not between 0 and 1.
pub fn jeffreys(successes: u64, trials: u64, level: f64) -> Option<Estimate> {
    let mut interval = jeffreys_equal_tailed(successes, trials, level)?;
    interval.value = value(successes, trials)?;
    if successes == 0 {
        interval.low = 0.0;
    }
    if successes == trials {
        interval.high = 1.0;
    }
    Some(interval)
}

/// As [`jeffreys`], as probable below as above also at the ends: without any success the rate 0 lies outside. The
/// estimate is the mean of what the prior and the trials say together, which never is 0 or 1. None without trials.
///
/// # Panics
/// If there are more successes than trials, or the level is not between 0 and 1.
pub fn jeffreys_equal_tailed(successes: u64, trials: u64, level: f64) -> Option<Estimate> {
    let tail = tail(level);
    value(successes, trials)?;
    let (k, rest) = (successes as f64 + 0.5, (trials - successes) as f64 + 0.5);
    let posterior = Beta::new(k, rest);
    let (low, high) = (posterior.quantile(tail).0, posterior.upper_quantile(tail).0);
    Some(Estimate { low, value: k / (k + rest), high, level })
}

/// The part of the trials that succeeded. None without trials.
fn value(successes: u64, trials: u64) -> Option<f64> {
    assert!(successes <= trials, "{successes} successes in {trials} trials");
    (trials > 0).then(|| successes as f64 / trials as f64)
}

/// How probable it is that such an interval lies above what it should hold, and below it.
fn tail(level: f64) -> f64 {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    (1.0 - level) / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::wilson;
    use super::*;

    #[test]
    fn a_rate_stays_a_rate() {
        for of in [agresti_coull, clopper_pearson, jeffreys, jeffreys_equal_tailed] {
            assert_eq!(of(0, 0, 0.95), None);
            for trials in [1, 2, 3, 10, 1000, 1_000_000, 1_000_000_007] {
                for level in [0.5, 0.95, 0.999_999, 1.0 - 1e-15] {
                    for successes in [0, 1, trials / 2, trials - 1, trials] {
                        let interval = of(successes, trials, level).unwrap();
                        let Estimate { value, low, high, .. } = interval;
                        let case = format!("{successes} of {trials}, {interval:?}");
                        assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{case}");
                        // Seen from the other side it is the same.
                        let other = of(trials - successes, trials, level).unwrap();
                        assert!((other.low - (1.0 - high)).abs() < 1e-12, "{case}, {other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_ends_are_open() {
        for trials in [1, 20, 1_000_000] {
            for of in [agresti_coull, clopper_pearson, jeffreys] {
                assert_eq!(of(0, trials, 0.95).unwrap().low, 0.0);
                assert_eq!(of(trials, trials, 0.95).unwrap().high, 1.0);
            }
        }
        // What three hundred games without success say: the rule of three.
        assert!((clopper_pearson(0, 300, 0.9).unwrap().high - 3.0 / 300.0).abs() < 1e-4);
    }

    #[test]
    fn the_cautious_are_wider() {
        for (successes, trials) in [(1, 10), (5, 10), (30, 400), (1000, 1001)] {
            let within =
                |inner: Estimate, outer: Estimate| outer.low <= inner.low && inner.high <= outer.high;
            let wilson = wilson(successes, trials, 0.95).unwrap();
            assert!(within(wilson, agresti_coull(successes, trials, 0.95).unwrap()));
            let exact = clopper_pearson(successes, trials, 0.95).unwrap();
            assert!(within(jeffreys_equal_tailed(successes, trials, 0.95).unwrap(), exact));
        }
    }
}
