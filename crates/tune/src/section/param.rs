//! A tuned setting, as written and as checked: a number in a range, one of some choices, or tied to
//! another setting.

use std::ops::Range;

use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::content::{KeyContent, ValueList};
use gauntlet_core::settings::section::declare;
use gauntlet_core::settings::{self, format_shortest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::values::{Bound, put, put_value};

/// A tuned setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Dotted key, as in tables of settings.
    pub key: String,
    /// Smallest value.
    pub min: f64,
    /// Largest value, above `min`.
    pub max: f64,
    /// Scale of its steps.
    pub scale: Scale,
    /// True if it takes only whole numbers.
    pub is_whole: bool,
    /// Strings or truth values to choose from; the value of the setting is an index. Empty for a
    /// number.
    pub choices: Vec<Value>,
    /// Start value, from `min` to `max`.
    pub start: f64,
    /// Dotted keys of settings that always have an equal value.
    pub tied: Vec<String>,
}

/// Scale of a setting's steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Additive: from 10, 0 and 20 are equally far.
    #[default]
    Linear,
    /// Multiplicative: from 10, 5 and 20 are equally far.
    Log,
}

impl Param {
    /// Puts a value into the settings of a player, for this setting and all tied ones.
    pub(crate) fn put(&self, settings: &mut Value, value: f64) {
        for key in std::iter::once(&self.key).chain(&self.tied) {
            match self.choices.get(value as usize) {
                Some(choice) => put_value(settings, key, choice.clone()),
                None => put(settings, key, value, self.is_whole),
            }
        }
    }

    /// Converts a position from 0 to 1 to a value.
    pub fn value(&self, position: f64) -> f64 {
        let exact = match self.scale {
            Scale::Linear => self.min + position * (self.max - self.min),
            Scale::Log => libm::exp(libm::log(self.min) + position * libm::log(self.max / self.min)),
        };
        let value = if self.is_whole { exact.round() } else { exact };
        // The start value is exact, and rounding does not leave the range.
        if position == self.position(self.start) { self.start } else { value.clamp(self.min, self.max) }
    }

    /// Converts a value to a position from 0 to 1.
    pub fn position(&self, value: f64) -> f64 {
        let position = match self.scale {
            Scale::Linear => (value - self.min) / (self.max - self.min),
            Scale::Log => libm::log(value / self.min) / libm::log(self.max / self.min),
        };
        position.clamp(0.0, 1.0)
    }

    /// Returns the distance of neighbouring positions; for whole numbers on a logarithmic scale, in
    /// the middle of the range.
    pub fn resolution(&self) -> f64 {
        match (self.is_whole, self.scale) {
            (false, _) => 0.0,
            (true, Scale::Linear) => 1.0 / (self.max - self.min),
            (true, Scale::Log) => {
                let middle = self.value(0.5);
                self.position(middle + 1.0) - self.position(middle)
            }
        }
    }

    /// Formats a value: a number, or the choice with this index.
    pub fn format_value(&self, value: f64) -> String {
        match self.choices.get(value as usize) {
            Some(Value::String(word)) => word.clone(),
            Some(choice) => choice.to_string(),
            None => format_shortest(value),
        }
    }
}

/// A string or truth value that a setting may have.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "must be a string or a boolean; for a number, use `min` and `max`")]
pub(super) enum ParamChoice {
    Truth(bool),
    Word(String),
}

declare! {
    /// One setting of `[tune.params]` as written.
    pub(super) struct ParamAsWritten {
        /// Smallest value.
        pub(super) key min: KeyContent<Bound>, "number from -1e15 to 1e15";
        /// Largest value.
        pub(super) key max: KeyContent<Bound>, "number above `min`, to 1e15";
        /// Additive or multiplicative steps; `"log"` needs a positive `min`.
        pub(super) key scale: KeyContent<Scale>, r#"`"linear"` or `"log"`"#, r#"`"linear"`"#;
        /// Initial value; required if the player does not have the setting.
        pub(super) key start: KeyContent<Bound>, "number from `min` to `max`", "value of the player";
        /// Possible values of a non-numeric setting, instead of `min` and `max`.
        pub(super) key choices: KeyContent<ValueList<ParamChoice>>, "list of 2 to 64 strings, or `true` and `false`",
            "none";
        /// Setting whose value is copied, instead of `min` and `max`.
        pub(super) key tied_to: KeyContent<String>, "key of another setting", "none";
    }
}

/// A row of `[tune.params]`.
#[derive(Debug)]
pub(super) struct Row {
    /// Dotted key as written.
    pub(super) key: String,
    /// Position of the last part of the key.
    pub(super) span: Range<usize>,
    /// Keys and values of the row.
    pub(super) section: ParamAsWritten,
}

impl Row {
    pub(super) fn make_mistake(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.span.clone(), message)
    }
}

