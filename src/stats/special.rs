//! Quantiles of the normal distribution and of Student's t, in pure Rust.

use std::f64::consts::PI;

/// How far from its mean, in standard deviations, a normal value lies with probability `level` at most.
///
/// # Panics
/// If the level is not between 0 and 1.
pub(super) fn two_sided_normal(level: f64) -> f64 {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    -normal_quantile((1.0 - level) / 2.0)
}

/// The value below which a standard normal one lies with probability `p`, 0 < `p` < 1: algorithm AS 241 of Wichura
/// (1988), good to about 1 part in 10^16. Three ratios of polynomials: for the middle, the tails, the far tails.
fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * polynomial(&MIDDLE.0, r) / polynomial(&MIDDLE.1, r);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let distance = if r <= 5.0 {
        polynomial(&TAIL.0, r - 1.6) / polynomial(&TAIL.1, r - 1.6)
    } else {
        polynomial(&FAR.0, r - 5.0) / polynomial(&FAR.1, r - 5.0)
    };
    distance.copysign(q)
}

/// The polynomial with these coefficients, the constant one first.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// Numerator and denominator.
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

const FAR: Ratio = (
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

/// From so many degrees of freedom on, Student's t is computed as the normal distribution with four corrections.
const NEARLY_NORMAL: u64 = 10_000;

/// How far from 0 a value of Student's t with `degrees` degrees of freedom lies with probability `level` at most.
///
/// # Panics
/// If the level is not between 0 and 1, or there is no degree of freedom.
pub(super) fn two_sided_student(level: f64, degrees: u64) -> f64 {
    assert!(degrees > 0, "one value has no spread");
    let z = two_sided_normal(level);
    if degrees >= NEARLY_NORMAL {
        expanded_student(z, degrees as f64)
    } else {
        solved_student(level, degrees, z)
    }
}

/// Abramowitz and Stegun (1964), 26.7.5. What is left out is of the order z^11 / (10^4 degrees^5).
fn expanded_student(z: f64, degrees: f64) -> f64 {
    let y = z * z;
    let corrections = [
        (y + 1.0) / 4.0,
        ((5.0 * y + 16.0) * y + 3.0) / 96.0,
        (((3.0 * y + 19.0) * y + 17.0) * y - 15.0) / 384.0,
        ((((79.0 * y + 776.0) * y + 1482.0) * y - 1920.0) * y - 945.0) / 92160.0,
    ];
    z + z * corrections.iter().rev().fold(0.0, |sum, correction| (sum + correction) / degrees)
}

/// Newton's method, from the normal quantile: that is too small, and because the tails' probability falls ever more
/// slowly, each step stays below the solution and comes closer.
fn solved_student(level: f64, degrees: u64, z: f64) -> f64 {
    let outside = 1.0 - level;
    let tails = Tails::new(degrees);
    let mut t = z;
    // Where the tails are heaviest (one degree) and the level highest, a step doubles t: at most 60 of them.
    for _ in 0..200 {
        let step = (tails.beyond(t) - outside) / (2.0 * tails.density(t));
        t += step;
        if step.abs() <= 1e-15 * t {
            break;
        }
    }
    t
}

/// Student's t with a given number of degrees of freedom.
struct Tails {
    degrees: f64,
    /// Γ((degrees + 1) / 2) / (Γ(degrees / 2) √π): one over the beta function of degrees / 2 and 1 / 2.
    scale: f64,
}

impl Tails {
    fn new(degrees: u64) -> Tails {
        // One and two degrees are known, and from there on Γ(x + 1) = x Γ(x). No logarithms of gamma functions:
        // they are large, and their difference would have few digits.
        let (first, start) = if degrees % 2 == 1 { (1.0 / PI, 1) } else { (0.5, 2) };
        let scale = (start..degrees).step_by(2).fold(first, |scale, k| scale * (k + 1) as f64 / k as f64);
        Tails { degrees: degrees as f64, scale }
    }

    /// ln of degrees / (degrees + t²), to the power of degrees / 2.
    fn log_power(&self, t: f64) -> f64 {
        -self.degrees / 2.0 * (t * t / self.degrees).ln_1p()
    }

    fn density(&self, t: f64) -> f64 {
        let x = self.degrees / (self.degrees + t * t);
        self.scale / self.degrees.sqrt() * self.log_power(t).exp() * x.sqrt()
    }

    /// The probability of values further from 0 than `t`: the regularized incomplete beta function
    /// I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t²).
    fn beyond(&self, t: f64) -> f64 {
        let x = self.degrees / (self.degrees + t * t);
        let y = t * t / (self.degrees + t * t);
        let (a, b) = (self.degrees / 2.0, 0.5);
        let front = self.scale * self.log_power(t).exp() * y.sqrt();
        // The fraction converges quickly on one side, and the function is symmetric: I_x(a, b) = 1 - I_y(b, a).
        if x < (a + 1.0) / (a + b + 2.0) {
            front / a * beta_fraction(a, b, x)
        } else {
            1.0 - front / b * beta_fraction(b, a, y)
        }
    }
}

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method: see
/// Press and others, Numerical Recipes, 6.4.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    // Some √(a + b) rounds are enough.
    for round in 1..1000 {
        let m = f64::from(round);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            fraction *= c * d;
        }
        if (fraction / before - 1.0).abs() <= 1e-16 && (c * d - 1.0).abs() <= 1e-16 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(got: f64, expected: f64, tolerance: f64) {
        let off = (got / expected - 1.0).abs();
        assert!(off <= tolerance, "{got} is not {expected}: off by {off:e}");
    }

    #[test]
    fn normal_quantiles() {
        // The inverse of mpmath's erfc, 40 digits.
        #[track_caller]
        fn check(p: f64, expected: f64) {
            close(normal_quantile(p), expected, 1e-14);
            if p > 1e-3 {
                close(normal_quantile(1.0 - p), -expected, 1e-13);
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
    fn student_quantiles_as_printed() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2 (critical values of Student's t): columns
        // 0.95, 0.975 and 0.995 of one tail, that is 0.9, 0.95 and 0.99 of both.
        #[track_caller]
        fn check(degrees: u64, printed: [f64; 3]) {
            for (level, printed) in [0.9, 0.95, 0.99].into_iter().zip(printed) {
                let t = two_sided_student(level, degrees);
                assert!(
                    (t - printed).abs() <= 0.0005 + 1e-9,
                    "{degrees} degrees, {level}: {t} is not {printed}"
                );
            }
        }

        check(1, [6.314, 12.706, 63.657]);
        check(2, [2.920, 4.303, 9.925]);
        check(3, [2.353, 3.182, 5.841]);
        check(4, [2.132, 2.776, 4.604]);
        check(5, [2.015, 2.571, 4.032]);
        check(10, [1.812, 2.228, 3.169]);
        check(20, [1.725, 2.086, 2.845]);
        check(30, [1.697, 2.042, 2.750]);
        check(60, [1.671, 2.000, 2.660]);
        check(100, [1.660, 1.984, 2.626]);
    }

    #[test]
    fn student_quantiles_to_many_digits() {
        // For 0.5, 0.95, 0.99 and 0.9999: roots of mpmath's betainc, 40 digits.
        #[track_caller]
        fn check(degrees: u64, expected: [f64; 4]) {
            for (level, expected) in [0.5, 0.95, 0.99, 0.9999].into_iter().zip(expected) {
                close(two_sided_student(level, degrees), expected, 2e-12);
            }
        }

        check(1, [1.0, 12.706_204_736_174_705, 63.656_741_162_871_58, 6_366.197_671_315_936]);
        check(
            2,
            [0.816_496_580_927_726, 4.302_652_729_749_464, 9.924_843_200_918_293, 99.992_499_843_744_53],
        );
        check(
            3,
            [0.764_892_328_404_345_3, 3.182_446_305_283_709_5, 5.840_909_309_733_357, 28.000_130_010_948_975],
        );
        check(
            4,
            [0.740_697_084_112_682_6, 2.776_445_105_197_794_3, 4.604_094_871_349_993, 15.544_100_581_545_68],
        );
        check(
            5,
            [0.726_686_843_800_422_7, 2.570_581_835_636_315_5, 4.032_142_983_555_228, 11.177_710_070_278_614],
        );
        check(
            30,
            [0.682_755_693_321_292_6, 2.042_272_456_301_238, 2.749_995_653_567_225_4, 4.482_417_175_409_747],
        );
        check(
            999,
            [0.674_735_410_346_719, 1.962_341_461_133_45, 2.580_759_637_267_637, 3.906_359_561_102_211_5],
        );
        // From here on by the expansion.
        check(
            12_345,
            [
                0.674_509_623_939_716_1,
                1.960_156_167_600_567_2,
                2.576_227_623_786_519_6,
                3.891_863_648_290_145,
            ],
        );
        check(
            1_000_000,
            [
                0.674_489_995_531_087_3,
                1.959_966_356_814_107,
                2.575_834_220_105_334_4,
                3.890_607_581_803_065_4,
            ],
        );
        check(
            1_000_000_000,
            [
                0.674_489_750_441_416_7,
                1.959_963_986_912_325_5,
                2.575_829_308_465_448_4,
                3.890_591_902_108_427_6,
            ],
        );
    }

    #[test]
    fn student_in_use() {
        /// The mean of ln(a / b) with bounds, as ratios.
        #[track_caller]
        fn check(a: &[f64], b: &[f64], level: f64, [low, ratio, high]: [f64; 3]) {
            let n = a.len() as f64;
            let logs: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a / b).ln()).collect();
            let mean = logs.iter().sum::<f64>() / n;
            let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
            let reach = two_sided_student(level, a.len() as u64 - 1) * (variance / n).sqrt();
            close(mean.exp(), ratio, 1e-9);
            close((mean - reach).exp(), low, 1e-9);
            close((mean + reach).exp(), high, 1e-9);
        }

        // Computed with 40 digits (mpmath) and checked against SciPy or statsmodels.
        check(
            &[20480.0, 30720.0, 16384.0, 40960.0, 28000.0],
            &[16384.0, 30000.0, 18000.0, 35000.0, 21000.0],
            0.95,
            [0.9304868639991877, 1.126983632764993, 1.364975861197423],
        );
        check(
            &[1.5, 2.5, 3.5, 9.0],
            &[1.0, 2.0, 3.0, 4.0],
            0.99,
            [0.6298121608984562, 1.489473033882237, 3.5225263283222743],
        );
        check(
            &[12.0, 15.0, 11.0, 19.0, 25.0, 30.0],
            &[10.0, 16.0, 12.0, 17.0, 21.0, 28.0],
            0.95,
            [0.943703276110722, 1.0663311506601918, 1.2048936902650746],
        );
    }

    #[test]
    fn both_ways_to_student_meet() {
        for level in [0.01, 0.5, 0.95, 0.999, 0.999_999] {
            let z = two_sided_normal(level);
            let solved = solved_student(level, NEARLY_NORMAL, z);
            close(solved, expanded_student(z, NEARLY_NORMAL as f64), 1e-10);
        }
    }

    #[test]
    fn no_level_is_too_high() {
        for degrees in [1, 2, 3, 10, 9_999, 10_000, u64::MAX] {
            let mut last = 0.0;
            for level in [1e-12, 0.5, 0.95, 1.0 - 1e-9, 1.0 - 1e-15] {
                let t = two_sided_student(level, degrees);
                assert!(t.is_finite() && t > last, "{degrees} degrees, {level}: {t}");
                last = t;
            }
        }
    }
}
