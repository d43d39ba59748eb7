//! Durations in a suitable unit.

use super::digits::decimals;

/// Units with their milliseconds.
const UNITS: [(&str, f64); 4] = [("ns", 1e-6), ("µs", 1e-3), ("ms", 1.0), ("s", 1e3)];

/// Returns the index of the largest unit of which the duration, as it is rounded, has at least one.
fn unit_for(ms: f64) -> usize {
    match ms {
        ms if ms < 0.001 * 0.9995 => 0,
        ms if ms < 0.9995 => 1,
        ms if ms < 999.5 => 2,
        _ => 3,
    }
}

/// Writes a number of milliseconds in a suitable unit.
pub fn format_duration(ms: f64) -> String {
    let (unit, size) = UNITS[unit_for(ms)];
    let number = ms / size;
    let decimals = if number < 9.995 && (number - number.round()).abs() > 0.005 { 1 } else { 0 };
    format!("{number:.decimals$} {unit}")
}

/// Writes a number of milliseconds with bounds, all in the unit of the first, as `3.2 µs [3.1,
/// 3.4]`. `max_decimals` is the number of meaningful decimals of the milliseconds.
pub fn format_duration_bounds(ms: f64, [low, high]: [f64; 2], max_decimals: usize) -> String {
    let (unit, size) = UNITS[unit_for(ms)];
    let half_width = (high - low) / 2.0 / size;
    // A thousandth of a unit is a unit of the next smaller one.
    let max_decimals = (max_decimals as i32 + size.log10().round() as i32).max(0) as usize;
    let decimals = if half_width >= 2.0 { 0 } else { decimals(half_width).min(max_decimals) };
    let [ms, low, high] = [ms, low, high].map(|ms| format!("{:.decimals$}", ms / size));
    format!("{ms} {unit} [{low}, {high}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        #[track_caller]
        fn check(ms: f64, expected: &str) {
            assert_eq!(format_duration(ms), expected);
        }

        check(0.00005, "50 ns");
        check(0.000_101, "101 ns");
        check(0.001, "1 µs");
        check(0.0032, "3.2 µs");
        check(0.0437, "44 µs");
        check(1.0, "1 ms");
        check(1.53, "1.5 ms");
        check(45.1, "45 ms");
        check(2500.0, "2.5 s");
    }

    #[test]
    fn bounds_have_the_unit_of_what_they_bound() {
        #[track_caller]
        fn check(ms: f64, bounds: [f64; 2], expected: &str) {
            assert_eq!(format_duration_bounds(ms, bounds, 6), expected);
        }

        // Digits below nanoseconds are unknown.
        check(0.000_019, [0.000_017, 0.000_020], "19 ns [17, 20]");
        check(0.000_101, [0.000_099, 0.000_103], "101 ns [99, 103]");
        check(0.0032, [0.0031, 0.0034], "3.20 µs [3.10, 3.40]");
        check(0.9, [0.5, 1.4], "900 µs [500, 1400]");
        check(45.12, [44.6, 45.7], "45.1 ms [44.6, 45.7]");
        check(1530.0, [1500.0, 1560.0], "1.53 s [1.50, 1.56]");
        check(5.0, [5.0, 5.0], "5.0 ms [5.0, 5.0]");
    }
}
