//! Gaussian process regression: estimates an unknown function from noisy values, with uncertainty
//! (Rasmussen and Williams, 2006, chapters 2 and 5). Nearby points have similar values; the length
//! scale of each axis is fitted to the values.

use super::coordinate_search::{ClimbSettings, climb};
use super::method::Point;

/// Observed value at a point, with the variance of its noise.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    pub(super) point: Point,
    pub(super) value: f64,
    pub(super) noise: f64,
}

/// Kernel: the Matérn covariance with parameter 5/2.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kernel {
    /// Variance of the function.
    pub(super) variance: f64,
    /// Length scale of each axis.
    pub(super) length_scales: Vec<f64>,
}

impl Kernel {
    /// Returns the prior kernel.
    pub(super) fn new(axes: usize) -> Kernel {
        Kernel { variance: 1.0, length_scales: vec![PRIOR_LENGTH; axes] }
    }

    /// Returns the distance between two points, in length scales.
    pub(super) fn distance(&self, one: &Point, other: &Point) -> f64 {
        let squares = one.iter().zip(other).zip(&self.length_scales);
        let squares: f64 = squares.map(|((x, y), length)| (x - y) * (x - y) / (length * length)).sum();
        squares.sqrt()
    }

    fn covariance(&self, one: &Point, other: &Point) -> f64 {
        let scaled_distance = 5.0_f64.sqrt() * self.distance(one, other);
        self.variance
            * (1.0 + scaled_distance + scaled_distance * scaled_distance / 3.0)
            * libm::exp(-scaled_distance)
    }

    /// Returns the parameters as logarithms, for the search.
    fn to_logarithms(&self) -> Vec<f64> {
        std::iter::once(&self.variance).chain(&self.length_scales).map(|x| libm::log(*x)).collect()
    }

    fn from_logarithms(logarithms: &[f64]) -> Kernel {
        let mut numbers = logarithms.iter().map(|x| libm::exp(*x));
        let variance = numbers.next().expect("a variance");
        Kernel { variance, length_scales: numbers.collect() }
    }

    /// Returns the kernel that explains the observations best, found by coordinate search from this
    /// one.
    pub(super) fn fit(&self, observations: &[Observation]) -> Kernel {
        let log_posterior = |logarithms: &Point| {
            let kernel = Kernel::from_logarithms(logarithms);
            GaussianProcess::new(kernel, observations).map_or(f64::NEG_INFINITY, |process| {
                process.log_marginal_likelihood() + log_prior(logarithms)
            })
        };
        let move_along = |logarithms: &Point, axis: usize, change: f64| {
            let mut other = logarithms.clone();
            other[axis] += change;
            other
        };
        Kernel::from_logarithms(&climb(self.to_logarithms(), &CLIMB_SETTINGS, move_along, log_posterior))
    }
}

/// Prior length scale of an axis, as a proportion of the box.
const PRIOR_LENGTH: f64 = 0.5;

/// Prior standard deviation of the logarithms of the length scales and of the variance.
const PRIOR_SPREAD: f64 = 0.8;

/// Changes of the logarithms that are tried.
const CLIMB_SETTINGS: ClimbSettings = ClimbSettings { first_step: 0.6, min_step: 0.12, max_sweeps: 60 };

/// Returns the log prior probability of parameters, except for a constant.
fn log_prior(logarithms: &[f64]) -> f64 {
    let log_prior_length = libm::log(PRIOR_LENGTH);
    let deviations =
        logarithms.iter().enumerate().map(|(index, x)| if index == 0 { *x } else { x - log_prior_length });
    -deviations.map(|x| x * x).sum::<f64>() / (2.0 * PRIOR_SPREAD * PRIOR_SPREAD)
}

/// Fitted process, ready for estimates.
pub(super) struct GaussianProcess<'a> {
    kernel: Kernel,
    observations: &'a [Observation],
    factor: CholeskyFactor,
    /// Values, multiplied by the inverse covariance.
    weights: Vec<f64>,
    /// Values, multiplied by the inverse factor.
    whitened_values: Vec<f64>,
}

