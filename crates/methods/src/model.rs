//! A search with a model of the loss: a Gaussian process, which guesses the loss at every point of
//! the box from all that was played.
//!
//! The candidates of a step are chosen by Thompson's rule (1933): functions are drawn that may be
//! the loss, as far as is known, and the least point of each is played. So points are tried where
//! they may be the best, and the fewer the surer the model is. The answer is the point whose guess
//! is least, with its doubt added; it is played again in every step.
//!
//! However many games there are, the model rests on some hundred points: of more, the two that are
//! most alike become one.

use gauntlet_core::rng::{Rng, Seed};

use super::climb::{Reach, climbed};
use super::method::{Kind, Losses, Method, Point, Space, Step, reflected};
use super::normal::normal;
use super::paired::mean;
use super::process::{Likeness, Process, Seen};

/// Its line in the manual.
pub(super) const ABOUT: &str = "a Gaussian process guesses the loss everywhere from all games, and points that may be the best are tried";

/// Begins it in a space.
pub(super) fn begin(space: &Space, seed: Seed) -> Box<dyn Method> {
    Box::new(Model::new(space, seed))
}

/// Points of the first step, which are spread over the box, beside the start. With 15 a good region
/// is often missed.
const FIRST: usize = 40;

/// Candidates of each further step.
const CANDIDATES: usize = 8;

/// Blocks of a candidate: at least,
const LEAST_BLOCKS: u64 = 8;

/// and so many that a step has this part of all blocks before it.
const STEPS: u64 = 30;

/// The most points that the model rests on. Its time grows with their cube.
const MOST_POINTS: usize = 200;

/// The standard deviations that are added to the guess of a point that may be the answer.
const DOUBT: f64 = 1.0;

/// The likeness is fitted again when so many times as many candidates were played: while the model
/// grows, and afterwards.
const REFIT: [f64; 2] = [1.25, 2.0];

/// Points among which a step's candidates are chosen: spread over the box,
const WIDE: usize = 60;

/// and near the best ones,
const NEAR: usize = 120;

/// within these parts of the lengths.
const WIDTHS: [f64; 3] = [0.5, 0.2, 0.08];

/// The best points, around which there are others to choose among.
const BEST: usize = 4;

/// Changes of the answer that are tried, in parts of the lengths.
const REACH: Reach = Reach { first: 0.2, last: 0.02, sweeps: 100 };

/// After this number of steps in a row in which all candidates but the answer were refused, there
/// is nothing left to try.
const MOST_REFUSALS: u32 = 30;

/// A point that was played.
#[derive(Clone, Debug)]
struct Tried {
    point: Point,
    blocks: f64,
    /// Mean loss; none if the player refuses it.
    loss: Option<f64>,
}

/// The method.
#[derive(Debug)]
pub struct Model {
    space: Space,
    seed: Seed,
    /// Steps that it was told of: the number of the next one's chance.
    told: u64,
    tried: Vec<Tried>,
    /// Blocks of all candidates.
    spent: u64,
    /// Squares of the differences between losses of one candidate, and how many of them are free.
    squares: f64,
    free: f64,
    likeness: Likeness,
    /// Candidates that were played, and how many they were when the likeness was fitted.
    played: usize,
    fitted: usize,
    answer: Point,
    next: Vec<Point>,
    /// Steps in a row in which all candidates but the answer were refused.
    refusals: u32,
}

impl Model {
    /// In a space.
    pub fn new(space: &Space, seed: Seed) -> Model {
        let axes = space.start.len();
        let mut next = vec![space.start.clone()];
        next.extend(spread_out(FIRST, axes, &mut seed.child("first", 0).rng()));
        Model {
            space: space.clone(),
            seed,
            told: 0,
            tried: Vec::new(),
            spent: 0,
            squares: 0.0,
            free: 0.0,
            likeness: Likeness::usual(axes),
            played: 0,
            fitted: 0,
            answer: space.start.clone(),
            next: different(next, space),
            refusals: 0,
        }
    }

    fn learn(&mut self, point: &Point, losses: &Losses) {
        self.played += 1;
        let count = losses.as_ref().map_or(0, Vec::len);
        self.spent += count as u64;
        let loss = losses.as_deref().map(mean);
        if let Some((losses, loss)) = losses.as_ref().zip(loss) {
            self.squares += losses.iter().map(|one| (one - loss) * (one - loss)).sum::<f64>();
            self.free += count as f64 - 1.0;
        }
        let new = Tried { point: point.clone(), blocks: count as f64, loss };
        match self.tried.iter_mut().find(|tried| tried.point == *point) {
            Some(tried) => tried.add(&new),
            None => self.tried.push(new),
        }
        // Of points that are alike the knowledge of the rest of the box is not forgotten.
        while self.tried.len() > MOST_POINTS {
            self.make_two_one();
        }
    }

