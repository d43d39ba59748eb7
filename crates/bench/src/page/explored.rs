//! Comparisons that were not announced before the run: of the leader with the others, and of all pairs of
//! players.

use super::matrix::Matrix;
use super::plots::MOST_ROWS;
use super::section::{Answer, answers};
use super::view::TableView;
use crate::results::analysis::contestants as compare;
use crate::results::analysis::doubts;
use crate::results::analysis::versus::AllPairs;
use crate::results::store::read::Results;
use crate::table::Table;

/// Comparisons that were not announced.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// The leader with each of the others, the strongest first.
    pub leader: Option<Table>,
    /// All pairs of players; none of more players than a matrix can show.
    pub pairs: Option<AllPairs>,
    /// Reasons to doubt them.
    pub doubts: Vec<String>,
}

impl Explored {
    /// Compares the players of these results where the games are there and were played under the same rules.
    pub fn of(results: &[Results]) -> anyhow::Result<Explored> {
        // In which rules they differ the page says itself, and more exactly.
        let other_rules = doubts::other_rules(results);
        let doubts = doubts::of_comparisons(results, compare::leading(results))?
            .into_iter()
            .filter(|doubt| Some(doubt) != other_rules.as_ref())
            .collect();
        if results.iter().any(|results| !results.has_games()) || other_rules.is_some() {
            return Ok(Explored { doubts, ..Explored::default() });
        }
        let contestants = compare::contestants(results, compare::leading(results))?;
        let leader = compare::compare_leader(results, &contestants);
        let pairs = if (3..=MOST_ROWS).contains(&contestants.len()) {
            AllPairs::of(results, &contestants)
        } else {
            None
        };
        let leader = (!leader.is_empty()).then(|| compare::table(&leader));
        Ok(Explored { leader, pairs, doubts })
    }
}

/// Comparisons of the leader as a page shows them.
pub(super) struct Found {
    pub(super) answers: Vec<Answer>,
    pub(super) table: TableView,
    /// True if a run that could end early may have answered some of it.
    pub(super) may_be_settled: bool,
}

impl Explored {
    /// The comparisons of the leader, if there are any.
    pub(super) fn found(&self, results: &[Results]) -> Option<Found> {
        let table = self.leader.as_ref().filter(|table| !table.rows.is_empty())?;
        Some(Found {
            answers: answers(table),
            table: TableView::of(table),
            may_be_settled: results.iter().any(|results| results.settled.is_some()),
        })
    }

    /// All pairs, if they are known.
    pub(super) fn matrix(&self) -> Option<Matrix> {
        self.pairs.as_ref().map(Matrix::of)
    }
}
