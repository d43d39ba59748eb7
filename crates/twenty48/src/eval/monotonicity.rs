//! Monotonicity: tiles that rise or fall along lines, or away from the largest. The first two
//! differ only in empty cells at the ends of a line: the articles on 2048 in SwiftUI print the
//! second under the name of the first.

use super::steps::{Totals, monotonicity_lines_of_line, monotonicity_tiles_of_line};
use crate::rules::{Cells, Line, LineTable, Nibbles};

/// Of all steps down and all steps up within rows, the smaller sum; the same of columns; minus
/// both. An empty cell between two tiles is skipped, but one at the end of a line is a tile of rank
/// 0, and several there are one.
///
/// Source: ovolve/2048-AI, `monotonicity2`; `mono` of the repository of the articles on 2048 in
/// SwiftUI.
#[inline]
pub fn monotonicity_lines(cells: Cells) -> f64 {
    match cells.nibbles() {
        Some(rows) => looked_up(&LINES, rows),
        None => best_of_both(cells, monotonicity_lines_of_line),
    }
}

/// For each row its totals in [`monotonicity_lines`], packed. 12 times as fast as going through the
/// lines.
static LINES: LineTable<2> = LineTable::new(include_bytes!(concat!(env!("OUT_DIR"), "/monotonicity_lines")));

/// As [`monotonicity_lines`], but every empty cell is skipped.
///
/// Source: what the articles on 2048 in SwiftUI print as `monotonicity`; `monotonicity2` of their
/// repository.
#[inline]
pub fn monotonicity_tiles(cells: Cells) -> f64 {
    match cells.nibbles() {
        Some(rows) => looked_up(&TILES, rows),
        None => best_of_both(cells, monotonicity_tiles_of_line),
    }
}

/// For each row its totals in [`monotonicity_tiles`], packed; as much faster.
static TILES: LineTable<2> = LineTable::new(include_bytes!(concat!(env!("OUT_DIR"), "/monotonicity_tiles")));

#[inline]
fn looked_up(table: &LineTable<2>, rows: Nibbles) -> f64 {
    let least = |lines: Nibbles| {
        let totals: u16 = lines.lines().map(|line| u16::from_le_bytes(table.of(line))).iter().sum();
        i32::from((totals & 0xFF).min(totals >> 8))
    };
    f64::from(-(least(rows) + least(rows.transposed())))
}

#[cold]
fn best_of_both(cells: Cells, of_line: impl Fn(Line) -> Totals) -> f64 {
    let best = |lines: [Line; 4]| {
        let totals = lines.into_iter().map(&of_line).fold(Totals::default(), Totals::plus);
        totals.falling.max(totals.rising)
    };
    (best(cells.rows()) + best(cells.columns())).into()
}

/// Minus the sum of all rises in a walk away from the largest tile, breadth first.
///
/// Each cell that the walk comes to, an empty one too, adds by how much each of its neighbours is
/// larger, if that neighbour is not *marked*, and calls those neighbours that were not called yet.
/// Cells are marked together, when as many were looked at as had been called when cells were last
/// marked. Of several largest tiles the walk begins at the leftmost, and of those at the topmost.
///
/// Source: ovolve/2048-AI, `monotonicity`, which the program has but does not weigh.
pub fn monotonicity_wave(cells: Cells) -> f64 {
    let ranks = cells.ranks();
    let by_columns = (0..16).map(|i| 4 * (i % 4) + i / 4);
    let start = by_columns.fold(0, |best, index| if ranks[index] > ranks[best] { index } else { best });
    let (mut queue, mut called) = ([0; 16], 1);
    queue[0] = start;
    let mut is_called = [false; 16];
    is_called[start] = true;
    // The cells of the queue before this place are marked.
    let mut marked = 0;
    let mut is_marked = [false; 16];
    let mut until_marking = 1;
    let mut rises = 0;
    let mut place = 0;
    while place < called {
        let index = queue[place];
        place += 1;
        until_marking -= 1;
        for neighbour in neighbours(index).into_iter().flatten() {
            if is_marked[neighbour] {
                continue;
            }
            rises += i32::from(ranks[neighbour].saturating_sub(ranks[index]));
            if !is_called[neighbour] {
                is_called[neighbour] = true;
                queue[called] = neighbour;
                called += 1;
            }
        }
        if until_marking == 0 {
            for &index in &queue[marked..place] {
                is_marked[index] = true;
            }
            marked = place;
            until_marking = called - place;
        }
    }
    (-rises).into()
}

/// The cells above, to the right, below and to the left, where there are such.
fn neighbours(index: usize) -> [Option<usize>; 4] {
    let (row, column) = (index / 4, index % 4);
    [
        (row > 0).then(|| index - 4),
        (column < 3).then(|| index + 1),
        (row < 3).then(|| index + 4),
        (column > 0).then(|| index - 1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::line::unpack;

    #[test]
    fn tables_agree_with_the_definitions_on_all_rows() {
        for row in 0..=u16::MAX {
            let totals = [&LINES, &TILES].map(|table| u16::from_le_bytes(table.of(row)));
            let line = unpack(row);
            let plain = [monotonicity_lines_of_line(line), monotonicity_tiles_of_line(line)];
            assert_eq!(totals, plain.map(Totals::packed), "{row:04x}");
        }
    }
}
