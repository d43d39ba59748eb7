//! The Pareto front of strength and speed, as far as tests show which players are on it.

use gauntlet_stats::holm;
use rayon::prelude::*;

/// Result of the tests for one player of the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FrontStatus {
    /// Every other player is worse in strength or speed.
    On,
    /// Inconclusive.
    Open,
    /// Some other player is better in strength or speed, and worse in the other by at most
    /// [`MARGIN`].
    Off,
}

impl FrontStatus {
    /// Returns the word that tables use.
    pub fn word(self) -> &'static str {
        match self {
            FrontStatus::On => "on",
            FrontStatus::Open => "open",
            FrontStatus::Off => "off",
        }
    }
}

/// A measure of the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontAxis {
    /// Scores, wins or points.
    Strength,
    /// Time per move.
    Speed,
}

/// Largest loss in the other measure with which a player still dominates. It is relative for scores
/// and times, and absolute for shares of games or points.
pub const MARGIN: f64 = 0.05;

/// Largest number of rivals that are tested for [`FrontStatus::Off`]: the ones with the largest
/// lead. This limit can only hide that a player is off.
const MAX_RIVALS: usize = 200;

/// Number of players from which on they are tested on all cores.
const PARALLEL_FROM: usize = 1000;

/// Returns the front of some players. With a probability of `level` no player is wrongly called on
/// or off.
///
/// A player has two hypotheses: that it is not on, and that it is not off. Holm's correction covers
/// the hypotheses of all players. "On" needs a significant test against each rival: the largest p
/// counts, without a correction for the number of rivals. "Off" needs one rival, found among all:
/// the smallest p counts, times the number of rivals.
///
/// `p(one, other, axis, margin)` is the two-sided p of the test that the first player is better.
/// With a margin it is the one-sided p of the test that the first player is worse by less than the
/// margin. It is 1 if the estimate contradicts the hypothesis, or if nothing is known. `values` are
/// the players' values, more being better; they only order the tests.
pub fn pareto_front(
    values: &[[f64; 2]],
    level: f64,
    p: &(impl Fn(usize, usize, FrontAxis, Option<f64>) -> f64 + Sync),
) -> Vec<FrontStatus> {
    let risk = 1.0 - level;
    // Holm's correction never requires a smaller p than this.
    let min_p = risk / (2 * values.len()) as f64;
    let player_p_values = |player: usize| {
        let lead = |rival: usize| {
            let leads = [0, 1].map(|axis| values[rival][axis] - values[player][axis]);
            leads[0].min(leads[1])
        };
        let mut rivals: Vec<usize> = (0..values.len()).filter(|&rival| rival != player).collect();
        rivals.sort_by(|&one, &other| lead(other).total_cmp(&lead(one)));
        [worse_rivals_p(player, &rivals, [min_p, risk], p), dominated_p(player, &rivals, [min_p, risk], p)]
    };
    let players = 0..values.len();
    let p: Vec<[f64; 2]> = if values.len() < PARALLEL_FROM {
        players.map(player_p_values).collect()
    } else {
        players.into_par_iter().map(player_p_values).collect()
    };
    let status = |adjusted: &[f64]| match adjusted {
        [_, off_p] if *off_p <= risk => FrontStatus::Off,
        [on_p, _] if *on_p <= risk => FrontStatus::On,
        _ => FrontStatus::Open,
    };
    holm(p.as_flattened()).chunks(2).map(status).collect()
}

/// Returns the p that every rival is worse in strength or speed. It need not be exact below `min_p`
/// or above `risk`.
fn worse_rivals_p(
    player: usize,
    rivals: &[usize],
    [min_p, risk]: [f64; 2],
    p: &impl Fn(usize, usize, FrontAxis, Option<f64>) -> f64,
) -> f64 {
    let mut largest_p = 0.0_f64;
    for &rival in rivals {
        // Either of two one-sided tests suffices, so the smaller p counts twice. `p` is two-sided
        // and contains this factor.
        let mut smaller_p = p(player, rival, FrontAxis::Strength, None);
        if smaller_p > min_p {
            smaller_p = smaller_p.min(p(player, rival, FrontAxis::Speed, None));
        }
        if smaller_p > risk {
            return 1.0;
        }
        largest_p = largest_p.max(smaller_p);
    }
    largest_p
}

