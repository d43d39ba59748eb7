//! Stopping bounds of a sequential probability ratio test, after Wald (1945).

use std::cmp::Ordering;

/// Log-likelihood ratios at which a sequential test stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The null hypothesis is accepted at or below this ratio.
    pub lower: f64,
    /// The alternative is accepted at or above this ratio.
    pub upper: f64,
}

/// Hypothesis of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// H0: usually that there is no difference.
    Null,
    /// H1: usually that there is one.
    Alternative,
}

impl Hypothesis {
    /// Returns the side of the null hypothesis on which the truth is assumed: above it, or not.
    pub(super) fn side(self) -> Ordering {
        match self {
            Hypothesis::Alternative => Ordering::Greater,
            Hypothesis::Null => Ordering::Less,
        }
    }
}

impl Bounds {
    /// Returns Wald's bounds: the null hypothesis is falsely rejected with probability `alpha`, the
    /// alternative with probability `beta`. Both are approximate and usually smaller, because the
    /// last trial overshoots the bound.
    ///
    /// # Panics
    /// If one of them is not between 0 and 1, or their sum is not below 1.
    pub fn new(alpha: f64, beta: f64) -> Bounds {
        assert!(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0, "errors of {alpha} and {beta}");
        Bounds { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() }
    }

    /// Returns the hypothesis that a log-likelihood ratio accepts; `None` while the test continues.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_stops_on_its_bounds() {
        let bounds = Bounds::new(0.05, 0.1);
        assert_eq!(bounds.decide(0.0), None);
        assert_eq!(bounds.decide(bounds.upper), Some(Hypothesis::Alternative));
        assert_eq!(bounds.decide(bounds.lower), Some(Hypothesis::Null));
    }
}
