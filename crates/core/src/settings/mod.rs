//! Reads structs of settings from a TOML table with positions, and collects all mistakes rather
//! than the first.
//!
//! serde stops at the first mistake. So the mistake is recorded, the table is repaired, and serde
//! reads again: an invalid value is removed, a missing one is taken from the example. Mistakes
//! caused only by such repairs are not reported. `flatten`, `tag` and `untagged` lose the positions
//! of values and must not be used in settings.

pub mod content;
mod deserializer;
pub mod documented;
mod flat;
mod mistake;
pub mod section;
mod strays;
pub mod tree;
mod words;

use std::cell::{LazyCell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::DeTable;

use crate::diagnostic::{Cause, Diagnostic, MOST_SHOWN};
use deserializer::{Capture, Node};
pub use flat::{flatten, format_shortest, label, short_label};
use mistake::{Error, Step, What};
pub use strays::{UnknownKey, find_unknown_keys};
use tree::{PlacedValue, TomlTable, TomlValue};

/// Settings as written: a table, and the position of its header.
#[derive(Clone, Debug, Default)]
pub struct SettingsTable {
    /// Keys and values, each with its position.
    pub table: TomlTable,
    /// Header of the table, where a missing key is reported; empty if the table is the whole file.
    pub header: Range<usize>,
}

impl SettingsTable {
    /// Creates a mistake at the value of a key, or at the header if the key is not written.
    pub fn blame(&self, key: &str, message: String) -> Diagnostic {
        let place = self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value.span());
        let header = Some(self.header.clone()).filter(|header| !header.is_empty());
        Diagnostic { span: place.or(header), message, ..Diagnostic::default() }
    }
}

/// Maximum number of mistakes searched in one table. Each costs another reading, and fewer are
/// printed.
const MOST_MISTAKES: usize = 2 * MOST_SHOWN;

/// Reads a struct. `example` is a TOML text with a value for each setting that has no default. So
/// one missing setting does not hide the next mistake.
pub fn read<C: DeserializeOwned>(written: &SettingsTable, example: &str) -> Result<C, Vec<Diagnostic>> {
    let mut settings = None;
    let mut attempt = |node: Node| {
        settings = Some(C::deserialize(node)?);
        Ok(())
    };
    let mistakes = collect_mistakes(written, example, &mut attempt);
    settings.filter(|_| mistakes.is_empty()).ok_or(mistakes)
}

/// Collects the mistakes in a table by reading it until that succeeds. This part does not depend on
/// the struct and is compiled once.
fn collect_mistakes(
    written: &SettingsTable,
    example: &str,
    attempt: &mut dyn FnMut(Node) -> Result<(), Error>,
) -> Vec<Diagnostic> {
    // Parsed only if something is missing: a tuning reads a player at each of its steps.
    let example = LazyCell::new(|| {
        let example = DeTable::parse(example).map(Spanned::into_inner).unwrap_or_default();
        tree::wrap_unplaced(TomlValue::Table(tree::convert_table(example)))
    });
    let mut tree = Spanned::new(written.header.clone(), TomlValue::Table(written.table.clone()));
    let mut mistakes = Vec::new();
    let mut told = BTreeSet::new();
    let mut blamed: Vec<Vec<Step>> = Vec::new();
    let mut borrowed: Vec<Vec<Step>> = Vec::new();
    while mistakes.len() < MOST_MISTAKES {
        let found = RefCell::default();
        let root = Node { value: &tree, strays: &found };
        let outcome = attempt(root).map_err(|error| root.locate(error));
        let strays = found.into_inner();
        for (_, UnknownKey { mistake, .. }) in &strays {
            // Each reading finds the same unknown keys again.
            let place = mistake.span.as_ref().map(|span| (span.start, span.end));
            if told.insert((place, mistake.message.clone())) {
                mistakes.push(mistake.clone());
            }
        }
        let Err(Error { what, span, mut path }) = outcome else { break };
        path.reverse();
        if borrowed.iter().any(|known| path.starts_with(known)) {
            break;
        }
        let span = span.filter(|span| !span.is_empty());
        match what {
            What::Missing(name) => {
                let mut place = path.clone();
                place.push(Step::Key(name.to_owned()));
                let misspelt = |(table, stray): &(Range<usize>, UnknownKey)| {
                    *table == span.clone().unwrap_or_default() && stray.meant.as_deref() == Some(name)
                };
                if !blamed.contains(&place) && !strays.iter().any(misspelt) {
                    let cause = Cause::MissingKey(name.to_owned());
                    mistakes.push(Diagnostic { span, message: missing_message(name), help: None, cause });
                }
                blamed.push(place.clone());
                if let Some(value) = find(&example, &place) {
                    insert(&mut tree, &path, name, value.clone());
                    borrowed.push(place);
                } else if !remove(&mut tree, &path) {
                    break;
                }
            }
            What::Said { message, help } => {
                let consequence = |known: &Vec<Step>| known.len() > path.len() && known.starts_with(&path);
                if !blamed.iter().any(consequence) {
                    mistakes.push(Diagnostic { span, message, help, ..Diagnostic::default() });
                }
                if !remove(&mut tree, &path) {
                    break;
                }
                blamed.push(path);
            }
            _ => unreachable!("every mistake has a message and a place"),
        }
    }
    mistakes
}

