//! Finds the threshold of a monotone condition by bisection.

/// Bisects between a number that fails a condition and one that satisfies it. Returns the last
/// known number on each side after `halvings` steps.
pub fn border(mut fails: f64, mut holds: f64, halvings: u32, is_held: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..halvings {
        let middle = f64::midpoint(fails, holds);
        if is_held(middle) { holds = middle } else { fails = middle }
    }
    (fails, holds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_closes_in_from_either_side() {
        assert_eq!(border(0.0, 16.0, 4, |number| number >= 5.5), (5.0, 6.0));
        assert_eq!(border(16.0, 0.0, 4, |number| number < 5.5), (6.0, 5.0));
        assert_eq!(border(0.0, 16.0, 0, |_| true), (0.0, 16.0));
    }
}
