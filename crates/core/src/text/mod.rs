//! Formats numbers and names for people: grouped thousands, per cent, points, probabilities.

mod bytes;
mod digits;
mod duration;
pub mod escape;
pub mod names;
mod shell;
mod wrap;

pub use bytes::Bytes;
pub use digits::{decimals, push_number};
pub use duration::{format_duration, format_duration_bounds};
pub use escape::display_path;
pub use shell::{quote, quote_for_script, quote_path, split_words};
pub use wrap::{wrap_hanging, wrap_line, wrap_lines};

/// Writes a number of games.
pub fn format_games(number: u64) -> String {
    format_count(number, "game")
}

/// Writes a number of things, as "1 opening" or "12 openings".
pub fn format_count(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", group_digits(number), if number == 1 { "" } else { "s" })
}

/// Lists the first names, and how many more there are.
pub fn list_names(names: &[impl AsRef<str>], max_names: usize) -> String {
    let first: Vec<&str> = names.iter().take(max_names).map(AsRef::as_ref).collect();
    let first = first.join(", ");
    match names.len().saturating_sub(max_names) {
        0 => first,
        hidden_count => format!("{first} and {} more", group_digits(hidden_count as u64)),
    }
}

/// Capitalizes the first letter.
pub fn capitalize(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Writes a number with grouped thousands.
pub fn group_digits(number: u64) -> String {
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

/// Writes a number with decimals and grouped thousands.
pub fn group_decimal(number: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", number.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let sign = if number < 0.0 { "-" } else { "" };
    // A number too long for a `u64` is not grouped.
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), group_digits);
    format!("{sign}{whole}{rest}")
}

/// Writes a duration for people who wait, in a suitable unit.
pub fn format_time_span(seconds: f64) -> String {
    let (number, unit) = match seconds {
        ..59.5 => return format_duration(1000.0 * seconds),
        ..3570.0 => (seconds / 60.0, "min"),
        ..171_000.0 => (seconds / 3600.0, "h"),
        _ => (seconds / 86_400.0, "days"),
    };
    let decimals = usize::from(number < 9.95);
    format!("{} {unit}", group_decimal(number, decimals))
}

/// Writes a number of bytes in a suitable unit.
pub fn format_bytes(number: f64) -> String {
    let units = [("kB", 1e3), ("MB", 1e6), ("GB", 1e9)];
    let (unit, size) = units.into_iter().rev().find(|(_, size)| number >= 0.9995 * size).unwrap_or(units[0]);
    let number = number / size;
    format!("{number:.decimals$} {unit}", decimals = usize::from(number < 9.95))
}

/// Rounds a number to a number of decimals.
pub fn round_to(number: f64, decimals: usize) -> f64 {
    let digits = format!("{number:.decimals$}").parse().unwrap_or(number);
    // A small negative number becomes 0, not -0.
    digits + 0.0
}

/// Writes a number to three significant digits.
pub fn format_significant(number: f64) -> String {
    let decimals = match number.abs() {
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        value if value < 0.01 => 4,
        _ => 2,
    };
    format!("{number:.decimals$}")
}

/// Shortens a number with many digits to four of them; other text stays unchanged.
pub fn shorten_number(text: &str) -> String {
    const MAX_DIGITS: usize = 8;
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    let number = number.filter(|number| text.len() > MAX_DIGITS && (1e-4..1e6).contains(&number.abs()));
    let shorten = |number: f64| {
        let decimals = (3.0 - libm::floor(libm::log10(number.abs()))).max(0.0) as usize;
        format!("{number:.decimals$}")
    };
    number.map_or_else(|| text.to_owned(), shorten)
}

/// Writes a probability with `=` or `<` before it.
pub fn format_probability(p: f64) -> String {
    let (sign, number) = probability_parts(p);
    format!("{sign} {number}")
}

/// Returns the sign and the number of a probability.
pub fn probability_parts(p: f64) -> (char, String) {
    match p {
        p if p >= 0.995 => ('=', "1".to_owned()),
        p if p >= 0.1 => ('=', format!("{p:.2}")),
        p if p >= 0.01 => ('=', trim_zeros(format!("{p:.3}"))),
        p if p >= 0.001 => ('=', trim_zeros(format!("{p:.4}"))),
        p if p >= 2e-12 => ('=', format!("{p:.0e}")),
        _ => ('<', "1e-11".to_owned()),
    }
}

fn trim_zeros(number: String) -> String {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.').to_owned() } else { number }
}

/// Writes a difference of rates in percentage points.
pub fn format_points(rate: f64) -> String {
    let points = format_plain(100.0 * rate);
    format!("{points} point{}", if points == "1" { "" } else { "s" })
}

/// Writes a share in per cent.
pub fn format_percent(part: f64) -> String {
    format!("{} %", format_plain(100.0 * part))
}

