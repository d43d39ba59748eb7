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
    NameAndSettings(TomlTable),
}

impl ValueType for Reference {
    fn read(value: &PlacedValue, mistakes: &mut Vec<Diagnostic>) -> Option<Reference> {
        match value.get_ref() {
            TomlValue::Text(name) => Some(Reference::Name(name.clone())),
            TomlValue::Table(table) => Some(Reference::NameAndSettings(table.clone())),
            other => {
                let expected = "the name of a player, or a table such as { name = \"e\", depth = 3 }";
                mistakes.push(Diagnostic::new(value.span(), mistyped_message(expected, other)));
                None
            }
        }
    }
}

/// Returns the settings in a table that identify a player: all but its name.
pub(super) fn identifying_settings(table: &TomlTable) -> Vec<Leaf<'_>> {
    let mut leaves = tree::leaves(table, TomlTable::is_empty);
    leaves.retain(|leaf| leaf.path != ["name"]);
    leaves
}

/// Returns true if the player has such a setting, with any value.
pub(super) fn has_setting(player: &Entry, leaf: &Leaf) -> bool {
    leaf.path == ["algorithm"] || find_setting(&player.settings, &leaf.path).is_some()
}

/// Returns true if the player has this value.
pub(super) fn has_value(player: &Entry, leaf: &Leaf) -> bool {
    let value = leaf.value.get_ref();
    if leaf.path == ["algorithm"] {
        return value.as_text() == Some(player.algorithm);
    }
    find_setting(&player.settings, &leaf.path).is_some_and(|own| is_equal(own, value))
}

fn find_setting<'v>(settings: &'v Setting, path: &[String]) -> Option<&'v Setting> {
    path.iter().try_fold(settings, |value, key| value.get(key))
}

/// Returns true if a setting has the written value. The form of numbers does not matter: 3 equals
/// 3.0.
fn is_equal(value: &Setting, toml_value: &TomlValue) -> bool {
    match (value, toml_value) {
        (Setting::Number(number), TomlValue::Whole(whole)) if number.is_f64() => {
            number.as_f64() == Some(*whole as f64)
        }
        (Setting::Number(number), TomlValue::Real(real)) => number.as_f64() == real.parse().ok(),
        (Setting::Array(values), TomlValue::List(list)) => {
            values.len() == list.len()
                && values.iter().zip(list).all(|(value, item)| is_equal(value, item.get_ref()))
        }
        (Setting::Object(values), TomlValue::Table(table)) => {
            let has_equal = |key: &str, item| values.get(key).is_some_and(|value| is_equal(value, item));
            values.len() == table.len()
                && table.iter().all(|(key, item)| has_equal(key.get_ref(), item.get_ref()))
        }
        _ => TomlValue::from_json(value).as_ref() == Some(toml_value),
    }
}
