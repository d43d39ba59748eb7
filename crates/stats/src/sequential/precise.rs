//! An interval for a rate that may be looked at after every trial, until it is as narrow as was
//! asked for.
//!
//! The mixture of Robbins (1970), with a beta distribution that is centred at the very rate that is
//! tested. Of each rate p the evidence against it is the likelihood of a rate drawn around p over
//! that of p, which ever reaches 1 / α with a probability of α at most (Ville, 1939). How far
//! around is chosen before the first trial, such that the interval is narrowest about when it is as
//! narrow as was asked for: a mixture over all rates alike needs half as many trials more.

use super::super::border::border;
use super::super::estimate::Estimate;
use super::super::special::{Beta, parts};

/// The trials that shall have been made when the interval is narrow enough at a rate of 1/2, as a
/// multiple of those that the distribution is worth. The trials that it takes are least at about 8,
/// and hardly more from 3 to 30; at rates next to 0 and 1 the interval is narrow enough sooner.
const RATIO: f64 = 16.0;

/// A rate that is to be known to within a distance, at a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precise {
    within: f64,
    level: f64,
    /// The trials that the distribution around a rate is worth.
    weight: f64,
}

impl Precise {
    /// # Panics
    /// If the half-width or the level is not between 0 and 1.
    pub fn new(within: f64, level: f64) -> Precise {
        assert!(within > 0.0 && within < 1.0 && level > 0.0 && level < 1.0, "{within} at {level}");
        // The trials that it takes at a rate of 1/2, if sums of trials were normal.
        let spread = (1.0 + 1.0 / RATIO) * (-2.0 * (1.0 - level).ln() + RATIO.ln_1p());
        let trials = spread / (4.0 * within * within);
        Precise { within, level, weight: trials / RATIO }
    }

    /// True if no rate is left that is further than asked for from the one observed.
    ///
    /// # Panics
    /// If there are more successes than trials.
    pub fn is_reached(&self, successes: u64, trials: u64) -> bool {
        if trials == 0 {
            return false;
        }
        let around = Around::new(self, successes, trials);
        let excludes = |p: f64, q: f64| p <= 0.0 || q <= 0.0 || around.evidence(p, q) >= self.bound();
        let (p, q) = around.observed();
        excludes(p + self.within, q - self.within) && excludes(p - self.within, q + self.within)
    }

    /// All rates against which the evidence is below 1 / (1 - level): with the probability `level`
    /// the true rate is among them at all times at once. None without trials.
    ///
    /// # Panics
    /// If there are more successes than trials.
    pub fn interval(&self, successes: u64, trials: u64) -> Option<Estimate> {
        if trials == 0 {
            return None;
        }
        let around = Around::new(self, successes, trials);
        let (value, _) = around.observed();
        let low = if successes == 0 { 0.0 } else { around.reaches(self.bound(), -1.0) };
        let high = if successes == trials { 1.0 } else { around.reaches(self.bound(), 1.0) };
        Some(Estimate { low: low.min(value), value, high: high.max(value), level: self.level })
    }

    fn bound(&self) -> f64 {
        -(1.0 - self.level).ln()
    }
}

/// The trials observed, and the weight of the distribution around each rate.
struct Around {
    successes: f64,
    failures: f64,
    weight: f64,
}

impl Around {
    fn new(precise: &Precise, successes: u64, trials: u64) -> Around {
        assert!(successes <= trials, "{successes} successes in {trials} trials");
        let (successes, failures) = (successes as f64, (trials - successes) as f64);
        Around { successes, failures, weight: precise.weight }
    }

    /// The share of successes, and that of failures.
    fn observed(&self) -> (f64, f64) {
        let trials = self.successes + self.failures;
        (self.successes / trials, self.failures / trials)
    }

    /// ln of B(k + wp, n - k + wq) / (B(wp, wq) p^k q^(n-k)), p and q being parts of 1.
    fn evidence(&self, p: f64, q: f64) -> f64 {
        let (first, second) = (self.weight * p, self.weight * q);
        let before = Beta::new(first, second).log_front(p, q);
        before - Beta::new(self.successes + first, self.failures + second).log_front(p, q)
    }

    /// The rate against which the evidence is `bound`, below (`side` -1) or above (1) the one
    /// observed.
    ///
    /// The evidence is convex in the rate: its slope is the sum over j < n-k of j / q(wq + j), less
    /// that over i < k of i / p(wp + i), and both terms grow with p. Against the rate observed it
    /// is 0 at most. So it passes the bound once on each side.
    fn reaches(&self, bound: f64, side: f64) -> f64 {
        /// The logarithms of p / q that numbers have room for.
        const MOST: f64 = 690.0;
        let (p, q) = self.observed();
        let inside = (p / q).ln().clamp(-MOST, MOST);
        let is_inside = |log_ratio: f64| {
            let (p, q) = parts(log_ratio);
            self.evidence(p, q) < bound
        };
        let (outside, _) = border(side * MOST, inside, 80, is_inside);
        parts(outside).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_where_the_evidence_is_as_large_as_asked() {
        for within in [1e-6, 0.001, 0.01, 0.2, 0.499] {
            for level in [0.51, 0.95, 0.999_999_999] {
                let precise = Precise::new(within, level);
                assert_eq!((precise.interval(0, 0), precise.is_reached(0, 0)), (None, false));
                for trials in [1, 2, 10, 1000, 1_000_000, 1_000_000_007] {
                    for successes in [0, 1, trials / 3, trials / 2, trials - 1, trials] {
                        let Estimate { low, value, high, .. } =
                            precise.interval(successes, trials).expect("there are trials");
                        let case =
                            format!("{successes} of {trials} within {within} at {level}: {low} {high}");
                        assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{case}");
                        assert_eq!(low == 0.0, successes == 0, "{case}");
                        assert!(high == 1.0 || successes < trials, "{case}");
                        // As narrow as was asked for if it says so.
                        let widest = (high - value).max(value - low);
                        if (widest - within).abs() > 1e-9 {
                            assert_eq!(precise.is_reached(successes, trials), widest < within, "{case}");
                        }
                    }
                }
            }
        }
    }

    /// The rate is known as well with few more trials as with the best distribution for it, and
    /// with far fewer than with one over all rates alike.
    #[test]
    fn it_takes_fewer_trials_than_a_mixture_over_all_rates() {
        for (rate, most) in [(0.5, 2.5), (0.1, 2.6), (0.02, 4.0)] {
            let (precise, within) = (Precise::new(0.01, 0.95), 0.01);
            let takes = |is_enough: &dyn Fn(u64, u64) -> bool| {
                let mut trials = 100;
                while !is_enough((rate * trials as f64) as u64, trials) {
                    trials += 100;
                }
                trials as f64
            };
            let fixed = 1.959_964_f64.powi(2) * rate * (1.0 - rate) / (within * within);
            let here = takes(&|successes, trials| precise.is_reached(successes, trials));
            let alike = takes(&|successes, trials| {
                let interval = super::super::mixture_interval(successes, trials, 0.95, (1.0, 1.0));
                (interval.high - interval.value).max(interval.value - interval.low) <= within
            });
            assert!(here < most * fixed && 1.1 * here < alike, "{rate}: {here}, {alike}, fixed {fixed}");
        }
    }
}
