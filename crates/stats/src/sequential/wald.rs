//! The bounds of a sequential probability ratio test, after Wald (1945).

use std::cmp::Ordering;

/// The log-likelihood ratios at which a sequential test stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// At this and below the null hypothesis is accepted.
    pub lower: f64,
    /// At this and above the alternative is accepted.
    pub upper: f64,
}

/// The hypotheses of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// H0: mostly that there is no difference.
    Null,
    /// H1.
    Alternative,
}

impl Hypothesis {
    /// The side of the null hypothesis on which the truth is taken to lie: above it, or not.
    pub(super) fn side(self) -> Ordering {
        match self {
            Hypothesis::Alternative => Ordering::Greater,
            Hypothesis::Null => Ordering::Less,
        }
    }
}

impl Bounds {
    /// Wald's bounds: the null hypothesis is rejected falsely with probability `alpha`, the
    /// alternative with probability `beta`. Both are approximate, and mostly less, as the last
    /// trial overshoots the bound.
    ///
    /// # Panics
    /// If one of them is not between 0 and 1, or both together are not below 1.
    pub fn of(alpha: f64, beta: f64) -> Bounds {
        assert!(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0, "errors of {alpha} and {beta}");
        Bounds { lower: (beta / (1.0 - alpha)).ln(), upper: ((1.0 - beta) / alpha).ln() }
    }

    /// The hypothesis that a log-likelihood ratio accepts. None while the test goes on.
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
        let bounds = Bounds::of(0.05, 0.1);
        assert_eq!(bounds.decide(0.0), None);
        assert_eq!(bounds.decide(bounds.upper), Some(Hypothesis::Alternative));
        assert_eq!(bounds.decide(bounds.lower), Some(Hypothesis::Null));
    }
}
