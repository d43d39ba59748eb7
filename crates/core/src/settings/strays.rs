//! Unknown keys, and which known key was probably meant.

use toml::Spanned;

use super::tree::{PlacedValue, TomlTable, TomlValue};
use super::words;
use crate::diagnostic::{self, Diagnostic};

/// Unknown key.
#[derive(Clone, Debug)]
pub struct UnknownKey {
    /// Name of the key.
    pub key: String,
    /// Known key that was probably meant, and is not written otherwise.
    pub meant: Option<String>,
    /// Mistake to report.
    pub mistake: Diagnostic,
}

/// Returns the unknown keys of a table.
pub fn find_unknown_keys(table: &TomlTable, known: &[&str]) -> Vec<UnknownKey> {
    let is_list = |key: &str| match table.get(key).map(PlacedValue::get_ref) {
        Some(TomlValue::List(items)) => {
            items.iter().any(|item| matches!(item.get_ref(), TomlValue::Table(_)))
        }
        _ => false,
    };
    let stray = |key: &Spanned<String>| {
        // Lists of tables may have several headers.
        let is_free = |known: &&str| table.get(*known).is_none() || is_list(known) && is_list(key.get_ref());
        let meant = diagnostic::nearest(key.get_ref(), known.iter().copied().filter(is_free));
        let (message, help) = words::unknown_key_message(meant, known);
        UnknownKey {
            key: key.get_ref().clone(),
            meant: meant.map(str::to_owned),
            mistake: Diagnostic { span: Some(key.span()), message, help, ..Diagnostic::default() },
        }
    };
    table.keys().filter(|key| !known.contains(&key.get_ref().as_str())).map(stray).collect()
}
