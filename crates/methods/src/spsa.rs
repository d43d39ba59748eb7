//! Simultaneous perturbation stochastic approximation (SPSA, Spall 1992), with averaged iterates
//! (Polyak and Juditsky, 1992).
//!
//! A step draws some directions with entries +1 or -1, and plays both neighbours of the current
//! point along each. The differences of their losses give an estimate of the gradient, and the
//! point moves against it. The gains fall as in Spall's guidelines (1998): with the powers 0.602
//! for the step and 0.101 for the perturbation.
//!
//! The gain is scaled by measurement. A pilot plays some steps without moving. The size of their
//! estimates (gradient and noise together) determines the gain at which the first step is
//! `FIRST_STEP` of the box on each axis. So the unit of the loss does not matter. No step is longer
//! than `LONGEST_STEP` on each axis.
//!
//! The answer is the average of the last half of the points.

use gauntlet_core::rng::Seed;

use super::loss_comparison::mean;
use super::method::{CandidateLosses, MethodStep, Optimizer, Point, Space, StepKind};
use super::tail_average::TailAverage;

/// Line in the manual.
pub(super) const ABOUT: &str =
    "stochastic gradient descent: estimates the slope from pairs of points around the current point";

/// Creates the method at the start of a space.
pub(super) fn create(space: &Space, seed: Seed) -> Box<dyn Optimizer> {
    Box::new(Spsa::new(space, seed))
}

/// Directions per step; two candidates each.
const DIRECTIONS: usize = 4;

/// Blocks per candidate.
const BLOCKS: u64 = 4;

/// Steps of the pilot: with 4 directions each, the size of an estimate is known to about an eighth.
const PILOT_STEPS: u64 = 8;

/// Distance of a candidate from the current point on each axis, at the first step. A larger one
/// separates the gradient better from the noise; a smaller one has less bias from curvature. After
/// 20,000 games, 0.06 leaves twice as much loss as 0.1, and 0.15 half as much.
const PERTURBATION: f64 = 0.15;

/// Length of the first step: the root mean square over the axes. Between 0.02 and 0.08 it matters
/// little from 20,000 games on; with 2,000 games, 0.01 leaves four times as much loss as 0.04.
/// Checks revert a search with too large a gain.
const FIRST_STEP: f64 = 0.05;

/// Maximum length of any step, in the same measure.
const LONGEST_STEP: f64 = 0.1;

/// Spall's A: for about this number of steps the gain stays constant.
const STABILITY: f64 = 20.0;

/// Number of consecutive steps in which a candidate of each pair was refused, after which the
/// search ends. The perturbation, which halves each time, is then a billionth of its initial size.
const MAX_REFUSALS: u32 = 30;

/// State of an SPSA search.
#[derive(Debug)]
pub struct Spsa {
    resolution: Vec<f64>,
    seed: Seed,
    point: Point,
    /// Number of steps reported, which seeds the next step.
    step_count: u64,
    /// Sum of squares of the pilot's gradient estimates, and their number.
    pilot: (f64, u64),
    /// Number of moves.
    moves: u64,
    /// Factor of the gain, smaller after each return.
    gain_factor: f64,
    /// Number of consecutive refused steps.
    refusals: u32,
    /// Path since the start or the last return.
    tail: TailAverage,
}

impl Spsa {
    /// Creates a search at the start of a space.
    pub fn new(space: &Space, seed: Seed) -> Spsa {
        Spsa {
            resolution: space.resolution.clone(),
            seed,
            point: space.start.clone(),
            step_count: 0,
            pilot: (0.0, 0),
            moves: 0,
            gain_factor: 1.0,
            refusals: 0,
            tail: TailAverage::new(&space.start),
        }
    }

    /// Multiplies the gain, for tests of a gain that is far too large.
    #[must_use]
    pub fn with_gain(mut self, factor: f64) -> Spsa {
        self.gain_factor *= factor;
        self
    }

