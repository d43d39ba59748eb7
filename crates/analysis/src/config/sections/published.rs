//! One `[[published]]`: a number from another source about a player, to be compared with the
//! measured one.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU64;
use std::ops;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::measure::Quantity;
use gauntlet_core::settings;
use gauntlet_core::settings::content::KeyContent;
use gauntlet_core::settings::section::declare;
use gauntlet_core::settings::tree::{self, PlacedValue};
use serde::{Deserialize, Serialize};

use super::top::TopSection;
use crate::config::context::Context;
use crate::config::reference::Reference;

/// A published number about a player.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedNumber {
    /// Index of the player.
    pub player: usize,
    /// Quantity of the number.
    pub quantity: Quantity,
    /// Statistic over all games.
    pub statistic: Statistic,
    pub value: PublishedValue,
    /// Number of games of the source, if known.
    pub games: Option<NonZeroU64>,
    /// Name of the family of numbers that are judged together; numbers without a name are one
    /// family.
    pub family: Option<String>,
    /// Note about the number.
    pub note: Option<String>,
    /// Author and place of publication.
    pub source: String,
}

/// Statistic over all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// Mean; for a rate, the share of games.
    #[default]
    Mean,
    /// Median.
    Median,
    /// Value of a typical game.
    Typical,
}

/// Formats a statistic as in files.
impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Statistic::Mean => "mean",
            Statistic::Median => "median",
            Statistic::Typical => "typical",
        })
    }
}

/// Value that a source gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PublishedValue {
    /// A number or a range.
    Number(ClosedRange),
    /// The event happens, with unknown frequency.
    Some,
}

impl fmt::Display for PublishedValue {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            PublishedValue::Number(range) => range.fmt(f),
            PublishedValue::Some => f.write_str("some"),
        }
    }
}

/// A closed range of numbers; a single number has equal ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedRange {
    low: f64,
    high: f64,
}

impl ClosedRange {
    /// Makes the range between two numbers, the lower one first. `None` if they are not finite, or
    /// too large or too small for computations.
    pub fn new(low: f64, high: f64) -> Option<ClosedRange> {
        let is_fine = |number: f64| number == 0.0 || (1e-9..=1e18).contains(&number.abs());
        (low <= high && is_fine(low) && is_fine(high)).then_some(ClosedRange { low, high })
    }

    pub fn low(self) -> f64 {
        self.low
    }

    pub fn high(self) -> f64 {
        self.high
    }

    /// Returns true if it is a single number.
    pub fn is_single(self) -> bool {
        self.low == self.high
    }

    /// Returns the nearest number in the range.
    pub fn nearest(self, number: f64) -> f64 {
        number.clamp(self.low, self.high)
    }
}

impl fmt::Display for ClosedRange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.low == self.high {
            write!(f, "{}", self.low)
        } else {
            write!(f, "{} to {}", self.low, self.high)
        }
    }
}

/// Allowed values, for messages.
const EXPECTED: &str = "a number, a range such as [0.7, 0.8], or \"some\"";

/// Returns the numbers of a value, each with its position: one, or both ends of a range; none for
/// "some".
fn parse_numbers(
    value: &tree::TomlValue,
    place: ops::Range<usize>,
) -> Result<Vec<(f64, ops::Range<usize>)>, Diagnostic> {
    let refuse = |message: String| Err(Diagnostic::new(place.clone(), message));
    let number = |item: &PlacedValue| Ok((settings::read_value(item)?, item.span()));
    match value {
        tree::TomlValue::Text(text) if text == "some" => Ok(Vec::new()),
        tree::TomlValue::Text(_) => refuse(format!("must be {EXPECTED}")),
        tree::TomlValue::Whole(_) | tree::TomlValue::Real(_) => {
            Ok(vec![number(&PlacedValue::new(place.clone(), value.clone()))?])
        }
        tree::TomlValue::List(ends) if ends.len() == 2 => ends.iter().map(number).collect(),
        tree::TomlValue::List(_) => refuse("must be a number, or a range such as [0.7, 0.8]".to_owned()),
        other => refuse(settings::mistyped_message(EXPECTED, other)),
    }
}

impl PublishedValue {
    /// Makes a value from its numbers, or returns what is wrong with them.
    fn new(numbers: &[f64]) -> Result<PublishedValue, &'static str> {
        let (range, message) = match *numbers {
            [low, high] if low > high => return Err("the lower bound must come first"),
            [low, high] => {
                (ClosedRange::new(low, high), "both bounds must be 0, or from 1e-9 to 1e18 in size")
            }
            [number] => (ClosedRange::new(number, number), "must be 0, or from 1e-9 to 1e18 in size"),
            _ => return Ok(PublishedValue::Some),
        };
        range.map(PublishedValue::Number).ok_or(message)
    }
}

/// A non-empty line of text: a note, or the source of a number.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Line<const IS_SOURCE: bool>(String);

impl<const IS_SOURCE: bool> TryFrom<String> for Line<IS_SOURCE> {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Line<IS_SOURCE>, &'static str> {
        match (is_one_line(&text), IS_SOURCE) {
            (true, _) => Ok(Line(text)),
            (_, true) => Err("must be one line: who published the number, and where"),
            _ => Err("must be a string of one line"),
        }
    }
}

fn is_one_line(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(char::is_control)
}

/// Largest number of published games: the exact tests use whole numbers.
const MAX_GAMES: u64 = 1_000_000_000_000;

