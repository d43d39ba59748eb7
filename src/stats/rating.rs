//! Strengths as a difference in Elo, from wins, draws and losses or from pairs of games.

use std::f64::consts::LN_10;

use super::estimate::Estimate;
use super::sequential::gsprt::{Cells, NORMALIZED_UNIT};
use super::special::{normal_above, two_sided_normal};

/// How much stronger one player is than another, by their games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The share of the points that it got. The bounds are normal ones and may lie outside of 0 and 1.
    pub score: Estimate,
    /// The difference in logistic Elo. None where one of the two got all points, which no difference explains.
    pub elo: Option<Estimate>,
    /// The difference in normalized Elo. None where all trials ended alike.
    pub normalized: Option<Estimate>,
    /// The probability of being the stronger one (LOS), from an even prior. None where all trials ended alike.
    pub superiority: Option<f64>,
}

/// The rating by counts of losses, draws and wins (N = 3), or of pairs of games by their points, from none to two by
/// halves (N = 5). None without trials.
///
/// By the normal approximation of the score: after few or one-sided games the bounds are too narrow. After a sequential
/// test has stopped the estimate leans towards what the test accepted.
///
/// # Panics
/// If the level is not between 0 and 1.
pub fn rating<const N: usize>(counts: [u64; N], level: f64) -> Option<Rating> {
    let z = two_sided_normal(level);
    let trials = counts.iter().sum::<u64>() as f64;
    if trials == 0.0 {
        return None;
    }
    let over_cells = |of: &dyn Fn(f64) -> f64| -> f64 {
        Cells::<N>::SCORES.iter().zip(counts).map(|(&cell, count)| count as f64 * of(cell)).sum()
    };
    let (points, lost) = (over_cells(&|cell| cell), over_cells(&|cell| 1.0 - cell));
    let score = points / trials;
    let variance = over_cells(&|cell| (cell - score) * (cell - score)) / trials;
    let error = (variance / trials).sqrt();
    let around = |value: f64, reach: f64| Estimate { value, low: value - reach, high: value + reach, level };
    // Trials that all ended alike say nothing of how others differ.
    let varied = variance > 0.0 && counts.iter().filter(|&&count| count > 0).count() > 1;
    // A pair is two games, which together vary half as much as one.
    let games = if N == 5 { 2.0 } else { 1.0 };
    let unit = NORMALIZED_UNIT / f64::sqrt(games);
    let ahead = (points - lost) / trials / 2.0;
    Some(Rating {
        score: around(score, z * error),
        elo: (points > 0.0 && lost > 0.0).then(|| Estimate {
            value: elo(points, lost),
            low: elo(score - z * error, 1.0 - score + z * error),
            high: elo(score + z * error, 1.0 - score - z * error),
            level,
        }),
        normalized: varied.then(|| around(ahead / variance.sqrt() * unit, z / trials.sqrt() * unit)),
        superiority: varied.then(|| normal_above(-ahead / error)),
    })
}

/// The difference in Elo at which points are won and lost in this proportion, infinite where one of them is none.
fn elo(won: f64, lost: f64) -> f64 {
    if won <= 0.0 {
        f64::NEG_INFINITY
    } else if lost <= 0.0 {
        f64::INFINITY
    } else {
        (won / lost).ln() * 400.0 / LN_10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_number_is_none() {
        assert_eq!(rating([0; 3], 0.95), None);
        assert_eq!(rating([0; 5], 0.95), None);
        let sure = rating([0, 0, 20], 0.95).unwrap();
        assert_eq!((sure.score.value, sure.elo, sure.normalized, sure.superiority), (1.0, None, None, None));
        let lost = rating([7, 0, 0, 0, 0], 0.95).unwrap();
        assert_eq!((lost.score.value, lost.elo, lost.superiority), (0.0, None, None));
        // All drawn: even, and nothing beyond that is known.
        let drawn = rating([0, 9, 0], 0.95).unwrap();
        assert_eq!(drawn.elo.map(|elo| elo.value), Some(0.0));
        assert_eq!((drawn.score.value, drawn.superiority), (0.5, None));
        // One game of two lost and one won: the score is known to no better than from below 0 to above 1.
        let open = rating([1, 0, 1], 0.95).unwrap().elo.unwrap();
        assert_eq!((open.value, open.low, open.high), (0.0, f64::NEG_INFINITY, f64::INFINITY));
        for counts in [[1, 0, 1], [1, 1, 0], [0, 1, 1_000_000], [3, 0, 1_000_000]] {
            let rating = rating(counts, 0.95).unwrap();
            let elo = rating.elo.expect("both have points");
            assert!(elo.value.is_finite() && elo.low <= elo.value && elo.value <= elo.high, "{rating:?}");
            assert!(rating.normalized.is_some_and(|elo| elo.bounds().is_some()), "{rating:?}");
            assert!((0.0..=1.0).contains(&rating.score.value));
            assert!(rating.superiority.is_some_and(|probability| (0.0..=1.0).contains(&probability)));
        }
    }

    #[test]
    fn turned_around_it_is_the_same() {
        let (ahead, behind) =
            (rating([10, 60, 120, 80, 15], 0.9).unwrap(), rating([15, 80, 120, 60, 10], 0.9).unwrap());
        for (ahead, behind) in [(ahead.elo, behind.elo), (ahead.normalized, behind.normalized)]
            .map(|(a, b)| (a.unwrap(), b.unwrap()))
        {
            assert!((ahead.value + behind.value).abs() < 1e-9 && (ahead.low + behind.high).abs() < 1e-9);
        }
        assert!((ahead.superiority.unwrap() + behind.superiority.unwrap() - 1.0).abs() < 1e-12);
    }
}
