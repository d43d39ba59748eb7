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
mod flat_list;
pub mod limits;
mod mistake;
pub mod section;
pub mod tree;
mod unknown_keys;
mod wording;

use std::cell::{LazyCell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::DeTable;

use crate::diagnostic::{Cause, Diagnostic, MAX_SHOWN};
use deserializer::{Capture, Node};
pub use flat_list::{flatten, format_shortest, label, short_label};
use mistake::{Error, MistakeKind, Step};
use tree::{PlacedValue, TomlTable, TomlValue};
pub use unknown_keys::{UnknownKey, find_unknown_keys};

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
        let span = self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value.span());
        let header = Some(self.header.clone()).filter(|header| !header.is_empty());
        Diagnostic { span: span.or(header), message, ..Diagnostic::default() }
    }
}

/// Maximum number of mistakes searched in one table. Each costs another reading, and fewer are
/// printed.
const MAX_MISTAKES: usize = 2 * MAX_SHOWN;

/// Reads a struct. `example` is a TOML text with a value for each setting that has no default. So
/// one missing setting does not hide the next mistake.
pub fn read<C: DeserializeOwned>(
    settings_table: &SettingsTable,
    example: &str,
) -> Result<C, Vec<Diagnostic>> {
    let mut settings = None;
    let mut attempt = |node: Node| {
        settings = Some(C::deserialize(node)?);
        Ok(())
    };
    let mistakes = collect_mistakes(settings_table, example, &mut attempt);
    settings.filter(|_| mistakes.is_empty()).ok_or(mistakes)
}

/// Collects the mistakes in a table by reading it until that succeeds. This part does not depend on
/// the struct and is compiled once.
fn collect_mistakes(
    settings_table: &SettingsTable,
    example: &str,
    attempt: &mut dyn FnMut(Node) -> Result<(), Error>,
) -> Vec<Diagnostic> {
    // Parsed only if something is missing: a tuning reads a player at each of its steps.
    let example = LazyCell::new(|| {
        let example = DeTable::parse(example).map(Spanned::into_inner).unwrap_or_default();
        tree::wrap_unplaced(TomlValue::Table(tree::convert_table(example)))
    });
    let mut tree =
        Spanned::new(settings_table.header.clone(), TomlValue::Table(settings_table.table.clone()));
    let mut mistakes = Vec::new();
    let mut reported_mistakes = BTreeSet::new();
    let mut reported_paths: Vec<Vec<Step>> = Vec::new();
    let mut repaired_paths: Vec<Vec<Step>> = Vec::new();
    while mistakes.len() < MAX_MISTAKES {
        let unknown_key_cell = RefCell::default();
        let root = Node { value: &tree, unknown_keys: &unknown_key_cell };
        let result = attempt(root).map_err(|error| root.locate(error));
        let unknown_keys = unknown_key_cell.into_inner();
        for (_, UnknownKey { mistake, .. }) in &unknown_keys {
            // Each reading finds the same unknown keys again.
            let range = mistake.span.as_ref().map(|span| (span.start, span.end));
            if reported_mistakes.insert((range, mistake.message.clone())) {
                mistakes.push(mistake.clone());
            }
        }
        let Err(Error { kind, span, mut path }) = result else { break };
        path.reverse();
        if repaired_paths.iter().any(|repaired_path| path.starts_with(repaired_path)) {
            break;
        }
        let span = span.filter(|span| !span.is_empty());
        match kind {
            MistakeKind::Missing(name) => {
                let mut missing_path = path.clone();
                missing_path.push(Step::Key(name.to_owned()));
                let is_misspelt = |(table, unknown_key): &(Range<usize>, UnknownKey)| {
                    *table == span.clone().unwrap_or_default()
                        && unknown_key.suggestion.as_deref() == Some(name)
                };
                if !reported_paths.contains(&missing_path) && !unknown_keys.iter().any(is_misspelt) {
                    let cause = Cause::MissingKey(name.to_owned());
                    mistakes.push(Diagnostic { span, message: missing_message(name), help: None, cause });
                }
                reported_paths.push(missing_path.clone());
                if let Some(value) = find(&example, &missing_path) {
                    insert(&mut tree, &path, name, value.clone());
                    repaired_paths.push(missing_path);
                } else if !remove(&mut tree, &path) {
                    break;
                }
            }
            MistakeKind::Message { message, help } => {
                let is_consequence = |reported_path: &Vec<Step>| {
                    reported_path.len() > path.len() && reported_path.starts_with(&path)
                };
                if !reported_paths.iter().any(is_consequence) {
                    mistakes.push(Diagnostic { span, message, help, ..Diagnostic::default() });
                }
                if !remove(&mut tree, &path) {
                    break;
                }
                reported_paths.push(path);
            }
            _ => unreachable!("every mistake has a message and a place"),
        }
    }
    mistakes
}

/// Reads a single value.
pub fn read_value<T: DeserializeOwned>(value: &PlacedValue) -> Result<T, Diagnostic> {
    let unknown_keys = RefCell::default();
    let root = Node { value, unknown_keys: &unknown_keys };
    T::deserialize(root).map_err(|error| match root.locate(error) {
        Error { kind: MistakeKind::Message { message, help }, span, .. } => {
            Diagnostic { span, message, help, ..Diagnostic::default() }
        }
        Error { kind, span, .. } => {
            Diagnostic { span, message: format!("{kind:?}"), ..Diagnostic::default() }
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
    wording::mismatch_message(expected, true, value)
}

fn find<'t>(tree: &'t PlacedValue, path: &[Step]) -> Option<&'t PlacedValue> {
    path.iter().try_fold(tree, |value, step| match (value.get_ref(), step) {
        (TomlValue::Table(table), Step::Key(key)) => table.get(key.as_str()),
        (TomlValue::List(list), Step::Index(index)) => list.get(*index),
        _ => None,
    })
}

fn find_mut<'t>(tree: &'t mut PlacedValue, path: &[Step]) -> Option<&'t mut TomlValue> {
    let node = path.iter().try_fold(tree, |value, step| match (value.get_mut(), step) {
        (TomlValue::Table(table), Step::Key(key)) => table.get_mut(key.as_str()),
        (TomlValue::List(list), Step::Index(index)) => list.get_mut(*index),
        _ => None,
    });
    node.map(Spanned::get_mut)
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
