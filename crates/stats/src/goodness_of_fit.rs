//! Tests whether counts follow a given law.

use super::special::{chi_square_above, normal_above};

/// Returns the p of a chi-square statistic.
///
/// # Panics
/// If there are no degrees of freedom, or the statistic is not a number.
pub fn chi_square_p(statistic: f64, degrees: u32) -> f64 {
    chi_square_above(statistic, degrees)
}

/// Returns the two-sided p of a sum that is `z` standard deviations from its expected value and
/// approximately normal.
pub fn normal_p(z: f64) -> f64 {
    (2.0 * normal_above(z.abs())).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// References with 40 digits (mpmath).
    #[test]
    fn tails_of_chi_square() {
        #[track_caller]
        fn check(statistic: f64, degrees: u32, expected: f64) {
            let got = chi_square_p(statistic, degrees);
            assert!((got - expected).abs() <= 1e-12 * expected, "{got} is not {expected}");
        }

        check(3.841_458_820_694_124, 1, 0.050_000_000_000_000_06);
        check(0.5, 2, 0.778_800_783_071_404_9);
        check(14.3, 15, 0.502_908_916_671_940_6);
        check(60.0, 15, 2.522_085_078_696_143_7e-7);
        check(2.0, 15, 0.999_970_345_022_717_5);
        check(130.0, 120, 0.251_062_396_976_645_7);
        check(400.0, 120, 8.135_770_434_234_847e-32);
        check(20.0, 91, 0.999_999_999_999_999_8);
        check(1000.0, 3, 1.799_420_876_531_447_7e-216);
        assert_eq!(chi_square_p(0.0, 3), 1.0);
    }

    #[test]
    fn tails_of_the_normal_law() {
        assert_eq!(normal_p(0.0), 1.0);
        assert!((normal_p(-1.959_963_984_540_054) - 0.05).abs() < 1e-14);
    }
}
