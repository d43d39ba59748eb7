//! Answer of a tuning.

use gauntlet_analysis::compare::question::Shown;

use super::space::Tuned;
use super::validation::Validation;
use crate::results::ends::EndPoint;

/// Answer of a tuning.
#[derive(Debug)]
pub struct Answer {
    /// Each setting that was tuned; none in a race.
    pub settings: Vec<Tuned>,
    /// Of a race: the names of the first player and of the winner.
    pub winner: Option<[String; 2]>,
    /// Ends of the other searches.
    pub ends: Vec<EndPoint>,
    /// The answer beside the start; none if the search stayed at its start.
    pub validation: Option<Validation>,
    /// Games that the search asked for.
    pub games: u64,
    /// Games played now, and not found in the journal; those of validation are not among them.
    pub played: u64,
    /// Candidates that the player refused.
    pub refused: u64,
}

impl Answer {
    /// Verdict of the tuning: nothing is shown where the search stayed at its start.
    pub fn shown(&self) -> Shown {
        self.validation.as_ref().map_or(Shown::Nothing, |validation| validation.shown)
    }
}
