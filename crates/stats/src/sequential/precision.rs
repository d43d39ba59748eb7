//! Anytime-valid interval for a rate, which is checked until it is as narrow as requested.
//!
//! It is Robbins' mixture (1970), with a beta distribution centred at the rate that is tested. The
//! evidence against a rate p is the likelihood of a rate drawn around p over that of p. It ever
//! reaches 1 / α with a probability of at most α (Ville, 1939). The spread around p is chosen
//! before the first trial, so that the interval is narrowest about when it has the requested width.
//! A uniform mixture over all rates needs 1.5 times as many trials.

use super::super::bisection::bisect;
use super::super::estimate::Estimate;
use super::super::special::{Beta, shares_of_log_ratio};

/// Number of trials expected at a rate of 1/2, as a multiple of the trials that the distribution is
/// worth. The expected number is smallest at about 8, and hardly larger from 3 to 30. At rates near
/// 0 and 1 the interval is narrow enough sooner.
const TRIAL_RATIO: f64 = 16.0;

/// Goal: to know a rate within a distance, at a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecisionGoal {
    half_width: f64,
    level: f64,
    /// Number of trials that the distribution around a rate is worth.
    weight: f64,
}

impl PrecisionGoal {
    /// Creates a goal from a half-width and a level.
    ///
    /// # Panics
    /// If the half-width or the level is not between 0 and 1.
    pub fn new(half_width: f64, level: f64) -> PrecisionGoal {
        assert!(
            half_width > 0.0 && half_width < 1.0 && level > 0.0 && level < 1.0,
            "{half_width} at {level}"
        );
        // Trials needed at a rate of 1/2, if sums of trials were normal.
        let spread = (1.0 + 1.0 / TRIAL_RATIO) * (-2.0 * (1.0 - level).ln() + TRIAL_RATIO.ln_1p());
        let trials = spread / (4.0 * half_width * half_width);
        PrecisionGoal { half_width, level, weight: trials / TRIAL_RATIO }
    }

    /// Returns true if all remaining rates are within the requested distance of the observed one.
    ///
    /// # Panics
    /// If there are more successes than trials.
    pub fn is_reached(&self, successes: u64, trials: u64) -> bool {
        if trials == 0 {
            return false;
        }
        let observed = ObservedTrials::new(self, successes, trials);
        let excludes = |p: f64, q: f64| p <= 0.0 || q <= 0.0 || observed.log_evidence(p, q) >= self.bound();
        let (p, q) = observed.proportions();
        excludes(p + self.half_width, q - self.half_width)
            && excludes(p - self.half_width, q + self.half_width)
    }

    /// Returns all rates against which the evidence is below 1 / (1 - level): with probability
    /// `level` the true rate is among them at all times simultaneously. `None` without trials.
    ///
    /// # Panics
    /// If there are more successes than trials.
    pub fn interval(&self, successes: u64, trials: u64) -> Option<Estimate> {
        if trials == 0 {
            return None;
        }
        let observed = ObservedTrials::new(self, successes, trials);
        let (value, _) = observed.proportions();
        let low = if successes == 0 { 0.0 } else { observed.rate_at(self.bound(), -1.0) };
        let high = if successes == trials { 1.0 } else { observed.rate_at(self.bound(), 1.0) };
        Some(Estimate { low: low.min(value), value, high: high.max(value), level: self.level })
    }

    fn bound(&self) -> f64 {
        -(1.0 - self.level).ln()
    }
}

/// Observed trials, and the weight of the distribution around each rate.
struct ObservedTrials {
    successes: f64,
    failures: f64,
    weight: f64,
}

impl ObservedTrials {
    fn new(goal: &PrecisionGoal, successes: u64, trials: u64) -> ObservedTrials {
        assert!(successes <= trials, "{successes} successes in {trials} trials");
        let (successes, failures) = (successes as f64, (trials - successes) as f64);
        ObservedTrials { successes, failures, weight: goal.weight }
    }

