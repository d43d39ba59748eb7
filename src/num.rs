//! Checked numbers for settings. What a type refuses is refused where it is written, and is checked nowhere else.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// How sure a statement shall be: above 0.5, which is what tossing a coin gives, and below 1, which no number
/// of games gives.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
pub struct Level(f64);

impl Level {
    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

/// The level of whoever does not choose one.
impl Default for Level {
    fn default() -> Level {
        Level(0.95)
    }
}

impl TryFrom<f64> for Level {
    type Error = &'static str;

    fn try_from(level: f64) -> Result<Level, &'static str> {
        if level > 0.5 && level < 1.0 {
            Ok(Level(level))
        } else {
            Err("must be above 0.5 and below 1, such as 0.95")
        }
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Level, D::Error> {
        Level::try_from(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A whole number from `LEAST` to `MOST`: where more is no mistake of type but of sense, as a search so deep that
/// nobody would live to see its first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Within<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> Within<LEAST, MOST> {
    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const LEAST: u32, const MOST: u32> TryFrom<i64> for Within<LEAST, MOST> {
    type Error = String;

    fn try_from(number: i64) -> Result<Self, String> {
        match u32::try_from(number) {
            Ok(number) if (LEAST..=MOST).contains(&number) => Ok(Within(number)),
            _ if number < i64::from(LEAST) => Err(format!("must be at least {LEAST}")),
            _ => Err(format!("must be at most {MOST}")),
        }
    }
}

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Within<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(i64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_lies_between_a_coin_and_certainty() {
        for good in [0.500_000_1, 0.95, 0.999_999] {
            assert_eq!(Level::try_from(good).map(Level::get), Ok(good));
        }
        for bad in [0.5, 1.0, 95.0, 0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Level::try_from(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bounds_belong_to_what_they_bound() {
        for good in [3, 4, 7] {
            assert_eq!(Within::<3, 7>::try_from(good).map(|number| i64::from(number.get())), Ok(good));
        }
        for bad in [2, 0, -1, i64::MIN] {
            assert_eq!(Within::<3, 7>::try_from(bad), Err("must be at least 3".to_owned()));
        }
        for bad in [8, 1 << 32, (1 << 32) + 5, i64::MAX] {
            assert_eq!(Within::<3, 7>::try_from(bad), Err("must be at most 7".to_owned()));
        }
    }
}
