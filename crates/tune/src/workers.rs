//! The workers of a tuning, for a person who waits for it.

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

/// What a worker beside the first one does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// It has no journal.
    NotBegun,
    /// A process plays into its journal.
    Plays,
    /// No process is seen to play into it.
    Ended,
    /// Its journal cannot be read, and why.
    Unread(String),
}

/// A worker beside the first one.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Which of them.
    pub worker: Shard,
    /// What it does.
    pub state: WorkerState,
    /// Games in its journal.
    pub games: u64,
    /// Seconds since that was written to.
    pub silent: f64,
}

/// The workers of the tuning in a folder, but for the first, whose journal is that of the tuning;
/// none of a tuning of one process. Of their journals the heads of lines are looked at.
pub fn workers(folder: &Path) -> anyhow::Result<Vec<Worker>> {
    let path = folder.join(TEAM);
    let team = note::read::<Note>(&path).map_err(|why| anyhow!("{} {why}", shown(&path)))?;
    let Some(Note::Workers(team)) = team else { return Ok(Vec::new()) };
    let first: Result<Shard, String> = format!("1/{}", team.workers).parse();
    let helpers: Vec<Shard> = first.into_iter().flat_map(Shard::all).skip(1).collect();
    let all = || helpers.par_iter().map(|&worker| worker_of(folder, worker)).collect();
    Ok(threads::pool(machine::cores())?.install(all))
}

fn worker_of(folder: &Path, worker: Shard) -> Worker {
    let path = path_of(folder, worker);
    if !path.exists() {
        return Worker { worker, state: WorkerState::NotBegun, games: 0, silent: 0.0 };
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
    Worker { worker, state, games, silent }
}
