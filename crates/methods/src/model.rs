//! Bayesian optimization: a Gaussian process models the loss at every point of the box from all
//! games.
//!
//! Each step chooses candidates by Thompson sampling (1933): it draws functions from the posterior
//! of the loss, and plays the minimum of each. So points that may be the best are tried, and fewer
//! of them as the model becomes certain. The answer is the point with the smallest upper confidence
//! bound (estimate plus uncertainty); it is played again in every step.
//!
//! For any number of games, the model uses at most some hundred points: beyond that, the two most
//! similar points are merged.

use gauntlet_core::rng::{Rng, Seed};

use super::climb::{Reach, climb};
use super::method::{CandidateLosses, MethodStep, Optimizer, Point, Space, StepKind, reflect};
use super::normal::draw_normal;
use super::paired::mean;
use super::process::{GaussianProcess, Kernel, Observation};

/// Line in the manual.
pub(super) const ABOUT: &str =
    "Bayesian optimization: fits a Gaussian process to all games and plays the most promising points";

/// Creates the method for a space.
pub(super) fn begin(space: &Space, seed: Seed) -> Box<dyn Optimizer> {
    Box::new(ModelSearch::new(space, seed))
}

/// Number of points of the first step, spread over the box, in addition to the start. With 15 a
/// good region is often missed.
const FIRST: usize = 40;

/// Candidates per further step.
const CANDIDATES: usize = 8;

/// Minimum number of blocks per candidate;
const LEAST_BLOCKS: u64 = 8;

/// more, if needed, so that a step has one part in this number of all earlier blocks.
const STEPS: u64 = 30;

/// Maximum number of points in the model. Its computation time grows with their cube.
const MOST_POINTS: usize = 200;

/// Number of standard deviations added to the estimate of a possible answer.
const DOUBT: f64 = 1.0;

/// Factors of growth in the number of candidates after which the kernel is fitted again: while the
/// model grows, and later.
const REFIT: [f64; 2] = [1.25, 2.0];

/// Number of points that a step's candidates are chosen from: spread over the box,
const WIDE: usize = 60;

/// and near the best points,
const NEAR: usize = 120;

/// within these multiples of the kernel's lengths.
const WIDTHS: [f64; 3] = [0.5, 0.2, 0.08];

/// Number of best points with others to choose from around them.
const BEST: usize = 4;

/// Changes of the answer that are tried, in multiples of the kernel's lengths.
const REACH: Reach = Reach { first: 0.2, last: 0.02, sweeps: 100 };

/// Number of consecutive steps in which all candidates but the answer were refused, after which the
/// search ends.
const MOST_REFUSALS: u32 = 30;

/// Point that was played.
#[derive(Clone, Debug)]
struct EvaluatedPoint {
    point: Point,
    blocks: f64,
    /// Mean loss; `None` if the player refuses the point.
    loss: Option<f64>,
}

/// State of a search with a model.
#[derive(Debug)]
pub struct ModelSearch {
    space: Space,
    seed: Seed,
    /// Number of steps reported, which seeds the next step.
    told: u64,
    tried: Vec<EvaluatedPoint>,
    /// Blocks of all candidates.
    spent: u64,
    /// Sum of squared deviations between losses of one candidate, and its degrees of freedom.
    squares: f64,
    free: f64,
    likeness: Kernel,
    /// Number of candidates played, now and when the kernel was last fitted.
    played: usize,
    fitted: usize,
    answer: Point,
    next: Vec<Point>,
    /// Number of consecutive steps in which all candidates but the answer were refused.
    refusals: u32,
}

impl ModelSearch {
    /// Creates a search of a space.
    pub fn new(space: &Space, seed: Seed) -> ModelSearch {
        let axes = space.start.len();
        let mut next = vec![space.start.clone()];
        next.extend(latin_hypercube(FIRST, axes, &mut seed.child("first", 0).rng()));
        ModelSearch {
            space: space.clone(),
            seed,
            told: 0,
            tried: Vec::new(),
            spent: 0,
            squares: 0.0,
            free: 0.0,
            likeness: Kernel::new(axes),
            played: 0,
            fitted: 0,
            answer: space.start.clone(),
            next: remove_duplicates(next, space),
            refusals: 0,
        }
    }

    fn learn(&mut self, point: &Point, losses: &CandidateLosses) {
        self.played += 1;
        let count = losses.as_ref().map_or(0, Vec::len);
        self.spent += count as u64;
        let loss = losses.as_deref().map(mean);
        if let Some((losses, loss)) = losses.as_ref().zip(loss) {
            self.squares += losses.iter().map(|one| (one - loss) * (one - loss)).sum::<f64>();
            self.free += count as f64 - 1.0;
        }
        let new = EvaluatedPoint { point: point.clone(), blocks: count as f64, loss };
        match self.tried.iter_mut().find(|tried| tried.point == *point) {
            Some(tried) => tried.add(&new),
            None => self.tried.push(new),
        }
        // Merging similar points keeps the information about the rest of the box.
        while self.tried.len() > MOST_POINTS {
            self.merge_closest();
        }
    }

