//! State of a tuning's workers, for display.

use std::path::Path;

use anyhow::anyhow;
use gauntlet_core::text::{display_path, escape, format_count, format_games, format_time_span};
use gauntlet_run::journal::Journal;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::silence;
use gauntlet_run::snapshot::{MAX_PARTS, Snapshot, format_state_counts, list_parts};
use gauntlet_run::{machine, note, threads};
use rayon::prelude::*;

use super::team::{TEAM_FILE, TeamNote, journal_path};

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
    let path = folder.join(TEAM_FILE);
    let team = note::read::<TeamNote>(&path).map_err(|reason| anyhow!("{} {reason}", display_path(&path)))?;
    let Some(TeamNote::Workers(team)) = team else { return Ok(None) };
    let first_worker: Result<Shard, String> = format!("1/{}", team.workers).parse();
    let helpers: Vec<Shard> = first_worker.into_iter().flat_map(Shard::all_shards).skip(1).collect();
    if helpers.is_empty() {
        return Ok(None);
    }
    let workers: Vec<(WorkerState, Snapshot)> = threads::build_pool(machine::cores())?
        .install(|| helpers.par_iter().map(|&worker| read_worker(folder, worker)).collect());
    let count =
        |state: WorkerState| (workers.iter().filter(|(own, _)| *own == state).count() as u64, state.words());
    let states = [WorkerState::Plays, WorkerState::Ended, WorkerState::NotBegun, WorkerState::Unreadable];
    let states = format_state_counts(&states.map(count));
    let title = format!("{} besides worker 1: {states}", format_count(workers.len() as u64, "worker"));
    let is_listed =
        |(state, _): &&(WorkerState, Snapshot)| workers.len() <= MAX_PARTS || *state != WorkerState::Plays;
    let list: Vec<_> = workers.iter().filter(is_listed).collect();
    let parts = list_parts(&list, |(_, worker)| worker.clone(), "workers that are not running");
    Ok(Some(Snapshot { parts, ..Snapshot::new(title) }))
}

fn read_worker(folder: &Path, worker: Shard) -> (WorkerState, Snapshot) {
    let path = journal_path(folder, worker);
    let (state, words) = if path.exists() {
        match Journal::peek(&path) {
            Err(error) => (WorkerState::Unreadable, escape::line(&format!("{error:#}")).into_owned()),
            Ok(journal) => {
                let is_in_use = Journal::is_in_use(&path);
                let state = if is_in_use { WorkerState::Plays } else { WorkerState::Ended };
                let (games, silence_time) = (format_games(journal.games()), format_time_span(silence(&path)));
                (state, format!("{games} in its journal, {}, silent for {silence_time}", state.words()))
            }
        }
    } else {
        (WorkerState::NotBegun, WorkerState::NotBegun.words().to_owned())
    };
    (state, Snapshot::new(format!("worker {worker}: {words}")))
}
