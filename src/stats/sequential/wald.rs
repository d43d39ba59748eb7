//! The sequential probability ratio test of Wald (1945).

/// The logarithms of the likelihood ratio at which a sequential test stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// At this and below the first hypothesis is accepted.
    pub lower: f64,
    /// At this and above the second one is.
    pub upper: f64,
}

/// Which of two a sequential test accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// That with index 0: mostly that nothing is to be seen.
    Null,
    /// That with index 1.
    Alternative,
}

impl Bounds {
    /// Wald's bounds: the null hypothesis is rejected falsely with probability `alpha`, the alternative with
    /// probability `beta`, both nearly and, as the last trial overshoots the bound, mostly less.
    ///
    /// # Panics
    /// If one of them is not between 0 and 1, or both together are not below 1.
    pub fn of(alpha: f64, beta: f64) -> Bounds {
        assert!(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0, "errors of {alpha} and {beta}");
        Bounds { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() }
    }

    /// What a log-likelihood ratio decides. None while the test goes on.
    pub fn decide(self, ratio: f64) -> Option<Hypothesis> {
        if ratio >= self.upper {
            Some(Hypothesis::Alternative)
        } else if ratio <= self.lower {
            Some(Hypothesis::Null)
        } else {
            None
        }
    }
}

/// The logarithm of how many times as probable these successes are at rate `p1` as at rate `p0`.
///
/// # Panics
/// If there are more successes than trials, or a rate is not between 0 and 1.
pub fn wald_ratio(successes: u64, trials: u64, p0: f64, p1: f64) -> f64 {
    assert!(successes <= trials, "{successes} successes in {trials} trials");
    let (success, failure) = gains(p0, p1);
    successes as f64 * success + (trials - successes) as f64 * failure
}

/// How many trials the test takes on average if the rate is `p0` and if it is `p1`, as Wald reckons: as if the last
/// trial met the bound exactly.
///
/// # Panics
/// If the rates are equal or not between 0 and 1, or as [`Bounds::of`] does.
pub fn wald_expected_trials(alpha: f64, beta: f64, p0: f64, p1: f64) -> (f64, f64) {
    assert!(p0 != p1, "there is nothing to tell apart");
    let Bounds { lower, upper } = Bounds::of(alpha, beta);
    let (success, failure) = gains(p0, p1);
    let gain = |rate: f64| rate * success + (1.0 - rate) * failure;
    let null = ((1.0 - alpha) * lower + alpha * upper) / gain(p0);
    let alternative = (beta * lower + (1.0 - beta) * upper) / gain(p1);
    (null, alternative)
}

/// What a success and what a failure adds.
fn gains(p0: f64, p1: f64) -> (f64, f64) {
    assert!(p0 > 0.0 && p0 < 1.0 && p1 > 0.0 && p1 < 1.0, "rates {p0} and {p1}");
    // Not the logarithm of the quotient: a million times its rounding would be seen.
    (((p1 - p0) / p0).ln_1p(), ((p0 - p1) / (1.0 - p0)).ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_decides_nothing() {
        assert_eq!(wald_ratio(0, 0, 0.5, 0.6), 0.0);
        assert_eq!(wald_ratio(700, 1000, 0.3, 0.3), 0.0);
        let bounds = Bounds::of(0.05, 0.1);
        assert_eq!(bounds.decide(0.0), None);
        assert_eq!(bounds.decide(bounds.upper), Some(Hypothesis::Alternative));
        assert_eq!(bounds.decide(bounds.lower), Some(Hypothesis::Null));
    }

    #[test]
    fn turned_around_it_is_the_same() {
        let ratio = wald_ratio(613, 1000, 0.6, 0.65);
        assert!((ratio + wald_ratio(613, 1000, 0.65, 0.6)).abs() < 1e-12);
        assert!((ratio - wald_ratio(387, 1000, 0.4, 0.35)).abs() < 1e-12);
    }
}
