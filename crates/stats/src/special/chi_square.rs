//! Upper tail of the chi-square distribution (incomplete gamma function).

use std::f64::consts::PI;

use super::gamma::{deviance, stirling_error};

/// Terms after which the series and the fraction have converged for any argument in use.
const MAX_TERMS: u32 = 100_000;

/// Returns the probability that a chi-square value with these degrees of freedom is above `x`.
///
/// # Panics
/// If there are no degrees of freedom, or `x` is not a number.
pub(crate) fn chi_square_above(x: f64, degrees: u32) -> f64 {
    assert!(degrees > 0 && !x.is_nan(), "invalid chi-square {x} with {degrees} degrees of freedom");
    if x <= 0.0 {
        return 1.0;
    }
    let (a, x) = (f64::from(degrees) / 2.0, x / 2.0);
    // x^a e^-x / Γ(a), as in Loader's (2000) Poisson probabilities.
    let prefactor = ((a / (2.0 * PI)).ln() / 2.0 - deviance(a, x) - stirling_error(a)).exp();
    if x < a + 1.0 { 1.0 - prefactor * series(a, x) } else { prefactor * fraction(a, x) }
}

/// Returns the sum of x^n / (a (a + 1) … (a + n)): Abramowitz and Stegun (1964), 6.5.29.
fn series(a: f64, x: f64) -> f64 {
    let mut term = 1.0 / a;
    let mut sum = term;
    for n in 1..MAX_TERMS {
        term *= x / (a + f64::from(n));
        let next = sum + term;
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// Returns the continued fraction 6.5.31 of Abramowitz and Stegun (1964), in its even form, by
/// Lentz's method.
fn fraction(a: f64, x: f64) -> f64 {
    let mut denominator = x + 1.0 - a;
    let mut c = f64::INFINITY;
    let mut d = 1.0 / denominator;
    let mut product = d;
    for n in 1..MAX_TERMS {
        let n = f64::from(n);
        let numerator = n * (a - n);
        denominator += 2.0;
        d = 1.0 / (numerator * d + denominator);
        c = denominator + numerator / c;
        let factor = c * d;
        product *= factor;
        if (factor - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    product
}
