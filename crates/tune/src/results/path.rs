//! The steps of a search, and their table.

use gauntlet_core::table::{CellKind, Column, table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::TRAJECTORY;
use crate::section::{CandidateSpace, TuneSection};

table! {
    /// A step of the search.
    pub struct TrajectoryRow(TRAJECTORY, Some(LEVEL)) {
        /// Games spent so far.
        games: u64, count();
        /// The purpose of the step: `pilot`, `step`, `check`, `final check`.
        kind: String, words();
        /// Of a check: `true` if the search kept what it had come to, `false` if that was worse: on
        /// the way the search went back then, and at the end it answers with what it had kept
        /// before.
        kept: Option<bool>, truth();
        /// Of a check: by how much the mean loss was less than that of the start, with a 95 %
        /// interval. With a score the loss is its negative logarithm; with a rate, the games
        /// without success. These are the search's own games, and favour its answer.
        gain: Option<Estimate>, number().to(6);
        /// Where the search stood then: the value of each setting.
        at: Vec<String>, settings();
    }
}

/// Returns the meaning of each value of [`Step::at`]: keys of settings; in a race, `player`.
pub fn keys(tune: &TuneSection) -> Vec<String> {
    match &tune.field {
        CandidateSpace::Params { params, .. } => params.iter().map(|param| param.key.clone()).collect(),
        CandidateSpace::Players { .. } => vec!["player".to_owned()],
    }
}

/// Returns a column for each key, to follow all other columns of a step or a final point.
pub fn columns(keys: &[String]) -> Vec<Column> {
    keys.iter().map(|key| Column::of_setting(key.clone(), CellKind::Words)).collect()
}
