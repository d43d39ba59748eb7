//! Smoothness: differences of neighbours. Three authors use this name for three measures, and one
//! of them printed a fourth.

use super::line::sum_of_lines;
use super::steps::smoothness_nearest_of_line;
use crate::rules::cells::value_of;
use crate::rules::{Cells, Line, LineTable, PackedLines};

/// Returns minus the sum of the differences of value over all pairs of adjacent tiles.
///
/// Source: the articles on 2048 in SwiftUI, step 19, which their evaluations use.
pub fn smoothness_adjacent(cells: Cells) -> f64 {
    sum_of_lines(cells, smoothness_adjacent_of_line) as f64
}

/// Returns the value of one line in [`smoothness_adjacent`].
pub fn smoothness_adjacent_of_line(line: Line) -> i64 {
    let pairs = line.windows(2).filter(|pair| !pair.contains(&0));
    -pairs.map(|pair| i64::from(value_of(pair[0]).abs_diff(value_of(pair[1])))).sum::<i64>()
}

/// Returns the value of one line in [`smoothness_adjacent`], with ranks instead of values.
///
/// Source: the articles on 2048 in SwiftUI, step 20.
pub fn smoothness_adjacent_log_of_line(line: Line) -> i32 {
    let pairs = line.windows(2).filter(|pair| !pair.contains(&0));
    -pairs.map(|pair| i32::from(pair[0].abs_diff(pair[1]))).sum::<i32>()
}

/// Returns minus the sum over all tiles of the differences of rank to the next tile to the right
/// and to the next below, skipping empty cells.
///
/// Source: ovolve/2048-AI, `smoothness`.
#[inline]
pub fn smoothness_nearest(cells: Cells) -> f64 {
    let Some(rows) = cells.nibbles() else { return scan_smoothness_nearest(cells) };
    let line_value = |line| i32::from(i8::from_le_bytes(NEAREST.get(line)));
    let sum = |lines: PackedLines| lines.lines().map(line_value).iter().sum::<i32>();
    (sum(rows) + sum(rows.transpose())).into()
}

/// Value of each row in [`smoothness_nearest`]. 9 times as fast as scanning the lines.
static NEAREST: LineTable<1> =
    LineTable::new(include_bytes!(concat!(env!("OUT_DIR"), "/smoothness_nearest")));

#[cold]
fn scan_smoothness_nearest(cells: Cells) -> f64 {
    sum_of_lines(cells, |line| smoothness_nearest_of_line(line).into()) as f64
}

/// Returns the absolute difference of rank of the last pair that [`smoothness_nearest`] would
/// visit: row by row, for each tile first the next tile below and then the next to the right. 0 if
/// there is no pair.
///
/// Source: the port of ovolve's program to VBA, as printed: the sum is overwritten where it should
/// grow.
#[inline]
pub fn smoothness_last(cells: Cells) -> f64 {
    let ranks = cells.ranks();
    let is_tile = |&index: &usize| ranks[index] != 0;
    let mut last = 0;
    for index in (0..16).filter(is_tile) {
        let (row, column) = (index / 4, index % 4);
        let below = (row + 1..4).map(|row| 4 * row + column).find(is_tile);
        let right = (column + 1..4).map(|column| 4 * row + column).find(is_tile);
        for neighbour in [below, right].into_iter().flatten() {
            last = ranks[index].abs_diff(ranks[neighbour]);
        }
    }
    last.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::line::unpack;

    #[test]
    fn the_table_agrees_with_the_definition_on_all_rows() {
        for row in 0..=u16::MAX {
            let expected = smoothness_nearest_of_line(unpack(row));
            assert_eq!(i32::from(i8::from_le_bytes(NEAREST.get(row))), expected, "{row:04x}");
        }
    }
}
