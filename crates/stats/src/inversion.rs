//! Inverts a confidence interval into its test.

use std::cmp::Ordering;

use super::bisection::bisect;
use super::estimate::Estimate;

/// Smallest p: levels closer to 1 cannot be distinguished.
const MIN_P: f64 = 1e-12;

/// Returns the p of the test that matches an interval: one minus the highest level at which the
/// interval still excludes a number. At least 1e-12. `None` without an interval.
pub fn p_excluding(number: f64, interval: impl Fn(f64) -> Option<Estimate>) -> Option<f64> {
    let excludes = |p: f64| interval(1.0 - p).is_some_and(|estimate| estimate.excludes(number));
    interval(0.5)?;
    // Bounds widen with their level, so p is found by bisection, on its exponent because p may be
    // small.
    if !excludes(NEARLY_1) {
        return Some(1.0);
    }
    if excludes(MIN_P) {
        return Some(MIN_P);
    }
    let (_, exponent) = bisect(-MIN_P.ln(), 0.0, 50, |height| excludes((-height).exp().min(NEARLY_1)));
    Some((-exponent).exp())
}

/// Returns the one-sided p of the test that matches an interval: the probability that a true value
/// equal to a number appears at least as far above it, or below. `tail` is the proportion of the
/// interval's risk at one end: [`EQUAL_TAILS`] if both tails are equal, 1 if that is unknown.
/// `None` without an interval.
pub fn one_sided_p(
    number: f64,
    side: Ordering,
    tail: f64,
    interval: impl Fn(f64) -> Option<Estimate>,
) -> Option<f64> {
    let tail_p = (tail * p_excluding(number, &interval)?).min(0.5);
    let observed_side = interval(0.5)?.value.partial_cmp(&number)?;
    Some(if observed_side == side { tail_p } else { 1.0 - tail_p })
}

/// Proportion of one of two equal tails.
pub const EQUAL_TAILS: f64 = 0.5;

/// Largest p tried, because there is no interval at level 0.
const NEARLY_1: f64 = 0.999_999;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::two_sided_normal;

    #[test]
    fn a_normal_interval_gives_the_normal_p() {
        let interval_of = |value: f64| {
            move |level: f64| {
                let half_width = two_sided_normal(level);
                Some(Estimate { low: value - half_width, value, high: value + half_width, level })
            }
        };
        // Twice the normal tail beyond 1, 1.96 and 5 standard errors (SciPy).
        for (distance, p) in
            [(1.0, 0.317_310_507_862_914), (1.959_963_984_540_054, 0.05), (5.0, 5.733_031_437_583_878e-7)]
        {
            for side in [1.0, -1.0] {
                let got = p_excluding(0.0, interval_of(side * distance)).expect("there is an interval");
                assert!((got / p - 1.0).abs() < 1e-6, "{got} is not {p}");
            }
        }
        // One-sided p-values are tails themselves; those of both sides add up to 1.
        let tail = 0.158_655_253_931_457;
        for (side, tail_of_one, p) in [
            (Ordering::Greater, EQUAL_TAILS, tail),
            (Ordering::Less, EQUAL_TAILS, 1.0 - tail),
            (Ordering::Greater, 1.0, 2.0 * tail),
            (Ordering::Less, 1.0, 1.0 - 2.0 * tail),
        ] {
            let got = one_sided_p(3.0, side, tail_of_one, interval_of(4.0)).expect("there is an interval");
            assert!((got - p).abs() < 1e-9, "{got} is not {p}");
        }
        assert_eq!(one_sided_p(0.0, Ordering::Less, 1.0, interval_of(0.0)), Some(0.5));
        assert_eq!(p_excluding(0.0, interval_of(0.0)), Some(1.0));
        assert_eq!(p_excluding(0.0, interval_of(20.0)), Some(MIN_P));
        assert_eq!(p_excluding(0.0, |_| None), None);
    }
}
