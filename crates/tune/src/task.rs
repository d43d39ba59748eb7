//! The task of a tuning, and why it can end early.

use std::path::Path;
use std::time::{Duration, Instant};

use gauntlet_analysis::config::Experiment;
use gauntlet_run::plan::{Plan, Shard};
use gauntlet_run::{Options, OverlongBlock, RunEnd};

use crate::section::TuneSection;

#[derive(Clone, Copy, Debug)]
pub struct TuningJob<'a> {
    /// The experiment with a `[tune]`.
    pub experiment: &'a Experiment,
    /// The `[tune]` of the experiment.
    pub tune: &'a TuneSection,
    /// Folder of the tuning's files.
    pub folder: &'a Path,
    /// The number of this process if several processes tune; the first one leads.
    pub worker: Option<Shard>,
    /// The command that reproduces the tuning.
    pub command: &'a str,
    /// Settings of its runs.
    pub options: Options<'a>,
    /// Deadline after which it asks for no more games.
    pub until: Option<Instant>,
}

/// The minimum time of a run that must make progress.
pub(super) const LEAST_TIME: Duration = Duration::from_secs(1);

/// Returns the time left before a deadline.
pub(super) fn time_left(until: Option<Instant>) -> Option<Duration> {
    until.map(|until| until.saturating_duration_since(Instant::now()))
}

/// Reason why requested games are missing.
#[derive(Debug)]
pub enum MissingGamesReason {
    /// The tuning was stopped before the last game. If no game was played, the block that needs
    /// more time than there was.
    Stopped(Option<BlockTimeout>),
    Failed(anyhow::Error),
}

/// A block that takes longer than the whole time of a call, so an equally long call would drop it
/// again.
#[derive(Debug)]
pub struct BlockTimeout {
    /// Player of the block, or both players.
    pub title: String,
    /// The time that it had.
    pub too_long: OverlongBlock,
}

impl MissingGamesReason {
    /// Returns the `MissingGamesReason` of an interrupted run. After `played` games of this call a
    /// block may have had less than the whole time, so it is not reported.
    pub(super) fn from_interrupted_run(plan: &Plan, finish: &RunEnd, played: u64) -> MissingGamesReason {
        let first = finish.too_long.first().filter(|_| finish.is_out_of_time && played == 0);
        MissingGamesReason::Stopped(
            first.map(|first| BlockTimeout { title: plan.title(first.lineup), too_long: *first }),
        )
    }

    /// Drops the block that needs more time if this call has played games before.
    pub(super) fn drop_timeout_after(self, played: u64) -> MissingGamesReason {
        match self {
            MissingGamesReason::Stopped(_) if played > 0 => MissingGamesReason::Stopped(None),
            halt => halt,
        }
    }
}

impl From<anyhow::Error> for MissingGamesReason {
    fn from(error: anyhow::Error) -> MissingGamesReason {
        MissingGamesReason::Failed(error)
    }
}
