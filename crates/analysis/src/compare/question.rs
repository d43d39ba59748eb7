//! The question about two players, and its possible results.

use gauntlet_core::measure::Measure;

/// A question about two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonQuestion {
    /// Measure by which they are compared.
    pub measure: Measure,
    pub level: f64,
    /// How much worse the first player may be, if the question is whether it is at least as good.
    pub margin: Option<f64>,
    /// True if earlier results may have ended the run: then only tests that hold at every look are
    /// valid.
    pub is_sequential: bool,
    /// Number of earlier answers from other numbers of games, for which p and bounds are corrected.
    pub earlier_answers: usize,
}

impl ComparisonQuestion {
    /// Returns the number of earlier answers to correct for. A test that holds at every look needs
    /// no correction.
    pub(crate) fn earlier_to_correct(self) -> usize {
        if self.is_sequential && self.measure.has_sequential_test() { 0 } else { self.earlier_answers }
    }
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// What was asked: the first player is better, or at least as good.
    Yes,
    /// The first player is worse.
    Opposite,
    /// Inconclusive.
    Inconclusive,
}

impl Conclusion {
    /// Returns the result from the other player's view, if `is_swapped`.
    pub fn swap_players_if(self, is_swapped: bool) -> Conclusion {
        match self {
            Conclusion::Yes if is_swapped => Conclusion::Opposite,
            Conclusion::Opposite if is_swapped => Conclusion::Yes,
            conclusion => conclusion,
        }
    }
}

/// Power for which games are counted: how often they show a difference that exists.
pub(super) const POWER: f64 = 0.8;

/// Smallest differences that are relevant, for which numbers of games are computed.
#[derive(Clone, Copy, Debug)]
pub struct RelevantDifference {
    /// Difference of rates, as a share of all games.
    pub rate: f64,
    /// Difference of scores, as a part of the score.
    pub score: f64,
}

impl Default for RelevantDifference {
    fn default() -> RelevantDifference {
        RelevantDifference { rate: 0.02, score: 0.05 }
    }
}
