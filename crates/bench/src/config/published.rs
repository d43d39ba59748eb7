//! One `[[published]]`: a number from elsewhere about a player, to be compared with the measured one.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU64;
use std::ops;

use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, de::Error as _};
use toml::de::{DeTable, DeValue};

use super::context::Context;
use super::reference::Reference;
use crate::diagnostic::Diagnostic;
use crate::measure::Quantity;
use crate::settings::{self, Written};

/// A published number about a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The player, by its place among the players of the experiment.
    pub player: usize,
    /// The quantity that the number is of.
    pub what: Quantity,
    /// What the number is, of all games.
    pub statistic: Statistic,
    /// The number.
    pub value: Value,
    /// The number of games it rests on, where that is known.
    pub games: Option<NonZeroU64>,
    /// With which other numbers it is judged together; those without a name belong together as well.
    pub family: Option<String>,
    /// What else there is to know of it.
    pub note: Option<String>,
    /// Who published it, and where.
    pub source: String,
}

/// What a published number is, of all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// Their mean; of a rate, the share of them.
    #[default]
    Mean,
    /// The number that half of them do not exceed.
    Median,
    /// A number that a usual one of them has.
    Typical,
}

/// A statistic as files write it.
impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Statistic::Mean => "mean",
            Statistic::Median => "median",
            Statistic::Typical => "typical",
        })
    }
}

/// What a source says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number, as a range.
    Number(Range),
    /// That it comes about, and not how often.
    Some,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Number(range) => range.fmt(f),
            Value::Some => f.write_str("some"),
        }
    }
}

/// A range of numbers with both ends; a single number has equal ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
}

impl Range {
    /// The range between two numbers, the lower one first; none if they are not, or too large or too small for what is
    /// computed of them.
    pub fn new(low: f64, high: f64) -> Option<Range> {
        let is_fine = |number: f64| number == 0.0 || (1e-9..=1e18).contains(&number.abs());
        (low <= high && is_fine(low) && is_fine(high)).then_some(Range { low, high })
    }

    /// Its lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// Its upper end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether it is a single number.
    pub fn is_single(self) -> bool {
        self.low == self.high
    }

    /// The number in it that is nearest to this one.
    pub fn nearest(self, number: f64) -> f64 {
        number.clamp(self.low, self.high)
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

/// What a value may be, in words.
const EXPECTED: &str = "a number, a range such as [0.7, 0.8], or \"some\"";

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
                self.visit_f64(number as f64)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
                let single = Range::new(number, number).map(Value::Number);
                single.ok_or_else(|| E::custom("must be 0 or in size from 1e-9 to 1e18"))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
                if text == "some" { Ok(Value::Some) } else { Err(E::custom(format!("must be {EXPECTED}"))) }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element::<f64>()? {
                    numbers.push(number);
                }
                match numbers[..] {
                    [low, high] if low > high => Err(A::Error::custom("the lower end comes first")),
                    [low, high] => Range::new(low, high)
                        .map(Value::Number)
                        .ok_or_else(|| A::Error::custom("both ends must be 0 or in size from 1e-9 to 1e18")),
                    _ => Err(A::Error::custom("must be a number, or a range of two such as [0.7, 0.8]")),
                }
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

/// A line of text.
struct Line(String);

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Line, D::Error> {
        one_line(deserializer, "must be text in one line").map(Line)
    }
}

/// Who published a number, and where: a line of text.
struct Source(String);

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Source, D::Error> {
        one_line(deserializer, "must say in one line who published it, and where").map(Source)
    }
}

/// Text that is one line and says something.
fn one_line<'de, D: Deserializer<'de>>(deserializer: D, otherwise: &str) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        return Err(D::Error::custom(otherwise));
    }
    Ok(text)
}

/// The most games that a number may rest on: the exact tests count in whole numbers.
const MOST_GAMES: u64 = 1_000_000_000_000;

/// A published number as written.
#[derive(Deserialize)]
pub(super) struct PublishedAsWritten {
    #[allow(dead_code, reason = "the name is looked up as written, and only its type is checked here")]
    player: Reference,
    #[allow(dead_code, reason = "read with the measures of the game")]
    what: IgnoredAny,
    #[serde(default)]
    statistic: Statistic,
    value: Value,
    games: Option<NonZeroU64>,
    source: Source,
    family: Option<Line>,
    note: Option<Line>,
}

