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

use super::coordinate_search::{ClimbSettings, climb};
use super::gaussian_process::{GaussianProcess, Kernel, Observation};
use super::loss_comparison::mean;
use super::method::{CandidateLosses, MethodStep, Optimizer, Point, Space, StepKind, reflect};
use super::normal::draw_normal;

/// Line in the manual.
pub(super) const ABOUT: &str =
    "Bayesian optimization: fits a Gaussian process to all games and plays the most promising points";

/// Creates the method for a space.
pub(super) fn create(space: &Space, seed: Seed) -> Box<dyn Optimizer> {
    Box::new(ModelSearch::new(space, seed))
}

/// Number of points of the first step, spread over the box, in addition to the start. With 15 a
/// good region is often missed.
const INITIAL_POINTS: usize = 40;

/// Candidates per further step.
const CANDIDATES: usize = 8;

/// Minimum number of blocks per candidate;
const MIN_BLOCKS: u64 = 8;

/// more, if needed, so that a step has one part in this number of all earlier blocks.
const GROWTH_DIVISOR: u64 = 30;

/// Maximum number of points in the model. Its computation time grows with their cube.
const MAX_POINTS: usize = 200;

/// Number of standard deviations added to the estimate of a possible answer.
const CONFIDENCE_FACTOR: f64 = 1.0;

/// Factors of growth in the number of candidates after which the kernel is fitted again: while the
/// model grows, and later.
const REFIT_GROWTH: [f64; 2] = [1.25, 2.0];

/// Number of points that a step's candidates are chosen from: spread over the box,
const GLOBAL_POINTS: usize = 60;

/// and near the best points,
const LOCAL_POINTS: usize = 120;

/// within these multiples of the kernel's lengths.
const LOCAL_WIDTHS: [f64; 3] = [0.5, 0.2, 0.08];

/// Number of best points with others to choose from around them.
const BEST_POINTS: usize = 4;

/// Changes of the answer that are tried, in multiples of the kernel's lengths.
const CLIMB_SETTINGS: ClimbSettings = ClimbSettings { first_step: 0.2, min_step: 0.02, max_sweeps: 100 };

/// Number of consecutive steps in which all candidates but the answer were refused, after which the
/// search ends.
const MAX_REFUSALS: u32 = 30;

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
    step_count: u64,
    evaluations: Vec<EvaluatedPoint>,
    /// Blocks of all candidates.
    total_blocks: u64,
    /// Sum of squared deviations between losses of one candidate, and its degrees of freedom.
    squared_deviations: f64,
    degrees_of_freedom: f64,
    kernel: Kernel,
    /// Number of candidates played, now and when the kernel was last fitted.
    played_count: usize,
    fitted_count: usize,
    answer: Point,
    next_candidates: Vec<Point>,
    /// Number of consecutive steps in which all candidates but the answer were refused.
    refusals: u32,
}

impl ModelSearch {
    /// Creates a search of a space.
    pub fn new(space: &Space, seed: Seed) -> ModelSearch {
        let axes = space.start.len();
        let mut candidates = vec![space.start.clone()];
        candidates.extend(latin_hypercube(INITIAL_POINTS, axes, &mut seed.child("first", 0).rng()));
        ModelSearch {
            space: space.clone(),
            seed,
            step_count: 0,
            evaluations: Vec::new(),
            total_blocks: 0,
            squared_deviations: 0.0,
            degrees_of_freedom: 0.0,
            kernel: Kernel::new(axes),
            played_count: 0,
            fitted_count: 0,
            answer: space.start.clone(),
            next_candidates: remove_duplicates(candidates, space),
            refusals: 0,
        }
    }

    fn learn(&mut self, point: &Point, losses: &CandidateLosses) {
        self.played_count += 1;
        let count = losses.as_ref().map_or(0, Vec::len);
        self.total_blocks += count as u64;
        let loss = losses.as_deref().map(mean);
        if let Some((losses, loss)) = losses.as_ref().zip(loss) {
            self.squared_deviations += losses.iter().map(|one| (one - loss) * (one - loss)).sum::<f64>();
            self.degrees_of_freedom += count as f64 - 1.0;
        }
        let evaluation = EvaluatedPoint { point: point.clone(), blocks: count as f64, loss };
        match self.evaluations.iter_mut().find(|earlier| earlier.point == *point) {
            Some(earlier) => earlier.add(&evaluation),
            None => self.evaluations.push(evaluation),
        }
        // Merging similar points keeps the information about the rest of the box.
        while self.evaluations.len() > MAX_POINTS {
            self.merge_closest();
        }
    }

