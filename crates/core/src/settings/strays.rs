//! Keys that are not among the known ones, and which was probably meant.

use toml::Spanned;

use super::tree::Table;
use super::words;
use crate::diagnostic::{self, Diagnostic};

/// A key that is not among the known ones.
#[derive(Clone, Debug)]
pub struct Stray {
    /// The key.
    pub key: String,
    /// The known key that was probably meant, and is not there otherwise.
    pub meant: Option<String>,
    /// The mistake to report.
    pub mistake: Diagnostic,
}

/// The keys of a table that are not among the known ones.
pub fn strays(table: &Table, known: &[&str]) -> Vec<Stray> {
    let free = || known.iter().copied().filter(|known| table.get(*known).is_none());
    let stray = |key: &Spanned<String>| {
        let meant = diagnostic::nearest(key.get_ref(), free());
        let (message, help) = words::unknown_key(meant, known);
        Stray {
            key: key.get_ref().clone(),
            meant: meant.map(str::to_owned),
            mistake: Diagnostic { span: Some(key.span()), message, help },
        }
    };
    table.keys().filter(|key| !known.contains(&key.get_ref().as_str())).map(stray).collect()
}
