//! Value of a random game to the player that plays it out.

use gauntlet_core::game::{Outcome, Seat, WinDrawLoss};
use serde::{Deserialize, Serialize};

/// What counts as the value of a random game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayoutValue {
    /// Score: the points from here on; in a duel 1 for a win, 1/2 for a draw and 0 for a loss.
    #[default]
    Score,
    /// 1 for a win, else 0.
    Win,
}

impl PlayoutValue {
    /// Returns the value of an outcome to a seat that had this many points before, in halves. So
    /// sums are whole numbers and do not depend on the order in which games end.
    pub(super) fn half_points(self, outcome: Outcome, seat: Seat, start_score: u64) -> u64 {
        match (self, outcome) {
            (PlayoutValue::Score, Outcome::Points { score, .. }) => 2 * score.saturating_sub(start_score),
            _ => match outcome.result_for(seat) {
                WinDrawLoss::Win => 2,
                WinDrawLoss::Draw => u64::from(self == PlayoutValue::Score),
                WinDrawLoss::Loss => 0,
            },
        }
    }
}

/// Returns the mean of games whose values in halves have this sum.
pub(super) fn mean(halves: u64, games: u64) -> f64 {
    halves as f64 / (2 * games) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_have_a_worth_to_each_seat() {
        let points = |score, won| Outcome::Points { score, won };
        for (value, outcome, seat, halves) in [
            (PlayoutValue::Score, points(30, false), Seat::First, 40),
            (PlayoutValue::Win, points(30, false), Seat::First, 0),
            (PlayoutValue::Win, points(30, true), Seat::First, 2),
            (PlayoutValue::Score, Outcome::Won(Seat::First), Seat::First, 2),
            (PlayoutValue::Score, Outcome::Won(Seat::First), Seat::Second, 0),
            (PlayoutValue::Win, Outcome::Won(Seat::Second), Seat::Second, 2),
            (PlayoutValue::Score, Outcome::Drawn, Seat::Second, 1),
            (PlayoutValue::Win, Outcome::Drawn, Seat::Second, 0),
        ] {
            assert_eq!(value.half_points(outcome, seat, 10), halves, "{value:?} {outcome:?} {seat:?}");
        }
        assert_eq!(mean(7, 2), 1.75);
    }
}
