//! From an interval to the test that belongs to it.

use super::estimate::Estimate;

/// The smallest p: levels nearer to 1 cannot be told apart.
const LEAST_P: f64 = 1e-12;

/// The p of the test that an interval belongs to: one less the highest level at which the interval still leaves a number
/// out. At least 1e-12. None where there is no interval.
pub fn p_excluding(number: f64, interval: impl Fn(f64) -> Option<Estimate>) -> Option<f64> {
    let excludes = |p: f64| interval(1.0 - p).is_some_and(|estimate| estimate.excludes(number));
    interval(0.5)?;
    // Bounds grow with their level, so p is found by halves: by those of its exponent, for p may be small.
    let (mut shown, mut not_shown) = (0.0_f64, -LEAST_P.ln());
    if !excludes(NEARLY_1) {
        return Some(1.0);
    }
    if excludes(LEAST_P) {
        return Some(LEAST_P);
    }
    for _ in 0..50 {
        let middle = f64::midpoint(shown, not_shown);
        if excludes((-middle).exp().min(NEARLY_1)) { shown = middle } else { not_shown = middle }
    }
    Some((-shown).exp())
}

/// The largest p that is tried: there is no interval at level 0.
const NEARLY_1: f64 = 0.999_999;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::special::two_sided_normal;

    #[test]
    fn a_normal_interval_gives_the_normal_p() {
        let of = |value: f64| {
            move |level: f64| {
                let reach = two_sided_normal(level);
                Some(Estimate { low: value - reach, value, high: value + reach, level })
            }
        };
        // Twice the normal tail beyond 1, 1.96 and 5 standard errors (SciPy).
        for (away, p) in
            [(1.0, 0.317_310_507_862_914), (1.959_963_984_540_054, 0.05), (5.0, 5.733_031_437_583_878e-7)]
        {
            for side in [1.0, -1.0] {
                let got = p_excluding(0.0, of(side * away)).expect("there is an interval");
                assert!((got / p - 1.0).abs() < 1e-6, "{got} is not {p}");
            }
        }
        assert_eq!(p_excluding(0.0, of(0.0)), Some(1.0));
        assert_eq!(p_excluding(0.0, of(20.0)), Some(LEAST_P));
        assert_eq!(p_excluding(0.0, |_| None), None);
    }
}
