//! Windows: five cells in a row on the board. The value of a cell is the sum over its windows.

use crate::rules::{AXES, Board, Cell, Stone};

/// Returns the value of a window to a colour, by the stones in it.
pub const fn window_value(own: u32, other: u32) -> i32 {
    match (own, other) {
        (0, 0) => 7,
        (1, 0) => 35,
        (2, 0) => 800,
        (3, 0) => 15_000,
        (4, 0) => 800_000,
        (0, 1) => 15,
        (0, 2) => 400,
        (0, 3) => 1_800,
        (0, 4) => 100_000,
        // Both colours, or a five.
        _ => 0,
    }
}

/// Returns the value of each cell to a colour, in the order of cells. Entries of occupied cells are
/// meaningless.
pub fn cell_values(board: &Board, own: Stone) -> Vec<i32> {
    let size = board.size();
    let mut sums = vec![0; usize::from(size) * usize::from(size)];
    for first in board.cells() {
        for axis in AXES {
            let cells: [Option<Cell>; 5] = std::array::from_fn(|i| board.step(first, axis, i as i8));
            if cells[4].is_none() {
                continue;
            }
            let cells = cells.map(|cell| cell.expect("it is before the last"));
            let count =
                |stone| cells.iter().filter(|&&cell| board.stone_at(cell) == Some(stone)).count() as u32;
            let value = window_value(count(own), count(own.other()));
            for cell in cells {
                sums[cell.index(size)] += value;
            }
        }
    }
    sums
}