impl<'a> GaussianProcess<'a> {
    /// Fits a process; `None` if points are too close to be distinguished.
    pub(super) fn new(kernel: Kernel, observations: &'a [Observation]) -> Option<GaussianProcess<'a>> {
        let covariance = |row: usize, column: usize| {
            let noise = if row == column {
                observations[row].noise + OBSERVATION_JITTER * kernel.variance
            } else {
                0.0
            };
            kernel.covariance(&observations[row].point, &observations[column].point) + noise
        };
        let factor = CholeskyFactor::factorize(observations.len(), covariance)?;
        let whitened_values =
            factor.solve_forward(observations.iter().map(|observation| observation.value).collect());
        let weights = factor.solve_backward(whitened_values.clone());
        Some(GaussianProcess { kernel, observations, factor, weights, whitened_values })
    }

    /// Returns the log marginal likelihood, except for a constant.
    fn log_marginal_likelihood(&self) -> f64 {
        let squared_norm: f64 = self.whitened_values.iter().map(|x| x * x).sum();
        -squared_norm / 2.0 - self.factor.log_determinant()
    }

    fn observation_covariances(&self, point: &Point) -> Vec<f64> {
        self.observations
            .iter()
            .map(|observation| self.kernel.covariance(point, &observation.point))
            .collect()
    }

    /// Returns the expected value at a point, and its standard deviation.
    pub(super) fn predict(&self, point: &Point) -> (f64, f64) {
        let covariances = self.observation_covariances(point);
        let value = dot(&covariances, &self.weights);
        let whitened = self.factor.solve_forward(covariances);
        (value, (self.kernel.variance - dot(&whitened, &whitened)).max(0.0).sqrt())
    }

    /// Draws functions from the posterior, each as its values at these points. `normal` draws from
    /// the standard normal distribution. Empty if rounding leaves no valid covariance.
    pub(super) fn sample_functions(
        &self,
        points: &[Point],
        count: usize,
        mut normal: impl FnMut() -> f64,
    ) -> Vec<Vec<f64>> {
        let covariances: Vec<Vec<f64>> =
            points.iter().map(|point| self.observation_covariances(point)).collect();
        let means: Vec<f64> = covariances.iter().map(|row| dot(row, &self.weights)).collect();
        let whitened: Vec<Vec<f64>> =
            covariances.into_iter().map(|row| self.factor.solve_forward(row)).collect();
        let covariance = |row: usize, column: usize| {
            let jitter = if row == column { ESTIMATE_JITTER * self.kernel.variance } else { 0.0 };
            self.kernel.covariance(&points[row], &points[column]) - dot(&whitened[row], &whitened[column])
                + jitter
        };
        let Some(factor) = CholeskyFactor::factorize(points.len(), covariance) else { return Vec::new() };
        (0..count)
            .map(|_| {
                let draws: Vec<f64> = points.iter().map(|_| normal()).collect();
                (0..points.len()).map(|row| means[row] + dot(factor.row(row), &draws)).collect()
            })
            .collect()
    }
}

/// Fractions of the variance added in case rounding would make a covariance invalid: for observed
/// values, and for estimates.
const OBSERVATION_JITTER: f64 = 1e-8;
const ESTIMATE_JITTER: f64 = 1e-6;

/// Returns the dot product of two rows, over the length of the shorter one.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(x, y)| x * y).sum()
}

/// Lower triangular Cholesky factor of a covariance, row by row.
struct CholeskyFactor {
    size: usize,
    entries: Vec<f64>,
}

impl CholeskyFactor {
    /// Factors a covariance; `None` if it is not positive definite.
    fn factorize(size: usize, covariance: impl Fn(usize, usize) -> f64) -> Option<CholeskyFactor> {
        let mut triangle = CholeskyFactor { size, entries: Vec::with_capacity(size * (size + 1) / 2) };
        for row in 0..size {
            let start = triangle.entries.len();
            for column in 0..=row {
                let sum = covariance(row, column) - dot(&triangle.entries[start..], triangle.row(column));
                let entry = if column < row {
                    sum / triangle.row(column)[column]
                } else if sum > 0.0 {
                    sum.sqrt()
                } else {
                    return None;
                };
                triangle.entries.push(entry);
            }
        }
        Some(triangle)
    }

    /// Returns a row up to the diagonal.
    fn row(&self, row: usize) -> &[f64] {
        let start = row * (row + 1) / 2;
        &self.entries[start..self.entries.len().min(start + row + 1)]
    }

    /// Solves the triangular system by forward substitution.
    fn solve_forward(&self, mut numbers: Vec<f64>) -> Vec<f64> {
        for row in 0..self.size {
            let entries = self.row(row);
            numbers[row] = (numbers[row] - dot(&entries[..row], &numbers)) / entries[row];
        }
        numbers
    }

    /// Solves the transposed system by backward substitution.
    fn solve_backward(&self, mut numbers: Vec<f64>) -> Vec<f64> {
        for row in (0..self.size).rev() {
            let entries = self.row(row);
            numbers[row] /= entries[row];
            let number = numbers[row];
            for (other, entry) in numbers.iter_mut().zip(&entries[..row]) {
                *other -= entry * number;
            }
        }
        numbers
    }

