//! Progress of a training at its last checkpoint, read from the files in its folder.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gauntlet_analysis::results::store::training::{CHECKPOINT, LOCK};

use super::curve::TrainingTest;
use super::state::training_progress;
use super::{CURVE_FILE, NETWORK, checkpoint};
use crate::section::TrainingLength;
pub use gauntlet_analysis::results::store::training::{is_training, training_in};
use gauntlet_core::disk::open_regular;
use gauntlet_run::progress::{self, Progress, RunState};

/// A training at its last checkpoint.
#[derive(Debug)]
pub struct TrainingSnapshot {
    /// Games learned from.
    pub games: u64,
    /// Moves of these games.
    pub moves: u64,
    /// Time at which the checkpoint was written.
    pub written_at: SystemTime,
    /// Number of the last training games, and their mean score.
    pub mean: Option<(u64, u64)>,
    /// The tests so far.
    pub curve: Vec<TrainingTest>,
    /// True if a process on this machine is training now.
    pub is_training: bool,
    /// True if the network was written for players.
    pub has_ended: bool,
}

impl TrainingSnapshot {
    /// Returns the progress, relative to the length of the training if it is known.
    pub fn progress(&self, length: Option<TrainingLength>) -> Progress {
        training_progress(
            length,
            self.games,
            self.moves,
            RunState::from_flags(self.is_training, self.has_ended),
        )
    }
}

/// Returns true if a process on this machine is training into a folder now.
pub fn is_in_use(folder: &Path) -> bool {
    open_regular(&folder.join(LOCK), File::options().read(true))
        .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the files that change when a training makes progress.
pub fn files(folder: &Path) -> [PathBuf; 2] {
    [folder.join(CHECKPOINT), folder.join(CURVE_FILE)]
}

/// Fails if the checkpoint in a folder is damaged. Reads the whole file.
pub fn check(folder: &Path) -> anyhow::Result<()> {
    checkpoint::check(&folder.join(CHECKPOINT))
}

/// Reads the training in a folder; `None` before its first checkpoint.
pub fn read_snapshot(folder: &Path) -> anyhow::Result<Option<TrainingSnapshot>> {
    // The lock is tested before the file is read. If the training ends in between, the file has its
    // last checkpoint.
    let is_training = is_in_use(folder);
    let path = folder.join(CHECKPOINT);
    if !path.exists() {
        return Ok(None);
    }
    let state = checkpoint::read_progress(&path)?;
    let written_at = progress::last_write_time(&path);
    let is_tested = state.curve.last().is_some_and(|test| test.games == state.games);
    let has_ended = is_tested && !is_training && folder.join(NETWORK).exists();
    let (games, moves, mean) = (state.games, state.moves, state.mean());
    Ok(Some(TrainingSnapshot { written_at, games, moves, mean, curve: state.curve, is_training, has_ended }))
}
