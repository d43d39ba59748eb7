//! Corrects answers that are repeated after trials were added.
//!
//! Adding trials until a test is significant gives far more errors than its level. So each later
//! answer spends only a part of the risk: from k = 2 on, answer k gets 1 / (k (k + 1)) of it. These
//! parts add up to one half. By the union bound this is valid for every test, any rule for adding
//! trials, and any number of answers. The first answer has the whole risk, because no trials were
//! added before it.

/// Returns the factor on p after this many earlier answers.
pub fn growth_factor(earlier_answers: usize) -> f64 {
    let answer = earlier_answers as f64 + 1.0;
    if earlier_answers == 0 { 1.0 } else { answer * (answer + 1.0) }
}

/// Returns the level of an interval that matches the corrected p.
pub fn growth_level(level: f64, earlier_answers: usize) -> f64 {
    if earlier_answers == 0 { level } else { 1.0 - (1.0 - level) / growth_factor(earlier_answers) }
}

/// Returns p corrected for this many earlier answers.
pub fn growth_p(p: f64, earlier_answers: usize) -> f64 {
    (growth_factor(earlier_answers) * p).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_answers_have_half_of_the_risk_together() {
        assert_eq!([0, 1, 2, 3].map(growth_factor), [1.0, 6.0, 12.0, 20.0]);
        let spent_risk: f64 = (1..100_000).map(|earlier_answers| 1.0 / growth_factor(earlier_answers)).sum();
        assert!(spent_risk < 0.5 && spent_risk > 0.499, "{spent_risk}");
        assert_eq!(growth_level(0.95, 0), 0.95);
        assert!((growth_level(0.95, 1) - (1.0 - 0.05 / 6.0)).abs() < 1e-15);
        assert_eq!([growth_p(0.01, 1), growth_p(0.5, 1), growth_p(0.5, 0)], [0.06, 1.0, 0.5]);
    }
}
