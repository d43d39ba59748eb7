//! Trains a player that learns: plays the games of a `[train]` in order, tests what was learned
//! after the numbers of games that the file lists, and writes checkpoints at intervals. [`train()`]
//! does all of this.
//!
//! What is learned after a number of games depends only on the file. So a training that was stopped
//! or killed ends with the same bytes as one that was not.

mod checkpoint;
pub mod curve;
pub mod section;
pub mod snapshot;
mod state;

use std::fs::TryLockError;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use curve::{CurveRow, TrainingTest};
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::store::files::write_document_by;
use gauntlet_analysis::results::store::training::{CHECKPOINT, LOCK};
use gauntlet_core::disk::{DiskFile, system_disk};
use gauntlet_core::learning::{Learner, NetworkOrigin};
use gauntlet_core::player::Stop;
use gauntlet_core::rng::Seed;
use gauntlet_core::table::TypedRow;
use gauntlet_core::text::{display_path, format_count, format_games};
use gauntlet_run::bar::ProgressDisplay;
use gauntlet_run::{lock, machine, threads};
use rayon::prelude::*;
use section::{TrainSection, TrainingLength};
use state::State;

pub use gauntlet_analysis::results::store::training::FOLDER;

/// File name of the trained network.
pub const NETWORK: &str = "network";

/// File name of the learning curve.
pub const CURVE_FILE: &str = "curve.csv";

/// Task of a training.
#[derive(Clone, Copy)]
pub struct TrainingJob<'a> {
    /// The experiment with a `[train]`.
    pub experiment: &'a Experiment,
    /// The `[train]` of the experiment.
    pub train: &'a TrainSection,
    /// Length of the training, which replaces the length in the file.
    pub length: TrainingLength,
    /// Folder of the training's files.
    pub folder: &'a Path,
    /// The command that reproduces the training.
    pub command: &'a str,
    /// Number of threads that play, if the method learns the same with any number.
    pub threads: usize,
    /// Time between two checkpoints.
    pub checkpoint_interval: Duration,
    /// True if a training with other settings may be replaced.
    pub replace: bool,
    /// Deadline after which no more games are played, if there is one.
    pub deadline: Option<Instant>,
}

/// How a training ended.
#[derive(Debug)]
pub enum TrainingEnd {
    /// It was stopped, and its state was saved.
    Stopped,
    /// It has reached its length.
    Trained {
        /// The last row of its learning curve.
        last_test: TrainingTest,
        /// Digest of the trained network.
        digest: String,
    },
}

/// Trains from the beginning or from the last checkpoint, and writes what was learned.
pub fn train(task: &TrainingJob, stop: &Stop, display: &mut ProgressDisplay) -> anyhow::Result<TrainingEnd> {
    let disk = system_disk();
    let TrainingJob { train, length, folder, .. } = *task;
    disk.make_folder(folder).with_context(|| format!("cannot create the folder {}", display_path(folder)))?;
    let _lock = lock_folder(folder)?;
    let root = Seed::root(train.seed);
    let mut learner = train.game_settings.begin(root.child("train", 0)).map_err(anyhow::Error::msg)?;
    let path = folder.join(CHECKPOINT);
    let mut state = begin(task, &path, &mut *learner)?;
    let (started, earlier) = (Instant::now(), [state.games, state.moves]);
    if state.games > 0 {
        display.print_unless_quiet(&format!("resuming after {}", format_games(state.games)));
    }
    let save = |state: &State, learner: &dyn Learner| checkpoint::write(&disk, &path, state, learner);
    let (mut last_save, mut has_learned) = (Instant::now(), false);
    let pool = threads::build_pool(task.threads)?;
    let run_parallel = |count: usize, work: &(dyn Fn(usize) + Sync)| {
        pool.install(|| (0..count).into_par_iter().with_max_len(1).for_each(work));
    };
    loop {
        let is_due = state.has_ended(length) || train.test_at.contains(&state.games);
        if is_due && state.curve.iter().all(|test| test.games != state.games) {
            let Some(test) = curve::test(&mut *learner, &state, train, stop) else { break };
            display.print_unless_quiet(&test.describe());
            state.curve.push(test);
        }
        let is_out_of_time = task.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if state.has_ended(length) || stop.is_requested() || is_out_of_time && has_learned {
            break;
        }
        let episodes = learner.learn(&run_parallel);
        // Even a call whose time is over at once makes progress.
        has_learned = true;
        state.last_moves = episodes.iter().map(|episode| episode.moves).sum();
        for episode in episodes {
            state.games += 1;
            state.moves += episode.moves;
            state.last.add(episode.score);
            // A game may take less time than reading the clock.
            if state.games.is_multiple_of(16) && display.is_due() {
                display.show(&state.snapshot(length, started, earlier));
            }
        }
        if last_save.elapsed() >= task.checkpoint_interval {
            save(&state, &*learner)?;
            last_save = Instant::now();
        }
    }
    save(&state, &*learner)?;
    let last_test = state.curve.last().filter(|test| state.has_ended(length) && test.games == state.games);
    match last_test.cloned() {
        Some(last_test) => Ok(TrainingEnd::Trained { digest: write(task, &state, &*learner)?, last_test }),
        None => Ok(TrainingEnd::Stopped),
    }
}