/// Returns true if a row has either a range or a tied setting, and no mistake.
pub(super) fn is_valid(row: &Row, mistakes: &mut Vec<Diagnostic>) -> bool {
    let earlier_count = mistakes.len();
    let ParamAsWritten { min, max, scale, start, choices, tied_to, .. } = &row.section;
    let spans = [min.span(), max.span(), scale.span(), start.span()];
    let mut superfluous = |message: &str| {
        mistakes.extend(spans.iter().flatten().map(|span| Diagnostic::new(span.clone(), message)));
    };
    if tied_to.is_written() {
        superfluous("not allowed with `tied_to`: the other setting determines this value");
        if choices.is_written() {
            mistakes.push(choices.mistake("only numbers can be tied"));
        }
    } else if choices.is_written() {
        superfluous("is only for numbers; a setting with `choices` starts at the value of the player");
    } else {
        for (key, content) in
            [("min", min), ("max", max)].into_iter().filter(|(_, content)| !content.is_written())
        {
            mistakes.push(content.mistake(settings::missing_message(key)));
        }
    }
    let is_read = !(min.is_mistaken() || max.is_mistaken() || scale.is_mistaken() || start.is_mistaken());
    let is_read = is_read && !choices.is_mistaken();
    is_read && !tied_to.is_mistaken() && mistakes.len() == earlier_count
}

/// A setting with a range; it may not exist.
pub(super) struct FreeSetting<'l> {
    pub(super) row: &'l Row,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) start: Option<f64>,
    pub(super) scale: Scale,
    pub(super) choices: Vec<Value>,
}

/// Reads a setting with choices, of which there must be at least two, without duplicates.
fn read_choices<'l>(
    row: &'l Row,
    choices: &[KeyContent<ParamChoice>],
    mistakes: &mut Vec<Diagnostic>,
) -> Option<FreeSetting<'l>> {
    let ParamAsWritten { choices: choices_content, .. } = &row.section;
    let earlier_count = mistakes.len();
    let mut values: Vec<Value> = Vec::new();
    for choice in choices {
        match choice.value()? {
            ParamChoice::Truth(truth) => values.push(Value::Bool(*truth)),
            ParamChoice::Word(word) => values.push(Value::from(&**word)),
        }
        let (last, others) = values.split_last().expect("it was put there");
        if others.contains(last) {
            mistakes.push(choice.mistake("is listed twice"));
        }
    }
    if !(2..=MAX_CHOICES).contains(&values.len()) {
        mistakes.push(choices_content.mistake(format!("must have 2 to {MAX_CHOICES} choices")));
    }
    let max = values.len() as f64 - 1.0;
    let setting = FreeSetting { row, min: 0.0, max, start: None, scale: Scale::Linear, choices: values };
    (mistakes.len() == earlier_count).then_some(setting)
}

/// Largest number of choices of a setting.
const MAX_CHOICES: usize = 64;

/// Reads a setting with a valid range.
pub(super) fn read_range<'l>(row: &'l Row, mistakes: &mut Vec<Diagnostic>) -> Option<FreeSetting<'l>> {
    if let Some(ValueList(choices)) = row.section.choices.value() {
        return read_choices(row, choices, mistakes);
    }
    let earlier_count = mistakes.len();
    let ParamAsWritten { min: min_content, start: start_content, .. } = &row.section;
    let (min, max) = (min_content.value()?.get(), row.section.max.value()?.get());
    let start = start_content.value().map(|start| start.get());
    let scale = row.section.scale.value().copied().unwrap_or_default();
    if min >= max {
        mistakes.push(min_content.mistake(format!("must be below `max`, which is {}", format_shortest(max))));
    } else if let Some(start) = start.filter(|start| !(min..=max).contains(start)) {
        mistakes.push(start_content.mistake(outside_message(start, min, max)));
    }
    if scale == Scale::Log && min <= 0.0 {
        mistakes.push(min_content.mistake("must be above 0 with `scale = \"log\"`"));
    }
    (mistakes.len() == earlier_count).then_some(FreeSetting {
        row,
        min,
        max,
        start,
        scale,
        choices: Vec::new(),
    })
}

pub(super) fn outside_message(start: f64, min: f64, max: f64) -> String {
    format!("{} is outside {} to {}", format_shortest(start), format_shortest(min), format_shortest(max))
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
        assert_eq!([0.0, 0.5, 1.0].map(|position| linear.value(position)), [-2.0, 3.0, 8.0]);
        assert_eq!(linear.value(linear.position(0.1)), 0.1, "the start is exactly what was written");
        let log = param(0.01, 100.0, Scale::Log, false, 1.0);
        assert!((log.value(0.25) - 0.1).abs() < 1e-12);
        assert_eq!([0.0, 1.0].map(|position| log.value(position)), [0.01, 100.0]);
        let whole = param(1.0, 5.0, Scale::Linear, true, 2.0);
        assert_eq!([0.0, 0.3, 0.4, 1.0].map(|position| whole.value(position)), [1.0, 2.0, 3.0, 5.0]);
        assert_eq!(whole.resolution(), 0.25);
        assert_eq!(linear.resolution(), 0.0);
        let steps = param(1.0, 1024.0, Scale::Log, true, 1.0);
        assert!((0.0044..0.0045).contains(&steps.resolution()), "{}", steps.resolution());
    }
}
