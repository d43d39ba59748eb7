//! The Pareto front of strength and speed, as far as tests show who is on it.

use gauntlet_stats::holm;
use rayon::prelude::*;

/// What tests show of a player and the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Front {
    /// Every other player is worse in strength or speed.
    On,
    /// Neither is shown.
    Open,
    /// Some other player is better in one of the two, and worse in the other by no more than
    /// [`MARGIN`].
    Off,
}

impl Front {
    /// Its word in a table.
    pub fn word(self) -> &'static str {
        match self {
            Front::On => "on",
            Front::Open => "open",
            Front::Off => "off",
        }
    }
}

/// One of the two measures of a front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrontAxis {
    /// Scores, wins or points.
    Strength,
    /// Time of a move.
    Speed,
}

/// By so much a player that is better in one measure may be worse in the other: a part of a score
/// or a time, or a share of games or points.
pub const MARGIN: f64 = 0.05;

/// The most rivals of a player that are tried, those that lead it by most. To try fewer than all
/// shows less, never more.
const MOST_RIVALS: usize = 200;

/// Players from which on they are tested on all cores.
const MANY: usize = 1000;

/// The front of some players. With a probability of `level` no player is wrongly called on or off.
///
/// A player has two hypotheses: that it is not on, and that it is not off. Holm's correction runs
/// over those of all players. "On" needs a test against each rival, of which each must be
/// significant: the largest p counts, without a correction for their number. "Off" needs one rival,
/// found among all: the smallest p counts, times their number.
///
/// `p(one, other, axis, margin)` is that of the test that the first player is better than the
/// other, two-sided; with a margin that of the one-sided test that it is worse by less than that.
/// It is 1 where the estimate says otherwise, or nothing is known. `places` are the players' own
/// numbers, more being better: they only order the tests.
pub fn pareto_front(
    places: &[[f64; 2]],
    level: f64,
    p: &(impl Fn(usize, usize, FrontAxis, Option<f64>) -> f64 + Sync),
) -> Vec<Front> {
    let risk = 1.0 - level;
    // No step of Holm's correction asks for less.
    let sure = risk / (2 * places.len()) as f64;
    let of = |player: usize| {
        let lead = |rival: usize| {
            let leads = [0, 1].map(|axis| places[rival][axis] - places[player][axis]);
            leads[0].min(leads[1])
        };
        let mut rivals: Vec<usize> = (0..places.len()).filter(|&rival| rival != player).collect();
        rivals.sort_by(|&one, &other| lead(other).total_cmp(&lead(one)));
        [p_on(player, &rivals, [sure, risk], p), p_off(player, &rivals, [sure, risk], p)]
    };
    let all = 0..places.len();
    let p: Vec<[f64; 2]> =
        if places.len() < MANY { all.map(of).collect() } else { all.into_par_iter().map(of).collect() };
    let front = |adjusted: &[f64]| match adjusted {
        [_, off] if *off <= risk => Front::Off,
        [on, _] if *on <= risk => Front::On,
        _ => Front::Open,
    };
    holm(p.as_flattened()).chunks(2).map(front).collect()
}

/// The p that every rival is worse in one of both measures. Below `sure` and above `risk` it need
/// not be exact.
fn p_on(
    player: usize,
    rivals: &[usize],
    [sure, risk]: [f64; 2],
    p: &impl Fn(usize, usize, FrontAxis, Option<f64>) -> f64,
) -> f64 {
    let mut largest = 0.0_f64;
    for &rival in rivals {
        // Two one-sided tests, either of which suffices: the smaller p counts twice, as one of two
        // sides does.
        let mut least = p(player, rival, FrontAxis::Strength, None);
        if least > sure {
            least = least.min(p(player, rival, FrontAxis::Speed, None));
        }
        if least > risk {
            return 1.0;
        }
        largest = largest.max(least);
    }
    largest
}

/// The p that some rival is better in one measure and hardly worse in the other, likewise.
fn p_off(
    player: usize,
    rivals: &[usize],
    [sure, risk]: [f64; 2],
    p: &impl Fn(usize, usize, FrontAxis, Option<f64>) -> f64,
) -> f64 {
    let times = rivals.len() as f64;
    let mut least = 1.0_f64;
    for &rival in rivals.iter().take(MOST_RIVALS) {
        for [better, other] in
            [[FrontAxis::Strength, FrontAxis::Speed], [FrontAxis::Speed, FrontAxis::Strength]]
        {
            // One-sided p of both tests, of which the larger counts; twice, for there are two ways
            // for each rival.
            let p_better = times * p(rival, player, better, None);
            if p_better < least.min(risk) {
                let p_near = 2.0 * times * p(rival, player, other, Some(MARGIN));
                least = least.min(p_better.max(p_near));
            }
        }
        if least <= sure {
            break;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;
    use gauntlet_methods::normal::normal;

    use super::*;

    /// The front of players whose numbers, which are logarithms, differ by this standard error.
    fn of(players: &[[f64; 2]], error: f64) -> Vec<Front> {
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
        use Front::{Off, On, Open};
        assert_eq!(of(&[], 0.01), []);
        assert_eq!(of(&[[1.0, 1.0]], 0.01), [On]);
        // A fast one, a strong one, one that is worse than the strong one in both, and one between.
        let clear = [[1.0, 9.0], [5.0, 1.0], [4.0, 0.0], [3.0, 3.0]];
        assert_eq!(of(&clear, 0.01), [On, On, Off, On]);
        assert_eq!(of(&clear, 100.0), [Open; 4]);
        // As strong, and slower: off. As fast as can be told, and stronger: off, if 5 % can be
        // told.
        assert_eq!(of(&[[1.0, 2.0], [1.0, 1.0]], 0.01), [On, Off]);
        assert_eq!(of(&[[2.0, 1.0], [1.0, 1.01]], 0.01), [On, Off]);
        assert_eq!(of(&[[2.0, 1.0], [1.0, 1.01]], 0.03), [On, Open]);
        // By 10 % faster it has a place of its own; alike in both, neither is shown to be worse.
        assert_eq!(of(&[[2.0, 1.0], [1.0, 1.1]], 0.01), [On, On]);
        assert_eq!(of(&[[1.0, 1.0], [1.0, 1.0]], 0.001), [Open, Open]);
    }

    /// Announced before the first run: 400 runs of six equal players, seed 2048, each number with a
    /// standard error of 1 %. At most 5 % of the runs may call a player on or off, and three
    /// standard deviations of that number more. By estimates alone all do.
    #[test]
    fn equal_players_are_seldom_on_or_off() {
        let wrong = |run: &u64| {
            let mut rng = Seed::root(2048).child("front", *run).rng();
            let players: Vec<[f64; 2]> = (0..6).map(|_| [(); 2].map(|()| 0.01 * normal(&mut rng))).collect();
            of(&players, 0.01 * std::f64::consts::SQRT_2).iter().any(|front| *front != Front::Open)
        };
        let wrong = (0..400).filter(wrong).count();
        assert!(wrong <= 20 + 13, "{wrong} of 400");
    }

    #[test]
    fn nothing_is_known_without_a_test() {
        assert_eq!(pareto_front(&[[1.0, 2.0], [2.0, 1.0]], 0.95, &|_, _, _, _| 1.0), [Front::Open; 2]);
    }
}
