//! Blocks that broke a player's program, in a journal; the memory that their messages may take.

use std::collections::BTreeMap;

use super::entry::{JournalEntry, PanicEntry, format_line, shorten};
use super::journal::Journal;

/// Largest number of bytes kept of a message of a program that broke.
pub(super) const LONGEST_MESSAGE: usize = 1 << 16;

/// Largest number of bytes kept of all such messages. Later messages are not kept in memory.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

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
    pub fn count_panics(&self, key: &str) -> usize {
        self.panics.get(key).map_or(0, BTreeMap::len)
    }

    /// Appends a block that broke a player's program, unless the last failure recorded for it is
    /// equal: every run tries such blocks again.
    pub fn append_panic(&mut self, mut panic: PanicEntry) -> anyhow::Result<()> {
        shorten(&mut panic.message, LONGEST_MESSAGE);
        if self.panic(&panic.key, panic.seed) != Some(&panic) {
            self.append(&format_line(&JournalEntry::<()>::Panic(panic.clone())))?;
            self.note_panic(panic);
        }
        Ok(())
    }

    /// Shortens a message that is kept in memory.
    pub(super) fn keep_message(&mut self, message: &mut String) {
        shorten(message, LONGEST_MESSAGE.min(MAX_MESSAGE_BYTES.saturating_sub(self.message_bytes)));
        self.message_bytes += message.len();
    }

    /// Forgets a message that was replaced.
    pub(super) fn drop_message(&mut self, message: &str) {
        self.message_bytes -= message.len();
    }

    pub(super) fn note_panic(&mut self, mut panic: PanicEntry) {
        self.keep_message(&mut panic.message);
        let previous = self.panics.entry(panic.key.clone()).or_default().insert(panic.seed, panic);
        self.drop_message(previous.as_ref().map_or("", |panic| &panic.message));
    }
}
