//! The order of players by their own numbers.

use crate::measure::Measure;
use crate::stats::Estimate;
use crate::table::Column;

/// By what players of these win rates are ordered: by win rates, unless these are 0 or 1 for all
/// players and so tell nothing; then by scores.
pub fn leads_by(rates: &[f64]) -> Measure {
    let tells_nothing = match *rates {
        [] => false,
        [alone] => alone == 0.0,
        [first, ..] => (first == 0.0 || first == 1.0) && rates.iter().all(|&rate| rate == first),
    };
    if tells_nothing { Measure::Score } else { Measure::Win }
}

/// The places of players by their own numbers, the best first: the least time, the most of all
/// else. A player without a number comes last. Players with the same number are ordered by their
/// mean scores, and equals stay in their order.
pub(super) fn best_first(values: &[Option<Estimate>], scores: &[Option<f64>], by: Measure) -> Vec<usize> {
    let sign = if by.is_time() { 1.0 } else { -1.0 };
    let key = |place: usize| values[place].map_or(f64::INFINITY, |estimate| sign * estimate.value);
    let score = |place: usize| scores[place].unwrap_or(f64::NEG_INFINITY);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| {
        key(one).total_cmp(&key(other)).then_with(|| score(other).total_cmp(&score(one)))
    });
    order
}

/// The columns of players' own numbers: that of the number, those of its bounds, and its decimals.
pub fn values(by: Measure) -> (Column, [&'static str; 2], usize) {
    match by {
        Measure::Win => (Column::share("win_rate"), ["win_rate_low", "win_rate_high"], 6),
        Measure::Reach(_) => (Column::share("reach_rate"), ["reach_rate_low", "reach_rate_high"], 6),
        Measure::Score => (Column::number("mean_score"), ["mean_score_low", "mean_score_high"], 2),
        Measure::Points => (Column::number("elo"), ["elo_low", "elo_high"], 1),
        Measure::MsPerMove => {
            (Column::millis("cpu_ms_per_move"), ["cpu_ms_per_move_low", "cpu_ms_per_move_high"], 6)
        }
    }
}
