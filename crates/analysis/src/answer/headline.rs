//! A headline: a statement about the leader, and how sure it is.

use crate::compare::comparison::Comparison;
use crate::compare::question::Conclusion;

/// A headline, and how sure it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headline {
    /// The leader; empty if there is none.
    pub who: String,
    /// Statement about the leader.
    pub says: String,
    /// How sure the statement is, in whole sentences.
    pub sure: String,
    /// Sentence about the second player; empty if there is none.
    pub next: String,
}

impl Headline {
    /// Replaces the conclusion from intervals by the conclusion from tests of the leader against
    /// each other player. Tests are more exact.
    pub fn conclude_from_tests(&mut self, comparisons: &[Comparison]) {
        let is = |shown| move |one: &&Comparison| one.conclusion() == shown;
        match comparisons.iter().find(is(Conclusion::Opposite)) {
            Some(worse) => self.set_refuted(&worse.than),
            None => {
                self.set_tested(comparisons.iter().filter(is(Conclusion::Yes)).count(), comparisons.len())
            }
        }
    }

    /// Replaces the conclusion if another player was found better. This can happen because the test
    /// that ended a run counts blocks: the player with the lower mean may win more of them.
    pub(crate) fn set_refuted(&mut self, other: &str) {
        if !self.next.is_empty() {
            self.sure = format!("A direct test finds {other} significantly better.");
        }
    }

    /// Replaces the conclusion if the leader was found better than `better` of `all` others.
    pub(crate) fn set_tested(&mut self, better: usize, all: usize) {
        if self.next.is_empty() || all == 0 {
            return;
        }
        self.sure = match (better, all) {
            (1, 1) => "The difference is significant.".to_owned(),
            (0, 1) => "The difference is inconclusive.".to_owned(),
            (better, all) if better == all => {
                format!("The leader is significantly better than all {all} others.")
            }
            (0, all) => format!("All {all} comparisons with other players are inconclusive."),
            (better, all) => {
                format!(
                    "The leader is significantly better than {better} of {all} others; {} inconclusive.",
                    all - better
                )
            }
        };
    }
}