/// Returns the p that some rival is better in one measure and hardly worse in the other. It need
/// not be exact below `min_p` or above `risk`.
fn dominated_p(
    player: usize,
    rivals: &[usize],
    [min_p, risk]: [f64; 2],
    p: &impl Fn(usize, usize, FrontAxis, Option<f64>) -> f64,
) -> f64 {
    let rival_count = rivals.len() as f64;
    let mut smallest_p = 1.0_f64;
    for &rival in rivals.iter().take(MAX_RIVALS) {
        for [better_axis, other_axis] in
            [[FrontAxis::Strength, FrontAxis::Speed], [FrontAxis::Speed, FrontAxis::Strength]]
        {
            // One-sided p of both tests; the larger counts. It counts twice, because each rival can
            // dominate in two ways.
            let p_better = rival_count * p(rival, player, better_axis, None);
            if p_better < smallest_p.min(risk) {
                let p_near = 2.0 * rival_count * p(rival, player, other_axis, Some(MARGIN));
                smallest_p = smallest_p.min(p_better.max(p_near));
            }
        }
        if smallest_p <= min_p {
            break;
        }
    }
    smallest_p
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;
    use gauntlet_methods::normal::draw_normal;

    use super::*;

    /// Returns the front of players whose values are logarithms with this standard error.
    fn front_of_normals(players: &[[f64; 2]], error: f64) -> Vec<FrontStatus> {
        let p = |one: usize, other: usize, axis: FrontAxis, margin: Option<f64>| {
            let axis = usize::from(axis == FrontAxis::Speed);
            let lead = players[one][axis] - players[other][axis] + margin.unwrap_or(0.0);
            let tail = libm::erfc(lead / error / std::f64::consts::SQRT_2);
            if lead <= 0.0 {
                1.0
            } else if margin.is_some() {
                tail / 2.0
            } else {
                tail
            }
        };
        pareto_front(players, 0.95, &p)
    }

    #[test]
    fn a_front_is_known_as_far_as_its_numbers_are() {
        use FrontStatus::{Off, On, Open};
        assert_eq!(front_of_normals(&[], 0.01), []);
        assert_eq!(front_of_normals(&[[1.0, 1.0]], 0.01), [On]);
        // A fast player, a strong one, one that is worse than the strong one in both, and one in
        // between.
        let clear = [[1.0, 9.0], [5.0, 1.0], [4.0, 0.0], [3.0, 3.0]];
        assert_eq!(front_of_normals(&clear, 0.01), [On, On, Off, On]);
        assert_eq!(front_of_normals(&clear, 100.0), [Open; 4]);
        // Equally strong and slower: off. Equally fast within the error, and stronger: off, if 5 %
        // is significant.
        assert_eq!(front_of_normals(&[[1.0, 2.0], [1.0, 1.0]], 0.01), [On, Off]);
        assert_eq!(front_of_normals(&[[2.0, 1.0], [1.0, 1.01]], 0.01), [On, Off]);
        assert_eq!(front_of_normals(&[[2.0, 1.0], [1.0, 1.01]], 0.03), [On, Open]);
        // A player that is 10 % faster is on the front. If players are equal in both, neither is
        // shown to be worse.
        assert_eq!(front_of_normals(&[[2.0, 1.0], [1.0, 1.1]], 0.01), [On, On]);
        assert_eq!(front_of_normals(&[[1.0, 1.0], [1.0, 1.0]], 0.001), [Open, Open]);
    }

    /// Fixed before the first run: 400 runs of six equal players, seed 2048, each value with a
    /// standard error of 1 %. At most 5 % of the runs may call a player on or off, plus three
    /// standard deviations of that number. Without tests, estimates would call some player on or
    /// off in every run.
    #[test]
    fn equal_players_are_seldom_on_or_off() {
        let is_wrong = |run: &u64| {
            let mut rng = Seed::root(2048).child("front", *run).rng();
            let players: Vec<[f64; 2]> =
                (0..6).map(|_| [(); 2].map(|()| 0.01 * draw_normal(&mut rng))).collect();
            front_of_normals(&players, 0.01 * std::f64::consts::SQRT_2)
                .iter()
                .any(|status| *status != FrontStatus::Open)
        };
        let wrong_runs = (0..400).filter(is_wrong).count();
        assert!(wrong_runs <= 20 + 13, "{wrong_runs} of 400");
    }

    #[test]
    fn nothing_is_known_without_a_test() {
        assert_eq!(pareto_front(&[[1.0, 2.0], [2.0, 1.0]], 0.95, &|_, _, _, _| 1.0), [FrontStatus::Open; 2]);
    }
}
