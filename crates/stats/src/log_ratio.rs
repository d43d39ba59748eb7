//! Ratios of two sums, such as time per move, on a logarithmic scale. The error comes from the
//! differences between groups of games, with Student's bounds.

use super::estimate::Estimate;
use super::special::two_sided_student;

/// Logarithm of a ratio of sums, or of a ratio of two such ratios, estimated from groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogRatio {
    log: f64,
    variance: f64,
    /// Degrees of freedom of the variance.
    degrees: f64,
}

/// A group's contributions to numerator and denominator.
pub type RatioSums = (f64, f64);

/// Minimum number of groups of equal size. Fewer do not show how much groups differ.
const MIN_GROUPS: f64 = 10.0;

impl LogRatio {
    /// Returns the ratio of the first sum to the second; `None` for too few groups.
    pub fn new(groups: &[RatioSums]) -> Option<LogRatio> {
        let groups: Vec<_> = groups.iter().map(|&sums| [sums]).collect();
        jackknife(&groups, |[(numerator, denominator)]| (numerator / denominator).ln())
    }

    /// Returns the quotient of two ratios with common groups: effects common to both in a group add
    /// no error.
    pub fn from_pairs(groups: &[[RatioSums; 2]]) -> Option<LogRatio> {
        jackknife(groups, |[one, other]| (one.0 / one.1).ln() - (other.0 / other.1).ln())
    }

    /// Returns the quotient of two ratios with independent groups.
    #[must_use]
    pub fn divide_by(self, other: LogRatio) -> LogRatio {
        let variance = self.variance + other.variance;
        // Welch–Satterthwaite degrees of freedom.
        let parts = [self, other].map(|ratio| ratio.variance.powi(2) / ratio.degrees);
        let degrees =
            if variance > 0.0 { variance.powi(2) / parts.iter().sum::<f64>() } else { self.degrees };
        LogRatio { log: self.log - other.log, variance, degrees }
    }

    /// Adds an error with a known standard deviation on the logarithmic scale.
    #[must_use]
    pub fn with_error(self, deviation: f64) -> LogRatio {
        let variance = self.variance + deviation.powi(2);
        let degrees = if self.variance > 0.0 {
            self.degrees * (variance / self.variance).powi(2)
        } else {
            f64::INFINITY
        };
        LogRatio { variance, degrees: degrees.min(MAX_DEGREES), ..self }
    }

    /// Returns the ratio.
    pub fn value(self) -> f64 {
        self.log.exp()
    }

    /// Returns the ratio with Student's bounds.
    pub fn interval(self, level: f64) -> Estimate {
        let half_width = two_sided_student(level, self.degrees) * self.variance.sqrt();
        Estimate {
            low: (self.log - half_width).exp(),
            value: self.value(),
            high: (self.log + half_width).exp(),
            level,
        }
    }
}

/// Degrees of freedom that are equivalent to a known error.
const MAX_DEGREES: f64 = 1e6;

