//! Exact test of a sum of amounts with random signs (Fisher's randomization test of pairs).
//!
//! Equal players could swap roles, which turns a lead in a cluster into an equal deficit. So under
//! equality all assignments of signs to the observed amounts are equally likely, whatever the
//! distribution of the amounts.

use std::collections::BTreeMap;

use super::border::bisect;

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
    let most: u64 = amounts.iter().map(|(amount, count)| amount * count).sum();
    assert!(sum <= most, "sum {sum} exceeds {most}");
    if sum == 0 {
        return 1.0;
    }
    let over_all = |of: &dyn Fn(f64) -> f64| -> f64 {
        amounts.iter().map(|(&amount, &count)| count as f64 * of(amount as f64)).sum()
    };
    let mean = |weight: f64| over_all(&|amount| amount * (weight * amount).tanh());
    let (low, high) = bisect(0.0, 20.0, 50, |weight| mean(weight) >= sum as f64);
    let weight = f64::midpoint(low, high);
    // Half of what negative signs may subtract from the largest sum.
    let away = (most - sum) / 2;
    let mut all = Places { first: 0, parts: vec![1.0] };
    for (&amount, &count) in amounts.iter().filter(|&(&amount, _)| amount > 0) {
        let taken = Places::binomial(count, 1.0 / (1.0 + (2.0 * weight * amount as f64).exp()));
        all = all.convolve(&taken, amount, away);
    }
    let log_cosh = |height: f64| height + ((-2.0 * height).exp() / 2.0 + 0.5).ln();
    let log = over_all(&|amount| log_cosh(weight * amount)) - weight * sum as f64;
    let places = (all.first..).zip(&all.parts);
    let tail: f64 = places.map(|(place, part)| part * (-2.0 * weight * (away - place) as f64).exp()).sum();
    (2.0 * log.exp() * tail).min(1.0)
}

/// Probabilities of consecutive whole numbers, from a first one on.
struct Places {
    first: u64,
    parts: Vec<f64>,
}

impl Places {
    /// Returns the distribution of successes, starting at the most likely number and going both
    /// ways.
    fn binomial(trials: u64, rate: f64) -> Places {
        let odds = rate / (1.0 - rate);
        let middle = ((trials + 1) as f64 * rate) as u64;
        let up = |part: f64, number: u64| part * (trials - number) as f64 / (number + 1) as f64 * odds;
        let down = |part: f64, number: u64| part * number as f64 / (trials - number + 1) as f64 / odds;
        let mut parts = vec![1.0];
        let mut first = middle;
        while let Some(part) = (first > 0).then(|| down(parts[parts.len() - 1], first)) {
            if part < NEGLIGIBLE {
                break;
            }
            parts.push(part);
            first -= 1;
        }
        parts.reverse();
        for number in middle..trials {
            let part = up(parts[parts.len() - 1], number);
            if part < NEGLIGIBLE {
                break;
            }
            parts.push(part);
        }
        let sum: f64 = parts.iter().sum();
        Places { first, parts: parts.iter().map(|part| part / sum).collect() }
    }

    /// Returns the distribution of the sum of both, with the other one times an amount, up to
    /// `most`.
    fn convolve(&self, other: &Places, amount: u64, most: u64) -> Places {
        let first = self.first + amount * other.first;
        let reach = (self.parts.len() - 1) as u64 + amount * (other.parts.len() - 1) as u64;
        let mut parts = vec![0.0; (most + 1).saturating_sub(first).min(reach + 1) as usize];
        for (at, more) in (0..).step_by(amount as usize).zip(&other.parts) {
            let rest = parts.get_mut(at..).unwrap_or_default();
            rest.iter_mut().zip(&self.parts).for_each(|(sum, part)| *sum += more * part);
        }
        Places { first, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(of: &[u64]) -> BTreeMap<u64, u64> {
        of.iter().fold(BTreeMap::new(), |mut all, &amount| {
            *all.entry(amount).or_default() += 1;
            all
        })
    }

    /// Counts all assignments of signs individually.
    fn count_assignments(of: &[u64], sum: u64) -> f64 {
        let is_as_far = |signs: &u32| {
            let signed =
                (0..).zip(of).map(
                    |(place, &amount)| {
                        if signs >> place & 1 == 1 { amount as i64 } else { -(amount as i64) }
                    },
                );
            signed.sum::<i64>().unsigned_abs() >= sum
        };
        let ways = 1_u32 << of.len();
        (0..ways).filter(is_as_far).count() as f64 / f64::from(ways)
    }

    #[track_caller]
    fn assert_close(got: f64, expected: f64) {
        assert!((got / expected - 1.0).abs() < 1e-9, "{got} is not {expected}");
    }

    #[test]
    fn every_way_is_counted() {
        for of in [
            &[1][..],
            &[2, 2, 2],
            &[1, 2, 2, 1, 2, 1, 1, 2],
            &[16, 3, 3, 7, 1, 1, 12, 5, 5, 2, 16],
            &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
            &[100, 1, 1, 1],
        ] {
            let most: u64 = of.iter().sum();
            for sum in (0..=most).filter(|sum| (most - sum).is_multiple_of(2)) {
                assert_close(p_of_flips(&amounts(of), sum), count_assignments(of, sum));
            }
        }
        // Clusters with equal results have no effect.
        let some = p_of_flips(&amounts(&[0, 0, 0, 1, 2, 2]), 5);
        assert_close(some, 2.0 / 8.0);
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
