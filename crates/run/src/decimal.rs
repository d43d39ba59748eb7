//! Decimal numbers in rows and journal lines, of which there may be millions.

/// Most digits of a number.
pub(super) const MAX_DIGITS: usize = 20;

/// Digits of the numbers from 0 to 99.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Writes a number to the beginning of some bytes, and returns the number of its digits.
///
/// # Panics
/// If there are fewer bytes than digits.
pub(super) fn write_number(number: u64, bytes: &mut [u8]) -> usize {
    const EIGHT_DIGITS: u64 = 100_000_000;
    if number >= EIGHT_DIGITS {
        // Groups of eight digits do not depend on each other, so the processor overlaps them.
        let length = write_number(number / EIGHT_DIGITS, bytes);
        write_eight_digits((number % EIGHT_DIGITS) as usize, &mut bytes[length..length + 8]);
        return length + 8;
    }
    let length = number.checked_ilog10().map_or(1, |log| log as usize + 1);
    let mut rest = number as usize;
    let mut end = length;
    while end > 1 {
        bytes[end - 2..end].copy_from_slice(&PAIRS[rest % 100]);
        rest /= 100;
        end -= 2;
    }
    if end == 1 {
        bytes[0] = b'0' + rest as u8;
    }
    length
}

fn write_eight_digits(number: usize, bytes: &mut [u8]) {
    for (half, bytes) in [number / 10_000, number % 10_000].into_iter().zip(bytes.chunks_exact_mut(4)) {
        bytes[..2].copy_from_slice(&PAIRS[half / 100]);
        bytes[2..].copy_from_slice(&PAIRS[half % 100]);
    }
}

/// Parses the digits at the beginning of some bytes. Returns the number and the other bytes, or
/// `None` without digits or if the number is too large.
#[inline]
pub(super) fn parse_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    // Nearly all numbers have fewer than eight digits, and text after them.
    if let Some(text) = bytes.first_chunk() {
        let (value, digits) = parse_digits(u64::from_le_bytes(*text));
        if (1..8).contains(&digits) {
            return Some((value, &bytes[digits..]));
        }
    }
    parse_any_number(bytes)
}

/// Parses a number of any length.
fn parse_any_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (mut number, mut rest) = (0_u64, bytes);
    while let Some(text) = rest.first_chunk() {
        let (value, digits) = parse_digits(u64::from_le_bytes(*text));
        number = number.checked_mul(POWERS[digits])?.checked_add(value)?;
        rest = &rest[digits..];
        if digits < 8 {
            return (rest.len() < bytes.len()).then_some((number, rest));
        }
    }
    while let Some((&byte, after)) = rest.split_first()
        && byte.is_ascii_digit()
    {
        number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
        rest = after;
    }
    (rest.len() < bytes.len()).then_some((number, rest))
}

/// Powers of ten.
const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Parses the digits at the beginning of eight bytes of text, and returns their value and number.
/// There are no branches: the lengths of numbers are hard to predict.
#[inline]
fn parse_digits(text: u64) -> (u64, usize) {
    // The first byte that is no digit has its highest bit set in one of these numbers. Carries and
    // borrows reach only bytes after it.
    let values = text.wrapping_sub(0x3030_3030_3030_3030);
    let others = (values | text.wrapping_add(0x4646_4646_4646_4646)) & 0x8080_8080_8080_8080;
    let digits = others.trailing_zeros() / 8;
    // Zeros take the places before the first digit. Two shifts also remove all of eight bytes.
    let places = 4 * (8 - digits);
    let values = values << places << places;
    // Pairs of digits are joined, then pairs of pairs, then both halves.
    let pairs = (10 * values + (values >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (100 * pairs + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    ((10_000 * fours + (fours >> 32)) & 0xffff_ffff, digits as usize)
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    /// Compares with the standard library.
    #[track_caller]
    fn check(number: u64) {
        let text = number.to_string();
        let mut bytes = [b'x'; MAX_DIGITS];
        let length = write_number(number, &mut bytes);
        assert_eq!(&bytes[..length], text.as_bytes());
        assert!(bytes[length..].iter().all(|&byte| byte == b'x'));
        for end in ["", ",", ",1234567", ":23456789", "/", " 1", "\u{ff}0000000"] {
            assert_eq!(parse_number((text.clone() + end).as_bytes()), Some((number, end.as_bytes())));
        }
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        (0..20_000).for_each(check);
        let mut rng = Seed::root(9).rng();
        for shift in 0..64 {
            check(1 << shift);
            check(u64::MAX >> shift);
            check(rng.bits() >> shift);
        }
        for power in 0..20 {
            check(10_u64.pow(power));
            check(10_u64.pow(power) - 1);
        }
        assert_eq!(parse_number(b"007,"), Some((7, &b","[..])));
        assert_eq!(parse_number(b"00000000000000000000000012,"), Some((12, &b","[..])));
        // Every byte after any number of digits.
        for byte in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
            for digits in 1..8 {
                let text = [&b"9876543"[..digits], &[byte; 8]].concat();
                let number = 9_876_543 / 10_u64.pow(7 - digits as u32);
                assert_eq!(parse_number(&text), Some((number, &[byte; 8][..])));
            }
        }
        for text in [
            &b""[..],
            b"x1",
            b"-1",
            b"x1234567",
            b"-1234567",
            b"/9999999",
            b":9999999",
            b"\x809999999",
            b"18446744073709551616",
            b"99999999999999999999999",
            b"999999999999999999999999",
        ] {
            assert_eq!(parse_number(text), None, "{text:?}");
        }
    }
}
