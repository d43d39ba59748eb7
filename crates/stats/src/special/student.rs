//! Student's t: quantiles and tails, for any degrees of freedom, whole or not.

use super::beta::Beta;
use super::normal::{normal_above, two_sided_normal};

/// Degrees of freedom from which on Student's t is computed as the normal distribution with four
/// corrections.
const NEARLY_NORMAL: f64 = 10_000.0;

/// Returns the two-sided quantile: the distance from 0 within which Student's t with `degrees`
/// degrees of freedom is with probability `level`.
///
/// # Panics
/// If the level is not between 0 and 1, or `degrees` is not above 0.
pub(crate) fn two_sided_student(level: f64, degrees: f64) -> f64 {
    assert!(degrees > 0.0, "one value has no spread");
    let z = two_sided_normal(level);
    if degrees >= NEARLY_NORMAL { expand_student(z, degrees) } else { solve_student(level, degrees, z) }
}

/// Returns the expansion of Abramowitz and Stegun (1964), 26.7.5. The neglected terms are of the
/// order z^11 / (10^4 degrees^5).
fn expand_student(z: f64, degrees: f64) -> f64 {
    let y = z * z;
    let corrections = [
        (y + 1.0) / 4.0,
        ((5.0 * y + 16.0) * y + 3.0) / 96.0,
        (((3.0 * y + 19.0) * y + 17.0) * y - 15.0) / 384.0,
        ((((79.0 * y + 776.0) * y + 1482.0) * y - 1920.0) * y - 945.0) / 92160.0,
    ];
    z + z * corrections.iter().rev().fold(0.0, |sum, correction| (sum + correction) / degrees)
}

/// Solves by Newton's method, from the normal quantile. That is too small, and because the tail
/// probability falls ever more slowly, each step stays below the solution and approaches it.
fn solve_student(level: f64, degrees: f64, z: f64) -> f64 {
    let outside = 1.0 - level;
    let tails = StudentTails::new(degrees);
    let mut t = z;
    // In the worst case (one degree, highest level) a step doubles t: at most 60 steps.
    for _ in 0..200 {
        let step = (tails.probability_beyond(t) - outside) / (2.0 * tails.density(t));
        t += step;
        if step.abs() <= 1e-15 * t {
            break;
        }
    }
    t
}

/// Returns the probability that Student's t with `degrees` degrees of freedom is at least as far
/// from 0 as `t`.
///
/// # Panics
/// If `degrees` is not above 0.
pub(crate) fn student_beyond(t: f64, degrees: f64) -> f64 {
    assert!(degrees > 0.0, "one value has no spread");
    StudentTails::new(degrees).probability_beyond(t.abs())
}

/// Returns the upper tail of the noncentral t with `degrees` degrees of freedom and this shift, for
/// t above 0. It is the normal tail beyond t s - shift, averaged over the sample standard deviation
/// s.
///
/// # Panics
/// If `degrees` is not above 0.
pub(crate) fn shifted_student_above(t: f64, degrees: f64, shift: f64) -> f64 {
    assert!(degrees > 0.0, "one value has no spread");
    // On the scale of ln s the density falls so fast at both ends that a sum at equal steps is
    // exact to ten digits. It is highest at s = 1, and its logarithm is 40 lower at the ends.
    let width = (0.5 / degrees).sqrt();
    let (start, end) = (-40.0 / degrees - 9.0 * width, 9.0 * width);
    let steps = 40 + (5.0 * (end - start) / width) as u32;
    let (mut sum, mut total_weight) = (0.0, 0.0);
    for step in 0..=steps {
        let log = start + (end - start) * f64::from(step) / f64::from(steps);
        let weight = (degrees * (log - libm::expm1(2.0 * log) / 2.0)).exp();
        sum += weight * normal_above(t * log.exp() - shift);
        total_weight += weight;
    }
    sum / total_weight
}

/// Student's t with given degrees of freedom.
struct StudentTails {
    degrees: f64,
    beta: Beta,
}

impl StudentTails {
    fn new(degrees: f64) -> StudentTails {
        StudentTails { degrees, beta: Beta::new(degrees / 2.0, 0.5) }
    }

    /// Returns x = degrees / (degrees + t²) and y = 1 - x.
    fn parts(&self, t: f64) -> (f64, f64) {
        // Divide first, because squares of the largest numbers overflow.
        let ratio = t / self.degrees.sqrt();
        let inner = 1.0 / (1.0 + ratio * ratio);
        (inner, if ratio > 1.0 { 1.0 - inner } else { ratio * ratio * inner })
    }

    /// Returns x^(degrees / 2) √y over the beta function and t, for the parts x and y.
    fn density(&self, t: f64) -> f64 {
        let (x, y) = self.parts(t);
        self.beta.log_density(x, y).exp() / t
    }

