//! References to a player, by claims, stops and published numbers: its name, or the name and the
//! settings of its `[[player]]`.

use gauntlet_core::arena::Entrant;
use gauntlet_core::diagnostic::Diagnostic;
use gauntlet_core::settings::content::Wire;
use gauntlet_core::settings::mistyped;
use gauntlet_core::settings::tree::{self, Leaf, Placed, TomlTable, TomlValue};
use serde_json::Value as Setting;

/// A player as named elsewhere in the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reference {
    /// By its name.
    Name(String),
    /// By the name of its `[[player]]` and some of its settings.
    Picked(TomlTable),
}

impl Wire for Reference {
    fn read(written: &Placed, mistakes: &mut Vec<Diagnostic>) -> Option<Reference> {
        match written.get_ref() {
            TomlValue::Text(name) => Some(Reference::Name(name.clone())),
            TomlValue::Table(picked) => Some(Reference::Picked(picked.clone())),
            other => {
                let expected = "the name of a player, or a table such as { name = \"e\", depth = 3 }";
                mistakes.push(Diagnostic::at(written.span(), mistyped(expected, other)));
                None
            }
        }
    }

    fn write(&self) -> TomlValue {
        match self {
            Reference::Name(name) => TomlValue::Text(name.clone()),
            Reference::Picked(picked) => TomlValue::Table(picked.clone()),
        }
    }
}

/// The settings that a table picks a player by: those in it, but for its name.
pub(super) fn picked(table: &TomlTable) -> Vec<Leaf<'_>> {
    let mut found = tree::leaves(table, TomlTable::is_empty);
    found.retain(|leaf| leaf.path != ["name"]);
    found
}

/// True if the player has such a setting, whatever its value.
pub(super) fn is_known_to(player: &Entrant, picked: &Leaf) -> bool {
    picked.path == ["algorithm"] || found_in(&player.settings, &picked.path).is_some()
}

/// True if the player has this value.
pub(super) fn fits(player: &Entrant, picked: &Leaf) -> bool {
    let value = picked.value.get_ref();
    if picked.path == ["algorithm"] {
        return value.text() == Some(player.algorithm);
    }
    found_in(&player.settings, &picked.path).is_some_and(|own| is_equal(own, value))
}

fn found_in<'v>(settings: &'v Setting, path: &[String]) -> Option<&'v Setting> {
    path.iter().try_fold(settings, |value, key| value.get(key))
}

/// True if a setting has the value that is written: a number whatever its form, 3 as 3.0.
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
        _ => TomlValue::of(value).as_ref() == Some(written),
    }
}