    /// Merges the two most similar points.
    fn merge_closest(&mut self) {
        let mut nearest = (f64::INFINITY, 0, 1);
        for (one, tried) in self.tried.iter().enumerate() {
            for (other, before) in self.tried[..one].iter().enumerate() {
                let distance = self.likeness.distance(&tried.point, &before.point);
                if distance < nearest.0 && tried.loss.is_some() == before.loss.is_some() {
                    nearest = (distance, other, one);
                }
            }
        }
        let (_, into, from) = nearest;
        let from = self.tried.swap_remove(from);
        self.tried[into].add(&from);
    }

    /// Returns the observations, scaled to mean 0 and variance 1. Losses above the median are moved
    /// towards it, because how bad a bad point is says little about the best. A refused point
    /// counts as the worst.
    fn observations(&self) -> Vec<Observation> {
        let mut losses: Vec<f64> = self.tried.iter().filter_map(|tried| tried.loss).collect();
        losses.sort_by(f64::total_cmp);
        let Some(&worst) = losses.last() else { return Vec::new() };
        let median = losses[losses.len() / 2];
        let below = losses.iter().map(|loss| (median - loss).max(0.0));
        let scale = (below.map(|x| x * x).sum::<f64>() / losses.len() as f64).sqrt();
        let nearer = |loss: f64| match loss - median {
            above if above > 0.0 && scale > 0.0 => median + scale * libm::log(1.0 + above / scale),
            _ => loss,
        };
        let values: Vec<f64> = self.tried.iter().map(|tried| nearer(tried.loss.unwrap_or(worst))).collect();
        let centre = mean(&values);
        let squares = values.iter().map(|value| (value - centre) * (value - centre)).sum::<f64>();
        let unit = (squares / values.len() as f64).sqrt();
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let noise = (self.squares / self.free.max(1.0) / (unit * unit)).max(LEAST_NOISE);
        let usual_blocks = self.spent as f64 / self.tried.len() as f64;
        let seen = self.tried.iter().zip(&values).map(|(tried, value)| Observation {
            point: tried.point.clone(),
            value: (value - centre) / unit,
            noise: noise / if tried.loss.is_some() { tried.blocks } else { usual_blocks },
        });
        seen.collect()
    }

    /// Finds the answer and the candidates of the next step.
    fn choose_next(&mut self) {
        if self.tried.iter().filter(|tried| tried.loss.is_some()).count() < 2 {
            let mut rng = self.seed.child("first", self.told).rng();
            self.next =
                remove_duplicates(latin_hypercube(FIRST, self.space.grain.len(), &mut rng), &self.space);
            return;
        }
        let seen = self.observations();
        let is_full = self.tried.len() == MOST_POINTS;
        if self.played as f64 >= REFIT[usize::from(is_full)] * self.fitted as f64 {
            self.likeness = self.likeness.fit(&seen);
            self.fitted = self.played;
        }
        let Some(process) = GaussianProcess::new(self.likeness.clone(), &seen) else { return };
        let loss = |point: &Point| {
            let (value, deviation) = process.predict(point);
            value + DOUBT * deviation
        };
        let accepted = self.tried.iter().filter(|tried| tried.loss.is_some());
        let mut ranked: Vec<(f64, &Point)> =
            accepted.map(|tried| (loss(&tried.point), &tried.point)).collect();
        ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
        let best: Vec<Point> = ranked
            .into_iter()
            .take(BEST)
            .map(|(_, point)| round_to_grid(point.clone(), &self.space))
            .collect();
        let Some(first) = best.first() else { return };
        let answer = self.refine(first.clone(), loss);

        let mut rng = self.seed.child("step", self.told).rng();
        let pool = self.candidate_pool(&answer, &best, &mut rng);
        let mut next = vec![answer.clone()];
        // Several functions may have their minimum at the same point.
        for function in process.sample_functions(&pool, 3 * CANDIDATES, || draw_normal(&mut rng)) {
            let least = (0..pool.len()).min_by(|&one, &other| function[one].total_cmp(&function[other]));
            let point = &pool[least.expect("a point")];
            if next.len() < CANDIDATES && !next.contains(point) {
                next.push(point.clone());
            }
        }
        (self.answer, self.next) = (answer, next);
    }

