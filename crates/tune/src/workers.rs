//! State of a tuning's workers, for display.

use std::path::Path;

use anyhow::anyhow;
use gauntlet_core::text::{display_path, escape, format_count, format_games, format_time_span};
use gauntlet_run::journal::Journal;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::silence;
use gauntlet_run::snapshot::{MOST_PARTS, Snapshot, counted_states, listed};
use gauntlet_run::{machine, note, threads};
use rayon::prelude::*;

use super::team::{Note, TEAM, journal_path};

/// State of a worker other than the first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WorkerState {
    /// A process writes into its journal.
    Plays,
    /// No process seems to write into its journal.
    Ended,
    /// It has no journal.
    NotBegun,
    /// Its journal cannot be read.
    Unreadable,
}

impl WorkerState {
    fn words(self) -> &'static str {
        match self {
            WorkerState::Plays => "playing now",
            WorkerState::Ended => "ended, or on another machine",
            WorkerState::NotBegun => "not started here",
            WorkerState::Unreadable => "unreadable",
        }
    }
}

/// Returns the snapshot of the workers of the tuning in a folder, except the first, whose state is
/// the state of the search; `None` if a single process tunes. If there are many workers, those that
/// are running are not listed. Reads only the heads of the lines in their journals.
pub fn read_workers(folder: &Path) -> anyhow::Result<Option<Snapshot>> {
    let path = folder.join(TEAM);
    let team = note::read::<Note>(&path).map_err(|why| anyhow!("{} {why}", display_path(&path)))?;
    let Some(Note::Workers(team)) = team else { return Ok(None) };
    let first: Result<Shard, String> = format!("1/{}", team.workers).parse();
    let helpers: Vec<Shard> = first.into_iter().flat_map(Shard::all_shards).skip(1).collect();
    if helpers.is_empty() {
        return Ok(None);
    }
    let all: Vec<(WorkerState, Snapshot)> = threads::build_pool(machine::cores())?
        .install(|| helpers.par_iter().map(|&worker| read_worker(folder, worker)).collect());
    let count =
        |state: WorkerState| (all.iter().filter(|(own, _)| *own == state).count() as u64, state.words());
    let states = [WorkerState::Plays, WorkerState::Ended, WorkerState::NotBegun, WorkerState::Unreadable];
    let states = counted_states(&states.map(count));
    let title = format!("{} besides worker 1: {states}", format_count(all.len() as u64, "worker"));
    let is_listed =
        |(state, _): &&(WorkerState, Snapshot)| all.len() <= MOST_PARTS || *state != WorkerState::Plays;
    let list: Vec<_> = all.iter().filter(is_listed).collect();
    let parts = listed(&list, |(_, worker)| worker.clone(), "workers that are not running");
    Ok(Some(Snapshot { parts, ..Snapshot::new(title) }))
}

fn read_worker(folder: &Path, worker: Shard) -> (WorkerState, Snapshot) {
    let path = journal_path(folder, worker);
    let (state, words) = if path.exists() {
        match Journal::peek(&path) {
            Err(why) => (WorkerState::Unreadable, escape::line(&format!("{why:#}")).into_owned()),
            Ok(journal) => {
                let is_in_use = Journal::is_in_use(&path);
                let state = if is_in_use { WorkerState::Plays } else { WorkerState::Ended };
                let (share, silent) = (format_games(journal.games()), format_time_span(silence(&path)));
                (state, format!("{share} in its journal, {}, silent for {silent}", state.words()))
            }
        }
    } else {
        (WorkerState::NotBegun, WorkerState::NotBegun.words().to_owned())
    };
    (state, Snapshot::new(format!("worker {worker}: {words}")))
}
