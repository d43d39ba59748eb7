//! Random search: draws points from the whole box and returns the one that lost least.

use gauntlet_core::rng::Seed;
use gauntlet_methods::loss_comparison::mean;
use gauntlet_methods::method::{CandidateLosses, MethodStep, Optimizer, Point, Space, StepKind};

const BLOCKS: u64 = 100;

struct RandomSearch {
    seed: Seed,
    step_count: u64,
    best: Point,
    loss: f64,
}

pub(super) fn begin(space: &Space, seed: Seed) -> Box<dyn Optimizer> {
    Box::new(RandomSearch { seed, step_count: 0, best: space.start.clone(), loss: f64::INFINITY })
}

impl Optimizer for RandomSearch {
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        let mut rng = self.seed.child("step", self.step_count).rng();
        let candidate = self.best.iter().map(|_| rng.unit()).collect();
        let step = MethodStep { kind: StepKind::Step, candidates: vec![candidate], blocks: BLOCKS };
        (step.games() <= games_left).then_some(step)
    }

    fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]) {
        self.step_count += 1;
        if let Some(loss) = losses[0].as_deref().map(mean).filter(|loss| *loss < self.loss) {
            self.best.clone_from(&step.candidates[0]);
            self.loss = loss;
        }
    }

    fn best_point(&self) -> Point {
        self.best.clone()
    }

    fn restart_at(&mut self, point: &Point) {
        self.best.clone_from(point);
    }
}
