//! Monotonicity: tiles that rise or fall along lines, or away from the largest. The first two
//! features differ only for empty cells at the ends of a line; the articles on 2048 in SwiftUI
//! print the second under the name of the first.

use super::islands::neighbours;
use super::steps::{StepSums, monotonicity_lines_of_line, monotonicity_tiles_of_line};
use crate::rules::{Cells, Line, LineTable, PackedLines};

/// Returns minus the sum of two terms: for rows, the smaller of the sum of all steps down and the
/// sum of all steps up; and likewise for columns. An empty cell between two tiles is skipped, but
/// at the end of a line it is a tile of rank 0, and several there count as one.
///
/// Source: ovolve/2048-AI, `monotonicity2`; `mono` of the repository of the articles on 2048 in
/// SwiftUI.
#[inline]
pub fn monotonicity_lines(cells: Cells) -> f64 {
    match cells.nibbles() {
        Some(rows) => sum_from_table(&LINES, rows),
        None => sum_of_best(cells, monotonicity_lines_of_line),
    }
}

/// Totals of each row in [`monotonicity_lines`], packed. 12 times as fast as scanning the lines.
static LINES: LineTable<2> = LineTable::new(include_bytes!(concat!(env!("OUT_DIR"), "/monotonicity_lines")));

/// Returns [`monotonicity_lines`] with every empty cell skipped.
///
/// Source: what the articles on 2048 in SwiftUI print as `monotonicity`; `monotonicity2` of their
/// repository.
#[inline]
pub fn monotonicity_tiles(cells: Cells) -> f64 {
    match cells.nibbles() {
        Some(rows) => sum_from_table(&TILES, rows),
        None => sum_of_best(cells, monotonicity_tiles_of_line),
    }
}

/// Totals of each row in [`monotonicity_tiles`], packed; with the same gain in speed.
static TILES: LineTable<2> = LineTable::new(include_bytes!(concat!(env!("OUT_DIR"), "/monotonicity_tiles")));

#[inline]
fn sum_from_table(table: &LineTable<2>, rows: PackedLines) -> f64 {
    let smaller_total = |lines: PackedLines| {
        let totals: u16 = lines.lines().map(|line| u16::from_le_bytes(table.get(line))).iter().sum();
        i32::from((totals & 0xFF).min(totals >> 8))
    };
    f64::from(-(smaller_total(rows) + smaller_total(rows.transpose())))
}

#[cold]
fn sum_of_best(cells: Cells, line_sums: impl Fn(Line) -> StepSums) -> f64 {
    let best = |lines: [Line; 4]| {
        let totals = lines.into_iter().map(&line_sums).fold(StepSums::default(), StepSums::combine);
        totals.falling.max(totals.rising)
    };
    (best(cells.rows()) + best(cells.columns())).into()
}

/// Returns minus the sum of all rises in a breadth-first walk away from the largest tile.
///
/// Each visited cell, even an empty one, adds how much larger each of its neighbours is, unless
/// that neighbour is *marked*, and queues those neighbours that were not queued yet. Cells are
/// marked in groups: whenever as many cells were visited as had been queued at the last marking.
/// Among several largest tiles the walk begins at the leftmost, and among those at the topmost.
///
/// Source: ovolve/2048-AI, `monotonicity`, which the program has but does not weigh.
pub fn monotonicity_wave(cells: Cells) -> f64 {
    let ranks = cells.ranks();
    let column_major = (0..16).map(|i| 4 * (i % 4) + i / 4);
    let start = column_major.fold(0, |best, index| if ranks[index] > ranks[best] { index } else { best });
    let (mut queue, mut queue_length) = ([0; 16], 1);
    queue[0] = start;
    let mut is_queued = [false; 16];
    is_queued[start] = true;
    // Cells of the queue before this index are marked.
    let mut marked_count = 0;
    let mut is_marked = [false; 16];
    let mut visits_until_marking = 1;
    let mut rises = 0;
    let mut queue_position = 0;
    while queue_position < queue_length {
        let index = queue[queue_position];
        queue_position += 1;
        visits_until_marking -= 1;
        for neighbour in neighbours(index).into_iter().flatten() {
            if is_marked[neighbour] {
                continue;
            }
            rises += i32::from(ranks[neighbour].saturating_sub(ranks[index]));
            if !is_queued[neighbour] {
                is_queued[neighbour] = true;
                queue[queue_length] = neighbour;
                queue_length += 1;
            }
        }
        if visits_until_marking == 0 {
            for &index in &queue[marked_count..queue_position] {
                is_marked[index] = true;
            }
            marked_count = queue_position;
            visits_until_marking = queue_length - queue_position;
        }
    }
    (-rises).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::line::unpack;

    #[test]
    fn tables_agree_with_the_definitions_on_all_rows() {
        for row in 0..=u16::MAX {
            let totals = [&LINES, &TILES].map(|table| u16::from_le_bytes(table.get(row)));
            let line = unpack(row);
            let expected = [monotonicity_lines_of_line(line), monotonicity_tiles_of_line(line)];
            assert_eq!(totals, expected.map(StepSums::pack), "{row:04x}");
        }
    }
}
