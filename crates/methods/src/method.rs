//! Contract of a method: it asks for candidates to be played, and learns from their losses.
//!
//! A method deals with points of a box and numbers, not with games. It has its own random seed, so
//! equal seeds and equal losses give the same path. Its requests do not depend on the number of
//! games left, except at the end. So a search with a larger budget begins like one with a smaller
//! budget, whose games need not be played again.

/// Point of the box: a number from 0 to 1 for each axis.
pub type Point = Vec<f64>;

/// Box that a method searches.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// Starting point of the search.
    pub start: Point,
    /// Smallest effective change per axis: 0 if every change has an effect, and the distance
    /// between neighbours if the setting is a whole number.
    pub resolution: Vec<f64>,
}

/// Purpose of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The method measures gradient and noise, without moving.
    Pilot,
    /// The method measures its candidates and moves its answer.
    Step,
    /// Start, best point so far and the method's answer are compared, and the search continues.
    Check,
    /// These points are compared at the end of the search.
    Final,
}

impl StepKind {
    /// Returns the name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            StepKind::Pilot => "pilot",
            StepKind::Step => "step",
            StepKind::Check => "check",
            StepKind::Final => "final check",
        }
    }
}

/// Step of a search: all candidates play the same blocks, which were never played before.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodStep {
    /// Purpose of the step.
    pub kind: StepKind,
    /// Points to play.
    pub candidates: Vec<Point>,
    /// Blocks per candidate.
    pub blocks: u64,
}

impl MethodStep {
    /// Returns the games that the step takes from the budget, if no candidate is refused.
    pub fn games(&self) -> u64 {
        self.blocks * self.candidates.len() as u64
    }
}

/// Losses of a candidate, one per block in order; less is better. `None` if the player refuses the
/// settings, so that the candidate was not played.
pub type CandidateLosses = Option<Vec<f64>>;

/// Search for a better point.
pub trait Optimizer: Send {
    /// Returns the next step; `None` if it needs more games than are left, or the search has ended.
    /// If called again before `record_losses`, it returns the same step.
    fn ask(&mut self, games_left: u64) -> Option<MethodStep>;

    /// Learns from the results of the last step; one entry of losses per candidate.
    fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]);

    /// Returns the current answer.
    fn best_point(&self) -> Point;

    /// Restarts at a point, with smaller steps, because the search went astray.
    fn restart_at(&mut self, point: &Point);

    /// Returns other possible answers, which the final check compares with the answer.
    fn rivals(&self) -> Vec<Point> {
        Vec::new()
    }
}

/// Reflects a number into the box at its borders.
pub(super) fn reflect(x: f64) -> f64 {
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
            assert_eq!(reflect(x), expected, "{x}");
        }
    }
}
