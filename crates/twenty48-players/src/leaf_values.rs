//! Values of all boards after a tile and a move, if none of them is searched further.
//!
//! A tile on any cell of a run of empty cells slides to the same place, and changes one line of the
//! slid board and one cell of each crossing line. So few boards are evaluated, each by five loads.

use std::ops::Add;

use gauntlet_twenty48::rules::{Grid, PackedLines};

/// Slides and values of lines, by which a program evaluates a board.
pub(super) trait LineTables {
    /// Value of a line or of a board.
    type Value: Copy + Add<Output = Self::Value>;

    /// Value of a slide that moves nothing.
    const NONE: Self::Value;

    /// Returns a line slid towards its first cell, and towards its last.
    fn slide(&self, line: u16) -> (u16, u16);

    /// Returns the value of a line.
    fn value(&self, line: u16) -> Self::Value;

    /// Returns the sum over four lines, in the order of the program.
    fn sum(values: [Self::Value; 4]) -> Self::Value;

    /// Returns the sum over four lines with another value in this position. Whole numbers need not
    /// be added again.
    #[inline(always)]
    fn sum_with(
        mut values: [Self::Value; 4],
        _sum: Self::Value,
        index: usize,
        value: Self::Value,
    ) -> Self::Value {
        values[index & 3] = value;
        Self::sum(values)
    }

    /// Returns the larger value.
    fn max(one: Self::Value, other: Self::Value) -> Self::Value;

    /// Returns all lines slid towards their first cells, and towards their last.
    #[inline(always)]
    fn slide_all(&self, lines: PackedLines) -> (PackedLines, PackedLines) {
        let slides = lines.lines().map(|line| self.slide(line));
        (
            PackedLines::from_lines(slides.map(|(first, _)| first)),
            PackedLines::from_lines(slides.map(|(_, last)| last)),
        )
    }

    /// Returns the sum over all lines.
    #[inline(always)]
    fn sum_all(&self, lines: PackedLines) -> Self::Value {
        Self::sum(lines.lines().map(|line| self.value(line)))
    }
}

/// Slide of the lines of a board without a new tile.
struct Side<V> {
    /// The same board by the crossing lines.
    crossing_lines: PackedLines,
    /// Values of the lines, and their sum.
    line_values: [V; 4],
    sum: V,
    /// Bits that the slide changes.
    changes: u64,
}

impl<V: Copy + Add<Output = V>> Side<V> {
    #[inline(always)]
    fn new<T: LineTables<Value = V>>(lines: PackedLines, after: PackedLines, tables: &T) -> Side<V> {
        let line_values = after.lines().map(|line| tables.value(line));
        let (crossing_lines, changes) = (after.transpose(), lines.word() ^ after.word());
        Side { crossing_lines, line_values, sum: T::sum(line_values), changes }
    }

    /// Returns the value of the board with another line in this position.
    #[inline(always)]
    fn value<T: LineTables<Value = V>>(&self, index: usize, line: u16, tables: &T) -> V {
        let sum = T::sum_with(self.line_values, self.sum, index, tables.value(line));
        sum + tables.sum_all(self.crossing_lines.with_nibbles(index, line))
    }
}

/// Returns for each of some tiles and each empty cell the largest value after this tile there and a
/// slide that moves something, or `NONE`. Results of other cells are meaningless.
#[inline(always)]
pub(super) fn best_values<T: LineTables, const N: usize>(
    grid: Grid,
    tables: &T,
    tiles: [u8; N],
) -> [[T::Value; 16]; N] {
    let row_best = best_along(grid.rows, tables, tiles);
    let column_best = best_along(grid.columns, tables, tiles);
    std::array::from_fn(|tile| {
        std::array::from_fn(|cell| T::max(row_best[tile][cell], column_best[tile][cell % 4 * 4 + cell / 4]))
    })
}

/// Returns for each of some tiles and each empty cell, line by line, the larger value after a slide
/// along the lines. Four cells are written at once, so there are three extra ones.
#[inline(always)]
fn best_along<T: LineTables, const N: usize>(
    lines: PackedLines,
    tables: &T,
    tiles: [u8; N],
) -> [[T::Value; 19]; N] {
    let mut best = [[T::NONE; 19]; N];
    let (first, last) = tables.slide_all(lines);
    let (first, last) = (Side::new(lines, first, tables), Side::new(lines, last, tables));
    let mut runs = lines.run_starts();
    while runs != 0 {
        // A tile on any cell of a run slides to the same place.
        let shift = runs.trailing_zeros();
        runs &= runs - 1;
        let index = shift as usize / 16;
        let line = lines.line(index);
        let other_lines = !(0xFFFF << (16 * index));
        let moves = [&first, &last].map(|side| side.changes & other_lines != 0);
        for (tile, best) in tiles.into_iter().zip(&mut best) {
            let (to_first, to_last) = tables.slide(line | u16::from(tile) << (shift & 15));
            let first_value = first.value(index, to_first, tables);
            let last_value = last.value(index, to_last, tables);
            // Values written after the run are overwritten by the next one.
            for (cell, best) in best[shift as usize / 4..][..4].iter_mut().enumerate() {
                // A slide that returns the line with its tile has moved nothing.
                let line_with_tile = u32::from(line) | u32::from(tile) << ((shift & 15) + 4 * cell as u32);
                let first_value =
                    if moves[0] || u32::from(to_first) != line_with_tile { first_value } else { T::NONE };
                let last_value =
                    if moves[1] || u32::from(to_last) != line_with_tile { last_value } else { T::NONE };
                *best = T::max(first_value, last_value);
            }
        }
    }
    best
}
