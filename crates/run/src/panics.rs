//! Blocks that broke a player's program, in a journal.

use std::collections::BTreeMap;

use super::entry::PanicEntry;
use super::journal::Journal;

impl Journal {
    /// Iterates over all blocks that ever broke a player's program, by key and seed.
    pub fn panics(&self) -> impl Iterator<Item = PanicEntry> {
        self.panics.values().flat_map(|games| games.values().cloned())
    }

    /// Returns the last failure of this block, if it ever broke a player's program.
    pub fn panic(&self, key: &str, seed: u64) -> Option<&PanicEntry> {
        self.panics.get(key)?.get(&seed)
    }

    /// Counts the blocks of a key that ever broke a player's program.
    pub fn panics_of(&self, key: &str) -> usize {
        self.panics.get(key).map_or(0, BTreeMap::len)
    }
}
