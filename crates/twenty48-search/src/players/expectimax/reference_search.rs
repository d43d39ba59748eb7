//! Search by definition: textbook expectimax. It is used for boards on which a tile over 32768 is
//! or may appear, and for tests.

use gauntlet_twenty48::eval::IntegerEvaluation;
use gauntlet_twenty48::rules::{Afterstate, Board, Direction};

use super::meter::Meter;
use super::rules::{FOUR, NONE, Rules, TWO};
use super::table::Horizon;

/// Returns the value of a board before a tile appears.
pub(super) fn chance(
    evaluation: &impl IntegerEvaluation,
    rules: &Rules,
    after: Afterstate,
    horizon: Horizon,
    meter: &mut Meter,
) -> i64 {
    let is_leaf = horizon.depth == 0 || horizon.probability < rules.min_probability;
    if is_leaf || rules.min_value > NONE {
        let value = evaluation.value(after.cells());
        if is_leaf || value < rules.min_value {
            meter.nodes += 1;
            return value;
        }
    }
    if meter.must_end() {
        return 0;
    }
    let empty_count = after.cells().count_empty();
    let cell_probability = horizon.probability / empty_count as f32;
    let mut sum = |rank: u8, fours: u32, probability: f32| {
        let horizon = Horizon { depth: horizon.depth - 1, fours, probability };
        let empty = (0..16).filter(|&cell| after.cells().rank(cell) == 0);
        empty.map(|cell| player(evaluation, rules, after.place(cell, rank), horizon, meter)).sum::<i64>()
    };
    match horizon.fours {
        0 => Rules::mean(sum(1, 0, cell_probability), None, empty_count),
        fours => {
            let twos = sum(1, fours, cell_probability * TWO);
            Rules::mean(twos, Some(sum(2, fours - 1, cell_probability * FOUR)), empty_count)
        }
    }
}

/// Returns the value of a board if the player is to move.
fn player(
    evaluation: &impl IntegerEvaluation,
    rules: &Rules,
    board: Board,
    horizon: Horizon,
    meter: &mut Meter,
) -> i64 {
    let move_value = |direction| {
        let gain = if rules.gains { evaluation.features().units(board.gain(direction) as f64) } else { 0 };
        Some(gain + chance(evaluation, rules, board.slide(direction)?, horizon, meter))
    };
    rules.position_value(Direction::ALL.into_iter().filter_map(move_value).max())
}
