//! Barnard's unconditional test (1947) with the ordering of outcomes by Chan and Zhang (1999): the
//! probability of a score at least as large as the observed one, summed over all outcomes, at the
//! true rates that maximize it.
//!
//! True rates that the data themselves reject are skipped, and their probability is added to p
//! (Berger and Boos 1994).

use super::super::bisection::{bisect, bisect_integer};
use super::score::{MAX_STATISTIC, Score};

/// Number of points at which true rates are evaluated, less than half a standard deviation of the
/// larger sample apart...
const GRID_POINTS: u32 = 32;
/// ...and number of refinements around the worst point, each halving the distance. This makes p
/// accurate to about one part in 100,000.
const HALVINGS: u32 = 8;

/// Relative difference of two scores that rounding may cause.
const ROUNDING: f64 = 1e-10;

/// Returns the p of "the first rate exceeds the second by no more than the border", from successes
/// and trials of both. For a range of borders, returns an upper bound on all their p-values. True
/// rates that the data reject with an error probability of `rejection_risk` are skipped.
///
/// Among the rates that the hypothesis allows, the worst have a difference equal to the border:
/// each outcome in the region remains in it with more successes of the first, or fewer of the
/// second. The score of an outcome falls as the border rises. So no outcome that counts at a border
/// within the range has a lower score at the lower border than the observed outcome has at the
/// higher one; and all are most likely at the higher border.
pub(super) fn p_above(
    (lower, higher): (f64, f64),
    first: (u64, u64),
    second: (u64, u64),
    rejection_risk: f64,
) -> f64 {
    // Four bounds, each with a quarter of the risk.
    let exponent = libm::log(4.0 / rejection_risk);
    let (one, other) = (likely_rates(first, exponent), likely_rates(second, exponent));
    let low = (one.0 - higher).max(other.0).max(0.0).max(-higher);
    let high = (one.1 - lower).min(other.1).min(1.0).min(1.0 - lower);
    if low > high {
        return rejection_risk;
    }
    let [score, observed] = [lower, higher].map(|border| Score::new(first.1, second.1, border));
    let mut region = Region::new(&score, first.1, second.1, observed.statistic(first.0, second.0));
    rejection_risk
        + max_probability(low, high, |second| region.probability((second + higher).clamp(0.0, one.1), second))
}

/// Returns the power of the test at a one-sided p of `max_p`: the probability that it finds the
/// first rate to be higher, with equal trials and these true rates.
pub(super) fn power((p1, p2): (f64, f64), trials: u64, max_p: f64, rejection_risk: f64) -> f64 {
    let common = ((p1 + p2) / 2.0 * trials as f64).round() as u64;
    let (low, high) = likely_rates((common, trials), libm::log(4.0 / rejection_risk));
    let score = Score::new(trials, trials, 0.0);
    let make_region = |min_statistic: f64| Region::new(&score, trials, trials, min_statistic);
    let is_significant = |min_statistic: f64| {
        let mut region = make_region(min_statistic);
        max_probability(low, high, |rate| region.probability(rate, rate)) <= max_p
    };
    // p falls as the statistic grows, so a difference is significant from some statistic on.
    let (_, min_statistic) = bisect(0.0, MAX_STATISTIC, 16, is_significant);
    make_region(min_statistic).probability(p1, p2)
}

/// Returns the largest probability of the region over second rates from `low` to `high`.
fn max_probability(low: f64, high: f64, mut probability: impl FnMut(f64) -> f64) -> f64 {
    // On this scale the standard deviation is constant.
    let (start, end) = (libm::asin(low.sqrt()), libm::asin(high.sqrt()));
    let mut step = (end - start) / f64::from(GRID_POINTS);
    let mut probability_at = |angle: f64| probability(libm::sin(angle) * libm::sin(angle));
    let (mut worst_angle, mut largest) = (start, 0.0);
    for index in 0..=GRID_POINTS {
        let angle = start + step * f64::from(index);
        let probability = probability_at(angle);
        if probability > largest {
            (worst_angle, largest) = (angle, probability);
        }
    }
    for _ in 0..HALVINGS {
        step /= 2.0;
        for angle in [worst_angle - step, worst_angle + step] {
            let probability = if start <= angle && angle <= end { probability_at(angle) } else { 0.0 };
            if probability > largest {
                (worst_angle, largest) = (angle, probability);
            }
        }
    }
    largest
}

/// Returns the rates that successes in trials do not reject, by Chernoff's bound. Outside, the
/// probability is below exp(-reach) on either side.
fn likely_rates((successes, trials): (u64, u64), exponent: f64) -> (f64, f64) {
    let (x, n) = (successes as f64, trials as f64);
    let term = |x: f64, expected: f64| if x > 0.0 { x * libm::log(x / expected) } else { 0.0 };
    let is_likely = |rate: f64| term(x, n * rate) + term(n - x, n * (1.0 - rate)) <= exponent;
    let bound = |inside: f64, outside: f64| bisect(outside, inside, 40, is_likely).0;
    (bound(x / n, 0.0), bound(x / n, 1.0))
}