    /// Merges the two most similar points.
    fn merge_closest(&mut self) {
        let mut nearest = (f64::INFINITY, 0, 1);
        for (index, evaluation) in self.evaluations.iter().enumerate() {
            for (earlier_index, earlier) in self.evaluations[..index].iter().enumerate() {
                let distance = self.kernel.distance(&evaluation.point, &earlier.point);
                if distance < nearest.0 && evaluation.loss.is_some() == earlier.loss.is_some() {
                    nearest = (distance, earlier_index, index);
                }
            }
        }
        let (_, into_index, from_index) = nearest;
        let removed = self.evaluations.swap_remove(from_index);
        self.evaluations[into_index].add(&removed);
    }

    /// Returns the observations, scaled to mean 0 and variance 1. Losses above the median are moved
    /// towards it, because how bad a bad point is says little about the best. A refused point
    /// counts as the worst.
    fn observations(&self) -> Vec<Observation> {
        let mut losses: Vec<f64> = self.evaluations.iter().filter_map(|evaluation| evaluation.loss).collect();
        losses.sort_by(f64::total_cmp);
        let Some(&worst) = losses.last() else { return Vec::new() };
        let median = losses[losses.len() / 2];
        let below = losses.iter().map(|loss| (median - loss).max(0.0));
        let scale = (below.map(|x| x * x).sum::<f64>() / losses.len() as f64).sqrt();
        let compress = |loss: f64| match loss - median {
            above if above > 0.0 && scale > 0.0 => median + scale * libm::log(1.0 + above / scale),
            _ => loss,
        };
        let values: Vec<f64> =
            self.evaluations.iter().map(|evaluation| compress(evaluation.loss.unwrap_or(worst))).collect();
        let centre = mean(&values);
        let squares = values.iter().map(|value| (value - centre) * (value - centre)).sum::<f64>();
        let deviation = (squares / values.len() as f64).sqrt();
        let deviation = if deviation > 0.0 { deviation } else { 1.0 };
        let noise = (self.squared_deviations / self.degrees_of_freedom.max(1.0) / (deviation * deviation))
            .max(MIN_NOISE);
        let mean_blocks = self.total_blocks as f64 / self.evaluations.len() as f64;
        let observations = self.evaluations.iter().zip(&values).map(|(evaluation, value)| Observation {
            point: evaluation.point.clone(),
            value: (value - centre) / deviation,
            noise: noise / if evaluation.loss.is_some() { evaluation.blocks } else { mean_blocks },
        });
        observations.collect()
    }

    /// Finds the answer and the candidates of the next step.
    fn choose_next(&mut self) {
        if self.evaluations.iter().filter(|evaluation| evaluation.loss.is_some()).count() < 2 {
            let mut rng = self.seed.child("first", self.step_count).rng();
            self.next_candidates = remove_duplicates(
                latin_hypercube(INITIAL_POINTS, self.space.resolution.len(), &mut rng),
                &self.space,
            );
            return;
        }
        let observations = self.observations();
        let is_full = self.evaluations.len() == MAX_POINTS;
        if self.played_count as f64 >= REFIT_GROWTH[usize::from(is_full)] * self.fitted_count as f64 {
            self.kernel = self.kernel.fit(&observations);
            self.fitted_count = self.played_count;
        }
        let Some(process) = GaussianProcess::new(self.kernel.clone(), &observations) else { return };
        let upper_bound = |point: &Point| {
            let (value, deviation) = process.predict(point);
            value + CONFIDENCE_FACTOR * deviation
        };
        let accepted_points = self.evaluations.iter().filter(|evaluation| evaluation.loss.is_some());
        let mut ranked_points: Vec<(f64, &Point)> =
            accepted_points.map(|evaluation| (upper_bound(&evaluation.point), &evaluation.point)).collect();
        ranked_points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let best_points: Vec<Point> = ranked_points
            .into_iter()
            .take(BEST_POINTS)
            .map(|(_, point)| round_to_grid(point.clone(), &self.space))
            .collect();
        let Some(first) = best_points.first() else { return };
        let answer = self.refine(first.clone(), upper_bound);

        let mut rng = self.seed.child("step", self.step_count).rng();
        let pool = self.candidate_pool(&answer, &best_points, &mut rng);
        let mut candidates = vec![answer.clone()];
        // Several functions may have their minimum at the same point.
        for function in process.sample_functions(&pool, 3 * CANDIDATES, || draw_normal(&mut rng)) {
            let min_index = (0..pool.len()).min_by(|&one, &other| function[one].total_cmp(&function[other]));
            let point = &pool[min_index.expect("a point")];
            if candidates.len() < CANDIDATES && !candidates.contains(point) {
                candidates.push(point.clone());
            }
        }
        (self.answer, self.next_candidates) = (answer, candidates);
    }

