//! Two functions of Loader (2000) for probabilities near their largest value: the error of
//! Stirling's formula, and the deviance.

use std::f64::consts::PI;

/// Argument from which on the series has full precision.
const SERIES_FROM: f64 = 16.0;

/// Returns the error of Stirling's formula: ln Γ(x + 1) - (x + 1/2) ln x + x - ln √(2π), for x > 0.
/// It is about 1 / 12x, so it keeps its digits even if the logarithm itself is large; used after
/// Loader (2000).
pub(super) fn stirling_error(x: f64) -> f64 {
    if x < SERIES_FROM {
        return libm::lgamma(x + 1.0) - (x + 0.5) * x.ln() + x - (2.0 * PI).ln() / 2.0;
    }
    // Abramowitz and Stegun (1964), 6.1.41.
    let coefficients =
        [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let inverse = 1.0 / x;
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * inverse * inverse + coefficient) * inverse
}

/// Returns the deviance of a `value` from the `expected` one, both above 0: value ln (value /
/// expected) + expected - value, never below 0. After Loader (2000): if the two are close, it is
/// summed as a series, because the terms of the formula would cancel.
pub(super) fn deviance(value: f64, expected: f64) -> f64 {
    let difference = value - expected;
    if difference.abs() >= 0.1 * (value + expected) {
        return value * (value / expected).ln() - difference;
    }
    let ratio = difference / (value + expected);
    let mut sum = difference * ratio;
    let mut term = 2.0 * value * ratio;
    for odd in (3..1000).step_by(2) {
        term *= ratio * ratio;
        let next = sum + term / f64::from(odd);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_the_rest_meet() {
        let (below, above) = (SERIES_FROM.next_down(), SERIES_FROM);
        assert!((stirling_error(below) - stirling_error(above)).abs() < 2e-14);
        // ln √(e² / 2π), for Γ(2) = 1.
        assert!((stirling_error(1.0) - (1.0 - (2.0 * PI).ln() / 2.0)).abs() < 1e-15);
        // 20! = 2 432 902 008 176 640 000.
        let logarithm = stirling_error(20.0) + 20.5 * 20_f64.ln() - 20.0 + (2.0 * PI).ln() / 2.0;
        assert!((logarithm - 2_432_902_008_176_640_000_f64.ln()).abs() < 1e-13);
    }

    #[test]
    fn both_ways_to_the_deviance_meet() {
        for value in [1e-3, 0.5, 7.0, 1e7] {
            for factor in [0.5, 0.8, 0.83, 1.0 + 1e-3, 1.2, 1.23, 5.0] {
                let expected: f64 = value * factor;
                let formula = value * (value / expected).ln() + expected - value;
                let got = deviance(value, expected);
                assert!(
                    (got - formula).abs() <= 1e-15 * (value + expected),
                    "{value}, {expected}: {got}, {formula}"
                );
                assert!(got >= 0.0);
            }
            assert_eq!(deviance(value, value), 0.0);
        }
    }
}
