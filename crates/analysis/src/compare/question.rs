//! The question that is asked of two players, and the answers that it can have.

use gauntlet_core::measure::Measure;

/// A question about two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The measure by which they are compared.
    pub by: Measure,
    /// The confidence level of the answer.
    pub level: f64,
    /// The margin, if the first need only be at least as good: by this much it may be worse.
    pub margin: Option<f64>,
    /// True where the games may have been ended by what they had shown: then only tests that hold
    /// at every look are valid.
    pub sequential: bool,
    /// Earlier answers with other numbers of these games, for which p and bounds are corrected.
    pub earlier: usize,
}

impl Question {
    /// The earlier answers that matter: a test that holds at every look needs no correction.
    pub(super) fn corrected_for(self) -> usize {
        if self.sequential && self.by.holds_at_every_look() { 0 } else { self.earlier }
    }
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The first is better, or at least as good: what was asked.
    Yes,
    /// The first is worse.
    Opposite,
    /// Neither is shown.
    Nothing,
}

impl Shown {
    /// The same of the other player first, if it is turned.
    pub fn turned(self, is_turned: bool) -> Shown {
        match self {
            Shown::Yes if is_turned => Shown::Opposite,
            Shown::Opposite if is_turned => Shown::Yes,
            shown => shown,
        }
    }
}

/// The power with which games are counted: how often they show a difference that is there.
pub(super) const POWER: f64 = 0.8;

/// The smallest differences that are relevant: numbers of games are counted for them.
#[derive(Clone, Copy, Debug)]
pub struct Relevant {
    /// Of rates, as a share of all games.
    pub rate: f64,
    /// Of scores, as a part of the score.
    pub part: f64,
}

impl Default for Relevant {
    fn default() -> Relevant {
        Relevant { rate: 0.02, part: 0.05 }
    }
}
