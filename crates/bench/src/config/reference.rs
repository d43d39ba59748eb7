//! How a claim, a stop or a published number names a player: by its name, or by the name and the settings of its
//! `[[player]]`.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use crate::arena::Entrant;

/// A player as named elsewhere in the file. It is looked up as written, and only its type is checked here.
pub(super) struct Reference;

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Reference, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Reference;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a player, or a table such as { name = \"e\", depth = 3 }")
            }

            fn visit_str<E>(self, _: &str) -> Result<Reference, E> {
                Ok(Reference)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Reference, A::Error> {
                while map.next_key::<String>()?.is_some() {
                    map.next_value::<IgnoredAny>()?;
                }
                Ok(Reference)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// One setting that a player is picked by.
pub(super) struct Picked<'t, 'a> {
    /// The keys that lead to it.
    pub(super) path: Vec<String>,
    /// The place of the last of them in the file.
    pub(super) place: Range<usize>,
    value: &'t DeValue<'a>,
}

/// The settings in a table, but for those under `name`. What lies deeper than `deepest` is no setting, and has no value.
pub(super) fn picked<'t, 'a>(table: &'t DeTable<'a>, deepest: usize) -> Vec<Picked<'t, 'a>> {
    let mut found = Vec::new();
    let settings = table.iter().filter(|(key, _)| key.get_ref() != "name");
    settings.for_each(|(key, value)| descend(&[], key.get_ref(), key.span(), value, deepest, &mut found));
    found
}

fn descend<'t, 'a>(
    parents: &[String],
    key: &str,
    place: Range<usize>,
    value: &'t Spanned<DeValue<'a>>,
    deepest: usize,
    found: &mut Vec<Picked<'t, 'a>>,
) {
    let mut path = parents.to_vec();
    path.extend(key.split('.').map(str::to_owned));
    match value.get_ref() {
        DeValue::Table(inner) if !inner.is_empty() && path.len() <= deepest => {
            inner
                .iter()
                .for_each(|(key, value)| descend(&path, key.get_ref(), key.span(), value, deepest, found));
        }
        value => found.push(Picked { path, place, value }),
    }
}

impl Picked<'_, '_> {
    /// Whether the player has such a setting, whatever its value.
    pub(super) fn is_known_to(&self, player: &Entrant) -> bool {
        self.is_algorithm() || self.found_in(&player.settings).is_some()
    }

    /// Whether the player has this value.
    pub(super) fn fits(&self, player: &Entrant) -> bool {
        if self.is_algorithm() {
            return self.value.as_str() == Some(player.algorithm);
        }
        self.found_in(&player.settings).is_some_and(|value| is_equal(value, self.value))
    }

    fn is_algorithm(&self) -> bool {
        self.path == ["algorithm"]
    }

    fn found_in<'v>(&self, settings: &'v Value) -> Option<&'v Value> {
        self.path.iter().try_fold(settings, |value, key| value.get(key))
    }
}

/// Whether a setting has the value that is written: a number whatever its form, 3 as 3.0.
fn is_equal(value: &Value, written: &DeValue) -> bool {
    match (value, written) {
        (Value::Bool(truth), DeValue::Boolean(written)) => truth == written,
        (Value::String(text), DeValue::String(written)) => text == written,
        (Value::Number(number), DeValue::Integer(written)) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            let written = integer(written);
            match whole {
                Some(whole) => Some(whole) == written,
                None => number.as_f64() == written.map(|written| written as f64),
            }
        }
        (Value::Number(number), DeValue::Float(written)) => number.as_f64() == written.as_str().parse().ok(),
        (Value::Array(values), DeValue::Array(written)) => {
            values.len() == written.len()
                && values
                    .iter()
                    .zip(written.iter())
                    .all(|(value, written)| is_equal(value, written.get_ref()))
        }
        (Value::Object(values), DeValue::Table(written)) => {
            let has = |(key, written): (&Spanned<_>, &Spanned<DeValue>)| {
                let key: &std::borrow::Cow<str> = key.get_ref();
                values.get(key.as_ref()).is_some_and(|value| is_equal(value, written.get_ref()))
            };
            values.len() == written.len() && written.iter().all(has)
        }
        _ => false,
    }
}

fn integer(written: &DeInteger) -> Option<i128> {
    i128::from_str_radix(written.as_str(), written.radix()).ok()
}