impl PublishedAsWritten {
    /// Values for the keys that must be there.
    const EXAMPLE: &str = "player = 'x'\nwhat = 'win'\nvalue = 0.5\nsource = 'x'";
}

/// Every `[[published]]` of a file.
pub(super) fn check(all: &[Written], context: Context, mistakes: &mut Vec<Diagnostic>) -> Vec<Published> {
    let mut known = BTreeSet::new();
    let mut sound = Vec::new();
    for written in all {
        let Some(published) = one(written, context, mistakes) else { continue };
        // Two sources may give different numbers, and so may one; the same number twice is a slip.
        if !known.insert(format!("{published:?}")) {
            mistakes.push(Diagnostic::at(written.header.clone(), "this is said above already"));
        }
        sound.push(published);
    }
    sound
}

fn one(written: &Written, context: Context, mistakes: &mut Vec<Diagnostic>) -> Option<Published> {
    let before = mistakes.len();
    let read = settings::read::<PublishedAsWritten>(written, PublishedAsWritten::EXAMPLE);
    let player = context.roster.find(&written.table, "player", mistakes);
    // These are checked on what is written, so that a mistake elsewhere does not hide them.
    let what = context.measure(written, "what", |_: Quantity| true, mistakes);
    if let Some(what) = what {
        for (number, place) in numbers(&written.table) {
            mistakes.extend(what.flaw(number).map(|flaw| {
                let per_cent = what.is_rate() && (1.0..=100.0).contains(&number);
                let help = per_cent.then(|| format!("{number} % is {}", number / 100.0));
                Diagnostic { span: Some(place), message: flaw.to_owned(), help }
            }));
        }
    }
    let read = match read {
        Ok(read) => read,
        Err(refused) => {
            mistakes.extend(refused.into_iter().map(|mistake| of_the_head(mistake, &written.table)));
            return None;
        }
    };
    let (player, what) = player.zip(what)?;
    contradictions(&read, what, |key, message| mistakes.push(written.blame(key, message.to_owned())));
    let PublishedAsWritten { statistic, value, games, family, note, source, .. } = read;
    let [family, note] = [family, note].map(|line| line.map(|line| line.0));
    let source = source.0;
    let published = Published { player, what, statistic, value, games, family, note, source };
    (mistakes.len() == before).then_some(published)
}

/// Points from a key of the games that are played here to the head of the experiment: all its numbers are of the same games.
fn of_the_head(mut mistake: Diagnostic, table: &DeTable) -> Diagnostic {
    let is_at = |key: &toml::Spanned<_>| mistake.span == Some(key.span());
    let stray =
        table.keys().find(|key| ["planned_games", "extended_from"].contains(&&**key.get_ref()) && is_at(key));
    if let Some(key) = stray {
        mistake.help = Some(format!(
            "`{}` stands at the head of the experiment, and holds for all players",
            key.get_ref()
        ));
    }
    mistake
}

/// Blames the keys that contradict others.
fn contradictions(read: &PublishedAsWritten, what: Quantity, mut blame: impl FnMut(&str, &str)) {
    if read.statistic != Statistic::Mean && !what.is_amount() {
        blame("statistic", "only of `score` and `moves` there are others than the mean");
    }
    if read.value == Value::Some && !what.is_rate() {
        blame("value", "only a share of games can be said to be above 0, and no more");
    }
    if read.games.is_some_and(|games| games.get() > MOST_GAMES) {
        blame("games", "must be at most 1000000000000");
    }
    if read.games.is_some() && read.value == Value::Some {
        blame("games", "say nothing where `value` is \"some\"");
    }
    if read.games.is_some() && read.statistic == Statistic::Typical {
        blame("games", "say nothing where `statistic` is \"typical\"");
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
        for (low, high) in
            [(0.6, 0.5), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (5e-324, 1.0), (0.0, 2e18)]
        {
            assert_eq!(Range::new(low, high), None, "{low} to {high}");
        }
    }
}
