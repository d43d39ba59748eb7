//! Anytime-valid test and interval for a share of points: they may be checked after every pair of
//! games.
//!
//! A bet against a share m multiplies the capital by 1 + λ (x - m) after each pair that scored x.
//! If m is the true share, no bet gains on average, so the capital ever reaches 1 / α with a
//! probability of at most α (Ville 1939; Waudby-Smith and Ramdas 2024). Here the capital is divided
//! equally among all bets that cannot lose everything. If every pair is won or lost, this is
//! Robbins' mixture (1970) over all rates. The order of the pairs does not matter, so counts
//! suffice.

use super::super::bisection::bisect;
use super::super::estimate::Estimate;
use super::super::special::shares_of_log_ratio;
use super::elo_test::PairCounts;
use super::gsprt::{OutcomeSpace, moments};

/// Returns the p of the test of this share: one over the evidence against it.
///
/// # Panics
/// If the share is not within 0 and 1.
pub fn anytime_share_p(pairs: PairCounts, share: f64) -> f64 {
    (-log_capital(pairs, share)).exp().min(1.0)
}

/// Returns the share with bounds that are valid after every pair simultaneously: all shares against
/// which the evidence is below 1 / (1 - level). `None` without pairs.
///
/// # Panics
/// If the level is not between 0 and 1.
pub fn anytime_share(pairs: PairCounts, level: f64) -> Option<Estimate> {
    assert!(level > 0.0 && level < 1.0, "a level of {level}");
    let count = pairs.iter().sum::<u64>();
    if count == 0 {
        return None;
    }
    let (value, _) = moments(&pairs.map(|pairs| pairs as f64 / count as f64));
    let bound = -(1.0 - level).ln();
    let end = |end: f64| {
        if value == end { end } else { bisect(value, end, 48, |share| log_capital(pairs, share) >= bound).1 }
    };
    Some(Estimate { value, low: end(0.0), high: end(1.0), level })
}

/// Returns the logarithm of the capital won by bets against a share. Infinite for a share of 0 or 1
/// that the pairs rule out.
fn log_capital(pairs: PairCounts, share: f64) -> f64 {
    assert!((0.0..=1.0).contains(&share), "a share of {share}");
    let bets: Vec<(f64, f64)> = OutcomeSpace::<5>::SCORES
        .into_iter()
        .zip(pairs)
        .filter(|(_, count)| *count > 0)
        .map(|(score, count)| (score, count as f64))
        .collect();
    if share == 0.0 || share == 1.0 {
        return if bets.iter().all(|(score, _)| *score == share) { 0.0 } else { f64::INFINITY };
    }
    // Bet q: the mixture of losing everything at a score of 1 (0) to losing everything at 0 (1).
    let gains = |(q, rest): (f64, f64)| [q / share, rest / (1.0 - share)];
    let log = |q: (f64, f64)| {
        let [win_gain, loss_gain] = gains(q);
        bets.iter()
            .map(|(score, count)| count * (score * win_gain + (1.0 - score) * loss_gain).ln())
            .sum::<f64>()
    };
    // Sum over all q along ln (q / (1 - q)), around its largest term: the logarithm is concave in
    // q.
    let derivatives = |q: f64| {
        let [win_gain, loss_gain] = gains((q, 1.0 - q));
        let slope_of = |score: f64| {
            (score / share - (1.0 - score) / (1.0 - share)) / (score * win_gain + (1.0 - score) * loss_gain)
        };
        bets.iter().fold(
            (1.0 / q - 1.0 / (1.0 - q), 1.0 / (q * q) + 1.0 / ((1.0 - q) * (1.0 - q))),
            |(slope, curvature), (score, count)| {
                let score_slope = slope_of(*score);
                (slope + count * score_slope, curvature + count * score_slope * score_slope)
            },
        )
    };
    let (low, high) = bisect(0.0, 1.0, 60, |q| derivatives(q).0 <= 0.0);
    let best = f64::midpoint(low, high);
    let step = 1.0 / (8.0 * best * (1.0 - best) * derivatives(best).1.sqrt());
    let term = |position: f64| {
        let (q, rest) = shares_of_log_ratio((best / (1.0 - best)).ln() + position * step);
        log((q, rest)) + q.ln() + rest.ln()
    };
    let top = term(0.0);
    let tail_sum = |sign: f64| {
        (1..)
            .map(|position| (term(sign * f64::from(position)) - top).exp())
            .take_while(|part| *part > 1e-15)
            .sum::<f64>()
    };
    top + ((1.0 + tail_sum(1.0) + tail_sum(-1.0)) * step).ln()
}

#[cfg(test)]
mod tests {
    use super::super::mixture::{mixture_interval, mixture_log_evidence};
    use super::super::pairs::EVEN_PRIOR;
    use super::*;