    fn is_pilot(&self) -> bool {
        self.pilot.1 < PILOT_STEPS
    }

    /// Returns both neighbours along a direction, inside the box. Near a border the pair is moved
    /// inwards, which keeps its distance.
    fn neighbour_pair(&self, mut signs: u64) -> [Point; 2] {
        let decay = libm::pow(self.moves as f64 + 1.0, -0.101) * libm::pow(0.5, f64::from(self.refusals));
        let mut pair = [Vec::new(), Vec::new()];
        for (x, resolution) in self.point.iter().zip(&self.resolution) {
            // With less than half a grain, both could be the same player.
            let distance = (PERTURBATION * decay).max(resolution / 2.0).min(0.5);
            let middle = x.clamp(distance, 1.0 - distance);
            let sign = if signs & 1 == 1 { 1.0 } else { -1.0 };
            signs >>= 1;
            pair[0].push(middle + sign * distance);
            pair[1].push(middle - sign * distance);
        }
        pair
    }

    /// Returns the gradient estimate: the mean over the pairs without a refused candidate.
    fn gradient(&self, step: &MethodStep, losses: &[CandidateLosses]) -> Option<Vec<f64>> {
        let mut sum = vec![0.0; self.point.len()];
        let mut pairs = 0.0;
        for (points, losses) in step.candidates.chunks_exact(2).zip(losses.chunks_exact(2)) {
            let [Some(plus), Some(minus)] = losses else { continue };
            let difference = mean(plus) - mean(minus);
            for (sum, (plus, minus)) in sum.iter_mut().zip(points[0].iter().zip(&points[1])) {
                *sum += difference / (plus - minus);
            }
            pairs += 1.0;
        }
        (pairs > 0.0).then(|| sum.iter().map(|sum| sum / pairs).collect())
    }

    /// Returns the gain of the next step.
    fn gain(&self) -> f64 {
        let (sum, count) = self.pilot;
        let size = (sum / (count as f64 * self.point.len() as f64)).sqrt();
        if size == 0.0 {
            return 0.0;
        }
        let decay = libm::pow((1.0 + STABILITY) / (self.moves as f64 + 1.0 + STABILITY), 0.602);
        self.gain_factor * FIRST_STEP / size * decay
    }

    fn move_against(&mut self, gradient: &[f64]) {
        let gain = self.gain();
        let squares: f64 = gradient.iter().map(|slope| (gain * slope) * (gain * slope)).sum();
        let length = (squares / gradient.len() as f64).sqrt();
        let scale = if length > LONGEST_STEP { LONGEST_STEP / length } else { 1.0 };
        for (x, slope) in self.point.iter_mut().zip(gradient) {
            *x = (*x - scale * gain * slope).clamp(0.0, 1.0);
        }
        self.moves += 1;
        self.tail.push(&self.point);
    }
}

impl Optimizer for Spsa {
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        let mut rng = self.seed.child("step", self.step_count).rng();
        let candidates = (0..DIRECTIONS).flat_map(|_| self.neighbour_pair(rng.bits())).collect();
        let kind = if self.is_pilot() { StepKind::Pilot } else { StepKind::Step };
        let step = MethodStep { kind, candidates, blocks: BLOCKS };
        (step.games() <= games_left && self.refusals < MAX_REFUSALS).then_some(step)
    }

    fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]) {
        self.step_count += 1;
        let Some(gradient) = self.gradient(step, losses) else {
            self.refusals += 1;
            return;
        };
        self.refusals = 0;
        if self.is_pilot() {
            self.pilot.0 += gradient.iter().map(|slope| slope * slope).sum::<f64>();
            self.pilot.1 += 1;
        } else {
            self.move_against(&gradient);
        }
    }

    fn best_point(&self) -> Point {
        self.tail.average()
    }

    fn restart_at(&mut self, point: &Point) {
        self.point.clone_from(point);
        self.tail = TailAverage::new(point);
        self.gain_factor /= 4.0;
    }
}
