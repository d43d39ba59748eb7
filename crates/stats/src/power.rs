//! Power analysis by formulas: the trials needed to detect a difference, and the difference that a
//! number of trials detects.
//!
//! `level` is that of the later interval or two-sided test, such as 0.95; `power` is the wanted
//! probability of detecting an existing difference, such as 0.8. All formulas use the normal
//! approximation, which is too optimistic below a thousand trials; there `exact_power` computes
//! power from the tests themselves.

use super::special::{normal_quantile, two_sided_normal};

/// Returns the number of trials that each of two independent players needs to distinguish rates
/// `p1` and `p2`. It uses the normal approximation with the pooled rate under the null hypothesis
/// (Fleiss, 1981). Infinite if the rates are equal.
///
/// # Panics
/// If a rate is not within 0 and 1, or level or power is not between them.
pub fn trials_for_rates(p1: f64, p2: f64, level: f64, power: f64) -> f64 {
    assert!((0.0..=1.0).contains(&p1) && (0.0..=1.0).contains(&p2), "rates {p1} and {p2}");
    let (significance_z, power_z) = critical_values(level, power);
    let variance = |rate: f64| rate * (1.0 - rate);
    let pooled = 2.0 * variance((p1 + p2) / 2.0);
    let root = significance_z * pooled.sqrt() + power_z * (variance(p1) + variance(p2)).sqrt();
    needed_trials(root, p1 - p2)
}

/// Returns the number of common trials that distinguishes two players, from the rates at which only
/// the first and only the second succeeds, after Connor (1987). Infinite if these are equal.
///
/// # Panics
/// If the rates are not those of exclusive outcomes, or level or power is not between 0 and 1.
pub fn common_trials_for_rates(only_first: f64, only_second: f64, level: f64, power: f64) -> f64 {
    let discordant = only_first + only_second;
    assert!(only_first >= 0.0 && only_second >= 0.0, "rates {only_first} and {only_second}");
    assert!(discordant <= 1.0 + 1e-12, "rates {only_first} and {only_second}");
    let (significance_z, power_z) = critical_values(level, power);
    needed_trials(
        connor_numerator(discordant, only_first - only_second, significance_z, power_z),
        only_first - only_second,
    )
}

/// Returns the rates at which only the first and only the second succeeds, for success rates `p1`
/// and `p2` with this correlation. `None` if such rates cannot have it.
pub fn discordant_rates(p1: f64, p2: f64, correlation: f64) -> Option<(f64, f64)> {
    let both = p1 * p2 + correlation * (p1 * (1.0 - p1) * p2 * (1.0 - p2)).sqrt();
    let (only_first, only_second) = (p1 - both, p2 - both);
    let is_possible =
        both >= 0.0 && only_first >= 0.0 && only_second >= 0.0 && both + only_first + only_second <= 1.0;
    is_possible.then_some((only_first, only_second))
}

/// Returns the number of common trials that detects a ratio of amounts, given the standard
/// deviation of the logarithm of the ratio per trial. Infinite for a ratio of 1.
///
/// # Panics
/// If the ratio is not above 0, the spread below 0, or level or power not between 0 and 1.
pub fn common_trials_for_ratio(ratio: f64, spread: f64, level: f64, power: f64) -> f64 {
    assert!(ratio > 0.0 && spread >= 0.0, "invalid ratio {ratio} or spread {spread}");
    let (significance_z, power_z) = critical_values(level, power);
    needed_trials((significance_z + power_z) * spread, ratio.ln())
}

/// Returns the variance of the mean score of a pair of games, given the share of points, the draw
/// rate, and the correlation of both scores. `None` if that draw rate is impossible.
pub fn variance_of_pair(share: f64, draw_rate: f64, correlation: f64) -> Option<f64> {
    let [won, lost] = [share - draw_rate / 2.0, 1.0 - share - draw_rate / 2.0];
    let game_variance = won + draw_rate / 4.0 - share * share;
    (won >= 0.0 && lost >= 0.0).then(|| game_variance.max(0.0) * (1.0 + correlation) / 2.0)
}

/// Returns the number of pairs of games that shows that a player's share of points is not one half,
/// given the variance of a pair's mean score. It is Connor's formula for more than two outcomes:
/// under equality, a pair varies by its mean square. Infinite for a share of one half.
///
/// # Panics
/// If level or power is not between 0 and 1.
pub fn pairs_for_share(share: f64, variance: f64, level: f64, power: f64) -> f64 {
    let (significance_z, power_z) = critical_values(level, power);
    let difference = share - 0.5;
    needed_trials(
        significance_z * (variance + difference * difference).sqrt() + power_z * variance.sqrt(),
        difference,
    )
}

/// Returns the numerator of Connor's formula, before division by the difference and squaring.
fn connor_numerator(discordant: f64, difference: f64, significance_z: f64, power_z: f64) -> f64 {
    significance_z * discordant.sqrt() + power_z * (discordant - difference * difference).max(0.0).sqrt()
}

