//! Exact test of a sum of amounts with random signs (Fisher's randomization test of pairs).
//!
//! Equal players could swap roles, which turns a lead in a cluster into an equal deficit. So under
//! equality all assignments of signs to the observed amounts are equally likely, whatever the
//! distribution of the amounts.

use std::collections::BTreeMap;

use super::bisection::bisect;

/// Probabilities below this one are neglected.
const NEGLIGIBLE: f64 = 1e-25;

/// Returns the two-sided p of a sum of amounts: the probability that it is at least as far from 0
/// under random signs. `amounts` maps each amount to its count.
///
/// No signs are drawn; the distribution of the sum is computed. The number of negative signs among
/// equal amounts is binomial, and the distributions of different amounts are convolved. They are
/// exponentially tilted first: each sign is positive with the probability at which the mean of the
/// sum is the observed sum. The tail is then in the middle of the distribution. So few values
/// contain nearly all of it, and a small p keeps all its digits. The likelihood ratio of each value
/// removes the tilt again.
///
/// # Panics
/// If the amounts add up to less than the sum.
pub(super) fn p_of_flips(amounts: &BTreeMap<u64, u64>, sum: u64) -> f64 {
    let max_sum: u64 = amounts.iter().map(|(amount, count)| amount * count).sum();
    assert!(sum <= max_sum, "sum {sum} exceeds {max_sum}");
    if sum == 0 {
        return 1.0;
    }
    let sum_over_amounts = |function: &dyn Fn(f64) -> f64| -> f64 {
        amounts.iter().map(|(&amount, &count)| count as f64 * function(amount as f64)).sum()
    };
    let mean = |weight: f64| sum_over_amounts(&|amount| amount * (weight * amount).tanh());
    let (low, high) = bisect(0.0, 20.0, 50, |weight| mean(weight) >= sum as f64);
    let weight = f64::midpoint(low, high);
    // Half of what negative signs may subtract from the largest sum.
    let half_gap = (max_sum - sum) / 2;
    let mut distribution = Distribution { first: 0, probabilities: vec![1.0] };
    for (&amount, &count) in amounts.iter().filter(|&(&amount, _)| amount > 0) {
        let negative_signs =
            Distribution::binomial(count, 1.0 / (1.0 + (2.0 * weight * amount as f64).exp()));
        distribution = distribution.convolve(&negative_signs, amount, half_gap);
    }
    let log_cosh = |height: f64| height + ((-2.0 * height).exp() / 2.0 + 0.5).ln();
    let log = sum_over_amounts(&|amount| log_cosh(weight * amount)) - weight * sum as f64;
    let entries = (distribution.first..).zip(&distribution.probabilities);
    let tail: f64 = entries
        .map(|(number, probability)| probability * (-2.0 * weight * (half_gap - number) as f64).exp())
        .sum();
    (2.0 * log.exp() * tail).min(1.0)
}

/// Probabilities of consecutive whole numbers, from a first one on.
struct Distribution {
    first: u64,
    probabilities: Vec<f64>,
}

impl Distribution {
    /// Returns the distribution of successes, starting at the most likely number and going both
    /// ways.
    fn binomial(trials: u64, rate: f64) -> Distribution {
        let odds = rate / (1.0 - rate);
        let middle = ((trials + 1) as f64 * rate) as u64;
        let next = |probability: f64, number: u64| {
            probability * (trials - number) as f64 / (number + 1) as f64 * odds
        };
        let previous =
            |probability: f64, number: u64| probability * number as f64 / (trials - number + 1) as f64 / odds;
        let mut probabilities = vec![1.0];
        let mut first = middle;
        while let Some(probability) =
            (first > 0).then(|| previous(probabilities[probabilities.len() - 1], first))
        {
            if probability < NEGLIGIBLE {
                break;
            }
            probabilities.push(probability);
            first -= 1;
        }
        probabilities.reverse();
        for number in middle..trials {
            let probability = next(probabilities[probabilities.len() - 1], number);
            if probability < NEGLIGIBLE {
                break;
            }
            probabilities.push(probability);
        }
        let sum: f64 = probabilities.iter().sum();
        Distribution {
            first,
            probabilities: probabilities.iter().map(|probability| probability / sum).collect(),
        }
    }

    /// Returns the distribution of the sum of both, with the other one times an amount, up to
    /// `max_number`.
    fn convolve(&self, other: &Distribution, amount: u64, max_number: u64) -> Distribution {
        let first = self.first + amount * other.first;
        let span = (self.probabilities.len() - 1) as u64 + amount * (other.probabilities.len() - 1) as u64;
        let mut probabilities = vec![0.0; (max_number + 1).saturating_sub(first).min(span + 1) as usize];
        for (offset, weight) in (0..).step_by(amount as usize).zip(&other.probabilities) {
            let rest = probabilities.get_mut(offset..).unwrap_or_default();
            rest.iter_mut()
                .zip(&self.probabilities)
                .for_each(|(sum, probability)| *sum += weight * probability);
        }
        Distribution { first, probabilities }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(values: &[u64]) -> BTreeMap<u64, u64> {
        values.iter().fold(BTreeMap::new(), |mut counts, &amount| {
            *counts.entry(amount).or_default() += 1;
            counts
        })
    }

    /// Counts all assignments of signs individually.
    fn count_assignments(values: &[u64], sum: u64) -> f64 {
        let is_as_far =
            |signs: &u32| {
                let signed = (0..).zip(values).map(|(index, &amount)| {
                    if signs >> index & 1 == 1 { amount as i64 } else { -(amount as i64) }
                });
                signed.sum::<i64>().unsigned_abs() >= sum
            };
        let assignments = 1_u32 << values.len();
        (0..assignments).filter(is_as_far).count() as f64 / f64::from(assignments)
    }

    #[track_caller]
    fn assert_close(got: f64, expected: f64) {
        assert!((got / expected - 1.0).abs() < 1e-9, "{got} is not {expected}");
    }

    #[test]
    fn every_way_is_counted() {
        for values in [
            &[1][..],
            &[2, 2, 2],
            &[1, 2, 2, 1, 2, 1, 1, 2],
            &[16, 3, 3, 7, 1, 1, 12, 5, 5, 2, 16],
            &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
            &[100, 1, 1, 1],
        ] {
            let max_sum: u64 = values.iter().sum();
            for sum in (0..=max_sum).filter(|sum| (max_sum - sum).is_multiple_of(2)) {
                assert_close(p_of_flips(&amounts(values), sum), count_assignments(values, sum));
            }
        }
        // Clusters with equal results have no effect.
        let p = p_of_flips(&amounts(&[0, 0, 0, 1, 2, 2]), 5);
        assert_close(p, 2.0 / 8.0);
        assert_eq!(p_of_flips(&amounts(&[0]), 0), 1.0);
    }

    #[test]
    fn many_amounts_keep_all_digits() {
        // Twice the sum of 1000 over k up to 480, in fractions; and a power of one half.
        assert_close(p_of_flips(&[(1, 1000)].into(), 40), 0.217_448_293_204_140_94);
        assert_close(p_of_flips(&[(3, 900)].into(), 2700), 2.0 * 0.5_f64.powi(900));
        // A million: nearly normal. The sum is 3 standard deviations, minus one half for the step
        // of 2.
        let deviations = 3.0 * (500_000.0_f64 * (1.0 + 4.0)).sqrt();
        let p = p_of_flips(&[(1, 500_000), (2, 500_000)].into(), 2 * (deviations / 2.0) as u64);
        assert!((p / 0.002_699_796 - 1.0).abs() < 0.01, "{p}");
    }
}
