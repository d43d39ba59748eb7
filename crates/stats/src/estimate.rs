//! Estimates with confidence bounds.

/// Estimate from some trials, with its confidence bounds and their level.
///
/// `low <= value <= high`. If the trials give no error, as a single value does, the bounds are
/// infinite, so that they always contain the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Most likely value.
    pub value: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Confidence level of the bounds, such as 0.95.
    pub level: f64,
}

impl Estimate {
    /// Creates an estimate of unknown error, with infinite bounds.
    pub const fn unbounded(value: f64, level: f64) -> Estimate {
        Estimate { value, low: f64::NEG_INFINITY, high: f64::INFINITY, level }
    }

    /// Returns the lower and the upper bound; `None` if either is infinite.
    pub fn bounds(self) -> Option<(f64, f64)> {
        (self.low.is_finite() && self.high.is_finite()).then_some((self.low, self.high))
    }

    /// Returns true if neither bound is finite.
    pub fn is_unbounded(self) -> bool {
        self.low.is_infinite() && self.high.is_infinite()
    }

    /// Returns the bounds for plots, with the value in place of an infinite bound.
    pub fn span(self) -> (f64, f64) {
        let end = |bound: f64| if bound.is_finite() { bound } else { self.value };
        (end(self.low), end(self.high))
    }

    /// Returns half the distance between the bounds.
    pub fn half_width(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Applies an increasing function to the value and the bounds.
    #[must_use]
    pub fn map(self, function: impl Fn(f64) -> f64) -> Estimate {
        Estimate {
            value: function(self.value),
            low: function(self.low),
            high: function(self.high),
            level: self.level,
        }
    }

    /// Applies a decreasing function to the value and the bounds, and swaps the bounds.
    #[must_use]
    pub fn map_decreasing(self, function: impl Fn(f64) -> f64) -> Estimate {
        Estimate {
            value: function(self.value),
            low: function(self.high),
            high: function(self.low),
            level: self.level,
        }
    }

    /// Returns true if the number is outside the bounds.
    pub fn excludes(self, number: f64) -> bool {
        number < self.low || self.high < number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_bounds_it_excludes_nothing() {
        let unbounded = Estimate::unbounded(3.0, 0.95);
        assert_eq!((unbounded.bounds(), unbounded.span()), (None, (3.0, 3.0)));
        let half_open = Estimate { low: 2.0, ..unbounded };
        assert_eq!(
            (half_open.span(), unbounded.is_unbounded(), half_open.is_unbounded()),
            ((2.0, 3.0), true, false)
        );
        assert!(!unbounded.excludes(f64::MAX) && !unbounded.excludes(f64::MIN));
        let bounded = Estimate { value: 3.0, low: 2.0, high: 4.0, level: 0.95 };
        assert_eq!((bounded.bounds(), bounded.span()), (Some((2.0, 4.0)), (2.0, 4.0)));
        assert!(
            bounded.excludes(1.9)
                && bounded.excludes(4.1)
                && !bounded.excludes(2.0)
                && !bounded.excludes(4.0)
        );
    }
}