    /// Returns the logarithm of the product of the diagonal.
    fn log_determinant(&self) -> f64 {
        (0..self.size).map(|row| libm::log(self.row(row)[row])).sum()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;
    use crate::normal::draw_normal;

    fn observe(points: &[f64], value: fn(f64) -> f64, noise: f64) -> Vec<Observation> {
        points.iter().map(|&x| Observation { point: vec![x], value: value(x), noise }).collect()
    }

    /// By hand: (4, 2; 2, 5) is the product of (2, 0; 1, 2) and its transpose.
    #[test]
    fn a_covariance_has_its_triangle() {
        let matrix = [[4.0, 2.0], [2.0, 5.0]];
        let triangle = CholeskyFactor::factorize(2, |row, column| matrix[row][column]).expect("a covariance");
        assert_eq!(triangle.entries, [2.0, 1.0, 2.0]);
        let solution = triangle.solve_backward(triangle.solve_forward(vec![8.0, 12.0]));
        assert_eq!(solution, [1.0, 2.0]);
        assert!((triangle.log_determinant() - 4.0_f64.ln()).abs() < 1e-12);
        assert!(CholeskyFactor::factorize(2, |row, column| [[1.0, 2.0], [2.0, 1.0]][row][column]).is_none());
    }

    /// One value y with noise n: the estimate there is y v / (v + n), and its variance v n / (v +
    /// n).
    #[test]
    fn one_value_is_believed_as_far_as_its_noise_allows() {
        let observations = observe(&[0.5], |_| 3.0, 2.0);
        let kernel = Kernel { variance: 4.0, length_scales: vec![0.3] };
        let process = GaussianProcess::new(kernel, &observations).expect("a process");
        let (value, deviation) = process.predict(&vec![0.5]);
        assert!((value - 2.0).abs() < 1e-6 && (deviation * deviation - 4.0 / 3.0).abs() < 1e-6);
        // Far away nothing is known.
        let (value, deviation) = process.predict(&vec![20.0]);
        assert!(value.abs() < 1e-6 && (deviation - 2.0).abs() < 1e-6);
        // The log density of a normal distribution, except for its constant.
        let expected = -9.0 / 12.0 - 6.0_f64.ln() / 2.0;
        assert!((process.log_marginal_likelihood() - expected).abs() < 1e-6);
    }

    /// A function that varies along one axis has a short length scale there, and a long one along
    /// the other.
    #[test]
    fn lengths_are_learned() {
        let mut observations = Vec::new();
        for row in 0..8 {
            for column in 0..8 {
                let (x, y) = (f64::from(row) / 7.0, f64::from(column) / 7.0);
                observations.push(Observation {
                    point: vec![x, y],
                    value: 1.5 * libm::sin(9.0 * x),
                    noise: 0.01,
                });
            }
        }
        let kernel = Kernel::new(2).fit(&observations);
        assert!(kernel.length_scales[0] < 0.5 && kernel.length_scales[1] > 1.0, "{kernel:?}");
        let process = GaussianProcess::new(kernel, &observations).expect("a process");
        for x in [0.21, 0.5, 0.83] {
            let (value, deviation) = process.predict(&vec![x, 0.37]);
            assert!(
                (value - 1.5 * libm::sin(9.0 * x)).abs() < 0.2 && deviation < 0.3,
                "{x}: {value} {deviation}"
            );
        }
    }

    /// Drawn functions have the mean and deviation of the estimate, and the smoothness of the
    /// kernel.
    #[test]
    fn functions_are_drawn_as_they_are_guessed() {
        let observations = observe(&[0.1, 0.4, 0.8], |x| x - 0.5, 0.05);
        let process = GaussianProcess::new(Kernel::new(1), &observations).expect("a process");
        let points: Vec<Point> = [0.2, 0.21, 0.9].map(|x| vec![x]).into();
        let mut rng = Seed::root(7).rng();
        let functions = process.sample_functions(&points, 4_000, || draw_normal(&mut rng));
        assert_eq!(functions.len(), 4_000);
        for (index, point) in points.iter().enumerate() {
            let values: Vec<f64> = functions.iter().map(|function| function[index]).collect();
            let mean = values.iter().sum::<f64>() / 4_000.0;
            let deviation = (values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 4_000.0).sqrt();
            let (expected, spread) = process.predict(point);
            // Five standard errors.
            assert!((mean - expected).abs() < 5.0 * spread / 63.0, "{mean} for {expected}");
            assert!((deviation / spread - 1.0).abs() < 5.0 / 89.0, "{deviation} for {spread}");
        }
        let step = functions.iter().map(|function| (function[0] - function[1]).abs()).sum::<f64>() / 4_000.0;
        assert!(step < 0.05, "neighbours differ by {step}");
    }
}
