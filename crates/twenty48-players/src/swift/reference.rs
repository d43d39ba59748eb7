//! Expectimax by definition: for boards that may get a tile over 32768, and as a reference for
//! tests.

use gauntlet_core::player::Stop;
use gauntlet_twenty48::rules::{Afterstate, Board, Direction};

use super::line_evaluation::LineEvaluation;

/// Returns the value of an afterstate: the mean over all empty cells and both tiles, `depth`
/// half-turns deep. It counts the same boards as the fast search: those after slides, and leaves.
pub(super) fn chance(
    evaluation: &impl LineEvaluation,
    after: Afterstate,
    depth: u32,
    nodes: &mut u64,
    stop: &Stop,
) -> f64 {
    *nodes += 1;
    let cells = after.cells();
    if depth == 0 {
        return evaluation.value(cells);
    }
    if stop.is_requested() {
        return 0.0;
    }
    let mut sum = 0.0;
    for index in (0..16).filter(|&index| cells.rank(index) == 0) {
        sum += 0.9 * player(evaluation, after.place(index, 1), depth - 1, nodes, stop);
        sum += 0.1 * player(evaluation, after.place(index, 2), depth - 1, nodes, stop);
    }
    // A slide leaves an empty cell, so this never divides by zero.
    sum / f64::from(cells.count_empty())
}

/// Returns the value of a board to the player: the best of all slides. A lost one has its ordinary
/// evaluation.
fn player(evaluation: &impl LineEvaluation, board: Board, depth: u32, nodes: &mut u64, stop: &Stop) -> f64 {
    *nodes += u64::from(depth == 0);
    if depth == 0 || board.is_over() {
        return evaluation.value(board.cells());
    }
    let slides = board.slides(Direction::ALL);
    slides.fold(f64::NEG_INFINITY, |best, (_, after)| {
        best.max(chance(evaluation, after, depth - 1, nodes, stop))
    })
}
