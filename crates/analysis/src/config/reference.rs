//! References to players in claims, stops and published numbers: a name, or the name of a
//! `[[player]]` with settings.

use gauntlet_core::arena::Entry;
use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::content::ValueType;
use gauntlet_core::settings::mistyped_message;
use gauntlet_core::settings::tree::{self, Leaf, PlacedValue, TomlTable, TomlValue};
use serde_json::Value as Setting;

/// A reference to a player.
#[derive(Clone, Debug)]
pub enum Reference {
    /// Name of the player.
    Name(String),
    /// Name of its `[[player]]` and some of its settings.
    Picked(TomlTable),
}

impl ValueType for Reference {
    fn read(written: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Reference> {
        match written.get_ref() {
            TomlValue::Text(name) => Some(Reference::Name(name.clone())),
            TomlValue::Table(picked) => Some(Reference::Picked(picked.clone())),
            other => {
                let expected = "the name of a player, or a table such as { name = \"e\", depth = 3 }";
                mistakes.push(Diagnostic::new(written.span(), mistyped_message(expected, other)));
                None
            }
        }
    }
}

/// Returns the settings in a table that identify a player: all but its name.
pub(super) fn identifying_settings(table: &TomlTable) -> Vec<Leaf<'_>> {
    let mut found = tree::leaves(table, TomlTable::is_empty);
    found.retain(|leaf| leaf.path != ["name"]);
    found
}

/// Returns true if the player has such a setting, with any value.
pub(super) fn has_setting(player: &Entry, picked: &Leaf) -> bool {
    picked.path == ["algorithm"] || find_setting(&player.settings, &picked.path).is_some()
}

/// Returns true if the player has this value.
pub(super) fn has_value(player: &Entry, picked: &Leaf) -> bool {
    let value = picked.value.get_ref();
    if picked.path == ["algorithm"] {
        return value.as_text() == Some(player.algorithm);
    }
    find_setting(&player.settings, &picked.path).is_some_and(|own| is_equal(own, value))
}

fn find_setting<'v>(settings: &'v Setting, path: &[String]) -> Option<&'v Setting> {
    path.iter().try_fold(settings, |value, key| value.get(key))
}

/// Returns true if a setting has the written value. The form of numbers does not matter: 3 equals
/// 3.0.
fn is_equal(value: &Setting, written: &TomlValue) -> bool {
    match (value, written) {
        (Setting::Number(number), TomlValue::Whole(written)) if number.is_f64() => {
            number.as_f64() == Some(*written as f64)
        }
        (Setting::Number(number), TomlValue::Real(written)) => number.as_f64() == written.parse().ok(),
        (Setting::Array(values), TomlValue::List(written)) => {
            values.len() == written.len()
                && values.iter().zip(written).all(|(value, written)| is_equal(value, written.get_ref()))
        }
        (Setting::Object(values), TomlValue::Table(written)) => {
            let has = |key: &str, written| values.get(key).is_some_and(|value| is_equal(value, written));
            values.len() == written.len()
                && written.iter().all(|(key, written)| has(key.get_ref(), written.get_ref()))
        }
        _ => TomlValue::from_json(value).as_ref() == Some(written),
    }
}