    /// Returns the probability of values further from 0 than `t`: the regularized incomplete beta
    /// function I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t²).
    fn probability_beyond(&self, t: f64) -> f64 {
        let (x, y) = self.parts(t);
        self.beta.tails(x, y).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_close(got: f64, expected: f64, tolerance: f64) {
        let error = (got / expected - 1.0).abs();
        assert!(error <= tolerance, "{got} is not {expected}: off by {error:e}");
    }

    #[test]
    fn student_quantiles_as_printed() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2 (critical values of Student's
        // t): columns 0.95, 0.975 and 0.995 of one tail, which are 0.9, 0.95 and 0.99 of both.
        #[track_caller]
        fn check(degrees: u64, printed: [f64; 3]) {
            for (level, printed) in [0.9, 0.95, 0.99].into_iter().zip(printed) {
                let t = two_sided_student(level, degrees as f64);
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
                assert_close(two_sided_student(level, degrees as f64), expected, 2e-12);
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
        /// Checks the mean of ln(a / b) with bounds, as ratios.
        #[track_caller]
        fn check(a: &[f64], b: &[f64], level: f64, [low, ratio, high]: [f64; 3]) {
            let n = a.len() as f64;
            let logs: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a / b).ln()).collect();
            let mean = logs.iter().sum::<f64>() / n;
            let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
            let half_width = two_sided_student(level, n - 1.0) * (variance / n).sqrt();
            assert_close(mean.exp(), ratio, 1e-9);
            assert_close((mean - half_width).exp(), low, 1e-9);
            assert_close((mean + half_width).exp(), high, 1e-9);
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
            let solved = solve_student(level, NEARLY_NORMAL, z);
            assert_close(solved, expand_student(z, NEARLY_NORMAL), 1e-10);
        }
    }

    #[test]
    fn no_level_is_too_high() {
        for degrees in [1_u64, 2, 3, 10, 9_999, 10_000, u64::MAX] {
            let mut previous = 0.0;
            for level in [1e-12, 0.5, 0.95, 1.0 - 1e-9, 1.0 - 1e-15] {
                let t = two_sided_student(level, degrees as f64);
                assert!(t.is_finite() && t > previous, "{degrees} degrees, {level}: {t}");
                previous = t;
            }
        }
    }

    #[test]
    fn student_tails() {
        // mpmath's betainc, 60 digits.
        #[track_caller]
        fn check(t: f64, degrees: f64, expected: f64) {
            assert_close(student_beyond(t, degrees), expected, 1e-10);
            assert_eq!(student_beyond(-t, degrees), student_beyond(t, degrees));
        }

        check(2.0, 3.5, 0.12613852257591353);
        check(0.1, 1.0, 0.9365489651388929);
        check(1.5, 7.25, 0.1758427161243997);
        check(12.0, 0.5, 0.18506052106920212);
        check(30.0, 11.3, 3.943771118339344e-12);
        check(2.0, 1000000.5, 0.04550053385118423);
        check(0.001, 40.0, 0.9992070862860574);
        for degrees in [1.0, 2.5, 1e9] {
            assert_eq!((student_beyond(0.0, degrees), student_beyond(f64::INFINITY, degrees)), (1.0, 0.0));
            assert!(student_beyond(1e300, degrees) < 1e-200);
        }
    }

    #[test]
    fn a_shifted_student_is_the_noncentral_t() {
        // scipy.stats.nct.sf (SciPy 1.17.1).
        #[track_caller]
        fn check(t: f64, degrees: f64, shift: f64, expected: f64) {
            assert_close(shifted_student_above(t, degrees, shift), expected, 1e-9);
        }

        check(12.706, 1.0, 3.0, 0.18611099998287464);
        check(4.303, 2.0, 5.0, 0.719128466403596);
        check(2.262, 9.0, 2.5, 0.606180008308027);
        check(1.984, 99.0, 2.8, 0.7918891499026975);
        check(1.962, 999.0, 2.8, 0.798896082089944);
        check(2.262, 9.0, 0.5, 0.06544727764318853);
        // Without a shift it is half of both tails.
        for (t, degrees) in [(12.7, 1.0), (2.0, 3.5), (2.0, 1000.0)] {
            assert_close(shifted_student_above(t, degrees, 0.0), student_beyond(t, degrees) / 2.0, 1e-9);
        }
    }

    #[test]
    fn degrees_that_are_not_whole() {
        for degrees in [1.0, 1.7, 5.25, 48.1, 9999.5, 20_000.5] {
            for level in [0.5, 0.95, 0.999] {
                let t = two_sided_student(level, degrees);
                assert_close(student_beyond(t, degrees), 1.0 - level, 1e-11);
            }
        }
    }
}
