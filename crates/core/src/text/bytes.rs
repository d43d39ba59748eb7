//! Sizes of memory, parsed and written.

use std::fmt;
use std::str::FromStr;

/// Number of bytes, written as `2GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

/// Units in descending order, with their bytes.
const UNITS: [(&str, u64); 5] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (unit, size) = UNITS.into_iter().find(|(_, size)| self.0 >= *size).unwrap_or(("B", 1));
        let number = self.0 as f64 / size as f64;
        let decimals = if number < 9.95 && (number - number.round()).abs() > 0.05 { 1 } else { 0 };
        write!(f, "{number:.decimals$} {unit}")
    }
}

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Bytes, String> {
        let (size, number) = UNITS
            .into_iter()
            .find_map(|(unit, size)| Some((size, text.strip_suffix(unit)?.trim_end())))
            .ok_or("expected a size with a unit, such as 512MiB or 2GiB")?;
        let is_plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number = number.parse::<f64>().ok().filter(|number| is_plain && *number > 0.0);
        number
            .map(|number| Bytes((number * size as f64) as u64))
            .ok_or_else(|| format!("{text:?} is not a size"))
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn sizes_are_parsed_and_formatted() {
        for (text, bytes, expected) in [
            ("2GiB", 2 << 30, "2 GiB"),
            ("1.5 GiB", 3 << 29, "1.5 GiB"),
            ("512MiB", 512 << 20, "512 MiB"),
            ("1000KiB", 1000 << 10, "1000 KiB"),
            ("7B", 7, "7 B"),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(bytes)));
            assert_eq!(Bytes(bytes).to_string(), expected);
        }
        for bad in ["", "2", "GiB", "0GiB", "-1GiB", "1e3MiB", "infB", "2 gigabytes", "1..2KiB"] {
            assert!(bad.parse::<Bytes>().is_err(), "{bad}");
        }
    }
}
