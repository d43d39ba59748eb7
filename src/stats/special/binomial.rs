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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities() {
        // Sums with 60 digits (mpmath): exactly so many, at most, and more.
        #[track_caller]
        fn check(trials: u64, success: f64, successes: u64, expected: [f64; 3]) {
            let binomial = Binomial::new(trials, success);
            let got = [binomial.exactly(successes), binomial.at_most(successes), binomial.above(successes)];
            for (got, expected) in got.into_iter().zip(expected) {
                assert!((got - expected).abs() <= 1e-11 * expected, "{got} is not {expected}");
            }
        }

        check(10, 0.5, 3, [0.1171875, 0.171875, 0.828125]);
        check(1000, 0.001, 0, [0.36769542477096405, 0.36769542477096405, 0.632304575229036]);
        check(1000, 0.125, 1000, [0.0, 1.0, 0.0]);
        check(1000, 0.125, 60, [3.958933778094262e-12, 7.072932166313546e-12, 0.9999999999929271]);
        check(1_000_000, 0.25, 251_000, [6.408266489852173e-5, 0.9895482440538837, 0.010451755946116288]);
        check(10_000_000, 0.5, 4_998_000, [0.00011337165606182479, 0.10300830139751392, 0.8969916986024861]);
    }

    #[test]
    fn what_is_sure() {
        for (success, certain) in [(0.0, 0), (1.0, 10)] {
            let binomial = Binomial::new(10, success);
            for successes in 0..=10 {
                let exactly = if successes == certain { 1.0 } else { 0.0 };
                assert_eq!(binomial.exactly(successes), exactly);
                let at_most = if successes >= certain { 1.0 } else { 0.0 };
                assert_eq!(
                    (binomial.at_most(successes), binomial.above(successes)),
                    (at_most, 1.0 - at_most)
                );
            }
        }
        let none = Binomial::new(0, 0.3);
        assert_eq!((none.exactly(0), none.exactly(1), none.at_most(0), none.above(0)), (1.0, 0.0, 1.0, 0.0));
        for trials in [1, 5, 40] {
            for success in [0.01, 0.3, 0.5, 0.99] {
                let sum: f64 =
                    (0..=trials).map(|successes| Binomial::new(trials, success).exactly(successes)).sum();
                assert!((sum - 1.0).abs() < 1e-13);
            }
        }
    }
}
