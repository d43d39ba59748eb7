//! Lines of games in a journal.

use std::sync::{Arc, OnceLock};

use super::played::GameSums;

/// A line of games: its position and what is known about it. It is identified by its index in
/// [`super::journal::Journal::lines`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    /// Key of the games; shared, because there may be a million lines.
    pub key: Arc<str>,
    /// First block, if blocks are numbered; listed seeds are in the line itself.
    pub first: Option<u64>,
    /// Number of games.
    pub games: u32,
    /// Index of the session in which they were played.
    pub session: usize,
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) sum: u64,
    pub(super) sound: OnceLock<bool>,
    /// Sums of its games, if these were examined and are possible.
    pub(super) played: OnceLock<GameSums>,
    /// Its listed seeds, once they were read.
    pub(super) seeds: OnceLock<Box<[u64]>>,
}

impl JournalLine {
    /// Returns true if all of its games are possible, `None` if they were not examined.
    pub(super) fn is_sound(&self) -> Option<bool> {
        self.sound.get().copied()
    }

    /// Stores the sums of its games, or that a game is impossible.
    pub(super) fn set_result(&self, played: Option<GameSums>) {
        let _ = self.sound.set(played.is_some());
        played.into_iter().for_each(|played| _ = self.played.set(played));
    }

    /// Returns the length in the file, in bytes.
    pub fn bytes(&self) -> usize {
        self.length as usize
    }
}