    /// Makes one of the two points that are most alike.
    fn make_two_one(&mut self) {
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

    /// What was seen, in units in which losses have the mean 0 and the variance 1. Those above the
    /// median are brought nearer to it: how bad a bad point is says little about the best one. A
    /// point that is refused is as bad as the worst.
    fn seen(&self) -> Vec<Seen> {
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
        let seen = |(tried, value): (&Tried, &f64)| Seen {
            point: tried.point.clone(),
            value: (value - centre) / unit,
            noise: noise / if tried.loss.is_some() { tried.blocks } else { usual_blocks },
        };
        self.tried.iter().zip(&values).map(seen).collect()
    }

    /// Finds the answer, and the candidates of the next step.
    fn think(&mut self) {
        if self.tried.iter().filter(|tried| tried.loss.is_some()).count() < 2 {
            let mut rng = self.seed.child("first", self.told).rng();
            self.next = different(spread_out(FIRST, self.space.grain.len(), &mut rng), &self.space);
            return;
        }
        let seen = self.seen();
        let is_full = self.tried.len() == MOST_POINTS;
        if self.played as f64 >= REFIT[usize::from(is_full)] * self.fitted as f64 {
            self.likeness = self.likeness.fitted(&seen);
            self.fitted = self.played;
        }
        let Some(process) = Process::new(self.likeness.clone(), &seen) else { return };
        let loss = |point: &Point| {
            let (value, deviation) = process.guess(point);
            value + DOUBT * deviation
        };
        let accepted = self.tried.iter().filter(|tried| tried.loss.is_some());
        let mut ranked: Vec<(f64, &Point)> =
            accepted.map(|tried| (loss(&tried.point), &tried.point)).collect();
        ranked.sort_by(|one, other| one.0.total_cmp(&other.0));
        let best: Vec<Point> =
            ranked.into_iter().take(BEST).map(|(_, point)| placed(point.clone(), &self.space)).collect();
        let Some(first) = best.first() else { return };
        let answer = self.refined(first.clone(), loss);

        let mut rng = self.seed.child("step", self.told).rng();
        let pool = self.pool(&answer, &best, &mut rng);
        let mut next = vec![answer.clone()];
        // Several functions may have the same least point.
        for function in process.drawn(&pool, 3 * CANDIDATES, || normal(&mut rng)) {
            let least = (0..pool.len()).min_by(|&one, &other| function[one].total_cmp(&function[other]));
            let point = &pool[least.expect("a point")];
            if next.len() < CANDIDATES && !next.contains(point) {
                next.push(point.clone());
            }
        }
        (self.answer, self.next) = (answer, next);
    }

    /// Points that may be candidates: the answer, some near it and near the best, and some
    /// anywhere.
    fn pool(&self, answer: &Point, best: &[Point], rng: &mut Rng) -> Vec<Point> {
        let mut pool = vec![answer.clone()];
        pool.extend(spread_out(WIDE, self.space.grain.len(), rng));
        for place in 0..NEAR {
            let around = if place % 2 == 0 { answer } else { &best[place / 2 % best.len()] };
            let width = WIDTHS[place % WIDTHS.len()];
            let near = around.iter().zip(&self.likeness.lengths);
            pool.push(near.map(|(x, length)| reflected(x + width * length.min(1.0) * normal(rng))).collect());
        }
        pool.into_iter().map(|point| placed(point, &self.space)).collect()
    }

    /// A point near this one that loses less, if the guess and its doubt are right.
    fn refined(&self, point: Point, loss: impl Fn(&Point) -> f64) -> Point {
        let changed = |point: &Point, axis: usize, change: f64| {
            let size = (change.abs() * self.likeness.lengths[axis].min(1.0)).max(self.space.grain[axis]);
            let mut other = point.clone();
            other[axis] += change.signum() * size;
            placed(other, &self.space)
        };
        climbed(point, &REACH, changed, |point| -loss(point))
    }
}

/// The least noise of a block, in units of the variance of the losses: no model is surer than that.
const LEAST_NOISE: f64 = 1e-4;

impl Tried {
    /// As one point, each with as much weight as it has blocks.
    fn add(&mut self, other: &Tried) {
        let part = other.blocks / (self.blocks + other.blocks).max(1.0);
        for (x, other) in self.point.iter_mut().zip(&other.point) {
            *x += (other - *x) * part;
        }
        self.loss = self.loss.zip(other.loss).map(|(loss, other)| loss + (other - loss) * part);
        self.blocks += other.blocks;
    }
}

/// A point of the box, on an axis of whole numbers one at a whole number of steps from the start.
fn placed(mut point: Point, space: &Space) -> Point {
    for (x, (start, grain)) in point.iter_mut().zip(space.start.iter().zip(&space.grain)) {
        if *grain > 0.0 {
            *x = start + libm::round((*x - start) / grain) * grain;
        }
        *x = x.clamp(0.0, 1.0);
    }
    point
}

/// These points of the box, each once.
fn different(points: Vec<Point>, space: &Space) -> Vec<Point> {
    let mut all = Vec::new();
    for point in points {
        let point = placed(point, space);
        if !all.contains(&point) {
            all.push(point);
        }
    }
    all
}

/// Points that are spread over the box: each axis is cut into as many parts as there are points,
/// and each part has one.
fn spread_out(count: usize, axes: usize, rng: &mut Rng) -> Vec<Point> {
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

impl Method for Model {
    fn ask(&mut self, games_left: u64) -> Option<Step> {
        let blocks = (self.spent / (CANDIDATES as u64 * STEPS)).max(LEAST_BLOCKS);
        let step = Step { kind: Kind::Step, candidates: self.next.clone(), blocks };
        (step.games() <= games_left && self.refusals < MOST_REFUSALS).then_some(step)
    }

    fn tell(&mut self, step: &Step, losses: &[Losses]) {
        self.told += 1;
        for (point, losses) in step.candidates.iter().zip(losses) {
            self.learn(point, losses);
        }
        let mut others =
            step.candidates.iter().zip(losses).filter(|(point, _)| **point != self.answer).peekable();
        let is_refused = others.peek().is_some() && others.all(|(_, losses)| losses.is_none());
        self.refusals = if is_refused { self.refusals + 1 } else { 0 };
        self.think();
    }

    fn answer(&self) -> Point {
        self.answer.clone()
    }

    /// The games that showed it astray are no part of the model. It answers with this point until
    /// it knows more.
    fn go_back(&mut self, to: &Point) {
        self.answer.clone_from(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In each part of each axis there is one point.
    #[test]
    fn first_points_are_spread_over_the_box() {
        let points = spread_out(10, 3, &mut Seed::root(1).rng());
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
        assert_eq!(placed(vec![0.3, 0.3, 1.2, -0.1], &of), [0.25, 0.3, 1.0, 0.0]);
        // Three of five: the start is one of the points, however it is rounded.
        let of = space(&[0.6], &[0.2]);
        assert_eq!(placed(vec![0.64], &of), [0.6]);
        assert!((placed(vec![0.36], &of)[0] - 0.4).abs() < 1e-12);
        // A step that reaches no border of the box stays in it.
        assert_eq!(placed(vec![1.0], &space(&[0.95], &[0.2])), [0.95]);
        assert_eq!(placed(vec![1.0], &space(&[0.85], &[0.2])), [1.0]);
    }

    /// Where there are few players, each is a candidate once.
    #[test]
    fn few_players_are_few_candidates() {
        let space = Space { start: vec![0.5], grain: vec![0.5] };
        let mut model = Model::new(&space, Seed::root(1));
        for _ in 0..5 {
            let step = model.ask(u64::MAX).expect("a step");
            let mut points = step.candidates.clone();
            points.sort_by(|one, other| one[0].total_cmp(&other[0]));
            points.dedup();
            assert!(points.len() == step.candidates.len() && points.len() <= 3, "{points:?}");
            let losses = |point: &Point| Some(vec![1.0 - point[0]; step.blocks as usize]);
            let losses: Vec<Losses> = step.candidates.iter().map(losses).collect();
            model.tell(&step, &losses);
        }
        assert_eq!(model.answer(), [1.0]);
    }

    /// Games that say nothing, and a box of many axes, are borne.
    #[test]
    fn equal_losses_leave_the_start() {
        let space = Space { start: vec![0.5; 50], grain: vec![0.0; 50] };
        let mut model = Model::new(&space, Seed::root(1));
        for _ in 0..3 {
            let step = model.ask(u64::MAX).expect("a step");
            let losses = vec![Some(vec![1.0; step.blocks as usize]); step.candidates.len()];
            model.tell(&step, &losses);
        }
        assert!(model.answer().iter().all(|x| (0.0..=1.0).contains(x)));
    }

    /// What is refused is avoided, and nothing is asked for twice in a step.
    #[test]
    fn refused_points_are_left() {
        let space = Space { start: vec![0.9, 0.5], grain: vec![0.0; 2] };
        let mut model = Model::new(&space, Seed::root(3));
        let mut refused = Vec::new();
        for _ in 0..12 {
            let step = model.ask(u64::MAX).expect("a step");
            // Only the left of the box can be played, and is better towards its border.
            let lose = |point: &Point| (point[0] < 0.6).then(|| vec![point[0]; step.blocks as usize]);
            let losses: Vec<Losses> = step.candidates.iter().map(lose).collect();
            refused.push(losses.iter().filter(|losses| losses.is_none()).count());
            for (place, point) in step.candidates.iter().enumerate() {
                assert!(!step.candidates[..place].contains(point), "{point:?} twice");
            }
            model.tell(&step, &losses);
        }
        assert!(refused[0] > 3 && refused[11] <= 3, "{refused:?}");
        assert!(model.answer()[0] < 0.1, "{:?}", model.answer());
    }

    /// A long search keeps as many points as the model can bear, and all of their blocks.
    #[test]
    fn points_that_are_alike_become_one() {
        let space = Space { start: vec![0.5; 2], grain: vec![0.0; 2] };
        let mut model = Model::new(&space, Seed::root(4));
        let mut rng = Seed::root(5).rng();
        for point in spread_out(MOST_POINTS + 50, 2, &mut rng) {
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
