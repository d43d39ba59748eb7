//! Converts shares of points to Elo differences and back.
//!
//! Both scales are usual for chess engines. *Logistic* Elo follows from a share of points: 1 / (1 +
//! 10^(-Elo / 400)). *Normalized* Elo (Van den Bergh 2020) is that share minus one half, in
//! standard deviations of one game, times 800 / ln 10. Near one half and without draws both are
//! equal. The number of games needed to detect a difference depends on normalized Elo alone, not on
//! the draw rate.

use std::f64::consts::{LN_10, SQRT_2};

use super::estimate::Estimate;

/// Points of logistic Elo by which the odds of a point grow by a factor of e.
const LOGISTIC_UNIT: f64 = 400.0 / LN_10;

/// Points of normalized Elo per standard deviation of a game.
pub(crate) const NORMALIZED_UNIT: f64 = 800.0 / LN_10;

/// Converts an Elo lead to a share of the points.
pub fn share_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / LOGISTIC_UNIT).exp())
}

/// Converts a share of the points to an Elo lead. Infinite at 0 and 1.
///
/// # Panics
/// If the share is not within 0 and 1.
pub fn elo_of_share(share: f64) -> f64 {
    assert!((0.0..=1.0).contains(&share), "a share of {share}");
    // Avoids the logarithm of a ratio: for a share near 1 it would be less exact, and at 1 it is
    // undefined.
    (share.ln() - (1.0 - share).ln()) * LOGISTIC_UNIT
}

/// Converts a share of the points to Elo, with its bounds.
pub fn elo_estimate(share: Estimate) -> Estimate {
    share.map(|share| elo_of_share(share.clamp(0.0, 1.0)))
}

/// Converts a share of the points to normalized Elo, with its bounds. `pairs` counts pairs by their
/// points (0 to 2 by halves). The standard deviation of a game is taken as √2 times that of the
/// mean of a pair. So an effect common to both games of a pair, such as an opening that favours one
/// colour, does not count as luck. `None` if all pairs ended alike.
pub fn normalized_elo(share: Estimate, pairs: [u64; 5]) -> Option<Estimate> {
    let deviation = deviation_of_game(pairs)?;
    Some(share.map(|share| (share - 0.5) / deviation * NORMALIZED_UNIT))
}

/// Converts normalized Elo back to a share of the points, given the pair counts.
pub fn share_of_normalized_elo(elo: Estimate, pairs: [u64; 5]) -> Option<Estimate> {
    let deviation = deviation_of_game(pairs)?;
    Some(elo.map(|elo| 0.5 + elo * deviation / NORMALIZED_UNIT))
}

fn deviation_of_game(pairs: [u64; 5]) -> Option<f64> {
    let count = pairs.iter().sum::<u64>() as f64;
    let mean_over_pairs = |function: &dyn Fn(f64) -> f64| {
        (0_u8..).zip(pairs).map(|(cell, pairs)| pairs as f64 * function(f64::from(cell) / 4.0)).sum::<f64>()
            / count
    };
    if pairs.iter().filter(|&&pairs| pairs > 0).count() < 2 {
        return None;
    }
    let mean = mean_over_pairs(&|score| score);
    Some(SQRT_2 * mean_over_pairs(&|score| (score - mean) * (score - mean)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, low, high, level: 0.95 }
    }

    #[test]
    fn shares_and_elo_are_two_words_for_one_thing() {
        // A tenfold ratio of points is 400 Elo. The other two: 400 log10(0.75 / 0.25) and 400
        // log10(0.999 / 0.001).
        for (share, points) in
            [(0.5, 0.0), (10.0 / 11.0, 400.0), (0.75, 190.848_501_887_865), (0.999, 1_199.826_195_290_393)]
        {
            assert!((elo_of_share(share) - points).abs() < 1e-8, "{share}");
            assert!((elo_of_share(1.0 - share) + points).abs() < 1e-8, "{share}");
            assert!((share_of_elo(points) - share).abs() < 1e-12, "{points}");
        }
        assert_eq!((elo_of_share(0.0), elo_of_share(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((share_of_elo(f64::NEG_INFINITY), share_of_elo(f64::INFINITY)), (0.0, 1.0));
        assert_eq!(elo_of_share(f64::MIN_POSITIVE).round(), -123_061.0);
    }

    #[test]
    fn ends_are_carried_over() {
        let winner = elo_estimate(estimate(0.75, 1.0, 1.0));
        assert_eq!((winner.low.round(), winner.value, winner.high), (191.0, f64::INFINITY, f64::INFINITY));
        let loser = elo_estimate(estimate(0.0, 0.0, 0.25));
        assert_eq!(
            (loser.low, loser.value, loser.high.round()),
            (f64::NEG_INFINITY, f64::NEG_INFINITY, -191.0)
        );
        assert_eq!(elo_estimate(estimate(0.4, 0.5, 0.6)).value, 0.0);
    }

    #[test]
    fn a_deviation_is_that_of_a_game() {
        let even_share = estimate(0.4, 0.5, 0.6);
        // Undefined without pairs, or if all pairs ended alike.
        assert_eq!(normalized_elo(even_share, [0; 5]), None);
        assert_eq!(normalized_elo(even_share, [0, 0, 9, 0, 0]), None);
        // Coin tosses without draws: two of them vary as independent ones do, so the deviation of a
        // game is 1/2, and near one half both scales are equal.
        let coins = normalized_elo(estimate(0.501, 0.501, 0.501), [250_000, 0, 500_000, 0, 250_000])
            .expect("they differ");
        assert!((coins.value - 0.001 / 0.5 * NORMALIZED_UNIT).abs() < 1e-9);
        assert!((coins.value / elo_of_share(0.501) - 1.0).abs() < 1e-5);
        // With draws an equal share is worth more.
        let with_draws = normalized_elo(even_share, [0, 1, 8, 1, 0]).expect("they differ");
        let without_draws = normalized_elo(even_share, [1, 0, 8, 0, 1]).expect("they differ");
        let share = share_of_normalized_elo(with_draws, [0, 1, 8, 1, 0]).expect("they differ");
        assert!(
            (share.low - even_share.low).abs() < 1e-12 && (share.high - even_share.high).abs() < 1e-12,
            "{share:?}"
        );
        assert!(
            (with_draws.high / without_draws.high - 2.0).abs() < 1e-9 && with_draws.low == -with_draws.high,
            "{with_draws:?}"
        );
    }
}
