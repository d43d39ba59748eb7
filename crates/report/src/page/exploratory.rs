//! Comparisons that were not announced before the run: the leader with the others, and all pairs of
//! players.

use gauntlet_analysis::compare::comparison::Comparison;
use gauntlet_analysis::results::analysis::contestants::read_distinct_contestants;
use gauntlet_analysis::results::analysis::front::{FrontStatusMap, fronts};
use gauntlet_analysis::results::analysis::pairwise::{
    compare_leader, is_claimed, leader_measures, strength_measure,
};
use gauntlet_analysis::results::analysis::warnings;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::measure::Measure;

use super::matrix::{MAX_PLAYERS, Matrix};

/// Comparisons that were not announced.
#[derive(Clone, Debug, Default)]
pub struct ExploratoryComparisons {
    /// The leader compared with each other player, the strongest first.
    pub leader: Vec<Comparison>,
    /// Comparisons of the leader that no claim answers.
    pub(super) unclaimed: Vec<Comparison>,
    /// True if an early stop of the run may have answered some of these comparisons.
    pub(super) may_be_answered: bool,
    /// All pairs of players; `None` if there are more players than a matrix can show.
    pub(super) matrix: Option<Matrix>,
    /// Players on the front of strength and time, folder by folder; empty if this was not tested.
    pub(super) fronts: Vec<FrontStatusMap>,
    /// Reasons to doubt the comparisons.
    pub(super) warnings: Vec<String>,
}

impl ExploratoryComparisons {
    /// Compares the players of these results if their games exist and were played under the same
    /// rules. Players of several two-player results are not compared.
    pub fn new(results: &[Results]) -> anyhow::Result<ExploratoryComparisons> {
        // The page itself reports differing rules in more detail.
        let other_rules = warnings::describe_other_rules(results);
        let warnings = warnings::comparison_warnings(results, leader_measures(results))?
            .into_iter()
            .filter(|warning| Some(warning) != other_rules.as_ref())
            .collect();
        // Players of different two-player results never met.
        let never_met = results.len() > 1 && leader_measures(results) == [Measure::Points];
        if results.iter().any(|results| !results.has_games()) || other_rules.is_some() || never_met {
            return Ok(ExploratoryComparisons { warnings, ..ExploratoryComparisons::default() });
        }
        let contestants = read_distinct_contestants(results, leader_measures(results))?;
        let is_shown = (3..=MAX_PLAYERS).contains(&contestants.len());
        let leader = compare_leader(&contestants);
        let is_unclaimed =
            |comparison: &&Comparison| !results.iter().any(|results| is_claimed(results, comparison));
        Ok(ExploratoryComparisons {
            unclaimed: leader.iter().filter(is_unclaimed).cloned().collect(),
            leader,
            may_be_answered: results.iter().any(|results| results.stop.is_some()),
            matrix: if is_shown { Matrix::new(&contestants) } else { None },
            fronts: {
                let measure = strength_measure(&contestants);
                fronts(results, contestants, measure)
            },
            warnings,
        })
    }
}