    /// Returns possible candidates: the answer, some points near it and near the best, and some
    /// anywhere.
    fn candidate_pool(&self, answer: &Point, best: &[Point], rng: &mut Rng) -> Vec<Point> {
        let mut pool = vec![answer.clone()];
        pool.extend(latin_hypercube(WIDE, self.space.grain.len(), rng));
        for place in 0..NEAR {
            let around = if place % 2 == 0 { answer } else { &best[place / 2 % best.len()] };
            let width = WIDTHS[place % WIDTHS.len()];
            let near = around.iter().zip(&self.likeness.lengths);
            pool.push(
                near.map(|(x, length)| reflect(x + width * length.min(1.0) * draw_normal(rng))).collect(),
            );
        }
        pool.into_iter().map(|point| round_to_grid(point, &self.space)).collect()
    }

    /// Minimizes `loss`, an upper confidence bound, by local search from `point`.
    fn refine(&self, point: Point, loss: impl Fn(&Point) -> f64) -> Point {
        let changed = |point: &Point, axis: usize, change: f64| {
            let size = (change.abs() * self.likeness.lengths[axis].min(1.0)).max(self.space.grain[axis]);
            let mut other = point.clone();
            other[axis] += change.signum() * size;
            round_to_grid(other, &self.space)
        };
        climb(point, &REACH, changed, |point| -loss(point))
    }
}

/// Minimum noise of a block, in units of the variance of the losses.
const LEAST_NOISE: f64 = 1e-4;

impl EvaluatedPoint {
    /// Merges two points, weighted by their blocks.
    fn add(&mut self, other: &EvaluatedPoint) {
        let part = other.blocks / (self.blocks + other.blocks).max(1.0);
        for (x, other) in self.point.iter_mut().zip(&other.point) {
            *x += (other - *x) * part;
        }
        self.loss = self.loss.zip(other.loss).map(|(loss, other)| loss + (other - loss) * part);
        self.blocks += other.blocks;
    }
}

/// Rounds a point of the box to the grid: on an axis of whole numbers, a whole number of steps from
/// the start.
fn round_to_grid(mut point: Point, space: &Space) -> Point {
    for (x, (start, grain)) in point.iter_mut().zip(space.start.iter().zip(&space.grain)) {
        if *grain > 0.0 {
            *x = start + libm::round((*x - start) / grain) * grain;
        }
        *x = x.clamp(0.0, 1.0);
    }
    point
}

/// Returns these points of the box without duplicates.
fn remove_duplicates(points: Vec<Point>, space: &Space) -> Vec<Point> {
    let mut all = Vec::new();
    for point in points {
        let point = round_to_grid(point, space);
        if !all.contains(&point) {
            all.push(point);
        }
    }
    all
}

/// Returns points spread over the box (Latin hypercube): each axis is cut into as many parts as
/// there are points, and each part contains one.
fn latin_hypercube(count: usize, axes: usize, rng: &mut Rng) -> Vec<Point> {
    let mut points = vec![Vec::with_capacity(axes); count];
    for _ in 0..axes {
        let mut parts: Vec<usize> = (0..count).collect();
        for place in (1..count).rev() {
            parts.swap(place, (rng.unit() * (place + 1) as f64) as usize);
        }
        for (point, part) in points.iter_mut().zip(parts) {
            point.push((part as f64 + rng.unit()) / count as f64);
        }
    }
    points
}

