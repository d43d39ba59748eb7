//! Task of a tuning, and its early ends.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::config::Experiment;
use crate::config::tune::Tune;
use crate::plan::Shard;
use crate::run::Options;

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
    /// The tuning was stopped before the last of them.
    Stopped,
    /// Something failed.
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Halt {
    fn from(error: anyhow::Error) -> Halt {
        Halt::Failed(error)
    }
}
