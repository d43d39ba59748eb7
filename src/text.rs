//! Numbers and names as people read them: thousands set apart, per cent and points, probabilities, words for a shell.

use std::path::Path;

/// A number of games, in words.
pub fn games(number: u64) -> String {
    format!("{} game{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// A number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Digits after the point that are worth writing of what is known to about so much.
pub fn decimals(known_to: f64) -> usize {
    match known_to {
        known if known >= 0.2 => 1,
        known if known >= 0.02 => 2,
        _ => 3,
    }
}

/// A number rounded to so many decimals.
pub fn rounded(number: f64, decimals: usize) -> f64 {
    let digits = format!("{number:.decimals$}").parse().unwrap_or(number);
    // A little below 0 is 0, not -0.
    digits + 0.0
}

/// A number to three digits.
pub fn significant(number: f64) -> String {
    let decimals = match number.abs() {
        large if large >= 100.0 => 0,
        large if large >= 10.0 => 1,
        small if small < 0.01 => 4,
        _ => 2,
    };
    format!("{number:.decimals$}")
}

/// A probability as people write it, with its sign of equality.
pub fn probability(p: f64) -> String {
    match p {
        p if p >= 0.995 => "= 1".to_owned(),
        p if p >= 0.1 => format!("= {p:.2}"),
        p if p >= 0.01 => format!("= {}", trimmed(format!("{p:.3}"))),
        p if p >= 0.001 => format!("= {}", trimmed(format!("{p:.4}"))),
        p if p >= 2e-12 => format!("= {p:.0e}"),
        _ => "< 1e-11".to_owned(),
    }
}

fn trimmed(number: String) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number }
}

/// A difference of rates in percentage points.
pub fn points(rate: f64) -> String {
    let points = plain(100.0 * rate);
    format!("{points} point{}", if points == "1" { "" } else { "s" })
}

/// A share in per cent.
pub fn percent(part: f64) -> String {
    format!("{} %", plain(100.0 * part))
}

/// A confidence level in per cent.
pub fn level(level: f64) -> String {
    format!("{} %", plain(100.0 * level))
}

/// A number to as many digits as it was written with, or to three that say something.
pub fn plain(number: f64) -> String {
    let exact = format!("{}", (number * 1e9).round() / 1e9);
    if exact.len() <= 9 { exact } else { significant(number) }
}

/// Two digits are enough for a number of games that is a guess.
pub fn round_up(games: u64) -> u64 {
    let unit = 10_u64.pow(games.max(1).ilog10().saturating_sub(1));
    games.div_ceil(unit) * unit
}

/// The name of a file as a shell wants it, and so that no command takes it for an option.
pub fn quoted_path(path: &Path) -> String {
    let name = path.to_string_lossy();
    quoted(&if name.starts_with('-') { format!("./{name}") } else { name.into_owned() })
}

/// A word as a shell wants it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
