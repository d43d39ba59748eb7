//! Successes in independent trials.

use super::beta::Beta;

/// How many of so many trials succeed, each with the same probability.
pub(crate) struct Binomial {
    trials: u64,
    /// Of success and of failure.
    odds: (f64, f64),
}

impl Binomial {
    /// # Panics
    /// If the probability is not within 0 and 1.
    pub(crate) fn new(trials: u64, success: f64) -> Binomial {
        assert!((0.0..=1.0).contains(&success), "a probability of {success}");
        Binomial { trials, odds: (success, 1.0 - success) }
    }

    /// The probability of this many successes.
    pub(crate) fn exactly(&self, successes: u64) -> f64 {
        if successes > self.trials {
            return 0.0;
        }
        let (success, failure) = self.odds;
        let failures = self.trials - successes;
        let all = |count: u64, probability: f64| match count {
            0 => 1.0,
            _ => (count as f64 * probability.ln()).exp(),
        };
        match (successes, failures) {
            (0, _) if success < 0.5 => (failures as f64 * (-success).ln_1p()).exp(),
            (_, 0) if failure < 0.5 => (successes as f64 * (-failure).ln_1p()).exp(),
            (0, _) => all(failures, failure),
            (_, 0) => all(successes, success),
            // C(n, k) is n over the product of k, n - k and their beta function.
            (k, rest) => {
                let (k, rest) = (k as f64, rest as f64);
                Beta::new(k, rest).log_front(success, failure).exp() * (1.0 / k + 1.0 / rest)
            }
        }
    }

    /// The probability of this many successes at most.
    pub(crate) fn at_most(&self, successes: u64) -> f64 {
        self.tails(successes).0
    }

    /// The probability of more successes.
    pub(crate) fn above(&self, successes: u64) -> f64 {
        self.tails(successes).1
    }

    /// At most so many, and more.
    fn tails(&self, successes: u64) -> (f64, f64) {
        if successes >= self.trials {
            return (1.0, 0.0);
        }
        let (success, failure) = self.odds;
        match (success, failure) {
            (0.0, _) => (1.0, 0.0),
            (_, 0.0) => (0.0, 1.0),
            _ => Beta::new((self.trials - successes) as f64, successes as f64 + 1.0).tails(failure, success),
        }
    }
}
