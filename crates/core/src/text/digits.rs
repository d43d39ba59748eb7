//! Significant digits, and fast writing of numbers.

/// Returns the number of decimals worth writing for a number known to about this precision. Its
/// interval stays visible, two units of the last digit to each side. An interval without a width
/// needs only one decimal.
pub fn decimals(precision: f64) -> usize {
    let is_visible = |&decimals: &usize| precision >= 2.0 / 10_f64.powi(decimals as i32);
    (1..=6).find(is_visible).unwrap_or(1)
}

/// Appends a number to a line. The standard library takes five times as long, and a batch contains
/// thousands of boards. Up to eight digits are collected in a register: bytes that were just
/// written one by one can only be copied after a delay.
pub fn push_number(number: u64, line: &mut Vec<u8>) {
    if number >= 100_000_000 {
        push_long_number(number, line);
        return;
    }
    let (mut digits, mut length, mut rest) = (0, 0, number as u32);
    loop {
        digits = digits << 8 | u64::from(u32::from(b'0') + rest % 10);
        length += 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let end = line.len() + length;
    line.extend_from_slice(&digits.to_le_bytes());
    line.truncate(end);
}

fn push_long_number(mut number: u64, line: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    while number > 0 {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    line.extend_from_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_the_standard_library_does() {
        let powers = (0..20).map(|exponent| 10_u64.pow(exponent));
        for number in powers.flat_map(|power| [power - 1, power, power + 1, power / 7]).chain([u64::MAX]) {
            let mut line = b"x".to_vec();
            push_number(number, &mut line);
            assert_eq!(line, format!("x{number}").into_bytes());
        }
    }
}