/// Outcomes with a score at least as large as the observed one.
struct Region<'a> {
    score: &'a Score,
    trials: (u64, u64),
    min_statistic: f64,
    /// Smallest number of the first player's successes in the region, for each number of the
    /// second's from `start` on; larger than the trials if there is none.
    boundary: Vec<u64>,
    start: u64,
    first_weights: Weights,
    second_weights: Weights,
}

impl Region<'_> {
    fn new(score: &Score, m: u64, n: u64, observed: f64) -> Region<'_> {
        let min_statistic = observed - ROUNDING * (1.0 + observed.abs());
        let (first_weights, second_weights) = (Weights::default(), Weights::default());
        Region {
            score,
            trials: (m, n),
            min_statistic,
            boundary: Vec::new(),
            start: 0,
            first_weights,
            second_weights,
        }
    }

    /// Returns the probability of an outcome in the region.
    fn probability(&mut self, p: f64, q: f64) -> f64 {
        let (m, n) = self.trials;
        self.first_weights.set(m, p);
        self.second_weights.set(n, q);
        self.cover(
            self.second_weights.start,
            self.second_weights.start + self.second_weights.weights.len() as u64 - 1,
        );
        // More successes of the second need more of the first, so both are decreased together.
        let (mut above, mut sum) = (0.0, 0.0);
        let mut next = self.first_weights.weights.len();
        for (index, weight) in self.second_weights.weights.iter().enumerate().rev() {
            let min_first = self.boundary[(self.second_weights.start - self.start) as usize + index];
            let min_index = min_first.saturating_sub(self.first_weights.start) as usize;
            while next > min_index {
                next -= 1;
                above += self.first_weights.weights[next];
            }
            sum += weight * above;
        }
        (sum / (self.first_weights.sum * self.second_weights.sum)).min(1.0)
    }

    /// Finds the edge for a range of the second player's successes.
    fn cover(&mut self, start: u64, end: u64) {
        if self.boundary.is_empty() {
            let middle = self.edge_at(start, 0, 1);
            (self.start, self.boundary) = (start, vec![middle]);
        }
        if start < self.start {
            let mut before = Vec::new();
            let mut guess = (self.boundary[0], 1);
            for second in (start..self.start).rev() {
                let min_first = self.edge_at(second, guess.0, guess.1);
                guess = (
                    min_first.saturating_sub(guess.0.saturating_sub(min_first)),
                    (guess.0.abs_diff(min_first) / 8).max(1),
                );
                before.push(min_first);
            }
            before.reverse();
            before.append(&mut self.boundary);
            (self.start, self.boundary) = (start, before);
        }
        while self.start + (self.boundary.len() as u64) <= end {
            let last = self.boundary[self.boundary.len() - 1];
            let rise = last - self.boundary[self.boundary.len().saturating_sub(2)];
            let min_first =
                self.edge_at(self.start + self.boundary.len() as u64, last + rise, (rise / 8).max(1));
            self.boundary.push(min_first);
        }
    }

    /// Returns the smallest number of the first player's successes in the region, by searching
    /// around a guess with doubling steps.
    fn edge_at(&self, second: u64, guess: u64, step: u64) -> u64 {
        let m = self.trials.0;
        let is_in = |first: u64| first > m || self.score.statistic(first, second) >= self.min_statistic;
        let guess = guess.min(m + 1);
        let mut step = step;
        // `outside` is one more than the last number known to be outside; `inside` is in the
        // region.
        let (mut outside, mut inside);
        if is_in(guess) {
            inside = guess;
            loop {
                outside = inside.saturating_sub(step);
                if outside == 0 && (inside == 0 || is_in(0)) {
                    return 0;
                }
                if !is_in(outside) {
                    break;
                }
                inside = outside;
                step *= 2;
            }
        } else {
            outside = guess;
            loop {
                inside = (outside + step).min(m + 1);
                if is_in(inside) {
                    break;
                }
                outside = inside;
                step *= 2;
            }
        }
        bisect_integer(outside, inside, is_in).1
    }
}

/// Probabilities of numbers of successes, as multiples of the largest. Those further away than
/// eight standard deviations and 40 are negligible in a sum (Bernstein's inequality: 3e-14).
#[derive(Default)]
struct Weights {
    start: u64,
    weights: Vec<f64>,
    sum: f64,
}

impl Weights {
    fn set(&mut self, trials: u64, rate: f64) {
        let n = trials as f64;
        let half_range = 8.0 * (n * rate * (1.0 - rate)).sqrt() + 40.0;
        let low = (n * rate - half_range).max(0.0) as u64;
        let high = ((n * rate + half_range) as u64).min(trials);
        let mode = (((n + 1.0) * rate) as u64).clamp(low, high);
        let odds = rate / (1.0 - rate);
        self.start = low;
        self.weights.clear();
        self.weights.resize((high - low + 1) as usize, 0.0);
        self.weights[(mode - low) as usize] = 1.0;
        let mut weight = 1.0;
        for successes in mode + 1..=high {
            weight *= odds * (trials - successes + 1) as f64 / successes as f64;
            self.weights[(successes - low) as usize] = weight;
        }
        weight = 1.0;
        for successes in (low..mode).rev() {
            weight *= (successes + 1) as f64 / ((trials - successes) as f64 * odds);
            self.weights[(successes - low) as usize] = weight;
        }
        self.sum = self.weights.iter().sum();
    }
}
