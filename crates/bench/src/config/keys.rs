//! Helpers for tables of keys.

use std::ops::Range;

use toml::Spanned;
use toml::de::DeTable;

/// Takes some keys out of a table, as a table of their own.
pub(super) fn take<'a>(table: &mut DeTable<'a>, keys: &[&str]) -> DeTable<'a> {
    keys.iter().filter_map(|key| table.remove_entry(*key)).collect()
}

/// The text under a key, if there is one.
pub(super) fn text<'t>(table: &'t DeTable, key: &str) -> Option<&'t str> {
    table.get(key)?.get_ref().as_str()
}

/// The place of the value under a key.
pub(super) fn span(table: &DeTable, key: &str) -> Option<Range<usize>> {
    table.get(key).map(Spanned::span)
}