impl Optimizer for ModelSearch {
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        let blocks = (self.spent / (CANDIDATES as u64 * STEPS)).max(LEAST_BLOCKS);
        let step = MethodStep { kind: StepKind::Step, candidates: self.next.clone(), blocks };
        (step.games() <= games_left && self.refusals < MOST_REFUSALS).then_some(step)
    }

    fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]) {
        self.told += 1;
        for (point, losses) in step.candidates.iter().zip(losses) {
            self.learn(point, losses);
        }
        let mut others =
            step.candidates.iter().zip(losses).filter(|(point, _)| **point != self.answer).peekable();
        let is_refused = others.peek().is_some() && others.all(|(_, losses)| losses.is_none());
        self.refusals = if is_refused { self.refusals + 1 } else { 0 };
        self.choose_next();
    }

    fn best_point(&self) -> Point {
        self.answer.clone()
    }

    /// Makes this point the answer until a later step changes it. The results of the check are not
    /// added to the model.
    fn restart_at(&mut self, to: &Point) {
        self.answer.clone_from(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each part of each axis contains one point.
    #[test]
    fn first_points_are_spread_over_the_box() {
        let points = latin_hypercube(10, 3, &mut Seed::root(1).rng());
        for axis in 0..3 {
            let mut parts: Vec<usize> = points.iter().map(|point| (10.0 * point[axis]) as usize).collect();
            parts.sort_unstable();
            assert_eq!(parts, (0..10).collect::<Vec<usize>>());
        }
    }

    #[test]
    fn a_player_has_whole_numbers() {
        let space = |start: &[f64], grain: &[f64]| Space { start: start.to_vec(), grain: grain.to_vec() };
        let of = space(&[0.0; 4], &[0.25, 0.0, 0.5, 0.0]);
        assert_eq!(round_to_grid(vec![0.3, 0.3, 1.2, -0.1], &of), [0.25, 0.3, 1.0, 0.0]);
        // Three of five: the start is one of the points, despite rounding.
        let of = space(&[0.6], &[0.2]);
        assert_eq!(round_to_grid(vec![0.64], &of), [0.6]);
        assert!((round_to_grid(vec![0.36], &of)[0] - 0.4).abs() < 1e-12);
        // A step that does not reach a border stays in the box.
        assert_eq!(round_to_grid(vec![1.0], &space(&[0.95], &[0.2])), [0.95]);
        assert_eq!(round_to_grid(vec![1.0], &space(&[0.85], &[0.2])), [1.0]);
    }

    /// With few possible players, each is a candidate once.
    #[test]
    fn few_players_are_few_candidates() {
        let space = Space { start: vec![0.5], grain: vec![0.5] };
        let mut model = ModelSearch::new(&space, Seed::root(1));
        for _ in 0..5 {
            let step = model.ask(u64::MAX).expect("a step");
            let mut points = step.candidates.clone();
            points.sort_by(|one, other| one[0].total_cmp(&other[0]));
            points.dedup();
            assert!(points.len() == step.candidates.len() && points.len() <= 3, "{points:?}");
            let losses = |point: &Point| Some(vec![1.0 - point[0]; step.blocks as usize]);
            let losses: Vec<CandidateLosses> = step.candidates.iter().map(losses).collect();
            model.record_losses(&step, &losses);
        }
        assert_eq!(model.best_point(), [1.0]);
    }

    /// It copes with games that say nothing, and with a box of many axes.
    #[test]
    fn equal_losses_leave_the_start() {
        let space = Space { start: vec![0.5; 50], grain: vec![0.0; 50] };
        let mut model = ModelSearch::new(&space, Seed::root(1));
        for _ in 0..3 {
            let step = model.ask(u64::MAX).expect("a step");
            let losses = vec![Some(vec![1.0; step.blocks as usize]); step.candidates.len()];
            model.record_losses(&step, &losses);
        }
        assert!(model.best_point().iter().all(|x| (0.0..=1.0).contains(x)));
    }

    /// Refused points are avoided, and a step contains no point twice.
    #[test]
    fn refused_points_are_left() {
        let space = Space { start: vec![0.9, 0.5], grain: vec![0.0; 2] };
        let mut model = ModelSearch::new(&space, Seed::root(3));
        let mut refused = Vec::new();
        for _ in 0..12 {
            let step = model.ask(u64::MAX).expect("a step");
            // Only the left of the box is playable, and is better towards its border.
            let lose = |point: &Point| (point[0] < 0.6).then(|| vec![point[0]; step.blocks as usize]);
            let losses: Vec<CandidateLosses> = step.candidates.iter().map(lose).collect();
            refused.push(losses.iter().filter(|losses| losses.is_none()).count());
            for (place, point) in step.candidates.iter().enumerate() {
                assert!(!step.candidates[..place].contains(point), "{point:?} twice");
            }
            model.record_losses(&step, &losses);
        }
        assert!(refused[0] > 3 && refused[11] <= 3, "{refused:?}");
        assert!(model.best_point()[0] < 0.1, "{:?}", model.best_point());
    }

    /// A long search keeps the maximum number of points, and all of their blocks.
    #[test]
    fn points_that_are_alike_become_one() {
        let space = Space { start: vec![0.5; 2], grain: vec![0.0; 2] };
        let mut model = ModelSearch::new(&space, Seed::root(4));
        let mut rng = Seed::root(5).rng();
        for point in latin_hypercube(MOST_POINTS + 50, 2, &mut rng) {
            let loss = point[0] + point[1];
            model.learn(&point, &Some(vec![loss; 3]));
        }
        assert_eq!(model.tried.len(), MOST_POINTS);
        assert_eq!(
            model.tried.iter().map(|tried| tried.blocks).sum::<f64>(),
            3.0 * (MOST_POINTS + 50) as f64
        );
        // A plane stays a plane.
        assert!(
            model
                .tried
                .iter()
                .all(|tried| (tried.loss.unwrap() - tried.point[0] - tried.point[1]).abs() < 1e-9)
        );
    }
}
