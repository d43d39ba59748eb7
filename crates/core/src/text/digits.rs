//! Number of significant decimals.

/// Digits after the point that are worth writing of a number that is known to about this precision: so many
/// that its interval is seen, which reaches two units of the last digit to each side. An interval without a
/// width needs no more than one.
pub fn decimals(known_to: f64) -> usize {
    let is_seen = |&decimals: &usize| known_to >= 2.0 / 10_f64.powi(decimals as i32);
    (1..=6).find(is_seen).unwrap_or(1)
}
