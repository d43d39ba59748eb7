//! Times on the command line: `90s`, `5m`, `2h`.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

use gauntlet_core::num::Seconds;

/// A duration, with its text.
#[derive(Clone, Debug)]
pub struct DurationArg {
    text: String,
    seconds: Seconds,
}

impl DurationArg {
    /// Returns the duration.
    pub fn get(&self) -> Duration {
        self.seconds.get()
    }

    /// Returns the moment after this duration from now.
    pub fn deadline(&self) -> Instant {
        Instant::now() + self.get()
    }
}

impl fmt::Display for DurationArg {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for DurationArg {
    type Err = String;

    fn from_str(text: &str) -> Result<DurationArg, String> {
        let form = "expected a number with a unit, such as 90s, 5m or 2h";
        let (number, unit) = text.split_at(text.len() - text.chars().next_back().ok_or(form)?.len_utf8());
        let unit = match unit {
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(form.to_owned()),
        };
        // Refuse other forms of numbers, such as `inf` and `1e3`.
        if !number.chars().all(|character| character.is_ascii_digit() || character == '.') {
            return Err(form.to_owned());
        }
        let number: f64 = number.parse().map_err(|_| form.to_owned())?;
        let seconds =
            Seconds::try_from(number * unit).map_err(|_| "must be from 0.001s to 277h".to_owned())?;
        Ok(DurationArg { text: text.to_owned(), seconds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit() {
        for (text, seconds) in [("90s", 90.0), ("5m", 300.0), ("2h", 7200.0), ("0.5m", 30.0)] {
            let time: DurationArg = text.parse().expect(text);
            assert_eq!((time.get().as_secs_f64(), time.to_string()), (seconds, text.to_owned()));
        }
        for invalid in ["", "5", "m", "5 m", "-5m", "5min", "infs", "1e3s", "0s", "1000h", "1.2.3s", "5µ"] {
            assert!(invalid.parse::<DurationArg>().is_err(), "{invalid}");
        }
    }
}
