//! Anytime-valid test and interval for a rate: the mixture of Robbins (1970) with a beta
//! distribution.
//!
//! If the rate is p, the evidence against p ever reaches 1 / α with a probability of at most α, for
//! any stopping rule (Ville, 1939). In return, the interval is wider than one for a fixed number of
//! trials.

use super::super::estimate::Estimate;
use super::super::special::{Beta, shares_of_log_ratio};

/// Returns the logarithm of the evidence against the rate `p`: the likelihood of a rate drawn from
/// the beta distribution `prior`, over that of `p`. Infinite for a rate of 0 or 1 that the trials
/// rule out.
///
/// # Panics
/// If there are more successes than trials, the rate is not within 0 and 1, or a shape of the prior
/// is not above 0.
pub fn mixture_log_evidence(successes: u64, trials: u64, p: f64, prior: (f64, f64)) -> f64 {
    assert!((0.0..=1.0).contains(&p), "a rate of {p}");
    Evidence::new(successes, trials, prior).log_evidence(p, 1.0 - p)
}

/// Returns all rates against which the evidence is below 1 / (1 - level): with probability `level`
/// the true rate is among them at all times simultaneously. Use the prior (1/2, 1/2) without prior
/// knowledge. Without trials, the bounds are 0 and 1.
///
/// # Panics
/// If there are more successes than trials, the level is not between 0 and 1, or a shape of the
/// prior is not above 0.
pub fn mixture_interval(successes: u64, trials: u64, level: f64, prior: (f64, f64)) -> Estimate {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    let evidence = Evidence::new(successes, trials, prior);
    if trials == 0 {
        return Estimate { low: 0.0, value: 0.5, high: 1.0, level };
    }
    let value = successes as f64 / trials as f64;
    let bound = -(1.0 - level).ln();
    let low = if successes == 0 { 0.0 } else { evidence.rate_at(bound, -1.0) };
    let high = if successes == trials { 1.0 } else { evidence.rate_at(bound, 1.0) };
    Estimate { low: low.min(value), value, high: high.max(value), level }
}

struct Evidence {
    successes: f64,
    failures: f64,
    prior: (f64, f64),
    prior_beta: Beta,
    posterior_beta: Beta,
}

impl Evidence {
    fn new(successes: u64, trials: u64, prior: (f64, f64)) -> Evidence {
        assert!(successes <= trials, "{successes} successes in {trials} trials");
        let (successes, failures) = (successes as f64, (trials - successes) as f64);
        let posterior_beta = Beta::new(successes + prior.0, failures + prior.1);
        Evidence { successes, failures, prior, prior_beta: Beta::new(prior.0, prior.1), posterior_beta }
    }

    /// Returns ln of B(k + a, n - k + b) / (B(a, b) p^k q^(n-k)), where p + q = 1.
    fn log_evidence(&self, p: f64, q: f64) -> f64 {
        if p > 0.0 && q > 0.0 {
            let prior = self.prior.0 * p.ln() + self.prior.1 * q.ln() - self.prior_beta.log_beta();
            return prior - self.posterior_beta.log_density(p, q);
        }
        let impossible = if p > 0.0 { self.failures } else { self.successes };
        if impossible > 0.0 {
            f64::INFINITY
        } else {
            self.posterior_beta.log_beta() - self.prior_beta.log_beta()
        }
    }

    /// Returns the rate against which the evidence is `bound`, below (`side` -1) or above (1) the
    /// observed one.
    ///
    /// As a function of u = ln (p / q) the evidence is convex. So Newton's method, started beyond
    /// the solution, approaches it with every step and never passes it.
    fn rate_at(&self, bound: f64, side: f64) -> f64 {
        let trials = self.successes + self.failures;
        let mut u = ((self.successes + 0.5) / (self.failures + 0.5)).ln();
        let mut stride = (1.0 / (self.successes + 0.5) + 1.0 / (self.failures + 0.5)).sqrt();
        let excess_and_slope = |u: f64| {
            let (p, q) = shares_of_log_ratio(u);
            (self.log_evidence(p, q) - bound, trials * p - self.successes)
        };
        while excess_and_slope(u).0 < 0.0 {
            // With a prior far from the observations, rates next to 0 or 1 remain possible.
            if u.abs() >= 690.0 {
                return shares_of_log_ratio(u).0;
            }
            u = (u + side * stride).clamp(-690.0, 690.0);
            stride *= 1.5;
        }
        for _ in 0..200 {
            let (excess, slope) = excess_and_slope(u);
            let step = excess / slope;
            u -= step;
            if step.abs() <= 4e-16 * u.abs().max(1.0) {
                break;
            }
        }
        shares_of_log_ratio(u).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR: (f64, f64) = (0.5, 0.5);

    #[test]
    fn a_rate_stays_a_rate() {
        let no_trials = Estimate { low: 0.0, value: 0.5, high: 1.0, level: 0.95 };
        assert_eq!(mixture_interval(0, 0, 0.95, PRIOR), no_trials);
        for prior in [PRIOR, (1.0, 1.0), (0.01, 3.0), (50.0, 20.0)] {
            for trials in [1, 2, 3, 10, 1000, 1_000_000, 1_000_000_007] {
                for level in [1e-9, 0.5, 0.95, 0.999_999, 1.0 - 1e-15] {
                    for successes in [0, 1, trials / 2, trials - 1, trials] {
                        let Estimate { value, low, high, .. } =
                            mixture_interval(successes, trials, level, prior);
                        let case = format!("{successes} of {trials}, {level}, {prior:?}: {low} {high}");
                        assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{case}");
                        assert_eq!(low == 0.0, successes == 0, "{case}");
                        // Floating-point numbers near 1 are coarser than near 0.
                        assert!(high == 1.0 || successes < trials, "{case}");
                        for bound in [low, high].into_iter().filter(|&rate| rate > 0.0 && rate < 1.0) {
                            let evidence = mixture_log_evidence(successes, trials, bound, prior);
                            let error = (evidence + (1.0 - level).ln()).abs();
                            let slope =
                                (successes as f64 / bound).max((trials - successes) as f64 / (1.0 - bound));
                            assert!(
                                error <= 1e-9 + 1e-7 * evidence.abs() + f64::EPSILON * slope,
                                "{case}: {evidence}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn evidence_where_a_rate_is_impossible() {
        assert_eq!(mixture_log_evidence(0, 0, 0.3, PRIOR), 0.0);
        assert_eq!(mixture_log_evidence(3, 10, 0.0, PRIOR), f64::INFINITY);
        assert_eq!(mixture_log_evidence(3, 10, 1.0, PRIOR), f64::INFINITY);
        // The observations fit the rate exactly: no evidence against it, and less with more trials.
        let (few_trials, many_trials) =
            (mixture_log_evidence(0, 10, 0.0, PRIOR), mixture_log_evidence(0, 1000, 0.0, PRIOR));
        assert!(many_trials < few_trials && few_trials < 0.0 && many_trials.is_finite());
        // B(1/2, n + 1/2) / B(1/2, 1/2) = C(2n, n) / 4^n.
        assert!((few_trials - (184_756.0 / 1_048_576.0_f64).ln()).abs() < 1e-12);
    }
}