/// Returns the standard errors at which a difference is significant, and the additional ones for
/// this power.
fn critical_values(level: f64, power: f64) -> (f64, f64) {
    assert!(power > 0.0 && power < 1.0, "a power of {power}");
    (two_sided_normal(level), normal_quantile(power))
}

/// Returns the square of `numerator` over `difference`.
fn needed_trials(numerator: f64, difference: f64) -> f64 {
    // A power below that of chance needs no trials.
    let ratio = numerator.max(0.0) / difference.abs();
    if difference == 0.0 { f64::INFINITY } else { ratio * ratio }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cluster, ClusterCounts};

    #[test]
    fn trials_match_reference_values() {
        /// Checks the trials for independent players, and common ones at correlations of 0, 0.2 and
        /// 0.5.
        #[track_caller]
        fn check(p1: f64, p2: f64, independent: f64, common: [f64; 3]) {
            assert_eq!(trials_for_rates(p1, p2, 0.95, 0.8).ceil(), independent);
            for (correlation, expected) in [0.0, 0.2, 0.5].into_iter().zip(common) {
                let (only_first, only_second) = discordant_rates(p1, p2, correlation).unwrap();
                assert_eq!(
                    common_trials_for_rates(only_first, only_second, 0.95, 0.8).ceil(),
                    expected,
                    "{correlation}"
                );
            }
        }

        // Computed independently in Python.
        check(0.90, 0.91, 13_495.0, [13_498.0, 10_803.0, 6_760.0]);
        check(0.90, 0.92, 3_213.0, [3_216.0, 2_577.0, 1_619.0]);
        check(0.50, 0.55, 1_565.0, [1_568.0, 1_256.0, 787.0]);
        check(0.985, 0.99, 7_750.0, [7_753.0, 6_234.0, 3_956.0]);
        for (ratio, pairs) in [(1.01, 28_539.0), (1.02, 7_206.0), (1.05, 1_187.0)] {
            assert_eq!(common_trials_for_ratio(ratio, 0.6, 0.95, 0.8).ceil(), pairs);
            assert_eq!(common_trials_for_ratio(1.0 / ratio, 0.6, 0.95, 0.8).ceil(), pairs);
        }
    }

    #[test]
    fn equal_rates_need_infinitely_many_trials() {
        assert_eq!(trials_for_rates(0.5, 0.5, 0.95, 0.8), f64::INFINITY);
        assert_eq!(common_trials_for_rates(0.0, 0.0, 0.95, 0.8), f64::INFINITY);
        assert_eq!(common_trials_for_ratio(1.0, 0.6, 0.95, 0.8), f64::INFINITY);
        assert_eq!(common_trials_for_ratio(1.0, 0.0, 0.95, 0.8), f64::INFINITY);
        assert_eq!(common_trials_for_ratio(2.0, 0.0, 0.95, 0.8), 0.0);
        assert_eq!(discordant_rates(0.9, 0.1, 0.9), None);
    }

    /// With the computed number of pairs, sign flips detect the difference about as often as
    /// requested.
    #[test]
    fn pairs_of_games_have_the_power() {
        for (probabilities, expected) in
            [([0.05, 0.2, 0.4, 0.25, 0.1], 0.5375), ([0.0, 0.05, 0.85, 0.1, 0.0], 0.5125)]
        {
            let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
            let share: f64 =
                scores.iter().zip(probabilities).map(|(score, probability)| score * probability).sum();
            let square: f64 = scores
                .iter()
                .zip(probabilities)
                .map(|(score, probability)| score * score * probability)
                .sum();
            assert!((share - expected).abs() < 1e-9);
            let pairs = pairs_for_share(share, square - share * share, 0.95, 0.8).ceil() as u64;
            let mut state = 0x9E37_79B9_7F4A_7C15_u64;
            let mut draw = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let mut pair = || {
                let mut roll = draw();
                let cell = probabilities.iter().position(|probability| {
                    roll -= probability;
                    roll < 0.0
                });
                Cluster { half_points: cell.unwrap_or(4) as u64, pairs: 1 }
            };
            let mut significant_count = 0;
            for _ in 0..400 {
                let counts = ClusterCounts::new((0..pairs).map(|_| pair())).expect("pairs");
                significant_count += u64::from(counts.p_of_equals() <= 0.05);
            }
            assert!((296..=344).contains(&significant_count), "{pairs} pairs: {significant_count} of 400");
        }
    }

    #[test]
    fn both_games_of_a_pair_vary_together() {
        // A coin toss per game, one for both games, and the colour that decides each game.
        for (correlation, expected) in [(0.0, 0.125), (1.0, 0.25), (-1.0, 0.0)] {
            assert_eq!(variance_of_pair(0.5, 0.0, correlation), Some(expected));
        }
        assert_eq!(variance_of_pair(0.5, 1.0, 0.0), Some(0.0));
        assert_eq!(variance_of_pair(0.9, 0.3, 0.0), None);
        assert!(pairs_for_share(0.5, 0.1, 0.95, 0.8).is_infinite());
    }
}
