//! Differences in strength on the scale of Elo, from shares of points and back.
//!
//! Both scales are those that engines of chess are measured on. *Logistic* Elo is a share of
//! points: 1 / (1 + 10^(-Elo / 400)). *Normalized* Elo (Van den Bergh 2020) is that share beyond
//! one half in standard deviations of one game, times 800 / ln 10. So near one half and without
//! draws both are the same, and the number of games that it takes to see a difference depends on
//! normalized Elo alone, not on how many games are drawn.

use std::f64::consts::{LN_10, SQRT_2};

use super::estimate::Estimate;

/// The points of logistic Elo for which the odds of a point grow by a factor of e.
const LOGISTIC_UNIT: f64 = 400.0 / LN_10;

/// The points of normalized Elo that are one standard deviation of a game.
pub(crate) const NORMALIZED_UNIT: f64 = 800.0 / LN_10;

/// The share of the points that a player gets who is stronger by `elo` points.
pub fn share_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / LOGISTIC_UNIT).exp())
}

/// By how many points of Elo a player is stronger that gets this share of the points. Infinite at 0
/// and 1.
///
/// # Panics
/// If the share is not within 0 and 1.
pub fn elo_of_share(share: f64) -> f64 {
    assert!((0.0..=1.0).contains(&share), "a share of {share}");
    // Not the logarithm of a ratio: of next to nothing over next to all it would be no more exact,
    // and of 1 over 0 no number.
    (share.ln() - (1.0 - share).ln()) * LOGISTIC_UNIT
}

/// The difference in Elo, from the share of the points: its ends are those of the share.
pub fn elo(share: Estimate) -> Estimate {
    share.map(|share| elo_of_share(share.clamp(0.0, 1.0)))
}

/// The difference in normalized Elo, from the share of the points and from counts of pairs by their
/// points (none to two, by halves). One game is taken to vary as half of a pair would: its standard
/// deviation is √2 times that of the mean of two. So what both games of a pair have in common, as
/// an opening that is good for one colour, is not counted as luck. The ends are those of the share,
/// at this deviation. None where all pairs ended alike.
pub fn normalized_elo(share: Estimate, pairs: [u64; 5]) -> Option<Estimate> {
    let deviation = deviation_of_game(pairs)?;
    Some(share.map(|share| (share - 0.5) / deviation * NORMALIZED_UNIT))
}

/// The share of the points, from the difference in normalized Elo and the same counts.
pub fn share_of_normalized_elo(elo: Estimate, pairs: [u64; 5]) -> Option<Estimate> {
    let deviation = deviation_of_game(pairs)?;
    Some(elo.map(|elo| 0.5 + elo * deviation / NORMALIZED_UNIT))
}

fn deviation_of_game(pairs: [u64; 5]) -> Option<f64> {
    let count = pairs.iter().sum::<u64>() as f64;
    let over_pairs = |of: &dyn Fn(f64) -> f64| {
        (0_u8..).zip(pairs).map(|(cell, pairs)| pairs as f64 * of(f64::from(cell) / 4.0)).sum::<f64>() / count
    };
    if pairs.iter().filter(|&&pairs| pairs > 0).count() < 2 {
        return None;
    }
    let mean = over_pairs(&|score| score);
    Some(SQRT_2 * over_pairs(&|score| (score - mean) * (score - mean)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, low, high, level: 0.95 }
    }

    #[test]
    fn shares_and_elo_are_two_words_for_one_thing() {
        // Ten times the points are 400 Elo. The other two: 400 log10(0.75 / 0.25) and 400
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
        let all = elo(estimate(0.75, 1.0, 1.0));
        assert_eq!((all.low.round(), all.value, all.high), (191.0, f64::INFINITY, f64::INFINITY));
        let none = elo(estimate(0.0, 0.0, 0.25));
        assert_eq!((none.low, none.value, none.high.round()), (f64::NEG_INFINITY, f64::NEG_INFINITY, -191.0));
        assert_eq!(elo(estimate(0.4, 0.5, 0.6)).value, 0.0);
    }

    #[test]
    fn a_deviation_is_that_of_a_game() {
        let even = estimate(0.4, 0.5, 0.6);
        // Without pairs, and of pairs that all ended alike, there is none.
        assert_eq!(normalized_elo(even, [0; 5]), None);
        assert_eq!(normalized_elo(even, [0, 0, 9, 0, 0]), None);
        // Games that are tosses of a coin, without draws: two of them vary as independent ones do,
        // so the deviation of a game is 1/2, and near one half both scales are the same.
        let coins = normalized_elo(estimate(0.501, 0.501, 0.501), [250_000, 0, 500_000, 0, 250_000])
            .expect("they differ");
        assert!((coins.value - 0.001 / 0.5 * NORMALIZED_UNIT).abs() < 1e-9);
        assert!((coins.value / elo_of_share(0.501) - 1.0).abs() < 1e-5);
        // With draws the same share is more.
        let drawn = normalized_elo(even, [0, 1, 8, 1, 0]).expect("they differ");
        let decided = normalized_elo(even, [1, 0, 8, 0, 1]).expect("they differ");
        let share = share_of_normalized_elo(drawn, [0, 1, 8, 1, 0]).expect("they differ");
        assert!((share.low - even.low).abs() < 1e-12 && (share.high - even.high).abs() < 1e-12, "{share:?}");
        assert!((drawn.high / decided.high - 2.0).abs() < 1e-9 && drawn.low == -drawn.high, "{drawn:?}");
    }
}