    /// Returns the proportions of successes and of failures.
    fn proportions(&self) -> (f64, f64) {
        let trials = self.successes + self.failures;
        (self.successes / trials, self.failures / trials)
    }

    /// Returns ln of B(k + wp, n - k + wq) / (B(wp, wq) p^k q^(n-k)), where p + q = 1.
    fn log_evidence(&self, p: f64, q: f64) -> f64 {
        let (first, second) = (self.weight * p, self.weight * q);
        let before = Beta::new(first, second).log_density(p, q);
        before - Beta::new(self.successes + first, self.failures + second).log_density(p, q)
    }

    /// Returns the rate against which the evidence is `bound`, below (`side` -1) or above (1) the
    /// observed one.
    ///
    /// The evidence is convex in the rate: its slope is the sum over j < n-k of j / q(wq + j),
    /// minus the sum over i < k of i / p(wp + i), and both terms grow with p. At the observed rate
    /// it is at most 0. So it passes the bound once on each side.
    fn rate_at(&self, bound: f64, side: f64) -> f64 {
        /// Largest logarithm of p / q that can be represented.
        const MAX_LOG_RATIO: f64 = 690.0;
        let (p, q) = self.proportions();
        let inside = (p / q).ln().clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO);
        let is_inside = |log_ratio: f64| {
            let (p, q) = shares_of_log_ratio(log_ratio);
            self.log_evidence(p, q) < bound
        };
        let (outside, _) = bisect(side * MAX_LOG_RATIO, inside, 80, is_inside);
        shares_of_log_ratio(outside).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_where_the_evidence_is_as_large_as_asked() {
        for half_width in [1e-6, 0.001, 0.01, 0.2, 0.499] {
            for level in [0.51, 0.95, 0.999_999_999] {
                let goal = PrecisionGoal::new(half_width, level);
                assert_eq!((goal.interval(0, 0), goal.is_reached(0, 0)), (None, false));
                for trials in [1, 2, 10, 1000, 1_000_000, 1_000_000_007] {
                    for successes in [0, 1, trials / 3, trials / 2, trials - 1, trials] {
                        let Estimate { low, value, high, .. } =
                            goal.interval(successes, trials).expect("there are trials");
                        let case =
                            format!("{successes} of {trials} within {half_width} at {level}: {low} {high}");
                        assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{case}");
                        assert_eq!(low == 0.0, successes == 0, "{case}");
                        assert!(high == 1.0 || successes < trials, "{case}");
                        // The interval is as narrow as requested exactly if the goal is reached.
                        let max_distance = (high - value).max(value - low);
                        if (max_distance - half_width).abs() > 1e-9 {
                            assert_eq!(
                                goal.is_reached(successes, trials),
                                max_distance < half_width,
                                "{case}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// Few more trials are needed than with the best distribution for the rate, and far fewer than
    /// with a uniform mixture over all rates.
    #[test]
    fn it_takes_fewer_trials_than_a_mixture_over_all_rates() {
        for (rate, max_factor) in [(0.5, 2.5), (0.1, 2.6), (0.02, 4.0)] {
            let (goal, half_width) = (PrecisionGoal::new(0.01, 0.95), 0.01);
            let trials_needed = |is_enough: &dyn Fn(u64, u64) -> bool| {
                let mut trials = 100;
                while !is_enough((rate * trials as f64) as u64, trials) {
                    trials += 100;
                }
                trials as f64
            };
            let fixed_trials = 1.959_964_f64.powi(2) * rate * (1.0 - rate) / (half_width * half_width);
            let goal_trials = trials_needed(&|successes, trials| goal.is_reached(successes, trials));
            let uniform_trials = trials_needed(&|successes, trials| {
                let interval = super::super::mixture_interval(successes, trials, 0.95, (1.0, 1.0));
                (interval.high - interval.value).max(interval.value - interval.low) <= half_width
            });
            assert!(
                goal_trials < max_factor * fixed_trials && 1.1 * goal_trials < uniform_trials,
                "{rate}: {goal_trials}, {uniform_trials}, fixed {fixed_trials}"
            );
        }
    }
}
