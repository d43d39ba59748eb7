//! Unknown keys, and which known key was probably meant.

use toml::Spanned;

use super::tree::TomlTable;
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
pub fn strays(table: &TomlTable, known: &[&str]) -> Vec<UnknownKey> {
    let free = || known.iter().copied().filter(|known| table.get(*known).is_none());
    let stray = |key: &Spanned<String>| {
        let meant = diagnostic::nearest(key.get_ref(), free());
        let (message, help) = words::unknown_key(meant, known);
        UnknownKey {
            key: key.get_ref().clone(),
            meant: meant.map(str::to_owned),
            mistake: Diagnostic { span: Some(key.span()), message, help },
        }
    };
    table.keys().filter(|key| !known.contains(&key.get_ref().as_str())).map(stray).collect()
}
