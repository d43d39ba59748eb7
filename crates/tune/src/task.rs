//! Task of a tuning, and its early ends.

use std::path::Path;
use std::time::{Duration, Instant};

use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::config::tune::Tune;
use gauntlet_run::plan::{Plan, Shard};
use gauntlet_run::{Options, RunEnd, TooLong};

/// Task of a tuning.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The experiment with a `[tune]`.
    pub experiment: &'a Experiment,
    /// Its `[tune]`.
    pub tune: &'a Tune,
    /// Folder of its files.
    pub folder: &'a Path,
    /// Of several processes that play it, this one; the first of them leads.
    pub worker: Option<Shard>,
    /// Command that a reader would type to get the same.
    pub command: &'a str,
    /// Settings of its runs.
    pub options: Options<'a>,
    /// The moment after which it asks for no more games, if there is one.
    pub until: Option<Instant>,
}

/// The least time of a run that must get further.
pub(super) const LEAST: Duration = Duration::from_secs(1);

/// Time that is left until a moment.
pub(super) fn left(until: Option<Instant>) -> Option<Duration> {
    until.map(|until| until.saturating_duration_since(Instant::now()))
}

/// Reason why games that were asked for are not there.
#[derive(Debug)]
pub enum Halt {
    /// The tuning was stopped before the last of them; a block that needs more time than there was,
    /// if nothing was played.
    Stopped(Option<Dropped>),
    /// Something failed.
    Failed(anyhow::Error),
}

/// A block that takes longer than the whole time of a call: as long a call would drop it again.
#[derive(Debug)]
pub struct Dropped {
    /// Player of the block, or both players.
    pub title: String,
    /// The time that it had.
    pub too_long: TooLong,
}

impl Halt {
    /// The end of a run that was interrupted. In a call that has played something, a block may have
    /// had less than the whole time.
    pub(super) fn interrupted(plan: &Plan, finish: &RunEnd, played: u64) -> Halt {
        let first = finish.too_long.first().filter(|_| finish.is_out_of_time && played == 0);
        Halt::Stopped(first.map(|first| Dropped { title: plan.title(first.lineup), too_long: *first }))
    }

    /// The same in a call that has played this number of games before.
    pub(super) fn after(self, played: u64) -> Halt {
        match self {
            Halt::Stopped(_) if played > 0 => Halt::Stopped(None),
            halt => halt,
        }
    }
}

impl From<anyhow::Error> for Halt {
    fn from(error: anyhow::Error) -> Halt {
        Halt::Failed(error)
    }
}