/// Returns the state at the beginning or at the last checkpoint, and restores the learner from it.
fn begin(task: &TrainingJob, path: &Path, learner: &mut dyn Learner) -> anyhow::Result<State> {
    let TrainingJob { experiment, train, length, folder, .. } = *task;
    let key = checkpoint::key(experiment.arena(), train);
    if !path.exists() || task.replace {
        return Ok(State::new(key));
    }
    let mut state = checkpoint::read(path, &key, learner)?;
    if state.is_longer_than(length) {
        bail!(
            "{} already has a training run of {}{}: use --games {} or more, another --results folder, or restart with --replace",
            display_path(folder),
            format_games(state.games),
            match length {
                TrainingLength::Games(_) => String::new(),
                TrainingLength::Moves(_) => format!(" with {}", format_count(state.moves, "move")),
            },
            state.games
        );
    }
    // A test at the end of a shorter training may be at a number of games that the file does not
    // list.
    let (end, has_ended) = (state.games, state.has_ended(length));
    state.curve.retain(|test| (has_ended && test.games == end) || train.test_at.contains(&test.games));
    Ok(state)
}

/// Writes the network and the learning curve. Returns the digest of the network.
fn write(task: &TrainingJob, state: &State, learner: &dyn Learner) -> anyhow::Result<String> {
    let TrainingJob { experiment, train, folder, .. } = *task;
    let origin = NetworkOrigin {
        experiment: experiment.name().to_owned(),
        training: train.identity(),
        command: task.command.to_owned(),
        games: state.games,
        seed: train.seed,
        build: format!("gauntlet {}", machine::VERSION),
    };
    let (disk, mut digest) = (system_disk(), String::new());
    write_document_by(&disk, &folder.join(NETWORK), |file| {
        digest = learner.write_network(&origin, file)?;
        Ok(())
    })?;
    let table = CurveRow::table(state.curve.iter().map(CurveRow::new)).to_csv();
    write_document_by(&disk, &folder.join(CURVE_FILE), |file| Ok(file.write_all(&table)?))?;
    Ok(digest)
}

/// Locks the folder of a training for this process.
fn lock_folder(folder: &Path) -> anyhow::Result<std::sync::Arc<dyn DiskFile>> {
    let file = system_disk().open_to_append(&folder.join(LOCK));
    let file = file.with_context(|| format!("cannot lock the folder {}", display_path(folder)))?;
    match lock::try_lock(&*file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "another gauntlet process is using {}; wait for it, or use another --results folder",
                display_path(folder)
            )
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock the folder {}", display_path(folder)))
        }
    }
}