    /// Returns possible candidates: the answer, some points near it and near the best, and some
    /// anywhere.
    fn candidate_pool(&self, answer: &Point, best: &[Point], rng: &mut Rng) -> Vec<Point> {
        let mut pool = vec![answer.clone()];
        pool.extend(latin_hypercube(GLOBAL_POINTS, self.space.resolution.len(), rng));
        for index in 0..LOCAL_POINTS {
            let centre = if index % 2 == 0 { answer } else { &best[index / 2 % best.len()] };
            let width = LOCAL_WIDTHS[index % LOCAL_WIDTHS.len()];
            let pairs = centre.iter().zip(&self.kernel.length_scales);
            pool.push(
                pairs.map(|(x, length)| reflect(x + width * length.min(1.0) * draw_normal(rng))).collect(),
            );
        }
        pool.into_iter().map(|point| round_to_grid(point, &self.space)).collect()
    }

    /// Minimizes `loss`, an upper confidence bound, by local search from `point`.
    fn refine(&self, point: Point, loss: impl Fn(&Point) -> f64) -> Point {
        let move_along = |point: &Point, axis: usize, change: f64| {
            let size =
                (change.abs() * self.kernel.length_scales[axis].min(1.0)).max(self.space.resolution[axis]);
            let mut other = point.clone();
            other[axis] += change.signum() * size;
            round_to_grid(other, &self.space)
        };
        climb(point, &CLIMB_SETTINGS, move_along, |point| -loss(point))
    }
}

/// Minimum noise of a block, in units of the variance of the losses.
const MIN_NOISE: f64 = 1e-4;

impl EvaluatedPoint {
    /// Merges two points, weighted by their blocks.
    fn add(&mut self, other: &EvaluatedPoint) {
        let weight = other.blocks / (self.blocks + other.blocks).max(1.0);
        for (x, other) in self.point.iter_mut().zip(&other.point) {
            *x += (other - *x) * weight;
        }
        self.loss = self.loss.zip(other.loss).map(|(loss, other)| loss + (other - loss) * weight);
        self.blocks += other.blocks;
    }
}

/// Rounds a point of the box to the grid: on an axis of whole numbers, a whole number of steps from
/// the start.
fn round_to_grid(mut point: Point, space: &Space) -> Point {
    for (x, (start, resolution)) in point.iter_mut().zip(space.start.iter().zip(&space.resolution)) {
        if *resolution > 0.0 {
            *x = start + libm::round((*x - start) / resolution) * resolution;
        }
        *x = x.clamp(0.0, 1.0);
    }
    point
}

/// Returns these points of the box without duplicates.
fn remove_duplicates(points: Vec<Point>, space: &Space) -> Vec<Point> {
    let mut unique = Vec::new();
    for point in points {
        let point = round_to_grid(point, space);
        if !unique.contains(&point) {
            unique.push(point);
        }
    }
    unique
}

/// Returns points spread over the box (Latin hypercube): each axis is cut into as many parts as
/// there are points, and each part contains one.
fn latin_hypercube(count: usize, axes: usize, rng: &mut Rng) -> Vec<Point> {
    let mut points = vec![Vec::with_capacity(axes); count];
    for _ in 0..axes {
        let mut parts: Vec<usize> = (0..count).collect();
        for index in (1..count).rev() {
            parts.swap(index, (rng.unit() * (index + 1) as f64) as usize);
        }
        for (point, part) in points.iter_mut().zip(parts) {
            point.push((part as f64 + rng.unit()) / count as f64);
        }
    }
    points
}

