//! Sorts players by their values.

use gauntlet_core::measure::Measure;
use gauntlet_core::table::Column;

/// Returns the measure that orders players with these win rates: wins, unless all rates are 0 or 1
/// and so separate no players; then scores.
pub fn choose_measure(rates: &[f64]) -> Measure {
    let tells_nothing = match *rates {
        [] => false,
        [rate] => rate == 0.0,
        [first, ..] => (first == 0.0 || first == 1.0) && rates.iter().all(|&rate| rate == first),
    };
    if tells_nothing { Measure::Score } else { Measure::Win }
}

/// Makes the column of players' values.
pub fn value_column(measure: Measure) -> Column {
    match measure {
        Measure::Win => {
            Column::share("win_rate").with_parts(&["win_rate_low", "win_rate_high"]).with_decimals(6)
        }
        Measure::Reach(_) => {
            Column::share("reach_rate").with_parts(&["reach_rate_low", "reach_rate_high"]).with_decimals(6)
        }
        Measure::Score => {
            Column::number("mean_score").with_parts(&["mean_score_low", "mean_score_high"]).with_decimals(2)
        }
        Measure::Points => Column::number("elo").with_parts(&["elo_low", "elo_high"]).with_decimals(1),
        Measure::MsPerMove => Column::millis("cpu_ms_per_move")
            .with_parts(&["cpu_ms_per_move_low", "cpu_ms_per_move_high"])
            .with_decimals(6),
    }
}
