//! Tails of the beta distribution, which are the incomplete beta function.

use std::f64::consts::PI;

use super::gamma::{deviance, stirling_error};

/// Beta distribution with two shapes, both above 0.
///
/// A value is passed as two parts x and y with x + y = 1, because near 1 a single number has few
/// digits left.
pub(crate) struct Beta {
    shapes: (f64, f64),
    /// ln of √(ab / 2πn) Γ'(n) / Γ'(a) Γ'(b), where n = a + b and Γ' is the ratio of the gamma
    /// function to Stirling's formula.
    scale: f64,
}

impl Beta {
    /// Creates the distribution.
    ///
    /// # Panics
    /// If a shape is not above 0.
    pub(crate) fn new(first: f64, second: f64) -> Beta {
        assert!(first > 0.0 && second > 0.0, "shapes {first} and {second}");
        let sum = first + second;
        // Divide before multiplying, because products of large shapes overflow.
        let root = (first / sum * second / (2.0 * PI)).ln() / 2.0;
        let scale = root + stirling_error(sum) - stirling_error(first) - stirling_error(second);
        Beta { shapes: (first, second), scale }
    }

    /// Returns ln of x^a y^b / B(a, b), where x + y = 1: the density with respect to the logarithm
    /// of x / y.
    ///
    /// Written like Loader's (2000) binomial probabilities, without subtracting large numbers.
    pub(crate) fn log_density(&self, x: f64, y: f64) -> f64 {
        let (first, second) = self.shapes;
        let sum = first + second;
        if x <= 0.0 || y <= 0.0 {
            return f64::NEG_INFINITY;
        }
        self.scale - deviance(first, sum * x) - deviance(second, sum * y)
    }

    /// Returns ln of the beta function of the shapes.
    pub(crate) fn log_beta(&self) -> f64 {
        let (first, second) = self.shapes;
        // Use the other shape's share if it is smaller, because only then a logarithm near 0 is
        // exact.
        let log_share = |own: f64, other: f64| {
            if own > other { -(other / own).ln_1p() } else { (own / (own + other)).ln() }
        };
        first * log_share(first, second) + second * log_share(second, first) - self.scale
    }

    /// Returns the probabilities of values below and above x, where x + y = 1. The smaller one has
    /// full precision.
    pub(crate) fn tails(&self, x: f64, y: f64) -> (f64, f64) {
        if self.is_low(x) {
            let below = self.log_below(x, y).exp();
            (below, 1.0 - below)
        } else {
            let above = self.mirror().log_below(y, x).exp();
            (1.0 - above, above)
        }
    }

    /// Returns true if the continued fraction for the lower tail converges quickly.
    fn is_low(&self, x: f64) -> bool {
        let (first, second) = self.shapes;
        x < (first + 1.0) / (first + second + 2.0)
    }

    /// Returns ln of the probability of values below a low x.
    fn log_below(&self, x: f64, y: f64) -> f64 {
        if x <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let (first, second) = self.shapes;
        self.log_density(x, y) + (fraction(first, second, x) / first).ln()
    }

    /// Returns the distribution of one minus the value.
    fn mirror(&self) -> Beta {
        Beta { shapes: (self.shapes.1, self.shapes.0), scale: self.scale }
    }
}

/// Returns the parts x and y, with x + y = 1, whose ratio has this logarithm.
pub(crate) fn shares_of_log_ratio(log_ratio: f64) -> (f64, f64) {
    (1.0 / (1.0 + (-log_ratio).exp()), 1.0 / (1.0 + log_ratio.exp()))
}

/// Evaluates the continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8)
/// by Lentz's method: see Press et al., Numerical Recipes, 6.4.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    /// Maximum distance from 1 of the last round's factor.
    const TOLERANCE: f64 = 4e-16;
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    // About √(a + b) rounds suffice.
    for round in 1..1_000_000 {
        let m = f64::from(round);
        let even_term = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd_term = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for term in [even_term, odd_term] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            factor *= c * d;
        }
        fraction *= factor;
        if (factor - 1.0).abs() <= TOLERANCE {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails() {
        // mpmath's betainc, 60 digits.
        #[track_caller]
        fn check(first: f64, second: f64, x: f64, below: f64, above: f64) {
            let beta = Beta::new(first, second);
            let got = beta.tails(x, 1.0 - x);
            assert!((got.0 / below - 1.0).abs() < 1e-13 && (got.1 / above - 1.0).abs() < 1e-13, "{got:?}");
        }

        check(0.5, 0.5, 0.25, 1.0 / 3.0, 2.0 / 3.0);
        check(3.0, 7.0, 0.125, 0.09189072251319885, 0.9081092774868011);
        check(1.0, 1000.0, 0.001, 0.632304575229036, 0.36769542477096405);
        check(120.5, 80.5, 0.625, 0.7682254647790664, 0.23177453522093354);
        check(2.5, 0.5, 0.999, 0.9463423453081864, 0.05365765469181357);
    }

    #[test]
    fn both_ways_to_the_tails_meet() {
        for (first, second) in [(0.01, 0.01), (1e-3, 50.0), (0.5, 1e7), (1.0, 1e9), (1e6, 3e6), (5e9, 5e9)] {
            let beta = Beta::new(first, second);
            let x = (first + 1.0) / (first + second + 2.0);
            let (below, above) =
                (beta.log_below(x, 1.0 - x).exp(), beta.mirror().log_below(1.0 - x, x).exp());
            // With shapes of 1e9, rounding of 1 - x affects the ninth digit.
            assert!((below + above - 1.0).abs() < 1e-7, "{first}, {second}: {below} and {above}");
        }
    }

    #[test]
    fn beta_functions() {
        // B(1/2, 1/2) is pi, B(3, 4) one over 60, B(1, n) one over n.
        assert!((Beta::new(0.5, 0.5).log_beta() - PI.ln()).abs() < 1e-15);
        assert!((Beta::new(3.0, 4.0).log_beta() + 60_f64.ln()).abs() < 1e-14);
        assert!((Beta::new(1.0, 1e7).log_beta() + 1e7_f64.ln()).abs() < 1e-13);
    }
}
