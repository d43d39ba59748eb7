//! The steps of a search, and their table.

use gauntlet_core::table::{CellKind, Column, table};
use gauntlet_run::tally::LEVEL;
use gauntlet_stats::Estimate;

use super::TRAJECTORY;
use crate::section::{CandidateSpace, TuneSection};

table! {
    /// A step of the search.
    pub struct TrajectoryRow(TRAJECTORY, Some(LEVEL)) {
        /// Number of games played so far.
        games: u64, count();
        /// Kind of step: `pilot`, `step`, `check` or `final check`.
        kind: String, words();
        /// For a check: `true` if the new point is kept, `false` if the search returns to the
        /// previous point.
        kept: Option<bool>, truth();
        /// For a check: mean loss at the start minus mean loss at the point, with its 95 %
        /// interval.
        gain: Option<Estimate>, number().with_decimals(6);
        /// Point of the search: one column per setting; for a race, the leading `player`.
        at: Vec<String>, settings();
    }
}

/// Returns the meaning of each value of [`TrajectoryRow::at`]: keys of settings; in a race,
/// `player`.
pub fn keys(tune: &TuneSection) -> Vec<String> {
    match &tune.field {
        CandidateSpace::Params { params, .. } => params.iter().map(|param| param.key.clone()).collect(),
        CandidateSpace::Players { .. } => vec!["player".to_owned()],
    }
}

/// Returns a column for each key, to follow all other columns of a step or a final point.
pub fn columns(keys: &[String]) -> Vec<Column> {
    keys.iter().map(|key| Column::from_setting(key.clone(), CellKind::Words)).collect()
}
