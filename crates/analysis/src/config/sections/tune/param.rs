//! A setting that moves, as written and as it is: a number within a range, one of some choices, or
//! tied to another.

use std::ops::Range;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::content::{Many, Said};
use gauntlet_core::settings::section::declare;
use gauntlet_core::settings::{self, shortest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::values::{Bound, put, put_value};

/// A setting that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its dotted key, as tables of settings have it.
    pub key: String,
    /// The least value.
    pub min: f64,
    /// The largest value, which is more.
    pub max: f64,
    /// In which steps it moves.
    pub scale: Scale,
    /// True if it takes whole numbers only.
    pub is_whole: bool,
    /// The words and truths that it chooses from; its value is the place of one of them, from 0.
    /// None of a number.
    pub choices: Vec<Value>,
    /// The value that it starts from, from `min` to `max`.
    pub start: f64,
    /// The dotted keys of settings that always have the same value.
    pub tied: Vec<String>,
}

/// In which steps a setting moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Sums: from 10 it is as far to 0 as to 20.
    #[default]
    Linear,
    /// Products: from 10 it is as far to 5 as to 20.
    Log,
}

impl Param {
    /// Puts a value into the settings of a player, here and where this setting is tied.
    pub(in crate::config) fn put(&self, settings: &mut Value, value: f64) {
        for key in std::iter::once(&self.key).chain(&self.tied) {
            match self.choices.get(value as usize) {
                Some(choice) => put_value(settings, key, choice.clone()),
                None => put(settings, key, value, self.is_whole),
            }
        }
    }

    /// The value at a place from 0 to 1.
    pub fn value(&self, place: f64) -> f64 {
        let between = match self.scale {
            Scale::Linear => self.min + place * (self.max - self.min),
            Scale::Log => libm::exp(libm::log(self.min) + place * libm::log(self.max / self.min)),
        };
        let value = if self.is_whole { between.round() } else { between };
        // The start is written exactly as it was, and rounding leads nowhere outside.
        if place == self.place(self.start) { self.start } else { value.clamp(self.min, self.max) }
    }

    /// The place of a value.
    pub fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (value - self.min) / (self.max - self.min),
            Scale::Log => libm::log(value / self.min) / libm::log(self.max / self.min),
        };
        place.clamp(0.0, 1.0)
    }

    /// The distance of two neighbours: of whole numbers on a logarithmic scale, that of the middle.
    pub fn grain(&self) -> f64 {
        match (self.is_whole, self.scale) {
            (false, _) => 0.0,
            (true, Scale::Linear) => 1.0 / (self.max - self.min),
            (true, Scale::Log) => {
                let middle = self.value(0.5);
                self.place(middle + 1.0) - self.place(middle)
            }
        }
    }

    /// A value as it is written: a number, or the choice at its place.
    pub fn shown(&self, value: f64) -> String {
        match self.choices.get(value as usize) {
            Some(Value::String(word)) => word.clone(),
            Some(choice) => choice.to_string(),
            None => shortest(value),
        }
    }
}

/// A word or a truth that a setting may be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "must be a text, true or false: a number has `min` and `max` in place of `choices`"
)]
pub(super) enum ParamChoice {
    Truth(bool),
    Word(String),
}

declare! {
    /// One setting of `[tune.params]` as written.
    pub(super) struct ParamAsWritten {
        /// The least value.
        pub(super) key min: Said<Bound>, "number from -1e15 to 1e15";
        /// The largest value.
        pub(super) key max: Said<Bound>, "number above `min`, to 1e15";
        /// Steps are sums (`linear`) or products (`log`); for products `min` must be above 0.
        pub(super) key scale: Said<Scale>, r#"`"linear"` or `"log"`"#, r#"`"linear"`"#;
        /// Where the setting starts. One that the player does not set, such as the weight of
        /// another feature, needs it.
        pub(super) key start: Said<Bound>, "number from `min` to `max`", "the value that the player has";
        /// In place of all these, for a setting of words: what it may be. It starts as the player
        /// has it.
        pub(super) key choices: Said<Many<ParamChoice>>, "list of 2 to 64 texts, or `true` and `false`",
            "a number";
        /// In place of all these: the setting always has the value of that one, from the start on.
        /// Not for `choices`.
        pub(super) key tied_to: Said<String>, "key of another line", "not tied";
    }
}

/// One row of `[tune.params]`.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The dotted key as written.
    pub(super) key: String,
    /// The place of the last part of the key.
    pub(super) place: Range<usize>,
    /// Its values.
    pub(super) written: ParamAsWritten,
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (&self.key, &self.written) == (&other.key, &other.written)
    }
}

impl Row {
    pub(super) fn mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.place.clone(), message)
    }
}

