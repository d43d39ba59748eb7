//! What the methods reach on noisy objectives whose best point is known.

mod objective;

use self::objective::{Objective, all, flat};
use super::method::Kind;
use super::search::{Approach, Search};

fn spsa(objective: &Objective, seed: u64, budget: u64) -> Search {
    objective.search(Approach::Spsa(objective.space()), seed, budget)
}

#[test]
fn a_larger_budget_begins_as_a_smaller_one_did() {
    for objective in all() {
        let (short, again) = (spsa(&objective, 1, 1_500), spsa(&objective, 1, 1_500));
        assert_eq!(short.rows(), again.rows(), "{}", objective.name);
        let long = spsa(&objective, 1, 6_000);
        let (end, path) = short.rows().split_last().expect("steps");
        assert_eq!(end.kind, Kind::Final);
        assert!(path.iter().any(|row| row.kind == Kind::Check));
        assert_eq!(path, &long.rows()[..path.len()]);
        assert_ne!(path, &spsa(&objective, 2, 1_500).rows()[..path.len()]);
    }
}

/// Bounds of a check hold the true gain, which is 0, as often as their level says.
#[test]
fn nothing_is_gained_where_nothing_can_be() {
    let flat = flat();
    let searches: Vec<Search> = (0..40).map(|seed| spsa(&flat, seed, 2_000)).collect();
    let checks = searches.iter().flat_map(|search| search.rows().iter().filter_map(|row| row.check));
    let gains: Vec<_> = checks.filter_map(|check| check.gain).collect();
    let claimed = gains.iter().filter(|gain| gain.low > 0.0).count();
    // 2.5 % are expected; 0.05 % of all such tests would find more than 10 of 120.
    assert!(gains.len() >= 100 && claimed <= 10, "{claimed} of {}", gains.len());
    assert!(searches.iter().filter(|search| search.went_back()).count() <= 6);
}
