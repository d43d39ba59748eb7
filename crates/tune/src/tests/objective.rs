//! Noisy objectives whose best point is known. Each loses 0.6 at its start and nothing at its best
//! point. The noise of a game has a standard deviation of 0.6. A tenth of the variance is common to
//! all games of a block, as measured for the logarithm of 2048 scores.

use gauntlet_core::rng::{Rng, Seed};
use gauntlet_methods::SettingsMethod;
use gauntlet_methods::method::{CandidateLosses, MethodStep, Point, Space};

use crate::search::Search;

pub(crate) const START_LOSS: f64 = 0.6;
const NOISE: f64 = 0.6;

/// An objective: its shape, start and best point.
#[derive(Clone, Debug)]
pub(crate) struct Objective {
    pub(crate) name: &'static str,
    pub(crate) start: Point,
    best: Point,
    curvature: Vec<f64>,
    /// True if the axes are rotated, so that each curvature belongs to a mixture of axes.
    is_rotated: bool,
    /// The loss far away, which is never reached; infinite for a quadratic.
    ceiling: f64,
    scale: f64,
}

/// Makes an objective, scaled so that the start loses 0.6.
fn objective(
    name: &'static str,
    start: &[f64],
    best: &[f64],
    curvature: &[f64],
    is_rotated: bool,
    ceiling: f64,
) -> Objective {
    let (start, best, curvature) = (start.to_vec(), best.to_vec(), curvature.to_vec());
    let mut result = Objective { name, start, best, curvature, is_rotated, ceiling, scale: 1.0 };
    let start_value =
        if ceiling.is_finite() { -ceiling * libm::log(1.0 - START_LOSS / ceiling) } else { START_LOSS };
    result.scale = start_value / result.quadratic(&result.start);
    result
}

/// Returns the five kinds of objectives that a tuner must master.
pub(crate) fn all_objectives() -> Vec<Objective> {
    let start = [0.8, 0.25, 0.7, 0.2, 0.75];
    let best = [0.5, 0.6, 0.35, 0.55, 0.4];
    let hundred = [1.0, 3.2, 10.0, 32.0, 100.0];
    let inf = f64::INFINITY;
    vec![
        objective("well-conditioned", &start, &best, &[1.0, 1.3, 0.8, 1.1, 0.9], false, inf),
        objective("ill-conditioned", &start, &best, &hundred, false, inf),
        objective("ridge", &start, &best, &hundred, true, inf),
        objective("plateau", &start, &best, &[1.0, 2.0, 1.5, 1.0, 0.7], false, 0.7),
        objective("one axis without effect", &start, &best, &[1.0, 2.0, 0.0, 4.0, 3.0], false, inf),
    ]
}

/// Returns an objective that nothing improves.
pub(crate) fn flat_objective() -> Objective {
    let mut flat = all_objectives().swap_remove(0);
    (flat.name, flat.scale) = ("flat", 0.0);
    flat
}

impl Objective {
    fn quadratic(&self, point: &[f64]) -> f64 {
        let mut distance: Vec<f64> = point.iter().zip(&self.best).map(|(x, best)| x - best).collect();
        if self.is_rotated {
            // A reflection that mixes all axes: the normal of its mirror is the vector (1, -2, 3,
            // -4, ...).
            let normal = |i: usize| if i.is_multiple_of(2) { i as f64 + 1.0 } else { -(i as f64 + 1.0) };
            let squares: f64 = (0..distance.len()).map(|i| normal(i) * normal(i)).sum();
            let projection: f64 = distance.iter().enumerate().map(|(i, x)| x * normal(i)).sum();
            for (i, x) in distance.iter_mut().enumerate() {
                *x -= 2.0 * projection / squares * normal(i);
            }
        }
        self.scale * distance.iter().zip(&self.curvature).map(|(x, curvature)| curvature * x * x).sum::<f64>()
    }

    /// Returns the expected loss at a point.
    pub(crate) fn loss(&self, point: &[f64]) -> f64 {
        let quadratic = self.quadratic(point);
        if self.ceiling.is_finite() {
            self.ceiling * (1.0 - libm::exp(-quadratic / self.ceiling))
        } else {
            quadratic
        }
    }

    pub(crate) fn space(&self) -> Space {
        Space { start: self.start.clone(), resolution: vec![0.0; self.start.len()] }
    }

    /// Returns a point between the start (0) and the best point (1).
    pub(crate) fn point_between(&self, fraction: f64) -> Point {
        self.start.iter().zip(&self.best).map(|(start, best)| start + fraction * (best - start)).collect()
    }

    /// Returns a quadratic 100 times as steep, with a start so near that it loses a sixth.
    pub(crate) fn steep(&self) -> Objective {
        assert!(self.ceiling.is_infinite(), "a quadratic");
        Objective { start: self.point_between(0.96), scale: 100.0 * self.scale, ..self.clone() }
    }

    /// Returns noisy losses of the candidates of step `number`.
    pub(crate) fn play(&self, step: &MethodStep, seed: Seed, number: u64) -> Vec<CandidateLosses> {
        let common_deviation = 0.1_f64.sqrt() * NOISE;
        let own_deviation = 0.9_f64.sqrt() * NOISE;
        let mut rng = seed.child("noise", number).rng();
        let blocks: Vec<f64> = (0..step.blocks).map(|_| common_deviation * draw_normal(&mut rng)).collect();
        let losses = step.candidates.iter().map(|point| {
            let loss = self.loss(point);
            Some(blocks.iter().map(|block| loss + block + own_deviation * draw_normal(&mut rng)).collect())
        });
        losses.collect()
    }

    /// Runs a search with this budget.
    pub(crate) fn search(&self, method: SettingsMethod, seed: u64, budget: u64) -> Search {
        let method_seed = Seed::root(seed).child("method", 0);
        self.run(Search::with_settings(method, &self.space(), 1, method_seed), seed, budget)
    }

    pub(crate) fn run(&self, mut search: Search, seed: u64, budget: u64) -> Search {
        let mut number = 0;
        while let Some(step) = search.ask(budget - search.games_spent()) {
            let losses = self.play(&step, Seed::root(seed), number);
            search.record_losses(&step, &losses);
            number += 1;
        }
        search
    }
}

/// Draws a nearly normal number of mean 0 and variance 1: the sum of four uniform numbers from one
/// draw.
fn draw_normal(rng: &mut Rng) -> f64 {
    let bits = rng.bits();
    let sum: f64 = (0..4).map(|part| f64::from((bits >> (16 * part)) as u16) / 65536.0 - 0.5).sum();
    sum * 3.0_f64.sqrt()
}
