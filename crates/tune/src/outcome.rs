//! The outcome of a tuning.

use gauntlet_analysis::compare::question::Conclusion;

use super::validation::ValidationResult;
use crate::results::ends::EndPointRow;
use crate::results::history::SettingChange;

/// Outcome of a tuning: the settings found, and their validation.
#[derive(Debug)]
pub struct TuningOutcome {
    /// The tuned settings; empty in a race.
    pub settings: Vec<SettingChange>,
    /// In a race, the names of the first player and of the winner.
    pub winner: Option<[String; 2]>,
    /// Final points of the other searches.
    pub search_ends: Vec<EndPointRow>,
    /// Validation of the tuned settings against the start; `None` if the search kept its start.
    pub validation: Option<ValidationResult>,
    /// Games that the search asked for.
    pub games: u64,
    /// Games played by this process, without games found in the journal and games of validation.
    pub games_played: u64,
    /// Candidates whose settings the player refused.
    pub refused_candidates: u64,
}

impl TuningOutcome {
    /// Returns the verdict of the validation, or `Conclusion::Nothing` if the search kept its
    /// start.
    pub fn conclusion(&self) -> Conclusion {
        self.validation.as_ref().map_or(Conclusion::Inconclusive, |validation| validation.conclusion)
    }
}
