//! Unknown keys, and which known key was probably meant.

use toml::Spanned;

use super::tree::{PlacedValue, TomlTable, TomlValue};
use super::wording;
use crate::diagnostic::{self, Diagnostic};

/// Unknown key.
#[derive(Clone, Debug)]
pub struct UnknownKey {
    /// Name of the key.
    pub key: String,
    /// Known key that was probably meant, and is not written otherwise.
    pub suggestion: Option<String>,
    /// Mistake to report.
    pub mistake: Diagnostic,
}

/// Returns the unknown keys of a table.
pub fn find_unknown_keys(table: &TomlTable, known_keys: &[&str]) -> Vec<UnknownKey> {
    let is_list = |key: &str| match table.get(key).map(PlacedValue::get_ref) {
        Some(TomlValue::List(items)) => {
            items.iter().any(|item| matches!(item.get_ref(), TomlValue::Table(_)))
        }
        _ => false,
    };
    let to_unknown_key = |key: &Spanned<String>| {
        // Lists of tables may have several headers.
        let is_free = |candidate: &&str| {
            table.get(*candidate).is_none() || is_list(candidate) && is_list(key.get_ref())
        };
        let suggestion = diagnostic::nearest(key.get_ref(), known_keys.iter().copied().filter(is_free));
        let (message, help) = wording::unknown_key_message(suggestion, known_keys);
        UnknownKey {
            key: key.get_ref().clone(),
            suggestion: suggestion.map(str::to_owned),
            mistake: Diagnostic { span: Some(key.span()), message, help, ..Diagnostic::default() },
        }
    };
    table.keys().filter(|key| !known_keys.contains(&key.get_ref().as_str())).map(to_unknown_key).collect()
}
