//! What a tuning is asked for, and how it can end early.

use std::path::Path;

use crate::config::Experiment;
use crate::config::tune::Tune;
use crate::run::Options;

/// How to tune.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// The experiment with a `[tune]`.
    pub experiment: &'a Experiment,
    /// Its `[tune]`.
    pub tune: &'a Tune,
    /// Where the files go.
    pub folder: &'a Path,
    /// What a reader would type to get the same.
    pub command: &'a str,
    /// How to play.
    pub options: Options<'a>,
}

/// Why games that were asked for are not there.
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