/// Writes a confidence level in per cent. It never becomes 100 %: the remainder keeps two digits.
pub fn format_level(level: f64) -> String {
    let percent = 100.0 * level;
    let text = format_plain(percent);
    if level < 1.0 && text.starts_with("100") {
        let remainder = (100.0 - percent).max(1e-13);
        let decimals = (1.0 - remainder.log10().floor()) as usize;
        return format!("{percent:.decimals$} %");
    }
    text + " %"
}

/// Writes a number with the digits as it was written, or with three significant digits.
pub fn format_plain(number: f64) -> String {
    let exact = format!("{}", (number * 1e9).round() / 1e9);
    if exact.len() <= 9 { exact } else { format_significant(number) }
}

/// Rounds an estimated number of games up to two digits.
pub fn round_up(games: u64) -> u64 {
    let unit = 10_u64.pow(games.max(1).ilog10().saturating_sub(1));
    games.div_ceil(unit) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_their_unit() {
        for (seconds, expected) in [
            (0.0421, "42 ms"),
            (59.4, "59 s"),
            (59.6, "1.0 min"),
            (3569.0, "59 min"),
            (5400.0, "1.5 h"),
            (47.0 * 3600.0, "47 h"),
            (864_000.0, "10 days"),
            (1e9, "11,574 days"),
        ] {
            assert_eq!(format_time_span(seconds), expected);
        }
        for (number, expected) in
            [(90.0, "0.1 kB"), (999_900.0, "1.0 MB"), (12_345_678.0, "12 MB"), (4.2e12, "4200 GB")]
        {
            assert_eq!(format_bytes(number), expected);
        }
    }

    #[test]
    fn thousands_are_set_apart() {
        #[track_caller]
        fn check(number: f64, decimals: usize, expected: &str) {
            assert_eq!(group_decimal(number, decimals), expected);
            if decimals == 0 && number < u64::MAX as f64 {
                assert_eq!(group_digits(number as u64), expected);
            }
        }

        check(0.0, 0, "0");
        check(999.0, 0, "999");
        check(1000.0, 0, "1,000");
        check(1_234_567.0, 0, "1,234,567");
        check(-1234.5, 1, "-1,234.5");
        check(0.25, 2, "0.25");
        check(1e21, 0, "1000000000000000000000");
        assert_eq!([0, 1, 1000].map(format_games), ["0 games", "1 game", "1,000 games"]);
    }

    #[test]
    fn numbers_are_rounded_as_they_are_written() {
        #[track_caller]
        fn check(number: f64, decimals: usize, expected: f64) {
            assert_eq!(round_to(number, decimals), expected);
            assert!(round_to(number, decimals).is_sign_positive() || expected < 0.0);
        }

        check(2.0 / 3.0, 2, 0.67);
        check(-1.25, 1, -1.2);
        check(-0.001, 2, 0.0);
        check(1234.5678, 0, 1235.0);
    }

    #[test]
    fn shares_are_in_per_cent() {
        #[track_caller]
        fn check(share: f64, in_percent: &str, in_points: &str) {
            assert_eq!(
                (format_percent(share).as_str(), format_points(share).as_str()),
                (in_percent, in_points)
            );
        }

        check(0.01, "1 %", "1 point");
        check(0.0125, "1.25 %", "1.25 points");
        check(0.07, "7 %", "7 points");
        check(1.0 / 3.0, "33.3 %", "33.3 points");
        assert_eq!(format_level(0.995), "99.5 %");
        assert_eq!(format_level(1.0 - 0.05 / 1024.0), "99.9951 %");
        assert_eq!(format_level(1.0 - 0.05 / 3e9), "99.9999999983 %");
    }

    #[test]
    fn probabilities_have_their_sign() {
        #[track_caller]
        fn check(p: f64, expected: &str) {
            assert_eq!(format_probability(p), expected);
        }

        check(1.0, "= 1");
        check(0.7, "= 0.70");
        check(0.05, "= 0.05");
        check(0.0123, "= 0.012");
        check(0.00123, "= 0.0012");
        check(2e-9, "= 2e-9");
        check(1e-13, "< 1e-11");
    }

    #[test]
    fn digits_say_something() {
        #[track_caller]
        fn check(number: f64, expected: &str) {
            assert_eq!(format_significant(number), expected);
        }

        check(123.4, "123");
        check(12.34, "12.3");
        check(1.234, "1.23");
        check(0.001234, "0.0012");
        let known_to = [f64::INFINITY, 1.0, 0.2, 0.1, 0.02, 0.01, 0.0027, 0.0002, 1e-9, 0.0];
        assert_eq!(known_to.map(decimals), [1, 1, 1, 2, 2, 3, 3, 4, 1, 1]);
        assert_eq!([0, 1, 99, 3901, 40_000].map(round_up), [0, 1, 99, 4000, 40_000]);
    }
}
