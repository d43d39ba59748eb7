//! One `[[published]]`: a number from elsewhere about a player, to be compared with the measured one.

use std::fmt;
use std::num::NonZeroU64;
use std::ops;

use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, de::Error as _};
use toml::de::{DeTable, DeValue};

use super::context::Context;
use crate::diagnostic::Diagnostic;
use crate::measure::Measure;
use crate::settings::{self, Written};

/// A published number about a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The player, by its place among the players of the experiment.
    pub player: usize,
    /// The measure that the number is of.
    pub what: Measure,
    /// The number, as a range.
    pub value: Range,
    /// The number of games it rests on, where that is known.
    pub games: Option<NonZeroU64>,
    /// Who published it, and where.
    pub source: String,
}

/// A range of numbers with both ends; a single number has equal ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
}

impl Range {
    /// The range between two numbers, the lower one first; none if they are not.
    pub fn new(low: f64, high: f64) -> Option<Range> {
        (low <= high && low.is_finite() && high.is_finite()).then_some(Range { low, high })
    }

    /// Its lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// Its upper end.
    pub fn high(self) -> f64 {
        self.high
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.low == self.high {
            write!(f, "{}", self.low)
        } else {
            write!(f, "{} to {}", self.low, self.high)
        }
    }
}

impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Range, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Range;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, or a range such as [0.7, 0.8]")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Range, E> {
                self.visit_f64(number as f64)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Range, E> {
                Range::new(number, number).ok_or_else(|| E::custom("must be a finite number"))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Range, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element::<f64>()? {
                    numbers.push(number);
                }
                match numbers[..] {
                    [low, high] if low > high => Err(A::Error::custom("the lower end comes first")),
                    [low, high] => Range::new(low, high)
                        .ok_or_else(|| A::Error::custom("both ends must be finite numbers")),
                    _ => Err(A::Error::custom("must be a number, or a range of two such as [0.7, 0.8]")),
                }
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

/// Who published a number, and where: a line of text.
struct Source(String);

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Source, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            return Err(D::Error::custom("must say in one line who published it, and where"));
        }
        Ok(Source(text))
    }
}

/// A published number as written.
#[derive(Deserialize)]
pub(super) struct PublishedAsWritten {
    #[allow(dead_code, reason = "the name is looked up as written, and only its type is checked here")]
    player: String,
    #[allow(dead_code, reason = "read with the measures of the game")]
    what: IgnoredAny,
    value: Range,
    games: Option<NonZeroU64>,
    source: Source,
}

impl PublishedAsWritten {
    /// Values for the keys that must be there.
    const EXAMPLE: &str = "player = 'x'\nwhat = 'win'\nvalue = 0.5\nsource = 'x'";
}

/// Every `[[published]]` of a file.
pub(super) fn check(all: &[Written], context: Context, mistakes: &mut Vec<Diagnostic>) -> Vec<Published> {
    let mut known: Vec<Published> = Vec::new();
    for written in all {
        let Some(published) = one(written, context, mistakes) else { continue };
        // Two sources may give different numbers, and so may one; the same number twice is a slip.
        if known.contains(&published) {
            mistakes.push(Diagnostic::at(written.header.clone(), "this is said above already"));
        }
        known.push(published);
    }
    known
}

fn one(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Published> {
    let before = mistakes.len();
    let read = settings::read::<PublishedAsWritten>(written, PublishedAsWritten::EXAMPLE);
    let player = context.roster.find(&written.table, "player", mistakes);
    // These are checked on what is written, so that a mistake elsewhere does not hide them.
    let what = context.measure(written, "what", |_| true, mistakes);
    if let Some(what) = what {
        for (number, place) in numbers(&written.table) {
            mistakes.extend(what.flaw(number).map(|flaw| {
                let per_cent = what.is_rate() && (1.0..=100.0).contains(&number);
                let help = per_cent.then(|| format!("{number} % is {}", number / 100.0));
                Diagnostic { span: Some(place), message: flaw.to_owned(), help }
            }));
        }
    }
    match read {
        Ok(PublishedAsWritten { value, games, source, .. }) if mistakes.len() == before => {
            Some(Published { player: player?, what: what?, value, games, source: source.0 })
        }
        Ok(_) => None,
        Err(refused) => {
            mistakes.extend(refused);
            None
        }
    }
}

/// The numbers of a value as written, each with its place.
fn numbers(table: &DeTable) -> Vec<(f64, ops::Range<usize>)> {
    let number = |value: &DeValue| match value {
        DeValue::Integer(number) => {
            i128::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number as f64)
        }
        DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
        _ => None,
    };
    let Some(value) = table.get("value") else { return Vec::new() };
    match value.get_ref() {
        DeValue::Array(list) => {
            list.iter().filter_map(|item| Some((number(item.get_ref())?, item.span()))).collect()
        }
        single => number(single).map(|number| (number, value.span())).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_goes_upwards() {
        assert_eq!(Range::new(0.5, 0.5).map(|range| range.to_string()).as_deref(), Some("0.5"));
        assert_eq!(Range::new(0.0, 50.0).map(|range| range.to_string()).as_deref(), Some("0 to 50"));
        for (low, high) in [(0.6, 0.5), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY)] {
            assert_eq!(Range::new(low, high), None, "{low} to {high}");
        }
    }
}