/// Reads a single value.
pub fn read_value<T: DeserializeOwned>(written: &PlacedValue) -> Result<T, Diagnostic> {
    let strays = RefCell::default();
    let root = Node { value: written, strays: &strays };
    T::deserialize(root).map_err(|error| match root.locate(error) {
        Error { what: What::Said { message, help }, span, .. } => {
            Diagnostic { span, message, help, ..Diagnostic::default() }
        }
        Error { what, span, .. } => {
            Diagnostic { span, message: format!("{what:?}"), ..Diagnostic::default() }
        }
    })
}

/// Returns the names of a struct's fields, in order, as serde knows them.
pub fn fields<C: DeserializeOwned>() -> &'static [&'static str] {
    match C::deserialize(Capture) {
        Err(deserializer::CapturedFields(fields)) => fields,
        Ok(_) => &[],
    }
}

/// Returns the message for a missing key.
pub fn missing_message(key: &str) -> String {
    format!("`{key}` is missing")
}

/// Returns the message for a value that is not of the `expected` type.
pub fn mistyped_message(expected: &str, value: &TomlValue) -> String {
    words::mismatch_message(expected, true, value)
}

fn find<'t>(tree: &'t PlacedValue, path: &[Step]) -> Option<&'t PlacedValue> {
    path.iter().try_fold(tree, |value, step| match (value.get_ref(), step) {
        (TomlValue::Table(table), Step::Key(key)) => table.get(key.as_str()),
        (TomlValue::List(list), Step::Index(index)) => list.get(*index),
        _ => None,
    })
}

fn find_mut<'t>(tree: &'t mut PlacedValue, path: &[Step]) -> Option<&'t mut TomlValue> {
    let found = path.iter().try_fold(tree, |value, step| match (value.get_mut(), step) {
        (TomlValue::Table(table), Step::Key(key)) => table.get_mut(key.as_str()),
        (TomlValue::List(list), Step::Index(index)) => list.get_mut(*index),
        _ => None,
    });
    found.map(Spanned::get_mut)
}

fn insert(tree: &mut PlacedValue, path: &[Step], key: &str, value: PlacedValue) {
    if let Some(TomlValue::Table(table)) = find_mut(tree, path) {
        table.insert(tree::wrap_unplaced(key.to_owned()), value);
    }
}

/// Removes an entry, unless the path is that of the whole tree.
fn remove(tree: &mut PlacedValue, path: &[Step]) -> bool {
    let Some((last, parents)) = path.split_last() else { return false };
    match (find_mut(tree, parents), last) {
        (Some(TomlValue::Table(table)), Step::Key(key)) => table.remove(key.as_str()).is_some(),
        (Some(TomlValue::List(list)), Step::Index(index)) => {
            list.remove(*index);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
