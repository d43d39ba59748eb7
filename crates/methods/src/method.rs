//! The contract of a method: it asks for candidates to be played, and learns from their losses.
//!
//! A method knows points of a box and numbers, and nothing of games. It draws chance from a seed of
//! its own, so the same seed and the same losses walk the same path. What it asks for never depends
//! on how many games are left, but for the end: a search with a larger budget begins as one with a
//! smaller budget did, and the games of the smaller one are not played again.

/// A point of the box: a number from 0 to 1 for each axis.
pub type Point = Vec<f64>;

/// The box in which a method looks for a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// Start of the search.
    pub start: Point,
    /// Least change that makes a difference, by axis: 0 where every change does, and the distance
    /// of two neighbours where the setting is a whole number.
    pub grain: Vec<f64>,
}

/// Purpose of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The method measures gradient and noise, and does not move.
    Pilot,
    /// The method moves.
    Step,
    /// Start, kept point and the method's answer are compared, and the search goes on.
    Check,
    /// The same, at the end of the search.
    Final,
}

impl Kind {
    /// As tables have it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Pilot => "pilot",
            Kind::Step => "step",
            Kind::Check => "check",
            Kind::Final => "final check",
        }
    }
}

/// Step of a search: each candidate plays the same blocks, which were never played before.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its purpose.
    pub kind: Kind,
    /// The candidates.
    pub candidates: Vec<Point>,
    /// Blocks of each of them.
    pub blocks: u64,
}

impl Step {
    /// Games of the budget that it takes, if no candidate is refused.
    pub fn games(&self) -> u64 {
        self.blocks * self.candidates.len() as u64
    }
}

/// The losses of a candidate, one for each block in their order; less is better. None if the player
/// refuses the settings: such a candidate was not played.
pub type Losses = Option<Vec<f64>>;

/// A way to look for a better point.
pub trait Method: Send {
    /// Next step; none if it needs more games than are left, or the search has come to its end.
    /// Asked again before it is told of the step, it gives the same step.
    fn ask(&mut self, games_left: u64) -> Option<Step>;

    /// Learns what came of the last step; one entry of losses for each candidate.
    fn tell(&mut self, step: &Step, losses: &[Losses]);

    /// The point that it would answer with now.
    fn answer(&self) -> Point;

    /// Begins again at a point, with smaller steps, because it went astray.
    fn go_back(&mut self, to: &Point);

    /// Other points that may be the answer: the final check chooses between it and them.
    fn rivals(&self) -> Vec<Point> {
        Vec::new()
    }
}

/// A number folded into the box at its borders.
pub(super) fn reflected(x: f64) -> f64 {
    let x = libm::fabs(x);
    let x = x - 2.0 * libm::floor(x / 2.0);
    if x > 1.0 { 2.0 - x } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_reflected() {
        for (x, expected) in
            [(0.25, 0.25), (-0.25, 0.25), (1.25, 0.75), (2.25, 0.25), (-1.25, 0.75), (1.0, 1.0)]
        {
            assert_eq!(reflected(x), expected, "{x}");
        }
    }
}
