//! A line of a journal that holds games, as a value.

use std::sync::{Arc, OnceLock};

use super::played::Played;

/// A line of games: where it stands, and what is known of it. Its index is its place among
/// [`super::journal::Journal::lines`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    /// Key of the games; shared, for there may be a million lines.
    pub key: Arc<str>,
    /// The first block, where blocks are numbered; listed seeds stand in the line itself.
    pub first: Option<u64>,
    /// Number of games.
    pub games: u32,
    /// Session in which they were played, by its place among the sessions.
    pub session: usize,
    pub(super) offset: u64,
    pub(super) length: u32,
    /// Its checksum.
    pub(super) sum: u64,
    pub(super) sound: OnceLock<bool>,
    /// What its games add up to, if they were looked at and are sound.
    pub(super) played: OnceLock<Played>,
    /// The seeds that it lists, if they were asked for.
    pub(super) seeds: OnceLock<Box<[u64]>>,
}

impl JournalLine {
    /// True if all of its games can have been played; none if that is not known yet.
    pub(super) fn is_sound(&self) -> Option<bool> {
        self.sound.get().copied()
    }

    /// Takes note of what they add up to, or that they cannot have been played.
    pub(super) fn judge(&self, played: Option<Played>) {
        let _ = self.sound.set(played.is_some());
        played.into_iter().for_each(|played| _ = self.played.set(played));
    }

    /// Length in the file, in bytes.
    pub fn bytes(&self) -> usize {
        self.length as usize
    }
}
