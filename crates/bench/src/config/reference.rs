//! References to a player, by claims, stops and published numbers: its name, or the name and the settings of its
//! `[[player]]`.

use std::ops::Range;

use serde_json::Value as Setting;

use crate::arena::Entrant;
use crate::diagnostic::Diagnostic;
use crate::settings::mistyped;
use crate::settings::section::Wire;
use crate::settings::tree::{Placed, Table, Value};

/// A player as named elsewhere in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reference {
    /// By its name.
    Name(String),
    /// By the name of its `[[player]]` and some of its settings.
    Picked(Table),
}

impl Wire for Reference {
    fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Option<Reference> {
        match written.get_ref() {
            Value::Text(name) => Some(Reference::Name(name.clone())),
            Value::Table(picked) => Some(Reference::Picked(picked.clone())),
            other => {
                let expected = "the name of a player, or a table such as { name = \"e\", depth = 3 }";
                mistakes.push(Diagnostic::at(written.span(), mistyped(expected, other)));
                None
            }
        }
    }

    fn write(&self) -> Value {
        match self {
            Reference::Name(name) => Value::Text(name.clone()),
            Reference::Picked(picked) => Value::Table(picked.clone()),
        }
    }
}

/// One setting that a player is picked by.
pub(super) struct Picked<'t> {
    /// The keys that lead to it.
    pub(super) path: Vec<String>,
    /// The place of the last of them in the file.
    pub(super) place: Range<usize>,
    value: &'t Value,
}

/// The settings in a table, but for those under `name`. What lies deeper than `deepest` is no setting, and has no value.
pub(super) fn picked(table: &Table, deepest: usize) -> Vec<Picked<'_>> {
    let mut found = Vec::new();
    let settings = table.iter().filter(|(key, _)| key.get_ref() != "name");
    settings.for_each(|(key, value)| descend(&[], key.get_ref(), key.span(), value, deepest, &mut found));
    found
}

fn descend<'t>(
    parents: &[String],
    key: &str,
    place: Range<usize>,
    value: &'t Placed,
    deepest: usize,
    found: &mut Vec<Picked<'t>>,
) {
    let mut path = parents.to_vec();
    path.extend(key.split('.').map(str::to_owned));
    match value.get_ref() {
        Value::Table(inner) if !inner.is_empty() && path.len() <= deepest => {
            inner
                .iter()
                .for_each(|(key, value)| descend(&path, key.get_ref(), key.span(), value, deepest, found));
        }
        value => found.push(Picked { path, place, value }),
    }
}

impl Picked<'_> {
    /// True if the player has such a setting, whatever its value.
    pub(super) fn is_known_to(&self, player: &Entrant) -> bool {
        self.is_algorithm() || self.found_in(&player.settings).is_some()
    }

    /// True if the player has this value.
    pub(super) fn fits(&self, player: &Entrant) -> bool {
        if self.is_algorithm() {
            return self.value.text() == Some(player.algorithm);
        }
        self.found_in(&player.settings).is_some_and(|value| is_equal(value, self.value))
    }

    fn is_algorithm(&self) -> bool {
        self.path == ["algorithm"]
    }

    fn found_in<'v>(&self, settings: &'v Setting) -> Option<&'v Setting> {
        self.path.iter().try_fold(settings, |value, key| value.get(key))
    }
}

/// True if a setting has the value that is written: a number whatever its form, 3 as 3.0.
fn is_equal(value: &Setting, written: &Value) -> bool {
    match (value, written) {
        (Setting::Number(number), Value::Whole(written)) if number.is_f64() => {
            number.as_f64() == Some(*written as f64)
        }
        (Setting::Number(number), Value::Real(written)) => number.as_f64() == written.parse().ok(),
        (Setting::Array(values), Value::List(written)) => {
            values.len() == written.len()
                && values.iter().zip(written).all(|(value, written)| is_equal(value, written.get_ref()))
        }
        (Setting::Object(values), Value::Table(written)) => {
            let has = |key: &str, written| values.get(key).is_some_and(|value| is_equal(value, written));
            values.len() == written.len()
                && written.iter().all(|(key, written)| has(key.get_ref(), written.get_ref()))
        }
        _ => Value::of(value).as_ref() == Some(written),
    }
}
