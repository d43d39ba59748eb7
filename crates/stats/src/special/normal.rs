//! Normal distribution: quantiles and tails.

use std::f64::consts::SQRT_2;

/// Returns the two-sided quantile: the number of standard deviations within which a normal value is
/// with probability `level`.
///
/// # Panics
/// If the level is not between 0 and 1.
pub(crate) fn two_sided_normal(level: f64) -> f64 {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    -normal_quantile((1.0 - level) / 2.0)
}

/// Returns the quantile of the standard normal distribution at `p`, 0 < `p` < 1. It is algorithm AS
/// 241 of Wichura (1988), accurate to about 1 part in 10^16, with rational functions for the
/// middle, the tails and the far tails.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * polynomial(&MIDDLE.0, r) / polynomial(&MIDDLE.1, r);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let distance = if r <= 5.0 {
        polynomial(&TAIL.0, r - 1.6) / polynomial(&TAIL.1, r - 1.6)
    } else {
        polynomial(&FAR_TAIL.0, r - 5.0) / polynomial(&FAR_TAIL.1, r - 5.0)
    };
    distance.copysign(q)
}

/// Returns the probability of standard normal values above `z`, with full precision for any `z`.
pub(crate) fn normal_above(z: f64) -> f64 {
    libm::erfc(z / SQRT_2) / 2.0
}

/// Evaluates a polynomial with these coefficients, constant first.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Coefficients of numerator and denominator.
type Ratio = ([f64; 8], [f64; 8]);

const MIDDLE: Ratio = (
    [
        3.387_132_872_796_366_6e0,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_4e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
);

const TAIL: Ratio = (
    [
        1.423_437_110_749_683_5e0,
        4.630_337_846_156_546e0,
        5.769_497_221_460_691e0,
        3.647_848_324_763_204_5e0,
        1.270_458_252_452_368_4e0,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759e0,
        1.676_384_830_183_803_8e0,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

const FAR_TAIL: Ratio = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114e0,
        1.784_826_539_917_291_3e0,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(got: f64, expected: f64, tolerance: f64) {
        let error = (got / expected - 1.0).abs();
        assert!(error <= tolerance, "{got} is not {expected}: off by {error:e}");
    }

    #[test]
    fn normal_quantiles() {
        // The inverse of mpmath's erfc, 40 digits.
        #[track_caller]
        fn check(p: f64, expected: f64) {
            assert_close(normal_quantile(p), expected, 1e-14);
            if p > 1e-3 {
                assert_close(normal_quantile(1.0 - p), -expected, 1e-13);
            }
        }

        check(0.4, -0.253_347_103_135_799_8);
        check(0.25, -0.674_489_750_196_081_7);
        check(0.05, -1.644_853_626_951_472_6);
        check(0.025, -1.959_963_984_540_054_3);
        check(0.005, -2.575_829_303_548_901);
        check(0.0005, -3.290_526_731_491_895);
        check(1e-6, -4.753_424_308_822_899);
        check(1e-9, -5.997_807_015_007_686_5);
        check(1e-12, -7.034_483_825_301_132);
        check(1e-20, -9.262_340_089_798_407);
        check(1e-100, -21.273_453_560_965_326);
        check(1e-300, -37.047_096_299_361_2);
        assert_eq!(normal_quantile(0.5), 0.0);
    }

    #[test]
    fn normal_tails() {
        // mpmath's erfc, 40 digits.
        #[track_caller]
        fn check(z: f64, expected: f64) {
            assert_close(normal_above(z), expected, 1e-13);
            assert_close(normal_above(-z), 1.0 - expected, 1e-15);
        }

        check(0.1, 0.460172162722971);
        check(1.0, 0.15865525393145705);
        check(1.959963984540054, 0.025000000000000012);
        check(5.0, 2.866515718791939e-07);
        check(10.0, 7.619853024160525e-24);
        check(37.0, 5.725571222524577e-300);
        assert_eq!(normal_above(0.0), 0.5);
    }
}