    #[test]
    fn of_pairs_won_or_lost_it_is_robbins_mixture() {
        for (won, pairs) in [(0, 1), (3, 3), (7, 10), (60, 100), (5_000, 12_000), (1, 1_000_000)] {
            let counts = [pairs - won, 0, 0, 0, won];
            for share in [0.001, 0.2, 0.5, 0.9] {
                let expected = mixture_log_evidence(won, pairs, share, EVEN_PRIOR);
                let got = log_capital(counts, share);
                assert!(
                    (got - expected).abs() < 1e-9 * expected.abs().max(1.0),
                    "{won} of {pairs}: {got}, {expected}"
                );
            }
            let [got, expected] =
                [anytime_share(counts, 0.95).expect("pairs"), mixture_interval(won, pairs, 0.95, EVEN_PRIOR)];
            assert!(
                (got.low - expected.low).abs() < 1e-9 && (got.high - expected.high).abs() < 1e-9,
                "{got:?}"
            );
        }
    }

    /// By Simpson's rule, whose points are equally weighted bets.
    #[test]
    fn half_points_count_as_half_bets() {
        let pairs = [2, 5, 9, 4, 7];
        for share in [0.1_f64, 0.5, 0.7] {
            let capital = |q: f64| -> f64 {
                let gain = |x: f64| x * q / share + (1.0 - x) * (1.0 - q) / (1.0 - share);
                (0_u8..).zip(pairs).map(|(cell, count)| gain(f64::from(cell) / 4.0).powi(count)).product()
            };
            let sum: f64 = (0..1000)
                .map(|step| {
                    let [low, high] = [step, step + 1].map(|step| f64::from(step) / 1000.0);
                    (capital(low) + 4.0 * capital(f64::midpoint(low, high)) + capital(high)) / 6000.0
                })
                .sum();
            let got = log_capital(pairs.map(|count| count as u64), share);
            assert!((got - sum.ln()).abs() < 1e-6, "{share}: {got}, {}", sum.ln());
        }
        let swapped = anytime_share([7, 4, 9, 5, 2], 0.9).expect("pairs");
        let interval = anytime_share([2, 5, 9, 4, 7], 0.9).expect("pairs");
        assert!(
            (swapped.low + interval.high - 1.0).abs() < 1e-9 && interval.low < interval.value,
            "{interval:?}"
        );
        assert_eq!(anytime_share([0; 5], 0.9), None);
        // Drawn pairs indicate equality, but not exactly.
        let all_drawn = anytime_share([0, 0, 500, 0, 0], 0.95).expect("pairs");
        assert!(all_drawn.value == 0.5 && (0.45..0.5).contains(&all_drawn.low), "{all_drawn:?}");
    }

    /// Evidence grows with the distance from the observed share, so bounds can be found by
    /// bisection.
    #[test]
    fn evidence_grows_outwards() {
        for pairs in [
            [1, 0, 0, 0, 0],
            [0, 0, 1, 0, 0],
            [3, 1, 200, 4, 9],
            [40, 0, 0, 1, 1],
            [0, 0, 30, 0, 1],
            [9, 9, 9, 9, 9],
        ] {
            let value = moments(&pairs.map(|count: u64| count as f64 / pairs.iter().sum::<u64>() as f64)).0;
            for end in [0.001, 0.999] {
                let shares = (0..=200).map(|step| value + (end - value) * f64::from(step) / 200.0);
                let evidence: Vec<f64> = shares
                    .filter(|share| *share > 0.0 && *share < 1.0)
                    .map(|share| log_capital(pairs, share).max(0.0))
                    .collect();
                assert!(evidence.is_sorted_by(|one, other| *one <= other + 1e-9), "{pairs:?}: {evidence:?}");
            }
        }
    }

    /// For equal players, and for one that scores 70 % of the points, p is ever at or below 0.1 in
    /// at most 10 % of the runs.
    #[test]
    fn it_may_be_looked_at_after_every_pair() {
        for (probabilities, share) in [
            ([0.25, 0.15, 0.2, 0.15, 0.25], 0.5),
            ([0.01, 0.03, 0.92, 0.03, 0.01], 0.5),
            ([0.3, 0.0, 0.0, 0.0, 0.7], 0.7),
        ] {
            let mut state = 0x9E37_79B9_7F4A_7C15_u64;
            let mut draw = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let mut rejections = 0;
            for _ in 0..400 {
                let mut pairs = [0; 5];
                rejections += u64::from((0..150).any(|_| {
                    let mut roll = draw();
                    let cell = probabilities.iter().position(|probability| {
                        roll -= probability;
                        roll < 0.0
                    });
                    pairs[cell.unwrap_or(4)] += 1;
                    anytime_share_p(pairs, share) <= 0.1
                }));
            }
            assert!((1..=40).contains(&rejections), "{probabilities:?}: {rejections} of 400");
        }
    }
}
