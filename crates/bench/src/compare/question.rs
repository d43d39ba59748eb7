//! What is asked of two players, and what may be shown.

use crate::measure::Measure;

/// What is asked of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// By what they are compared.
    pub by: Measure,
    /// How sure the answer shall be.
    pub level: f64,
    /// If the first need only be at least as good: how much worse it may be.
    pub margin: Option<f64>,
    /// Whether the games may have been ended by what they had shown: then only what holds at every look holds here.
    pub sequential: bool,
}

/// What a comparison has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// What was asked: the first is better, or at least as good.
    Yes,
    /// That it is worse.
    Opposite,
    /// Nothing.
    Nothing,
}

/// How often a difference that is there shall be seen, where games are counted for it.
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
