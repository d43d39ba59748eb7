//! Significant digits, and fast writing of numbers.

/// Returns the number of decimals worth writing for a number known to about this precision. Its
/// interval stays visible, two units of the last digit to each side. An interval without a width
/// needs only one decimal.
pub fn decimals(precision: f64) -> usize {
    let is_visible = |&decimals: &usize| precision >= 2.0 / 10_f64.powi(decimals as i32);
    (1..=6).find(is_visible).unwrap_or(1)
}

/// Appends a number to a line. The standard library takes five times as long, and a batch contains
/// thousands of boards.
pub fn push_number(mut number: u64, line: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[start..]);
}
