//! (μ/μ_w, λ)-CMA-ES of Hansen and Ostermeier (2001), with the constants of Hansen's tutorial
//! (2016).
//!
//! A generation of candidates is drawn from a normal distribution around a mean. The mean moves
//! towards the candidates with the smallest losses. The distribution grows along their directions,
//! and its size depends on how straight the path of the mean is.
//!
//! Deviations:
//! - Each candidate plays some blocks, whose number adapts to the noise, as in Hansen et al.
//!   (2009): the candidates are ranked by each half of their blocks. The more these ranks differ,
//!   the more blocks the next generation plays.
//! - A candidate outside the box is reflected into it, and the distribution learns from its new
//!   position.
//! - The answer is not the mean of the last generation but the average of the means of the last
//!   half of all generations.

use gauntlet_core::rng::{Rng, Seed};

use super::jacobi::{Matrix, eigen, identity};
use super::loss_comparison::mean;
use super::method::{CandidateLosses, MethodStep, Optimizer, Point, Space, StepKind, reflect};
use super::normal::draw_normal;
use super::tail_average::TailAverage;

/// Line in the manual.
pub(super) const ABOUT: &str =
    "evolution strategy: samples candidates from a normal distribution that adapts to the best candidates";

/// Creates the method, with the first mean at the start of a space.
pub(super) fn create(space: &Space, seed: Seed) -> Box<dyn Optimizer> {
    Box::new(CmaEs::new(space, seed))
}

/// Initial standard deviation on each axis.
const FIRST_SPREAD: f64 = 0.25;

/// Candidates per generation, as a multiple of the tutorial's advice for an objective without
/// noise. From one to four times, the median of the loss left after 20,000 games falls to a half
/// and the ninth decile to a third, because more candidates average the noise. Six times is
/// slightly better still.
const CANDIDATE_FACTOR: usize = 6;

/// Blocks per candidate in the first generation, and the minimum.
const MIN_BLOCKS: u64 = 2;

/// Upper noise threshold: if the ranks differ by more than this proportion of what chance alone
/// would cause, the number of blocks grows.
const HIGH_DISAGREEMENT: f64 = 0.8;

/// Lower noise threshold: below this proportion, the number of blocks falls.
const LOW_DISAGREEMENT: f64 = 0.5;

/// Weight of the last generation in the running rank difference.
const LATEST_WEIGHT: f64 = 0.3;

/// Factor by which the number of blocks grows or falls, and by which steps get shorter if too few
/// candidates are accepted.
const ADAPTATION_FACTOR: f64 = 1.2;

/// Fewest accepted candidates of a generation from which the search learns.
const MIN_ACCEPTED: usize = 4;

/// Number of consecutive generations with too few accepted candidates after which the search ends.
const MAX_REFUSALS: u32 = 60;

/// State of a CMA-ES search.
#[derive(Debug)]
pub struct CmaEs {
    resolution: Vec<f64>,
    seed: Seed,
    constants: Constants,
    /// Number of steps reported, which seeds the next step.
    step_count: u64,
    generation: u64,
    mean: Point,
    tail_average: TailAverage,
    step_size: f64,
    covariance: Matrix,
    /// Square roots of the eigenvalues of the covariance, and its eigenvectors as columns.
    axes: (Vec<f64>, Matrix),
    /// Evolution paths, which adapt size and shape.
    size_path: Vec<f64>,
    shape_path: Vec<f64>,
    blocks: f64,
    /// Difference of the ranks by both halves of the blocks, as a proportion of what chance alone
    /// would cause.
    disagreement: f64,
    /// Factor of the initial spread, smaller after each return.
    spread_factor: f64,
    consecutive_refusals: u32,
}

/// Constants that depend only on the number of axes, named as in the tutorial.
#[derive(Debug)]
struct Constants {
    candidates: usize,
    weights: Vec<f64>,
    mu_eff: f64,
    c_sigma: f64,
    d_sigma: f64,
    c_c: f64,
    c_1: f64,
    c_mu: f64,
    chi_n: f64,
}