declare! {
    /// A published number as written.
    pub(crate) struct PublishedAsWritten {
        /// The player that the number is about.
        must player: KeyContent<Reference>, "name of a player, or a table";
        /// Quantity: a [measure](#measures), `"moves"` or `"ms-per-game"`.
        must what: KeyContent<tree::TomlValue>, "string";
        /// Statistic of `score` or `moves`; `"typical"` if the source describes a typical game.
        key statistic: KeyContent<Statistic>, r#"`"mean"`, `"median"` or `"typical"`"#, r#"`"mean"`"#;
        /// Number, a range from low to high, or `"some"` for an unknown positive rate.
        must value: KeyContent<tree::TomlValue>, r#"number, list of two numbers, or `"some"`"#;
        /// Number of games on which the published number is based.
        key games: KeyContent<NonZeroU64>, "whole number, 1 to 1000000000000", "unknown";
        /// Author and place of publication.
        must source: KeyContent<Line<true>>, "text, one line";
        /// Published numbers with the same `family` share one correction for multiple tests.
        key family: KeyContent<Line<false>>, "text, one line", "one family per file";
        /// Remark for tables and pages.
        key note: KeyContent<Line<false>>, "text, one line", "none";
    } with {
        const ITEM_NOUN: &'static str = "published number";

        fn help(key: &str) -> Option<String> {
            let is_of_the_head = ["planned_games", "extended_from"].contains(&key);
            is_of_the_head
                .then(|| format!("`{key}` belongs above the first `[[player]]` and applies to all players"))
        }
    }
}

impl TopSection for Vec<PublishedAsWritten> {
    type Checked = Vec<PublishedNumber>;

    fn check(&self, context: Context, mistakes: &mut Vec<Diagnostic>) -> Vec<PublishedNumber> {
        let mut seen_numbers = BTreeSet::new();
        let mut numbers = Vec::new();
        for raw_number in self {
            let Some(published) = check_number(raw_number, context, mistakes) else { continue };
            // Sources may disagree, and one source may give different numbers; an equal number is a
            // duplicate by mistake.
            if !seen_numbers.insert(format!("{published:?}")) {
                mistakes.push(Diagnostic::new(raw_number.header.0.clone(), "duplicate published number"));
            }
            numbers.push(published);
        }
        numbers
    }
}

fn check_number(
    raw_number: &PublishedAsWritten,
    context: Context,
    mistakes: &mut Vec<Diagnostic>,
) -> Option<PublishedNumber> {
    let mistakes_before = mistakes.len();
    let player = context.roster.find(&raw_number.player, mistakes);
    let quantity = context.parse_measure(&raw_number.what, |_: Quantity| true, mistakes);
    let result = parse_numbers(raw_number.value.value()?, raw_number.value.span().unwrap_or_default());
    let numbers = result.map_err(|mistake| mistakes.push(mistake)).ok()?;
    for (number, place) in &numbers {
        mistakes.extend(quantity.and_then(|quantity| {
            quantity.invalid_reason(*number).map(|reason| {
                let per_cent = quantity.is_rate() && (1.0..=100.0).contains(number);
                let help = per_cent.then(|| format!("{number} % is {}", number / 100.0));
                Diagnostic {
                    span: Some(place.clone()),
                    message: reason.to_owned(),
                    help,
                    ..Diagnostic::default()
                }
            })
        }));
    }
    let numbers: Vec<f64> = numbers.into_iter().map(|(number, _)| number).collect();
    let value = PublishedValue::new(&numbers)
        .map_err(|message| mistakes.push(raw_number.value.mistake(message)))
        .ok()?;
    let (player, quantity) = player.zip(quantity)?;
    report_contradictions(raw_number, value, quantity, mistakes);
    let PublishedAsWritten { statistic, games, family, note, .. } = raw_number;
    if statistic.is_mistaken() || games.is_mistaken() || family.is_mistaken() || note.is_mistaken() {
        return None;
    }
    let source = raw_number.source.value()?.0.clone();
    let [family, note] = [family, note].map(|line| line.value().map(|line| line.0.clone()));
    let statistic = statistic.value().copied().unwrap_or_default();
    let games = games.value().copied();
    let published = PublishedNumber { player, quantity, statistic, value, games, family, note, source };
    (mistakes.len() == mistakes_before).then_some(published)
}

/// Reports keys that contradict others.
fn report_contradictions(
    raw_number: &PublishedAsWritten,
    value: PublishedValue,
    quantity: Quantity,
    mistakes: &mut Vec<Diagnostic>,
) {
    let PublishedAsWritten { statistic, games, .. } = raw_number;
    let kind = statistic.value().copied().unwrap_or_default();
    if kind != Statistic::Mean && !quantity.is_amount() {
        let message = "only `score` and `moves` have a median or typical value";
        mistakes.push(statistic.mistake(message));
    }
    if value == PublishedValue::Some && !quantity.is_rate() {
        let message = "\"some\" is only for rates: `win` and `reach`";
        mistakes.push(raw_number.value.mistake(message));
    }
    let Some(count) = games.value() else { return };
    if count.get() > MAX_GAMES {
        mistakes.push(games.mistake("must be at most 1000000000000"));
    }
    if value == PublishedValue::Some {
        mistakes.push(games.mistake("not allowed with `value = \"some\"`"));
    }
    if kind == Statistic::Typical {
        mistakes.push(games.mistake("not allowed with `statistic = \"typical\"`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_goes_upwards() {
        assert_eq!(ClosedRange::new(0.5, 0.5).map(|range| range.to_string()).as_deref(), Some("0.5"));
        assert_eq!(ClosedRange::new(0.0, 50.0).map(|range| range.to_string()).as_deref(), Some("0 to 50"));
        for (low, high) in
            [(0.6, 0.5), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY), (5e-324, 1.0), (0.0, 2e18)]
        {
            assert_eq!(ClosedRange::new(low, high), None, "{low} to {high}");
        }
    }
}
