//! The task of a tuning, and why it can end early.

use std::path::Path;
use std::time::{Duration, Instant};

use gauntlet_analysis::config::Experiment;
use gauntlet_run::plan::{Plan, Shard};
use gauntlet_run::{OverlongBlock, RunEnd, RunOptions};

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
    pub options: RunOptions<'a>,
    /// Deadline after which it asks for no more games.
    pub deadline: Option<Instant>,
}

/// The minimum time of a run that must make progress.
pub(super) const MIN_RUN_TIME: Duration = Duration::from_secs(1);

/// Returns the time left before a deadline.
pub(super) fn time_left(deadline: Option<Instant>) -> Option<Duration> {
    deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
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
    pub block: OverlongBlock,
}

impl MissingGamesReason {
    /// Returns the `MissingGamesReason` of an interrupted run. After `games_played` games of this
    /// call a block may have had less than the whole time, so it is not reported.
    pub(super) fn from_interrupted_run(
        plan: &Plan,
        run_end: &RunEnd,
        games_played: u64,
    ) -> MissingGamesReason {
        let overlong =
            run_end.overlong_blocks.first().filter(|_| run_end.is_out_of_time && games_played == 0);
        MissingGamesReason::Stopped(
            overlong.map(|overlong| BlockTimeout { title: plan.title(overlong.lineup), block: *overlong }),
        )
    }

    /// Drops the block that needs more time if this call has played games before.
    pub(super) fn drop_timeout_after(self, games_played: u64) -> MissingGamesReason {
        match self {
            MissingGamesReason::Stopped(_) if games_played > 0 => MissingGamesReason::Stopped(None),
            reason => reason,
        }
    }
}

impl From<anyhow::Error> for MissingGamesReason {
    fn from(error: anyhow::Error) -> MissingGamesReason {
        MissingGamesReason::Failed(error)
    }
}