impl Optimizer for ModelSearch {
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        let blocks = (self.total_blocks / (CANDIDATES as u64 * GROWTH_DIVISOR)).max(MIN_BLOCKS);
        let step = MethodStep { kind: StepKind::Step, candidates: self.next_candidates.clone(), blocks };
        (step.games() <= games_left && self.refusals < MAX_REFUSALS).then_some(step)
    }

    fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]) {
        self.step_count += 1;
        for (point, losses) in step.candidates.iter().zip(losses) {
            self.learn(point, losses);
        }
        let mut others =
            step.candidates.iter().zip(losses).filter(|(point, _)| **point != self.answer).peekable();
        let are_all_refused = others.peek().is_some() && others.all(|(_, losses)| losses.is_none());
        self.refusals = if are_all_refused { self.refusals + 1 } else { 0 };
        self.choose_next();
    }

    fn best_point(&self) -> Point {
        self.answer.clone()
    }

    /// Makes this point the answer until a later step changes it. The results of the check are not
    /// added to the model.
    fn restart_at(&mut self, point: &Point) {
        self.answer.clone_from(point);
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
        let make_space = |start: &[f64], resolution: &[f64]| Space {
            start: start.to_vec(),
            resolution: resolution.to_vec(),
        };
        let space = make_space(&[0.0; 4], &[0.25, 0.0, 0.5, 0.0]);
        assert_eq!(round_to_grid(vec![0.3, 0.3, 1.2, -0.1], &space), [0.25, 0.3, 1.0, 0.0]);
        // Three of five: the start is one of the points, despite rounding.
        let space = make_space(&[0.6], &[0.2]);
        assert_eq!(round_to_grid(vec![0.64], &space), [0.6]);
        assert!((round_to_grid(vec![0.36], &space)[0] - 0.4).abs() < 1e-12);
        // A step that does not reach a border stays in the box.
        assert_eq!(round_to_grid(vec![1.0], &make_space(&[0.95], &[0.2])), [0.95]);
        assert_eq!(round_to_grid(vec![1.0], &make_space(&[0.85], &[0.2])), [1.0]);
    }

    /// With few possible players, each is a candidate once.
    #[test]
    fn few_players_are_few_candidates() {
        let space = Space { start: vec![0.5], resolution: vec![0.5] };
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
        let space = Space { start: vec![0.5; 50], resolution: vec![0.0; 50] };
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
        let space = Space { start: vec![0.9, 0.5], resolution: vec![0.0; 2] };
        let mut model = ModelSearch::new(&space, Seed::root(3));
        let mut refused_counts = Vec::new();
        for _ in 0..12 {
            let step = model.ask(u64::MAX).expect("a step");
            // Only the left of the box is playable, and is better towards its border.
            let evaluate = |point: &Point| (point[0] < 0.6).then(|| vec![point[0]; step.blocks as usize]);
            let losses: Vec<CandidateLosses> = step.candidates.iter().map(evaluate).collect();
            refused_counts.push(losses.iter().filter(|losses| losses.is_none()).count());
            for (index, point) in step.candidates.iter().enumerate() {
                assert!(!step.candidates[..index].contains(point), "{point:?} twice");
            }
            model.record_losses(&step, &losses);
        }
        assert!(refused_counts[0] > 3 && refused_counts[11] <= 3, "{refused_counts:?}");
        assert!(model.best_point()[0] < 0.1, "{:?}", model.best_point());
    }

    /// A long search keeps the maximum number of points, and all of their blocks.
    #[test]
    fn points_that_are_alike_become_one() {
        let space = Space { start: vec![0.5; 2], resolution: vec![0.0; 2] };
        let mut model = ModelSearch::new(&space, Seed::root(4));
        let mut rng = Seed::root(5).rng();
        for point in latin_hypercube(MAX_POINTS + 50, 2, &mut rng) {
            let loss = point[0] + point[1];
            model.learn(&point, &Some(vec![loss; 3]));
        }
        assert_eq!(model.evaluations.len(), MAX_POINTS);
        assert_eq!(
            model.evaluations.iter().map(|evaluation| evaluation.blocks).sum::<f64>(),
            3.0 * (MAX_POINTS + 50) as f64
        );
        // A plane stays a plane.
        assert!(
            model.evaluations.iter().all(|evaluation| (evaluation.loss.unwrap()
                - evaluation.point[0]
                - evaluation.point[1])
                .abs()
                < 1e-9)
        );
    }
}