impl Constants {
    fn new(axes: usize) -> Constants {
        let n = axes as f64;
        let candidates = CANDIDATE_FACTOR * (4 + (3.0 * libm::log(n)) as usize);
        let half = (candidates as f64 + 1.0) / 2.0;
        let raw_weights = (1..=candidates / 2).map(|rank| libm::log(half) - libm::log(rank as f64));
        let weights = normalize(raw_weights.collect());
        let mu_eff = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let d_sigma = 1.0 + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);
        let c_1 = 2.0 / ((n + 1.3) * (n + 1.3) + mu_eff);
        let c_mu = 2.0 * (mu_eff - 2.0 + 1.0 / mu_eff) / ((n + 2.0) * (n + 2.0) + mu_eff);
        let c_mu = c_mu.clamp(0.0, 1.0 - c_1);
        let chi_n = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        Constants { candidates, weights, mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi_n }
    }
}

/// Scales weights to a sum of 1.
fn normalize(weights: Vec<f64>) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

impl CmaEs {
    /// Creates a search around the start of a space.
    pub fn new(space: &Space, seed: Seed) -> CmaEs {
        let axes = space.start.len();
        CmaEs {
            resolution: space.resolution.clone(),
            seed,
            constants: Constants::new(axes),
            step_count: 0,
            generation: 0,
            mean: space.start.clone(),
            tail_average: TailAverage::new(&space.start),
            step_size: FIRST_SPREAD,
            covariance: identity(axes),
            axes: (vec![1.0; axes], identity(axes)),
            size_path: vec![0.0; axes],
            shape_path: vec![0.0; axes],
            blocks: MIN_BLOCKS as f64,
            disagreement: (LOW_DISAGREEMENT + HIGH_DISAGREEMENT) / 2.0,
            spread_factor: 1.0,
            consecutive_refusals: 0,
        }
    }

    /// Returns the blocks per candidate: an even number, because they are halved.
    fn blocks_per_candidate(&self) -> u64 {
        2 * (self.blocks / 2.0) as u64
    }

