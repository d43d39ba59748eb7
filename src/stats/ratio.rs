//! The ratio of two estimates, where nothing is known of them but their bounds.

use super::estimate::Estimate;
use super::special::two_sided_normal;

/// The ratio of two numbers above 0, after Donner and Zou (2012, "Closed-form confidence intervals for functions of the
/// normal mean and standard deviation"): on the scale of logarithms, the distances of the bounds from the values, added
/// as the sides of a right angle, are those of the bounds from the ratio.
///
/// Bounds of another level than asked for are moved out or in as normal ones would be. None where a bound is infinite or
/// not above 0.
pub fn ratio(first: Estimate, second: Estimate, level: f64) -> Option<Estimate> {
    let logs = [first, second].map(|number| {
        let wider = two_sided_normal(level) / two_sided_normal(number.level);
        let [low, value, high] = [number.low, number.value, number.high].map(f64::ln);
        [wider * (value - low), value, wider * (high - value)]
    });
    if logs.as_flattened().iter().any(|log| !log.is_finite()) {
        return None;
    }
    let [[below, log, above], [other_below, other, other_above]] = logs;
    let together = |one: f64, other: f64| (one * one + other * other).sqrt();
    let value = log - other;
    Some(Estimate {
        low: (value - together(below, other_above)).exp(),
        value: value.exp(),
        high: (value + together(above, other_below)).exp(),
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, low, high, level: 0.95 }
    }

    #[test]
    fn what_is_known_exactly_adds_nothing() {
        let exact = number(2.0, 2.0, 2.0);
        let found = ratio(number(3.0, 4.0, 5.0), exact, 0.95).expect("numbers above 0");
        for (got, expected) in [(found.low, 1.5), (found.value, 2.0), (found.high, 2.5)] {
            assert!((got - expected).abs() < 1e-12, "{found:?}");
        }
        let turned = ratio(exact, number(3.0, 4.0, 5.0), 0.95).expect("numbers above 0");
        assert!((turned.low - 0.4).abs() < 1e-12 && (turned.high - 1.0 / 1.5).abs() < 1e-12, "{turned:?}");
    }

    #[test]
    fn errors_add_as_the_sides_of_a_right_angle() {
        let half = 0.3_f64;
        let one = number((-half).exp(), 1.0, half.exp());
        let found = ratio(one, one, 0.95).expect("numbers above 0");
        assert!((found.high.ln() - half * 2.0_f64.sqrt()).abs() < 1e-12, "{found:?}");
        let wider = ratio(one, one, 0.99).expect("numbers above 0");
        assert!(
            (wider.high.ln() / found.high.ln() - 2.575_829_303_548_901 / 1.959_963_984_540_054_3).abs()
                < 1e-9
        );
    }

    #[test]
    fn of_nothing_there_is_no_ratio() {
        assert_eq!(ratio(number(0.0, 1.0, 2.0), number(1.0, 1.0, 1.0), 0.95), None);
        assert_eq!(ratio(number(1.0, 1.0, 1.0), number(0.0, 0.0, 0.0), 0.95), None);
    }
}
