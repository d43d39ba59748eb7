//! Runs: maximal sequences of consecutive stones of one colour on a line.
//!
//! An end of a run is blocked by the edge or by any stone. A run with a gap is two runs. A line too
//! short for five counts nothing. Five or more are a five, even if six do not win.

use crate::rules::{AXES, Board, Stone};

/// Value of a five. A sum of this size or more ends a search.
pub const FIVE: i32 = 100_000;

/// Returns the value of a run by its length and the number of its blocked ends.
pub const fn run_value(length: u32, blocked_ends: u32) -> i32 {
    let open_value = match length {
        0 => 0,
        1 => 10,
        2 => 100,
        3 => 1_000,
        4 => 10_000,
        _ => return FIVE,
    };
    match blocked_ends {
        0 => open_value,
        1 => open_value / 10,
        _ => 0,
    }
}

/// Returns the total value of all runs of a colour.
pub fn sum_runs(board: &Board, stone: Stone) -> i32 {
    let value_at = |cell, axis| {
        let stone_at_step = |steps: i8| board.step(cell, axis, steps).map(|cell| board.stone_at(cell));
        // A run is counted at its first cell.
        if stone_at_step(0) != Some(Some(stone)) || stone_at_step(-1) == Some(Some(stone)) {
            return 0;
        }
        let length = (1..).take_while(|&steps| stone_at_step(steps) == Some(Some(stone))).count() as i8 + 1;
        let cells_before = (1..).take_while(|&steps| stone_at_step(-steps).is_some()).count();
        let cells_after = (length..).take_while(|&steps| stone_at_step(steps).is_some()).count();
        if cells_before + length as usize + cells_after < 5 {
            return 0;
        }
        let blocked_ends = [-1, length].into_iter().filter(|&end| stone_at_step(end) != Some(None)).count();
        run_value(length as u32, blocked_ends as u32)
    };
    board.cells().flat_map(|cell| AXES.map(|axis| value_at(cell, axis))).sum()
}
