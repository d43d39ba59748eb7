//! Tries a player with other values of its settings.
//!
//! This module knows no settings of an algorithm. It builds the player with a changed value. The
//! algorithm decides whether the setting exists, whether it is a whole number, and which values are
//! allowed.

use std::ops::Range;

use gauntlet_analysis::config::driver::Context;
use gauntlet_core::arena::{AlgorithmManual, Entry};
use gauntlet_core::diagnostic::{Diagnostic, nearest};
use gauntlet_core::settings::content::ValueList;
use gauntlet_core::settings::{self, SettingsTable, format_shortest, tree};
use gauntlet_core::text::list_names;
use serde_json::{Number, Value};

use super::param::{FreeSetting, Param, ParamAsWritten, Row, outside_message};
use super::values::{get, put};

/// A player that is tried with other values of its settings.
pub(super) struct TrialPlayer<'a> {
    pub(super) context: Context<'a>,
    pub(super) player: &'a Entry,
}

impl TrialPlayer<'_> {
    /// Builds the player with these settings.
    fn read_entry(&self, settings: &Value) -> Result<Entry, Vec<Diagnostic>> {
        let written = SettingsTable { table: tree::table_from_settings(settings), header: 0..0 };
        self.context.arena.read_entry(self.context.rules, self.player.algorithm, &written)
    }

    /// Finds the number at a key in these settings, and returns its full key and its value. A table
    /// that can be written as one number is that number: a weight is short for itself with the
    /// default power.
    fn find_number(&self, settings: &Value, key: &str) -> Option<(String, Number)> {
        match get(settings, key)? {
            Value::Number(number) => Some((key.to_owned(), number.clone())),
            Value::Object(fields) => fields.iter().find_map(|(name, value)| {
                let Value::Number(number) = value else { return None };
                let mut short = settings.clone();
                put(&mut short, key, number.as_f64()?, !number.is_f64());
                let is_same = self.read_entry(&short).is_ok_and(|entrant| entrant.settings == *settings);
                is_same.then(|| (format!("{key}.{name}"), number.clone()))
            }),
            _ => None,
        }
    }

    /// Finds the setting of a row: its key, and a number that is allowed there. That is the
    /// player's value, or if it has none, one of `values`. Reports a setting that does not exist or
    /// is no number.
    pub(super) fn resolve(
        &self,
        row: &Row,
        values: &[f64],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(String, Number)> {
        let settings = &self.player.settings;
        if let Some(value) = get(settings, &row.key) {
            let number = self.find_number(settings, &row.key);
            if number.is_none() {
                let mut mistake = row.make_mistake("is not a number");
                mistake.help = value.as_object().and_then(|fields| {
                    let numbers = fields.iter().filter(|(_, value)| value.is_number() || value.is_object());
                    let keys: Vec<String> =
                        numbers.map(|(name, _)| format!("`{}.{name}`", row.key)).collect();
                    (!keys.is_empty()).then(|| format!("there are {}", list_names(&keys, 4)))
                });
                mistakes.push(mistake);
            }
            return number;
        }
        let mut refused = Vec::new();
        for &value in values.iter().chain(&[1.0]) {
            for is_whole in [false, true] {
                if is_whole && value.fract() != 0.0 {
                    continue;
                }
                let mut tried = settings.clone();
                put(&mut tried, &row.key, value, is_whole);
                match self.read_entry(&tried) {
                    Ok(entrant) => {
                        if let Some(found) = self.find_number(&entrant.settings, &row.key) {
                            return Some(found);
                        }
                    }
                    Err(said) => refused = said,
                }
            }
        }
        mistakes.push(self.unknown_setting_mistake(row, refused));
        None
    }

    /// Returns the message for a key that is no tunable setting. If the player refuses its value,
    /// it is the player's message.
    fn unknown_setting_mistake(&self, row: &Row, refused: Vec<Diagnostic>) -> Diagnostic {
        let known = settings::flatten(&self.player.settings);
        if let Some(near) = nearest(&row.key, known.iter().map(|(key, _)| key.as_str())) {
            return row.make_mistake("unknown setting").with_help(format!("did you mean `{near}`?"));
        }
        let first = row.key.split('.').next().unwrap_or_default();
        if self.player.settings.get(first).is_some()
            && let Some(said) = refused.into_iter().next()
        {
            return Diagnostic { help: said.help, ..row.make_mistake(said.message) };
        }
        let own = self.player.algorithm;
        let manual = self.context.arena.manual();
        let has = |known: &&AlgorithmManual| known.settings.contains(&first);
        let others: Vec<String> =
            manual.iter().filter(has).map(|known| format!("`{}`", known.name)).collect();
        let is_own = manual.iter().filter(has).any(|known| known.name == own);
        if !others.is_empty() && !is_own {
            let message = format!("`{own}` has no `{first}`");
            return row
                .make_mistake(message)
                .with_help(format!("these algorithms have: {}", list_names(&others, 6)));
        }
        let help = format!("`gauntlet players {own}` shows its settings");
        row.make_mistake("unknown setting").with_help(help)
    }

    /// Checks a tuned setting with the player.
    pub(super) fn check_setting<'l>(
        &self,
        free: FreeSetting<'l>,
        earlier: &[(FreeSetting, Param)],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(FreeSetting<'l>, Param)> {
        let before = mistakes.len();
        let row = free.row;
        if !free.choices.is_empty() {
            return self.check_choice(free, earlier, mistakes);
        }
        let values: Vec<f64> = free.start.into_iter().chain([free.min, free.max]).collect();
        let (key, number) = self.resolve(row, &values, mistakes)?;
        if earlier.iter().any(|(_, param)| param.key == key) {
            mistakes.push(row.make_mistake("is listed twice"));
            return None;
        }
        let is_whole = !number.is_f64();
        let ParamAsWritten { min, max, start, .. } = &row.written;
        for said in [min, max, start] {
            if is_whole && said.value().is_some_and(|value| value.get().fract() != 0.0) {
                mistakes.push(said.mistake("must be a whole number for this setting"));
            }
        }
        if mistakes.len() > before {
            return None;
        }
        let own = get(&self.player.settings, &key).and_then(Value::as_f64);
        let Some(start) = free.start.or(own) else {
            let middle = (free.min + free.max) / 2.0;
            let middle = if is_whole { middle.floor() } else { middle };
            let [min, max, middle] = [free.min, free.max, middle].map(format_shortest);
            let help = format!(
                "add a start: `{key} = {{ min = {min}, max = {max}, start = {middle} }}`, or set the value for the player"
            );
            mistakes
                .push(row.make_mistake("has no start: the player does not set this setting").with_help(help));
            return None;
        };
        if !(free.min..=free.max).contains(&start) {
            let message =
                format!("the player's value is the start: {}", outside_message(start, free.min, free.max));
            let help = "add a `start`, or widen the range";
            mistakes.push(row.make_mistake(message).with_help(help));
            return None;
        }
        let (min, max, scale) = (free.min, free.max, free.scale);
        let choices = Vec::new();
        Some((free, Param { key, min, max, scale, is_whole, choices, start, tied: Vec::new() }))
    }

    /// Checks a setting with choices, which starts with the player's value.
    fn check_choice<'l>(
        &self,
        free: FreeSetting<'l>,
        earlier: &[(FreeSetting, Param)],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(FreeSetting<'l>, Param)> {
        let row = free.row;
        let Some(own) = get(&self.player.settings, &row.key) else {
            mistakes.push(self.unknown_setting_mistake(row, Vec::new()));
            return None;
        };
        if earlier.iter().any(|(_, param)| param.key == row.key) {
            mistakes.push(row.make_mistake("is listed twice"));
            return None;
        }
        let Some(start) = free.choices.iter().position(|choice| choice == own) else {
            let message = format!("the value of the player, {own}, is not one of the choices");
            mistakes.push(row.make_mistake(message).with_help("add it to the choices"));
            return None;
        };
        let param = Param {
            key: row.key.clone(),
            min: free.min,
            max: free.max,
            scale: free.scale,
            is_whole: true,
            choices: free.choices.clone(),
            start: start as f64,
            tied: Vec::new(),
        };
        Some((free, param))
    }

    /// Tries the start values of all settings together, and from there both ends of each range
    /// alone.
    pub(super) fn try_all(
        &self,
        found: &[(FreeSetting, Param)],
        place: Range<usize>,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let mut start = self.player.settings.clone();
        for (_, param) in found {
            param.put(&mut start, param.start);
        }
        match self.read_entry(&start) {
            Ok(entrant) if !entrant.facts().is_reproducible => {
                let message =
                    "these start values give the player a time limit, but a tuning must not depend on time";
                mistakes.push(Diagnostic::new(place, message));
                return;
            }
            Ok(_) => {}
            Err(refused) => {
                let is_told = self.try_starts(found, mistakes);
                if !is_told {
                    mistakes.extend(place_refusals(refused, "these starts together", &place));
                }
                return;
            }
        }
        for (free, param) in found {
            let ParamAsWritten { min, max, choices, .. } = &free.row.written;
            let mut values = vec![(min.place(), param.min), (max.place(), param.max)];
            if let Some(ValueList(choices)) = choices.value() {
                let places = choices.iter().enumerate();
                values = places.map(|(place, choice)| (choice.place(), place as f64)).collect();
            }
            for (place, value) in values {
                let mut tried = start.clone();
                param.put(&mut tried, value);
                if let Err(refused) = self.read_entry(&tried) {
                    mistakes.extend(place_refusals(refused, "this value", &place.unwrap_or_default()));
                }
            }
        }
    }

    /// Tries the start value of each setting alone; returns true if one is refused.
    fn try_starts(&self, found: &[(FreeSetting, Param)], mistakes: &mut Vec<Diagnostic>) -> bool {
        let before = mistakes.len();
        for (free, param) in found {
            let mut tried = self.player.settings.clone();
            param.put(&mut tried, param.start);
            if let Err(refused) = self.read_entry(&tried) {
                let ParamAsWritten { header, start, .. } = &free.row.written;
                let place = start.place().unwrap_or(header.0.clone());
                mistakes.extend(place_refusals(refused, "this start", &place));
            }
        }
        mistakes.len() > before
    }
}

/// Converts the player's refusals to mistakes at the position of the refused values.
fn place_refusals(said: Vec<Diagnostic>, what: &str, place: &Range<usize>) -> Vec<Diagnostic> {
    let refusal = |said: Diagnostic| Diagnostic {
        span: Some(place.clone()),
        message: format!("the player rejects {what}: {}", said.message),
        ..said
    };
    said.into_iter().map(refusal).collect()
}
