//! Checked numbers for settings. Invalid values are refused when a file is read and need no further
//! checks.
//!
//! The bounds of levels, risks and shares keep every formula of `stats/` accurate: next to 0 and 1,
//! differences of numbers lose all their digits.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::search_limit::{WrittenCount, WrittenDepth, WrittenTime};

/// Type whose values the manual describes.
pub trait ValueKind {
    /// Returns its values in the words of the manual.
    fn kind() -> String;
}

/// Declares a bounded number: its comment, name and test, and its range with an example or its
/// error message.
#[macro_export]
macro_rules! bounded {
    ($(#[$comment:meta])* $name:ident: $is_fit:expr, $range:literal, $example:literal) => {
        $crate::num::bounded! {
            $(#[$comment])*
            $name: $is_fit, concat!("must be from ", $range, ", such as ", $example)
        }

        impl $crate::num::ValueKind for $name {
            fn kind() -> String {
                concat!("number from ", $range).to_owned()
            }
        }
    };
    ($(#[$comment:meta])* $name:ident: $is_fit:expr, $refusal:expr) => {
        $(#[$comment])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "f64")]
        pub struct $name(f64);

        impl $name {
            /// Returns the number.
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = &'static str;

            fn try_from(number: f64) -> Result<$name, &'static str> {
                let is_fit: fn(f64) -> bool = $is_fit;
                // Removes the sign of zero.
                if is_fit(number) { Ok($name(number + 0.0)) } else { Err($refusal) }
            }
        }
    };
}
pub use bounded;

bounded! {
    /// Confidence level. It is clearly above 0.5, the level of a coin toss, and below 1, which no
    /// number of games reaches.
    Level: |level| (0.51..=0.999_999_999).contains(&level), "0.51 to 0.999999999", "0.95"
}

/// The default is 0.95.
impl Default for Level {
    fn default() -> Level {
        Level(0.95)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

bounded! {
    /// Accepted probability of error. It is above 0, and clearly below 0.5, the level of a coin
    /// toss.
    Risk: |risk| (1e-9..=0.49).contains(&risk), "1e-9 to 0.49", "0.05"
}

/// The default is 0.05.
impl Default for Risk {
    fn default() -> Risk {
        Risk(0.05)
    }
}

bounded! {
    /// Proper fraction: neither 0 nor 1.
    Share: |share| (Share::MIN..=Share::MAX).contains(&share), "0.000001 to 0.999999", "0.01"
}

impl Share {
    /// Smallest share.
    pub const MIN: f64 = 1e-6;

    /// Largest share.
    pub const MAX: f64 = 1.0 - Share::MIN;
}

bounded! {
    /// Half-width of a rate's interval, in percentage points. A rate ± 50 points would allow any
    /// rate.
    Points: |points| (0.000_1..50.0).contains(&points),
        "must be at least 0.0001 and below 50 percentage points, such as 1"
}

impl Points {
    /// Returns the half-width as a fraction of 1.
    pub fn share(self) -> f64 {
        self.0 / 100.0
    }
}

impl FromStr for Points {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Points, &'static str> {
        Points::try_from(text.trim().parse::<f64>().unwrap_or(f64::NAN))
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Duration in seconds, from a moment to a dozen days.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Seconds(f64);

impl Seconds {
    /// Returns the duration.
    pub fn get(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }
}

impl TryFrom<f64> for Seconds {
    type Error = &'static str;

    fn try_from(seconds: f64) -> Result<Seconds, &'static str> {
        if (0.001..=1e6).contains(&seconds) {
            Ok(Seconds(seconds))
        } else {
            Err("must be from 0.001 to 1000000, such as 10")
        }
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} s", self.0)
    }
}

/// Time limit of a move in milliseconds, from a microsecond to an hour.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[serde(try_from = "WrittenTime")]
pub struct Millis(f64);

impl Millis {
    /// Returns the duration.
    pub fn get(self) -> Duration {
        Duration::from_secs_f64(self.0 / 1e3)
    }
}

impl TryFrom<f64> for Millis {
    type Error = &'static str;

    fn try_from(millis: f64) -> Result<Millis, &'static str> {
        if (0.001..=3_600_000.0).contains(&millis) {
            Ok(Millis(millis))
        } else {
            Err("must be from 0.001 to 3600000, such as 10 or 0.5")
        }
    }
}

impl TryFrom<WrittenTime> for Millis {
    type Error = &'static str;

    fn try_from(WrittenTime(millis): WrittenTime) -> Result<Millis, &'static str> {
        Millis::try_from(millis)
    }
}

/// A whole number has no decimal point, so `10` and `10.0` identify the same player.
impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 {
            serializer.serialize_u32(self.0 as u32)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

/// Bounded whole number. [`CountLimit`] and [`DepthLimit`] have another `ROLE`, because they limit
/// a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct BoundedInt<const MIN: u32, const MAX: u32, const ROLE: u8 = 0>(u32);

/// Limit on the number of positions or random games of a search ([`LimitKind::Count`]).
///
/// [`LimitKind::Count`]: crate::search_limit::LimitKind::Count
pub type CountLimit<const MIN: u32, const MAX: u32> = BoundedInt<MIN, MAX, COUNT_ROLE>;

/// Limit on the depth of a search ([`LimitKind::Depth`]).
///
/// [`LimitKind::Depth`]: crate::search_limit::LimitKind::Depth
pub type DepthLimit<const MIN: u32, const MAX: u32> = BoundedInt<MIN, MAX, DEPTH_ROLE>;

const COUNT_ROLE: u8 = 1;
const DEPTH_ROLE: u8 = 2;

impl<const MIN: u32, const MAX: u32, const ROLE: u8> BoundedInt<MIN, MAX, ROLE> {
    /// Creates a number, for defaults.
    ///
    /// # Panics
    /// If the number is out of bounds; in a constant, at compile time.
    pub const fn new(number: u32) -> BoundedInt<MIN, MAX, ROLE> {
        assert!(MIN <= number && number <= MAX, "number out of bounds");
        BoundedInt(number)
    }

    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl<const MIN: u32, const MAX: u32, const ROLE: u8> TryFrom<i64> for BoundedInt<MIN, MAX, ROLE> {
    type Error = String;

    fn try_from(number: i64) -> Result<BoundedInt<MIN, MAX, ROLE>, String> {
        if number < MIN.into() {
            Err(format!("must be at least {MIN}"))
        } else if number > MAX.into() {
            Err(format!("must be at most {MAX}"))
        } else {
            Ok(BoundedInt(number as u32))
        }
    }
}

impl<'de, const MIN: u32, const MAX: u32, const ROLE: u8> Deserialize<'de> for BoundedInt<MIN, MAX, ROLE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BoundedInt<MIN, MAX, ROLE>, D::Error> {
        let number = match ROLE {
            COUNT_ROLE => WrittenCount::deserialize(deserializer)?.0,
            DEPTH_ROLE => WrittenDepth::deserialize(deserializer)?.0,
            _ => i64::deserialize(deserializer)?,
        };
        BoundedInt::try_from(number).map_err(D::Error::custom)
    }
}

impl<const MIN: u32, const MAX: u32, const ROLE: u8> ValueKind for BoundedInt<MIN, MAX, ROLE> {
    fn kind() -> String {
        format!("whole number, {MIN} to {MAX}")
    }
}

/// Bounded whole number that may need 64 bits, such as a seed or a number of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedLong<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> BoundedLong<MIN, MAX> {
    /// Returns the number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> ValueKind for BoundedLong<MIN, MAX> {
    fn kind() -> String {
        format!("whole number, {MIN} to {MAX}")
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for BoundedLong<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<BoundedLong<MIN, MAX>, D::Error> {
        let number = u64::try_from(i128::deserialize(deserializer)?).ok();
        let number = number.filter(|number| (MIN..=MAX).contains(number)).map(BoundedLong);
        number.ok_or_else(|| D::Error::custom(format!("must be a whole number from {MIN} to {MAX}")))
    }
}

bounded! {
    /// Weight of a feature in an evaluation. The bounds are far beyond any use, and keep every sum
    /// of features finite.
    Weight: |weight| weight.abs() <= 1e12, "must be a number from -1e12 to 1e12"
}

bounded! {
    /// Exponent, above 0 so that no result is infinite.
    Power: |power| power > 0.0 && power <= 16.0, "must be above 0 and at most 16, such as 3.5"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_neither_none_nor_endless() {
        for good in [0.001, 10.0, 1e6] {
            assert_eq!(Seconds::try_from(good).map(|seconds| seconds.get().as_secs_f64()), Ok(good));
        }
        for bad in [0.0, -1.0, 9e-4, 1.1e6, f64::NAN, f64::INFINITY] {
            assert!(Seconds::try_from(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn milliseconds_may_be_fractions() {
        for (good, nanoseconds) in [(0.001, 1000), (0.5, 500_000), (3.6e6, 3_600_000_000_000)] {
            let millis = Millis::try_from(good).expect("is in bounds");
            assert_eq!(millis.get().as_nanos(), nanoseconds);
        }
        for bad in [0.0, -1.0, 9e-4, 3_600_001.0, f64::NAN, f64::INFINITY] {
            assert!(Millis::try_from(bad).is_err(), "{bad}");
        }
        for (text, written) in [("10", "10"), ("10.0", "10"), ("0.25", "0.25")] {
            let millis: Millis = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&millis).expect("a number"), written);
        }
    }

    #[test]
    fn points_are_those_of_a_half_width() {
        for good in [0.000_1, 0.5, 1.0, 49.999] {
            assert_eq!(Points::try_from(good).map(Points::get), Ok(good));
        }
        assert_eq!("0.5".parse().map(Points::share), Ok(0.005));
        for bad in [0.0, -1.0, 9e-5, 50.0, f64::NAN, f64::INFINITY] {
            assert!(Points::try_from(bad).is_err(), "{bad}");
        }
        assert!("1 point".parse::<Points>().is_err());
    }

    #[test]
    fn a_whole_number_keeps_its_bounds() {
        for good in [1, 2, 20] {
            assert_eq!(BoundedInt::<1, 20>::try_from(good).map(|number| i64::from(number.get())), Ok(good));
        }
        for bad in [0, 21, -1, i64::MIN, i64::MAX, 1 << 32 | 1] {
            assert!(BoundedInt::<1, 20>::try_from(bad).is_err(), "{bad}");
        }
        assert_eq!(BoundedInt::<0, 20>::try_from(0), Ok(BoundedInt::new(0)));
    }

    #[test]
    fn weights_and_powers_are_bounded() {
        for good in [0.0, 1e12, -1e12, 0.1] {
            assert_eq!(Weight::try_from(good).map(Weight::get), Ok(good));
        }
        assert!(Weight::try_from(-0.0).is_ok_and(|weight| weight.get().is_sign_positive()));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.1e12] {
            assert!(Weight::try_from(bad).is_err(), "{bad}");
        }
        for good in [f64::MIN_POSITIVE, 16.0] {
            assert_eq!(Power::try_from(good).map(Power::get), Ok(good));
        }
        for bad in [0.0, -1.0, 16.1, f64::NAN, f64::INFINITY] {
            assert!(Power::try_from(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn levels_risks_and_shares_are_bounded() {
        for good in [0.51, 0.95, 0.999_999_999] {
            assert_eq!(Level::try_from(good).map(Level::get), Ok(good));
        }
        for bad in [
            0.5,
            0.509_9,
            0.999_999_999_1,
            1.0_f64.next_down(),
            1.0,
            95.0,
            0.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
        ] {
            assert!(Level::try_from(bad).is_err(), "{bad}");
        }
        for good in [1e-9, 0.05, 0.49] {
            assert_eq!(Risk::try_from(good).map(Risk::get), Ok(good));
        }
        for bad in [0.0, f64::MIN_POSITIVE, 9e-10, 0.491, 0.5, -0.1, f64::NAN] {
            assert!(Risk::try_from(bad).is_err(), "{bad}");
        }
        for good in [0.000_001, 0.01, 0.999_999] {
            assert_eq!(Share::try_from(good).map(Share::get), Ok(good));
        }
        for bad in [0.0, f64::MIN_POSITIVE, 9e-7, 0.999_999_1, 1.0, -0.1, f64::NAN] {
            assert!(Share::try_from(bad).is_err(), "{bad}");
        }
    }
}
