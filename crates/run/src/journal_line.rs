//! Lines of games in a journal.

use std::sync::{Arc, OnceLock};

use super::game_sums::GameSums;

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
    pub(super) checksum: u64,
    pub(super) validity: OnceLock<bool>,
    /// Sums of its games, if these were examined and are possible.
    pub(super) sums: OnceLock<GameSums>,
    /// Its listed seeds, once they were read.
    pub(super) seeds: OnceLock<Box<[u64]>>,
}

impl JournalLine {
    /// Returns true if all of its games are possible, `None` if they were not examined.
    pub(super) fn is_valid(&self) -> Option<bool> {
        self.validity.get().copied()
    }

    /// Stores the sums of its games, or that a game is impossible.
    pub(super) fn set_result(&self, sums: Option<GameSums>) {
        let _ = self.validity.set(sums.is_some());
        sums.into_iter().for_each(|sums| _ = self.sums.set(sums));
    }

    /// Returns the length in the file, in bytes.
    pub fn bytes(&self) -> usize {
        self.length as usize
    }
}
