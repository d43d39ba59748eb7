//! A headline: a statement about the leader, and how sure it is.

use crate::compare::comparison::Comparison;
use crate::compare::question::Conclusion;

/// A headline, and how sure it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headline {
    /// The leader; empty if there is none.
    pub subject: String,
    /// Statement about the leader.
    pub predicate: String,
    /// How sure the statement is, in whole sentences.
    pub certainty: String,
    /// Sentence about the second player; empty if there is none.
    pub runner_up: String,
}

impl Headline {
    /// Replaces the conclusion from intervals by the conclusion from tests of the leader against
    /// each other player. Tests are more exact.
    pub fn conclude_from_tests(&mut self, comparisons: &[Comparison]) {
        let has_conclusion = |conclusion| move |one: &&Comparison| one.conclusion() == conclusion;
        match comparisons.iter().find(has_conclusion(Conclusion::Opposite)) {
            Some(comparison) => self.set_refuted(&comparison.rival),
            None => self.set_tested(
                comparisons.iter().filter(has_conclusion(Conclusion::Yes)).count(),
                comparisons.len(),
            ),
        }
    }

    /// Replaces the conclusion if another player was found better. This can happen because the test
    /// that ended a run counts blocks: the player with the lower mean may win more of them.
    pub(crate) fn set_refuted(&mut self, other: &str) {
        if !self.runner_up.is_empty() {
            self.certainty = format!("A direct test finds {other} significantly better.");
        }
    }

    /// Replaces the conclusion if the leader was found better than `beaten_count` of `other_count`
    /// others.
    pub(crate) fn set_tested(&mut self, beaten_count: usize, other_count: usize) {
        if self.runner_up.is_empty() || other_count == 0 {
            return;
        }
        self.certainty = match (beaten_count, other_count) {
            (1, 1) => "The difference is significant.".to_owned(),
            (0, 1) => "The difference is inconclusive.".to_owned(),
            (beaten_count, other_count) if beaten_count == other_count => {
                format!("The leader is significantly better than all {other_count} others.")
            }
            (0, other_count) => format!("All {other_count} comparisons with other players are inconclusive."),
            (beaten_count, other_count) => {
                format!(
                    "The leader is significantly better than {beaten_count} of {other_count} others; {} inconclusive.",
                    other_count - beaten_count
                )
            }
        };
    }
}
