//! The blocks that a journal says broke a player's program.

use std::collections::BTreeMap;

use super::entry::PanicEntry;
use super::journal::Journal;

impl Journal {
    /// Blocks that ever broke a player's program, by key and seed.
    pub fn panics(&self) -> impl Iterator<Item = PanicEntry> {
        self.panics.values().flat_map(|games| games.values().cloned())
    }

    /// Message of the last time that this block broke a player's program, if it ever did.
    pub fn panic(&self, key: &str, seed: u64) -> Option<&PanicEntry> {
        self.panics.get(key)?.get(&seed)
    }

    /// Number of blocks of a key that ever broke a player's program.
    pub fn panics_of(&self, key: &str) -> usize {
        self.panics.get(key).map_or(0, BTreeMap::len)
    }
}
