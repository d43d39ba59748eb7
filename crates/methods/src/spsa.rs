//! Simultaneous perturbation stochastic approximation (Spall, 1992), with averaged iterates (Polyak
//! and Juditsky, 1992).
//!
//! A step draws some directions, whose entries are all +1 or -1, and plays both neighbours of the
//! present point along each. From the differences of their losses follows an estimate of the
//! gradient, against which the point moves. The gains fall as in Spall's guidelines (1998): by the
//! powers 0.602 for the step and 0.101 for the perturbation.
//!
//! The gain is scaled by measurement: a pilot plays some steps without moving, and from the size of
//! their estimates (gradient and noise together) follows the gain at which the first step is
//! `FIRST_STEP` of the box on each axis. So it does not matter in which unit the loss is. No step
//! is longer than `LONGEST_STEP` on each axis.
//!
//! The answer is the average of the last half of the points.

use gauntlet_core::rng::Seed;

use super::method::{Kind, Losses, Method, Point, Space, Step};
use super::paired::mean;
use super::tail::Tail;

/// Its line in the manual.
pub(super) const ABOUT: &str = "steps against the slope, seen by comparing points to both sides of the present one along random directions";

/// Begins it at the start of a space.
pub(super) fn begin(space: &Space, seed: Seed) -> Box<dyn Method> {
    Box::new(Spsa::new(space, seed))
}

/// Directions of a step; two candidates each.
const DIRECTIONS: usize = 4;

/// Blocks of each candidate of a step.
const BLOCKS: u64 = 4;

/// Steps of the pilot: with 4 directions each, the size of an estimate is known to about an eighth.
const PILOT_STEPS: u64 = 8;

/// Distance of a candidate from the present point on each axis, at the first step. A larger one
/// hears the gradient better through the noise, and a smaller one bends less of it: of the loss
/// that is left after 20,000 games, 0.06 leaves twice as much as 0.1, and 0.15 half as much.
const PERTURBATION: f64 = 0.15;

/// Length of the first step: the root of the mean square over the axes. Between 0.02 and 0.08 it
/// matters little from 20,000 games on; with 2,000 games, 0.01 leaves four times as much loss as
/// 0.04. A gain that is too large is sent back by checks.
const FIRST_STEP: f64 = 0.05;

/// Greatest length of any step, measured likewise.
const LONGEST_STEP: f64 = 0.1;

/// Spall's A: for about this number of steps the gain stays what it is.
const STABILITY: f64 = 20.0;

/// After this number of steps in a row in which a candidate of each pair was refused, there is
/// nothing left to try: the perturbation, which halves each time, is a billionth of what it was.
const MOST_REFUSALS: u32 = 30;

/// The method.
#[derive(Debug)]
pub struct Spsa {
    grain: Vec<f64>,
    seed: Seed,
    at: Point,
    /// Steps that it was told of: the number of the next one's chance.
    told: u64,
    /// The sum of squares of the pilot's estimates of the gradient, and how many there are.
    pilot: (f64, u64),
    /// Steps that it moved.
    moves: u64,
    /// Factor of the gain: less after each return.
    caution: f64,
    /// Refused steps in a row.
    refusals: u32,
    /// The path since the start or the last return.
    tail: Tail,
}

impl Spsa {
    /// At the start of a space.
    pub fn new(space: &Space, seed: Seed) -> Spsa {
        Spsa {
            grain: space.grain.clone(),
            seed,
            at: space.start.clone(),
            told: 0,
            pilot: (0.0, 0),
            moves: 0,
            caution: 1.0,
            refusals: 0,
            tail: Tail::new(&space.start),
        }
    }

    /// With its gain multiplied, for tests of what happens if it is far too large.
    #[must_use]
    pub fn with_gain(mut self, times: f64) -> Spsa {
        self.caution *= times;
        self
    }

    fn is_pilot(&self) -> bool {
        self.pilot.1 < PILOT_STEPS
    }

    /// Both neighbours along a direction, inside the box. Near a border the pair is moved inwards,
    /// so that its distance stays.
    fn pair(&self, mut signs: u64) -> [Point; 2] {
        let falling = libm::pow(self.moves as f64 + 1.0, -0.101) * libm::pow(0.5, f64::from(self.refusals));
        let mut pair = [Vec::new(), Vec::new()];
        for (x, grain) in self.at.iter().zip(&self.grain) {
            // Less than half a grain, and both could be the same player.
            let reach = (PERTURBATION * falling).max(grain / 2.0).min(0.5);
            let middle = x.clamp(reach, 1.0 - reach);
            let sign = if signs & 1 == 1 { 1.0 } else { -1.0 };
            signs >>= 1;
            pair[0].push(middle + sign * reach);
            pair[1].push(middle - sign * reach);
        }
        pair
    }

    /// The estimate of the gradient: the mean over the pairs of which neither candidate was
    /// refused.
    fn gradient(&self, step: &Step, losses: &[Losses]) -> Option<Vec<f64>> {
        let mut sum = vec![0.0; self.at.len()];
        let mut pairs = 0.0;
        for (points, losses) in step.candidates.chunks_exact(2).zip(losses.chunks_exact(2)) {
            let [Some(up), Some(down)] = losses else { continue };
            let difference = mean(up) - mean(down);
            for (sum, (up, down)) in sum.iter_mut().zip(points[0].iter().zip(&points[1])) {
                *sum += difference / (up - down);
            }
            pairs += 1.0;
        }
        (pairs > 0.0).then(|| sum.iter().map(|sum| sum / pairs).collect())
    }

    /// Factor of a gradient at the next step.
    fn gain(&self) -> f64 {
        let (sum, count) = self.pilot;
        let size = (sum / (count as f64 * self.at.len() as f64)).sqrt();
        if size == 0.0 {
            return 0.0;
        }
        let falling = libm::pow((1.0 + STABILITY) / (self.moves as f64 + 1.0 + STABILITY), 0.602);
        self.caution * FIRST_STEP / size * falling
    }

    fn move_against(&mut self, gradient: &[f64]) {
        let gain = self.gain();
        let squares: f64 = gradient.iter().map(|slope| (gain * slope) * (gain * slope)).sum();
        let length = (squares / gradient.len() as f64).sqrt();
        let shortened = if length > LONGEST_STEP { LONGEST_STEP / length } else { 1.0 };
        for (x, slope) in self.at.iter_mut().zip(gradient) {
            *x = (*x - shortened * gain * slope).clamp(0.0, 1.0);
        }
        self.moves += 1;
        self.tail.push(&self.at);
    }
}

impl Method for Spsa {
    fn ask(&mut self, games_left: u64) -> Option<Step> {
        let mut rng = self.seed.child("step", self.told).rng();
        let candidates = (0..DIRECTIONS).flat_map(|_| self.pair(rng.bits())).collect();
        let kind = if self.is_pilot() { Kind::Pilot } else { Kind::Step };
        let step = Step { kind, candidates, blocks: BLOCKS };
        (step.games() <= games_left && self.refusals < MOST_REFUSALS).then_some(step)
    }

    fn tell(&mut self, step: &Step, losses: &[Losses]) {
        self.told += 1;
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

    fn answer(&self) -> Point {
        self.tail.average()
    }

    fn go_back(&mut self, to: &Point) {
        self.at.clone_from(to);
        self.tail = Tail::new(to);
        self.caution /= 4.0;
    }
}
