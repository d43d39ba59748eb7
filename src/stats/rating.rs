//! Strengths as a difference in Elo, from wins, draws and losses or from pairs of games.

use std::f64::consts::LN_10;

use super::sequential::gsprt::{NORMALIZED_UNIT, Worth};
use super::special::{normal_above, two_sided_normal};

/// How much stronger one is than another, by their games. What has no number is None: there is no difference in Elo
/// that would make somebody win every game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The part of the points that it got.
    pub score: f64,
    /// The standard error of that.
    pub score_error: f64,
    /// The level of all bounds.
    pub level: f64,
    /// The difference in logistic Elo.
    pub elo: Option<f64>,
    /// Its lower bound: None where it may be any number below.
    pub elo_low: Option<f64>,
    /// Its upper bound: None where it may be any number above.
    pub elo_high: Option<f64>,
    /// The difference in normalized Elo: None where all trials ended alike.
    pub normalized: Option<f64>,
    /// How far the bounds of normalized Elo lie from it.
    pub normalized_error: Option<f64>,
    /// How probable it is to be the stronger one, from an even prior: None where all trials ended alike.
    pub superiority: Option<f64>,
}

impl Rating {
    /// Half of the distance between the bounds of Elo.
    pub fn elo_error(self) -> Option<f64> {
        Some((self.elo_high? - self.elo_low?) / 2.0)
    }
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
    let worth = Worth::<N>::OF_CELLS;
    let over_cells = |of: &dyn Fn(f64) -> f64| -> f64 {
        worth.iter().zip(counts).map(|(&worth, count)| count as f64 * of(worth)).sum()
    };
    let (points, lost) = (over_cells(&|worth| worth), over_cells(&|worth| 1.0 - worth));
    let score = points / trials;
    let variance = over_cells(&|worth| (worth - score) * (worth - score)) / trials;
    let score_error = (variance / trials).sqrt();
    // Of trials that all ended alike nothing is known of others.
    let varied = variance > 0.0 && counts.iter().filter(|&&count| count > 0).count() > 1;
    // A pair is two games, which together vary half as much as one.
    let games = if N == 5 { 2.0 } else { 1.0 };
    let unit = NORMALIZED_UNIT / f64::sqrt(games);
    let ahead = (points - lost) / trials / 2.0;
    Some(Rating {
        score,
        score_error,
        level,
        elo: elo(points, lost),
        elo_low: elo(score - z * score_error, 1.0 - score + z * score_error),
        elo_high: elo(score + z * score_error, 1.0 - score - z * score_error),
        normalized: varied.then(|| ahead / variance.sqrt() * unit),
        normalized_error: varied.then(|| z / trials.sqrt() * unit),
        superiority: varied.then(|| normal_above(-ahead / score_error)),
    })
}

/// The difference in Elo at which points are won and lost in this proportion.
fn elo(won: f64, lost: f64) -> Option<f64> {
    (won > 0.0 && lost > 0.0).then(|| (won / lost).ln() * 400.0 / LN_10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_number_is_none() {
        assert_eq!(rating([0; 3], 0.95), None);
        assert_eq!(rating([0; 5], 0.95), None);
        let sure = rating([0, 0, 20], 0.95).unwrap();
        assert_eq!((sure.score, sure.elo, sure.elo_low, sure.elo_high), (1.0, None, None, None));
        assert_eq!((sure.normalized, sure.superiority, sure.elo_error()), (None, None, None));
        let lost = rating([7, 0, 0, 0, 0], 0.95).unwrap();
        assert_eq!((lost.score, lost.elo, lost.superiority), (0.0, None, None));
        // All drawn: even, as far as anybody can say.
        let drawn = rating([0, 9, 0], 0.95).unwrap();
        assert_eq!((drawn.score, drawn.elo, drawn.superiority), (0.5, Some(0.0), None));
        for counts in [[0, 0, 1], [1, 0, 1], [1, 1, 0], [0, 1, 1_000_000], [3, 0, 1_000_000]] {
            let rating = rating(counts, 0.95).unwrap();
            let numbers =
                [rating.elo, rating.elo_low, rating.elo_high, rating.elo_error(), rating.normalized];
            assert!(numbers.into_iter().flatten().all(f64::is_finite), "{rating:?}");
            assert!((0.0..=1.0).contains(&rating.score));
            assert!(rating.superiority.is_none_or(|probability| (0.0..=1.0).contains(&probability)));
        }
    }

    #[test]
    fn turned_around_it_is_the_same() {
        let (ahead, behind) =
            (rating([10, 60, 120, 80, 15], 0.9).unwrap(), rating([15, 80, 120, 60, 10], 0.9).unwrap());
        let opposite = |one: Option<f64>, other: Option<f64>| (one.unwrap() + other.unwrap()).abs() < 1e-9;
        assert!(opposite(ahead.elo, behind.elo) && opposite(ahead.normalized, behind.normalized));
        assert!(opposite(ahead.elo_low, behind.elo_high));
        assert!((ahead.superiority.unwrap() + behind.superiority.unwrap() - 1.0).abs() < 1e-12);
    }
}
