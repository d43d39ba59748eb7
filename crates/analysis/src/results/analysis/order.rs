//! The order of players by their own numbers.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::Column;

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