    /// Draws the offset of a candidate from the mean, in units of the spread.
    fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        let (lengths, vectors) = &self.axes;
        let coordinates: Vec<f64> = lengths.iter().map(|length| length * draw_normal(rng)).collect();
        let offset = vectors.iter().map(|row| row.iter().zip(&coordinates).map(|(v, x)| v * x).sum());
        offset.collect()
    }

    /// Converts a draw to a point in the box.
    fn to_point(&self, offset: &[f64]) -> Point {
        let coordinates = offset.iter().enumerate().map(|(axis, offset)| {
            let deviation = self.step_size * self.covariance[axis][axis].sqrt();
            // With a deviation below half a grain most candidates would be the same player.
            let widening = (self.resolution[axis] / 2.0 / deviation).max(1.0);
            reflect(self.mean[axis] + widening * self.step_size * offset)
        });
        coordinates.collect()
    }

    /// Moves the mean and adapts the distribution to the accepted candidates, best first.
    fn move_towards(&mut self, ranked_points: &[&Point]) {
        let constants = &self.constants;
        let weights = normalize(
            constants.weights[..constants.weights.len().min(ranked_points.len() / 2).max(1)].to_vec(),
        );
        let scaled_steps = ranked_points[..weights.len()]
            .iter()
            .map(|point| point.iter().zip(&self.mean).map(|(x, mean)| (x - mean) / self.step_size).collect());
        let steps: Vec<Vec<f64>> = scaled_steps.collect();
        let size = self.mean.len();
        let mean_step: Vec<f64> =
            (0..size).map(|i| weights.iter().zip(&steps).map(|(weight, y)| weight * y[i]).sum()).collect();

        // The step in coordinates in which the distribution is isotropic.
        let (lengths, vectors) = &self.axes;
        let coordinate =
            |i: usize| (0..size).map(|row| vectors[row][i] * mean_step[row]).sum::<f64>() / lengths[i];
        let isotropic_step: Vec<f64> = (0..size).map(coordinate).collect();
        let whitened = |row: usize| (0..size).map(|i| vectors[row][i] * isotropic_step[i]).sum::<f64>();
        let size_path_rate = (constants.c_sigma * (2.0 - constants.c_sigma) * constants.mu_eff).sqrt();
        for row in 0..size {
            self.size_path[row] =
                (1.0 - constants.c_sigma) * self.size_path[row] + size_path_rate * whitened(row);
        }
        let path_length = self.size_path.iter().map(|x| x * x).sum::<f64>().sqrt();

        self.generation += 1;
        let bias_correction = 1.0 - libm::pow(1.0 - constants.c_sigma, 2.0 * self.generation as f64);
        // After a long straight path the shape is not updated until the size has adapted.
        let is_straight =
            path_length / bias_correction.sqrt() > (1.4 + 2.0 / (size as f64 + 1.0)) * constants.chi_n;
        let shape_path_rate =
            if is_straight { 0.0 } else { (constants.c_c * (2.0 - constants.c_c) * constants.mu_eff).sqrt() };
        for (path, step) in self.shape_path.iter_mut().zip(&mean_step) {
            *path = (1.0 - constants.c_c) * *path + shape_path_rate * step;
        }
        let variance_correction =
            if is_straight { constants.c_1 * constants.c_c * (2.0 - constants.c_c) } else { 0.0 };
        for p in 0..size {
            for q in 0..size {
                let rank_one = self.shape_path[p] * self.shape_path[q];
                let rank_mu: f64 = weights.iter().zip(&steps).map(|(weight, y)| weight * y[p] * y[q]).sum();
                self.covariance[p][q] = (1.0 - constants.c_1 - constants.c_mu + variance_correction)
                    * self.covariance[p][q]
                    + constants.c_1 * rank_one
                    + constants.c_mu * rank_mu;
            }
        }

        for (mean, step) in self.mean.iter_mut().zip(&mean_step) {
            *mean = (*mean + self.step_size * step).clamp(0.0, 1.0);
        }
        let growth = libm::exp(constants.c_sigma / constants.d_sigma * (path_length / constants.chi_n - 1.0));
        self.step_size = (self.step_size * growth).min(WIDEST_SPREAD);
        let (values, vectors) = eigen(&self.covariance);
        let largest = values.iter().copied().fold(0.0, f64::max);
        // Rounding must not make the distribution degenerate.
        let lengths = values.iter().map(|value| value.max(1e-12 * largest).sqrt()).collect();
        self.axes = (lengths, vectors);
        self.tail_average.push(&self.mean);
    }

    /// Adapts the number of blocks to the difference of the ranks by both halves.
    fn adapt_blocks(&mut self, losses: &[&Vec<f64>]) {
        let rank_half = |offset: usize| -> Vec<usize> {
            let means = losses
                .iter()
                .map(|losses| mean(&losses.iter().skip(offset).step_by(2).copied().collect::<Vec<f64>>()));
            ranks(&means.collect::<Vec<f64>>())
        };
        let (even_ranks, odd_ranks) = (rank_half(0), rank_half(1));
        let sum: usize = even_ranks.iter().zip(&odd_ranks).map(|(even, odd)| even.abs_diff(*odd)).sum();
        let count = losses.len() as f64;
        // Ranks of two independent orders differ by (λ² - 1) / (3 λ) on average.
        let expected_sum = (count * count - 1.0) / 3.0;
        self.disagreement += LATEST_WEIGHT * (sum as f64 / expected_sum - self.disagreement);
        if self.disagreement > HIGH_DISAGREEMENT {
            self.blocks *= ADAPTATION_FACTOR;
        } else if self.disagreement < LOW_DISAGREEMENT {
            self.blocks = (self.blocks / ADAPTATION_FACTOR).max(MIN_BLOCKS as f64);
        }
    }
}

/// Maximum spread; in a box, a wider one has no further effect.
const WIDEST_SPREAD: f64 = 0.5;

