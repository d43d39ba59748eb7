//! Race: all candidates of a list play the same new blocks, and those that are significantly worse
//! than the best drop out.
//!
//! It works like F-race (Birattari et al., 2002), except for the test. F-race repeats an
//! uncorrected test, and may drop the best candidate more often than its level allows. Here the
//! best candidate drops out with a probability of at most `RISK` in the whole race: round r takes
//! `RISK / (r (r + 1))` of it, and each comparison of a round an equal share. Successive halving
//! (Karnin et al., 2013) was not used because it must know its budget in advance, and drops half of
//! the candidates even without evidence.
//!
//! Rounds grow with the number of blocks played, so the number of tests grows only with its
//! logarithm.

use gauntlet_core::rng::Seed;

use super::loss_comparison::{excess, is_positive, mean};
use super::method::{CandidateLosses, MethodStep, Optimizer, Point, StepKind};

/// Line in the manual.
pub(super) const ABOUT: &str =
    "plays all listed players on the same blocks and drops significantly worse players";

/// Creates the method with all candidates. It uses no randomness.
pub(super) fn create(candidates: &[Point], _: Seed) -> Box<dyn Optimizer> {
    Box::new(Race::new(candidates))
}

/// Probability that the best candidate drops out.
const RISK: f64 = 0.05;

/// Blocks of the first round, and minimum of each round.
const MIN_BLOCKS: u64 = 8;

/// Each round has one part in this number of the blocks played before.
const GROWTH_DIVISOR: u64 = 4;

/// State of a race.
#[derive(Debug)]
pub struct Race {
    runners: Vec<Runner>,
    /// Number of initial candidates.
    initial_count: usize,
    rounds: u64,
    leader: Point,
}

/// Remaining candidate, with its loss on each block so far.
#[derive(Debug)]
struct Runner {
    point: Point,
    losses: Vec<f64>,
}

impl Race {
    /// Creates a race of some candidates. Before the first round the first candidate leads.
    ///
    /// # Panics
    /// If there are none.
    pub fn new(candidates: &[Point]) -> Race {
        let leader = candidates.first().expect("candidates").clone();
        let runners = candidates.iter().map(|point| Runner { point: point.clone(), losses: Vec::new() });
        Race { runners: runners.collect(), initial_count: candidates.len(), rounds: 0, leader }
    }

    fn blocks(&self) -> u64 {
        self.runners.first().map_or(0, |runner| runner.losses.len() as u64)
    }
}

impl Optimizer for Race {
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        if self.runners.len() < 2 {
            return None;
        }
        // The last round is as long as the budget allows.
        let blocks =
            (self.blocks() / GROWTH_DIVISOR).max(MIN_BLOCKS).min(games_left / self.runners.len() as u64);
        let candidates = self.runners.iter().map(|runner| runner.point.clone()).collect();
        (blocks > 0).then_some(MethodStep { kind: StepKind::Step, candidates, blocks })
    }

    fn record_losses(&mut self, _: &MethodStep, losses: &[CandidateLosses]) {
        let mut losses = losses.iter();
        self.runners.retain_mut(|runner| {
            let new_losses = losses.next().and_then(Option::as_ref);
            runner.losses.extend(new_losses.into_iter().flatten());
            new_losses.is_some()
        });
        self.rounds += 1;
        let best = self.runners.iter().min_by(|a, b| mean(&a.losses).total_cmp(&mean(&b.losses)));
        let Some(leader) = best else { return };
        let comparisons = self.initial_count.max(2) - 1;
        let risk = RISK / (self.rounds * (self.rounds + 1)) as f64 / comparisons as f64;
        let leader_losses = leader.losses.clone();
        self.leader = leader.point.clone();
        self.runners.retain(|runner| {
            !excess(&runner.losses, &leader_losses).is_some_and(|excess| is_positive(excess, risk))
        });
    }

    fn best_point(&self) -> Point {
        self.leader.clone()
    }

    fn restart_at(&mut self, point: &Point) {
        self.runners.clear();
        self.leader.clone_from(point);
    }
}
