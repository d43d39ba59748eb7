//! Times on the command line: `90s`, `5m`, `2h`, and for one move `5us`, `0.1ms`, `2s`.

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
        let seconds = parse(text, &[("s", 1.0), ("m", 60.0), ("h", 3600.0)], "90s, 5m or 2h")?;
        let seconds = Seconds::try_from(seconds).map_err(|_| "must be from 0.001s to 277h".to_owned())?;
        Ok(DurationArg { text: text.to_owned(), seconds })
    }
}

/// Time of one move, with its text.
#[derive(Clone, Debug)]
pub struct MoveTime {
    text: String,
    time: Duration,
}

impl MoveTime {
    /// Returns the time.
    pub fn get(&self) -> Duration {
        self.time
    }
}

impl fmt::Display for MoveTime {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for MoveTime {
    type Err = String;

    fn from_str(text: &str) -> Result<MoveTime, String> {
        let units = [("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
        let seconds = parse(text, &units, "5us, 0.1ms or 2s")?;
        if !(1e-6..=60.0).contains(&seconds) {
            return Err("must be from 1us to 60s".to_owned());
        }
        Ok(MoveTime { text: text.to_owned(), time: Duration::from_secs_f64(seconds) })
    }
}

/// Parses a number with one of these units, given in seconds, and returns the seconds.
fn parse(text: &str, units: &[(&str, f64)], examples: &str) -> Result<f64, String> {
    let form = || format!("expected a number with a unit, such as {examples}");
    // Other forms of numbers, such as `inf` and `1e3`, are refused.
    let is_number = |character: char| character.is_ascii_digit() || character == '.';
    let (number, unit) = text.split_at(text.find(|character| !is_number(character)).unwrap_or(text.len()));
    let number: f64 = number.parse().map_err(|_| form())?;
    match units.iter().find(|(name, _)| *name == unit) {
        Some((_, seconds)) => Ok(number * seconds),
        None if unit.is_empty() => Err(form()),
        None => Err(format!("unknown unit `{unit}`; {}", form())),
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

    #[test]
    fn the_time_of_a_move_has_a_small_unit() {
        for (text, nanoseconds) in [("1us", 1000), ("2.5µs", 2500), ("0.1ms", 100_000), ("2s", 2_000_000_000)]
        {
            let time: MoveTime = text.parse().expect(text);
            assert_eq!((time.get().as_nanos(), time.to_string()), (nanoseconds, text.to_owned()));
        }
        for (invalid, message) in [
            ("0.1", "expected a number with a unit, such as 5us, 0.1ms or 2s"),
            ("ms", "expected a number with a unit, such as 5us, 0.1ms or 2s"),
            ("5m", "unknown unit `m`; expected a number with a unit, such as 5us, 0.1ms or 2s"),
            ("0.9us", "must be from 1us to 60s"),
            ("61s", "must be from 1us to 60s"),
        ] {
            assert_eq!(invalid.parse::<MoveTime>().err().as_deref(), Some(message), "{invalid}");
        }
    }
}
