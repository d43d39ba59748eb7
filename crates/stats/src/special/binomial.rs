//! Binomial distribution: successes in independent trials.

use super::beta::Beta;

/// Number of successes in trials with equal success probability.
pub(crate) struct Binomial {
    trials: u64,
    /// Probabilities of success and of failure.
    probabilities: (f64, f64),
}

impl Binomial {
    /// Creates the distribution.
    ///
    /// # Panics
    /// If the probability is not within 0 and 1.
    pub(crate) fn new(trials: u64, success: f64) -> Binomial {
        assert!((0.0..=1.0).contains(&success), "a probability of {success}");
        Binomial { trials, probabilities: (success, 1.0 - success) }
    }

    /// Returns the probability of at most this many successes.
    pub(crate) fn cdf(&self, successes: u64) -> f64 {
        if successes >= self.trials {
            return 1.0;
        }
        let (success, failure) = self.probabilities;
        match (success, failure) {
            (0.0, _) => 1.0,
            (_, 0.0) => 0.0,
            _ => {
                Beta::new((self.trials - successes) as f64, successes as f64 + 1.0).tails(failure, success).0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities() {
        // Sums with 60 digits (mpmath).
        #[track_caller]
        fn check(trials: u64, success: f64, successes: u64, expected: f64) {
            let got = Binomial::new(trials, success).cdf(successes);
            assert!((got - expected).abs() <= 1e-11 * expected, "{got} is not {expected}");
        }

        check(10, 0.5, 3, 0.171875);
        check(1000, 0.001, 0, 0.36769542477096405);
        check(1000, 0.125, 1000, 1.0);
        check(1000, 0.125, 60, 7.072932166313546e-12);
        check(1_000_000, 0.25, 251_000, 0.9895482440538837);
        check(10_000_000, 0.5, 4_998_000, 0.10300830139751392);
    }

    #[test]
    fn what_is_sure() {
        for (success, certain) in [(0.0, 0), (1.0, 10)] {
            for successes in 0..=10 {
                let at_most = if successes >= certain { 1.0 } else { 0.0 };
                assert_eq!(Binomial::new(10, success).cdf(successes), at_most);
            }
        }
        assert_eq!(Binomial::new(0, 0.3).cdf(0), 1.0);
    }
}
