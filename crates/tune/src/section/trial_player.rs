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
        let table = SettingsTable { table: tree::table_from_settings(settings), header: 0..0 };
        self.context.arena.read_entry(self.context.rules, self.player.algorithm, &table)
    }

    /// Finds the number at a key in these settings, and returns its full key and its value. A table
    /// that can be written as one number is that number: a weight is short for itself with the
    /// default power.
    fn find_number(&self, settings: &Value, key: &str) -> Option<(String, Number)> {
        match get(settings, key)? {
            Value::Number(number) => Some((key.to_owned(), number.clone())),
            Value::Object(fields) => fields.iter().find_map(|(name, value)| {
                let Value::Number(number) = value else { return None };
                let mut shortened = settings.clone();
                put(&mut shortened, key, number.as_f64()?, !number.is_f64());
                let is_same = self.read_entry(&shortened).is_ok_and(|entry| entry.settings == *settings);
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
        let mut refusals = Vec::new();
        for &value in values.iter().chain(&[1.0]) {
            for is_whole in [false, true] {
                if is_whole && value.fract() != 0.0 {
                    continue;
                }
                let mut trial_settings = settings.clone();
                put(&mut trial_settings, &row.key, value, is_whole);
                match self.read_entry(&trial_settings) {
                    Ok(entry) => {
                        if let Some(number) = self.find_number(&entry.settings, &row.key) {
                            return Some(number);
                        }
                    }
                    Err(messages) => refusals = messages,
                }
            }
        }
        mistakes.push(self.unknown_setting_mistake(row, refusals));
        None
    }

    /// Returns the message for a key that is no tunable setting. If the player refuses its value,
    /// it is the player's message.
    fn unknown_setting_mistake(&self, row: &Row, refusals: Vec<Diagnostic>) -> Diagnostic {
        let flat_settings = settings::flatten(&self.player.settings);
        if let Some(near) = nearest(&row.key, flat_settings.iter().map(|(key, _)| key.as_str())) {
            return row.make_mistake("unknown setting").with_help(format!("did you mean `{near}`?"));
        }
        let first_part = row.key.split('.').next().unwrap_or_default();
        if self.player.settings.get(first_part).is_some()
            && let Some(refusal) = refusals.into_iter().next()
        {
            return Diagnostic { help: refusal.help, ..row.make_mistake(refusal.message) };
        }
        let algorithm = self.player.algorithm;
        let manual = self.context.arena.manual();
        let has_setting = |other: &&AlgorithmManual| other.settings.contains(&first_part);
        let others: Vec<String> =
            manual.iter().filter(has_setting).map(|other| format!("`{}`", other.name)).collect();
        let is_own = manual.iter().filter(has_setting).any(|other| other.name == algorithm);
        if !others.is_empty() && !is_own {
            let message = format!("`{algorithm}` has no `{first_part}`");
            return row
                .make_mistake(message)
                .with_help(format!("these algorithms have: {}", list_names(&others, 6)));
        }
        let help = format!("`gauntlet players {algorithm}` shows its settings");
        row.make_mistake("unknown setting").with_help(help)
    }

    /// Checks a tuned setting with the player.
    pub(super) fn check_setting<'l>(
        &self,
        setting: FreeSetting<'l>,
        earlier: &[(FreeSetting, Param)],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(FreeSetting<'l>, Param)> {
        let earlier_count = mistakes.len();
        let row = setting.row;
        if !setting.choices.is_empty() {
            return self.check_choice(setting, earlier, mistakes);
        }
        let values: Vec<f64> = setting.start.into_iter().chain([setting.min, setting.max]).collect();
        let (key, number) = self.resolve(row, &values, mistakes)?;
        if earlier.iter().any(|(_, param)| param.key == key) {
            mistakes.push(row.make_mistake("is listed twice"));
            return None;
        }
        let is_whole = !number.is_f64();
        let ParamAsWritten { min, max, start, .. } = &row.section;
        for content in [min, max, start] {
            if is_whole && content.value().is_some_and(|value| value.get().fract() != 0.0) {
                mistakes.push(content.mistake("must be a whole number for this setting"));
            }
        }
        if mistakes.len() > earlier_count {
            return None;
        }
        let player_value = get(&self.player.settings, &key).and_then(Value::as_f64);
        let Some(start) = setting.start.or(player_value) else {
            let middle = (setting.min + setting.max) / 2.0;
            let middle = if is_whole { middle.floor() } else { middle };
            let [min, max, middle] = [setting.min, setting.max, middle].map(format_shortest);
            let help = format!(
                "add a start: `{key} = {{ min = {min}, max = {max}, start = {middle} }}`, or set the value for the player"
            );
            mistakes
                .push(row.make_mistake("has no start: the player does not set this setting").with_help(help));
            return None;
        };
        if !(setting.min..=setting.max).contains(&start) {
            let message = format!(
                "the player's value is the start: {}",
                outside_message(start, setting.min, setting.max)
            );
            let help = "add a `start`, or widen the range";
            mistakes.push(row.make_mistake(message).with_help(help));
            return None;
        }
        let (min, max, scale) = (setting.min, setting.max, setting.scale);
        let choices = Vec::new();
        Some((setting, Param { key, min, max, scale, is_whole, choices, start, tied: Vec::new() }))
    }

    /// Checks a setting with choices, which starts with the player's value.
    fn check_choice<'l>(
        &self,
        setting: FreeSetting<'l>,
        earlier: &[(FreeSetting, Param)],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(FreeSetting<'l>, Param)> {
        let row = setting.row;
        let Some(player_value) = get(&self.player.settings, &row.key) else {
            mistakes.push(self.unknown_setting_mistake(row, Vec::new()));
            return None;
        };
        if earlier.iter().any(|(_, param)| param.key == row.key) {
            mistakes.push(row.make_mistake("is listed twice"));
            return None;
        }
        let Some(start) = setting.choices.iter().position(|choice| choice == player_value) else {
            let message = format!("the value of the player, {player_value}, is not one of the choices");
            mistakes.push(row.make_mistake(message).with_help("add it to the choices"));
            return None;
        };
        let param = Param {
            key: row.key.clone(),
            min: setting.min,
            max: setting.max,
            scale: setting.scale,
            is_whole: true,
            choices: setting.choices.clone(),
            start: start as f64,
            tied: Vec::new(),
        };
        Some((setting, param))
    }

    /// Tries the start values of all settings together, and from there both ends of each range
    /// alone.
    pub(super) fn try_all(
        &self,
        tuned_settings: &[(FreeSetting, Param)],
        span: Range<usize>,
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let mut start = self.player.settings.clone();
        for (_, param) in tuned_settings {
            param.put(&mut start, param.start);
        }
        match self.read_entry(&start) {
            Ok(entry) if !entry.facts().is_reproducible => {
                let message =
                    "these start values give the player a time limit, but a tuning must not depend on time";
                mistakes.push(Diagnostic::new(span, message));
                return;
            }
            Ok(_) => {}
            Err(refusals) => {
                let is_reported = self.try_starts(tuned_settings, mistakes);
                if !is_reported {
                    mistakes.extend(place_refusals(refusals, "these starts together", &span));
                }
                return;
            }
        }
        for (setting, param) in tuned_settings {
            let ParamAsWritten { min, max, choices, .. } = &setting.row.section;
            let mut values = vec![(min.span(), param.min), (max.span(), param.max)];
            if let Some(ValueList(choices)) = choices.value() {
                let numbered_choices = choices.iter().enumerate();
                values = numbered_choices.map(|(index, choice)| (choice.span(), index as f64)).collect();
            }
            for (span, value) in values {
                let mut trial_settings = start.clone();
                param.put(&mut trial_settings, value);
                if let Err(refusals) = self.read_entry(&trial_settings) {
                    mistakes.extend(place_refusals(refusals, "this value", &span.unwrap_or_default()));
                }
            }
        }
    }

    /// Tries the start value of each setting alone; returns true if one is refused.
    fn try_starts(&self, tuned_settings: &[(FreeSetting, Param)], mistakes: &mut Vec<Diagnostic>) -> bool {
        let earlier_count = mistakes.len();
        for (setting, param) in tuned_settings {
            let mut trial_settings = self.player.settings.clone();
            param.put(&mut trial_settings, param.start);
            if let Err(refusals) = self.read_entry(&trial_settings) {
                let ParamAsWritten { header, start, .. } = &setting.row.section;
                let span = start.span().unwrap_or(header.0.clone());
                mistakes.extend(place_refusals(refusals, "this start", &span));
            }
        }
        mistakes.len() > earlier_count
    }
}

/// Converts the player's refusals to mistakes at the position of the refused values.
fn place_refusals(refusals: Vec<Diagnostic>, subject: &str, span: &Range<usize>) -> Vec<Diagnostic> {
    let to_mistake = |refusal: Diagnostic| Diagnostic {
        span: Some(span.clone()),
        message: format!("the player rejects {subject}: {}", refusal.message),
        ..refusal
    };
    refusals.into_iter().map(to_mistake).collect()
}
