//! Search by definition: textbook expectimax. It is used for boards with tiles over 32768, and for
//! tests.

use gauntlet_twenty48::eval::IntegerEvaluation;
use gauntlet_twenty48::rules::{Afterstate, Board, Direction};

use super::meter::Meter;
use super::rules::{FOUR, Rules, TWO};
use super::table::Reach;

/// Returns the value of a board before a tile appears.
pub(super) fn chance(
    evaluation: &impl IntegerEvaluation,
    rules: &Rules,
    after: Afterstate,
    reach: Reach,
    meter: &mut Meter,
) -> i64 {
    if reach.depth == 0 || reach.probability < rules.least {
        meter.nodes += 1;
        return evaluation.value(after.cells());
    }
    if meter.must_end() {
        return 0;
    }
    let room = after.cells().count_empty();
    let each = reach.probability / room as f32;
    let mut sum = |rank: u8, fours: u32, probability: f32| {
        let reach = Reach { depth: reach.depth - 1, fours, probability };
        let empty = (0..16).filter(|&cell| after.cells().rank(cell) == 0);
        empty.map(|cell| player(evaluation, rules, after.place(cell, rank), reach, meter)).sum::<i64>()
    };
    match reach.fours {
        0 => Rules::mean(sum(1, 0, each), None, room),
        fours => {
            let twos = sum(1, fours, each * TWO);
            Rules::mean(twos, Some(sum(2, fours - 1, each * FOUR)), room)
        }
    }
}

/// Returns the value of a board if the player is to move.
fn player(
    evaluation: &impl IntegerEvaluation,
    rules: &Rules,
    board: Board,
    reach: Reach,
    meter: &mut Meter,
) -> i64 {
    let worth = |direction| {
        let gain = if rules.gains { evaluation.features().units(board.gain(direction) as f64) } else { 0 };
        Some(gain + chance(evaluation, rules, board.slide(direction)?, reach, meter))
    };
    rules.position_value(Direction::ALL.into_iter().filter_map(worth).max())
}
