//! Finds the threshold of a monotone condition by bisection.

/// Bisects between a number that fails a condition and one that satisfies it. Returns the last
/// known number on each side after `halvings` steps.
pub fn bisect(
    mut failing: f64,
    mut satisfying: f64,
    halvings: u32,
    condition: impl Fn(f64) -> bool,
) -> (f64, f64) {
    for _ in 0..halvings {
        let middle = f64::midpoint(failing, satisfying);
        if condition(middle) { satisfying = middle } else { failing = middle }
    }
    (failing, satisfying)
}

/// Bisects between a whole number that fails a condition and one that satisfies it, in either
/// order. Returns the two neighbours between which the condition changes.
pub fn bisect_integer(
    mut failing: u64,
    mut satisfying: u64,
    mut condition: impl FnMut(u64) -> bool,
) -> (u64, u64) {
    while failing.abs_diff(satisfying) > 1 {
        let middle = u64::midpoint(failing, satisfying);
        if condition(middle) { satisfying = middle } else { failing = middle }
    }
    (failing, satisfying)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_end_as_neighbours() {
        assert_eq!(bisect_integer(0, 100, |number| number >= 37), (36, 37));
        assert_eq!(bisect_integer(100, 0, |number| number < 37), (37, 36));
        assert_eq!(bisect_integer(4, 5, |_| unreachable!("nothing is between neighbours")), (4, 5));
        assert_eq!(bisect_integer(3, 3, |_| unreachable!("nothing is between equal numbers")), (3, 3));
    }

    #[test]
    fn it_closes_in_from_either_side() {
        assert_eq!(bisect(0.0, 16.0, 4, |number| number >= 5.5), (5.0, 6.0));
        assert_eq!(bisect(16.0, 0.0, 4, |number| number < 5.5), (6.0, 5.0));
        assert_eq!(bisect(0.0, 16.0, 0, |_| true), (0.0, 16.0));
    }
}