/// Computes a logarithm from sums over groups, with its jackknife variance, which leaves out each
/// group in turn (Tukey 1958). Groups of unequal size count for fewer degrees of freedom than their
/// number (Kish 1965).
fn jackknife<const N: usize>(
    groups: &[[RatioSums; N]],
    log_of: impl Fn([RatioSums; N]) -> f64,
) -> Option<LogRatio> {
    let mut totals = [(0.0, 0.0); N];
    let mut squares = [0.0; N];
    for group in groups {
        for ((sums, square), part) in totals.iter_mut().zip(&mut squares).zip(group) {
            *sums = (sums.0 + part.0, sums.1 + part.1);
            *square += part.1.powi(2);
        }
    }
    let sizes = totals.iter().zip(squares).map(|(sums, square)| sums.1.powi(2) / square);
    let size = sizes.fold(f64::INFINITY, f64::min);
    // NaN if a sum is 0 or there are no groups.
    if size.is_nan() || size < MIN_GROUPS - 1e-9 {
        return None;
    }
    let log_without = |group: &[RatioSums; N]| {
        let mut others = totals;
        for (sums, part) in others.iter_mut().zip(group) {
            *sums = (sums.0 - part.0, sums.1 - part.1);
        }
        log_of(others)
    };
    let logs: Vec<f64> = groups.iter().map(log_without).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let variance = (count - 1.0) / count * logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
    let log = log_of(totals);
    (log.is_finite() && variance.is_finite()).then_some(LogRatio { log, variance, degrees: size - 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear congruential generator.
    fn draws() -> impl FnMut(u64) -> f64 {
        let mut state = 1_u64;
        move |n| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % n) as f64
        }
    }

    #[test]
    fn a_ratio_to_ones_is_a_mean() {
        let mut draw = draws();
        let values: Vec<f64> = (0..400).map(|_| 1000.0 + draw(100)).collect();
        let groups: Vec<RatioSums> = values.iter().map(|&value| (value, 1.0)).collect();
        let got = LogRatio::new(&groups).expect("many groups").interval(0.95);
        let mean = values.iter().sum::<f64>() / 400.0;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 399.0;
        let half_width = 1.966 * (variance / 400.0).sqrt();
        assert!((got.value - mean).abs() < 1e-9);
        for error in [got.high - mean - half_width, mean - got.low - half_width] {
            assert!(error.abs() < 0.01 * half_width, "off by {error} of {half_width}");
        }
    }

    #[test]
    fn what_is_common_to_both_adds_no_error() {
        let mut draw = draws();
        let pairs: Vec<[RatioSums; 2]> = (0..40)
            .map(|_| {
                let common = 1.0 + draw(1000) / 1000.0;
                [(3.0 * common, 1.0), (common, 1.0)]
            })
            .collect();
        let paired = LogRatio::from_pairs(&pairs).expect("many groups").interval(0.95);
        assert!((paired.low - 3.0).abs() < 1e-9 && (paired.high - 3.0).abs() < 1e-9, "{paired:?}");
        let [one, other] = [0, 1].map(|side| pairs.iter().map(|pair| pair[side]).collect::<Vec<_>>());
        let [one, other] = [one, other].map(|groups| LogRatio::new(&groups).expect("many groups"));
        let independent = one.divide_by(other).interval(0.95);
        assert!((independent.value - 3.0).abs() < 1e-9 && independent.high > 3.2, "{independent:?}");
    }

    #[test]
    fn errors_add_as_the_sides_of_a_right_angle() {
        let exact = LogRatio::new(&[(4.0, 2.0); 10]).expect("ten groups");
        assert_eq!(exact.interval(0.95), Estimate { low: 2.0, value: 2.0, high: 2.0, level: 0.95 });
        let log_half_width = |ratio: LogRatio| (ratio.interval(0.95).high / 2.0).ln();
        assert!((log_half_width(exact.with_error(0.03)) - 1.959_964 * 0.03).abs() < 1e-6);
        let combined = exact
            .with_error(0.03)
            .divide_by(LogRatio::new(&[(1.0, 1.0); 10]).expect("ten groups").with_error(0.04));
        assert!((log_half_width(combined) - 1.959_964 * 0.05).abs() < 1e-6);
    }

    #[test]
    fn too_few_groups_show_nothing() {
        assert_eq!(LogRatio::new(&[]), None);
        assert_eq!(LogRatio::new(&[(1.0, 1.0); 9]), None);
        assert_eq!(LogRatio::new(&[(1.0, 0.0); 20]), None);
        assert_eq!(LogRatio::new(&[(0.0, 1.0); 20]), None);
        // One group contains nearly everything.
        let mut groups = [(1.0, 1.0); 20];
        groups[0] = (1000.0, 1000.0);
        assert_eq!(LogRatio::new(&groups), None);
    }
}