/// True if a row has either its range or what it is tied to, and no mistake.
pub(super) fn is_sound(row: &Row, mistakes: &mut Vec<Diagnostic>) -> bool {
    let before = mistakes.len();
    let ParamAsWritten { header, min, max, scale, start, choices, tied_to } = &row.written;
    let places = [min.place(), max.place(), scale.place(), start.place()];
    let mut superfluous = |message: &str| {
        mistakes.extend(places.iter().flatten().map(|place| Diagnostic::at(place.clone(), message)));
    };
    if tied_to.is_written() {
        superfluous("a tied setting has this from the one that it is tied to");
        if choices.is_written() {
            mistakes.push(choices.blame(header, "only numbers are tied"));
        }
    } else if choices.is_written() {
        superfluous("is of numbers: a setting with `choices` starts as the player has it");
    } else {
        for (key, said) in [("min", min), ("max", max)].into_iter().filter(|(_, said)| !said.is_written()) {
            mistakes.push(said.blame(header, settings::missing(key)));
        }
    }
    let is_read = !(min.is_mistaken() || max.is_mistaken() || scale.is_mistaken() || start.is_mistaken());
    let is_read = is_read && !choices.is_mistaken();
    is_read && !tied_to.is_mistaken() && mistakes.len() == before
}

/// A setting with a range of its own; that there is such a setting is not known yet.
pub(super) struct Free<'l> {
    pub(super) row: &'l Row,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) start: Option<f64>,
    pub(super) scale: Scale,
    pub(super) choices: Vec<Value>,
}

/// A setting with choices, of which there are several, and each once.
fn chosen<'l>(
    row: &'l Row,
    choices: &[Said<ParamChoice>],
    mistakes: &mut Vec<Diagnostic>,
) -> Option<Free<'l>> {
    let ParamAsWritten { header, choices: all, .. } = &row.written;
    let before = mistakes.len();
    let mut values: Vec<Value> = Vec::new();
    for choice in choices {
        match choice.value()? {
            ParamChoice::Truth(truth) => values.push(Value::Bool(*truth)),
            ParamChoice::Word(word) => values.push(Value::from(&**word)),
        }
        let (last, others) = values.split_last().expect("it was put there");
        if others.contains(last) {
            mistakes.push(choice.blame(header, "is listed twice"));
        }
    }
    if !(2..=MOST_CHOICES).contains(&values.len()) {
        mistakes.push(all.blame(header, format!("must have from 2 to {MOST_CHOICES} choices")));
    }
    let max = values.len() as f64 - 1.0;
    let free = Free { row, min: 0.0, max, start: None, scale: Scale::Linear, choices: values };
    (mistakes.len() == before).then_some(free)
}

/// The most choices of a setting.
const MOST_CHOICES: usize = 64;

/// A setting whose range is a range.
pub(super) fn ranged<'l>(row: &'l Row, mistakes: &mut Vec<Diagnostic>) -> Option<Free<'l>> {
    if let Some(Many(choices)) = row.written.choices.value() {
        return chosen(row, choices, mistakes);
    }
    let before = mistakes.len();
    let ParamAsWritten { header, min: least, start: first, .. } = &row.written;
    let (min, max) = (least.value()?.get(), row.written.max.value()?.get());
    let start = first.value().map(|start| start.get());
    let scale = row.written.scale.value().copied().unwrap_or_default();
    if min >= max {
        mistakes.push(least.blame(header, format!("must be below `max`, which is {}", shortest(max))));
    } else if let Some(start) = start.filter(|start| !(min..=max).contains(start)) {
        mistakes.push(first.blame(header, outside(start, min, max)));
    }
    if scale == Scale::Log && min <= 0.0 {
        mistakes.push(least.blame(header, "must be above 0 where `scale = \"log\"`"));
    }
    (mistakes.len() == before).then_some(Free { row, min, max, start, scale, choices: Vec::new() })
}

pub(super) fn outside(start: f64, min: f64, max: f64) -> String {
    format!("{} is not from {} to {}", shortest(start), shortest(min), shortest(max))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(min: f64, max: f64, scale: Scale, is_whole: bool, start: f64) -> Param {
        Param { key: "x".to_owned(), min, max, scale, is_whole, choices: Vec::new(), start, tied: Vec::new() }
    }

    #[test]
    fn points_become_values_and_back() {
        let linear = param(-2.0, 8.0, Scale::Linear, false, 0.1);
        assert_eq!([0.0, 0.5, 1.0].map(|place| linear.value(place)), [-2.0, 3.0, 8.0]);
        assert_eq!(linear.value(linear.place(0.1)), 0.1, "the start is exactly what was written");
        let log = param(0.01, 100.0, Scale::Log, false, 1.0);
        assert!((log.value(0.25) - 0.1).abs() < 1e-12);
        assert_eq!([0.0, 1.0].map(|place| log.value(place)), [0.01, 100.0]);
        let whole = param(1.0, 5.0, Scale::Linear, true, 2.0);
        assert_eq!([0.0, 0.3, 0.4, 1.0].map(|place| whole.value(place)), [1.0, 2.0, 3.0, 5.0]);
        assert_eq!(whole.grain(), 0.25);
        assert_eq!(linear.grain(), 0.0);
        let steps = param(1.0, 1024.0, Scale::Log, true, 1.0);
        assert!((0.0044..0.0045).contains(&steps.grain()), "{}", steps.grain());
    }
}
