//! State of a tuning's workers, for display.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use anyhow::anyhow;
use gauntlet_core::text::shown;
use gauntlet_run::journal::Journal;
use gauntlet_run::plan::Shard;
use gauntlet_run::{machine, note, threads};
use rayon::prelude::*;

use super::team::{Note, TEAM, path_of};

/// State of a worker other than the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// It has no journal.
    NotBegun,
    /// A process writes into its journal.
    Plays,
    /// No process seems to write into its journal.
    Ended,
    /// Its journal cannot be read, with the reason.
    Unread(String),
}

/// A worker other than the first.
#[derive(Clone, Debug)]
pub struct WorkerStatus {
    /// Its number among the workers.
    pub worker: Shard,
    pub state: WorkerState,
    /// Games in its journal.
    pub games: u64,
    /// Seconds since its journal was last written to.
    pub silent: f64,
}

/// Returns the workers of the tuning in a folder, except the first, whose journal is the tuning's.
/// Returns none if a single process tunes. Reads only the heads of the lines in their journals.
pub fn workers(folder: &Path) -> anyhow::Result<Vec<WorkerStatus>> {
    let path = folder.join(TEAM);
    let team = note::read::<Note>(&path).map_err(|why| anyhow!("{} {why}", shown(&path)))?;
    let Some(Note::Workers(team)) = team else { return Ok(Vec::new()) };
    let first: Result<Shard, String> = format!("1/{}", team.workers).parse();
    let helpers: Vec<Shard> = first.into_iter().flat_map(Shard::all).skip(1).collect();
    let all = || helpers.par_iter().map(|&worker| worker_of(folder, worker)).collect();
    Ok(threads::pool(machine::cores())?.install(all))
}

fn worker_of(folder: &Path, worker: Shard) -> WorkerStatus {
    let path = path_of(folder, worker);
    if !path.exists() {
        return WorkerStatus { worker, state: WorkerState::NotBegun, games: 0, silent: 0.0 };
    }
    let written = fs::metadata(&path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let silent = SystemTime::now().duration_since(written).unwrap_or_default().as_secs_f64();
    let (games, state) = match Journal::peek(&path) {
        Err(why) => (0, WorkerState::Unread(format!("{why:#}"))),
        Ok(journal) => {
            let state = if Journal::is_in_use(&path) { WorkerState::Plays } else { WorkerState::Ended };
            (journal.games(), state)
        }
    };
    WorkerStatus { worker, state, games, silent }
}