impl Optimizer for CmaEs {
    fn ask(&mut self, games_left: u64) -> Option<MethodStep> {
        let mut rng = self.seed.child("step", self.step_count).rng();
        let draws = (0..self.constants.candidates).map(|_| self.draw(&mut rng));
        let candidates = draws.map(|draw| self.to_point(&draw)).collect();
        let step = MethodStep { kind: StepKind::Step, candidates, blocks: self.blocks_per_candidate() };
        (step.games() <= games_left && self.consecutive_refusals < MAX_REFUSALS).then_some(step)
    }

    fn record_losses(&mut self, step: &MethodStep, losses: &[CandidateLosses]) {
        self.step_count += 1;
        let accepted: Vec<(&Point, &Vec<f64>)> = step
            .candidates
            .iter()
            .zip(losses)
            .filter_map(|(point, losses)| Some((point, losses.as_ref()?)))
            .collect();
        if accepted.len() < MIN_ACCEPTED {
            self.consecutive_refusals += 1;
            self.step_size /= ADAPTATION_FACTOR;
            return;
        }
        self.consecutive_refusals = 0;
        let (points, losses): (Vec<&Point>, Vec<&Vec<f64>>) = accepted.into_iter().unzip();
        self.adapt_blocks(&losses);
        let means: Vec<f64> = losses.iter().map(|losses| mean(losses)).collect();
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&one, &other| means[one].total_cmp(&means[other]));
        let ranked_points: Vec<&Point> = order.iter().map(|&index| points[index]).collect();
        self.move_towards(&ranked_points);
    }

    fn best_point(&self) -> Point {
        self.tail_average.average()
    }

    fn restart_at(&mut self, point: &Point) {
        let axes = point.len();
        self.spread_factor /= 2.0;
        self.step_size = FIRST_SPREAD * self.spread_factor;
        self.mean.clone_from(point);
        self.tail_average = TailAverage::new(point);
        self.covariance = identity(axes);
        self.axes = (vec![1.0; axes], identity(axes));
        self.size_path = vec![0.0; axes];
        self.shape_path = vec![0.0; axes];
        self.generation = 0;
    }
}

/// Returns the rank of each number, from 0; among equals the first has the lower rank.
fn ranks(numbers: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&one, &other| numbers[one].total_cmp(&numbers[other]));
    let mut ranks = vec![0; numbers.len()];
    for (rank, &index) in order.iter().enumerate() {
        ranks[index] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_counted_from_the_least() {
        assert_eq!(ranks(&[0.3, 0.1, 0.2, 0.1]), [3, 0, 2, 1]);
    }

    #[test]
    fn weights_fall_and_sum_to_one() {
        let constants = Constants::new(10);
        assert_eq!(constants.candidates, CANDIDATE_FACTOR * 10);
        assert_eq!(constants.weights.len(), CANDIDATE_FACTOR * 5);
        assert!(constants.weights.is_sorted_by(|one, other| one > other));
        assert!((constants.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(constants.c_1 + constants.c_mu < 1.0);
    }

    /// More blocks are played if the ranks are noisy, and fewer again once they are clear.
    #[test]
    fn blocks_follow_the_noise() {
        let space = Space { start: vec![0.5; 3], resolution: vec![0.0; 3] };
        let mut cma_es = CmaEs::new(&space, Seed::root(1));
        let mut rng = Seed::root(2).rng();
        let mut run_steps = |cma_es: &mut CmaEs, noise: f64| {
            for _ in 0..30 {
                let step = cma_es.ask(u64::MAX).expect("a step");
                let mut draw_losses = |point: &Point| -> Vec<f64> {
                    (0..step.blocks).map(|_| point[0] + noise * draw_normal(&mut rng)).collect()
                };
                let losses: Vec<CandidateLosses> =
                    step.candidates.iter().map(|point| Some(draw_losses(point))).collect();
                cma_es.record_losses(&step, &losses);
            }
            cma_es.blocks_per_candidate()
        };
        assert!(run_steps(&mut cma_es, 1000.0) > 20);
        assert_eq!(run_steps(&mut cma_es, 0.0), MIN_BLOCKS);
    }
}
