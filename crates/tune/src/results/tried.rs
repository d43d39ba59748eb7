//! What a search has tried: how many games were spent on which values of each setting.

use gauntlet_core::table::layout::Layout;
use gauntlet_core::table::{Row, Table};

use super::TRIED;

/// A part of the values of a setting; of a race, a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The key of the setting; of a race that it is a player.
    pub key: String,
    /// The least of these values, or the only one.
    pub from: String,
    /// The largest of them.
    pub to: String,
    /// Candidates of the method's steps with such a value.
    pub candidates: u64,
    /// Their games.
    pub games: u64,
}

/// The table of it.
pub fn tried<'a>() -> Layout<'a, &'a Tried> {
    Layout::new(TRIED, None)
        .words("setting", |it: &&Tried| &*it.key)
        .words("from", |it| &*it.from)
        .words("to", |it| &*it.to)
        .count("candidates", |it| it.candidates)
        .count("games", |it| it.games)
}

/// What a table tells of it.
pub(super) fn read(table: &Table) -> Vec<Tried> {
    let part = |row: Row| Tried {
        key: row.words("setting").to_owned(),
        from: row.words("from").to_owned(),
        to: row.words("to").to_owned(),
        candidates: row.count("candidates").unwrap_or(0),
        games: row.count("games").unwrap_or(0),
    };
    table.rows().map(part).collect()
}
