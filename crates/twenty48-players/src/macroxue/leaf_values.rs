//! Values of all boards after a tile and a move, if none of them is searched further.

use gauntlet_twenty48::rules::PackedLines;
use gauntlet_twenty48::rules::slide::slide_row_both_ways;

use super::value::{LineValues, NONE, line_values, sum};

/// Slide of the lines of a board without a new tile.
struct Side {
    /// The same board by the crossing lines.
    crossing_lines: PackedLines,
    /// Values of the lines, and their sum.
    line_values: [i32; 4],
    sum: i32,
    /// Bits that the slide changes.
    changes: u64,
}

impl Side {
    #[inline(always)]
    fn new(lines: PackedLines, after: PackedLines, values: &LineValues) -> Side {
        let line_values = line_values(after, values);
        let changes = lines.word() ^ after.word();
        Side { crossing_lines: after.transpose(), line_values, sum: sum(line_values), changes }
    }

    /// Returns the value of the board with another line in this position.
    #[inline(always)]
    fn value(&self, index: usize, line: u16, values: &LineValues) -> i32 {
        let other_sum = self.sum - self.line_values[index] + values[usize::from(line)];
        other_sum + sum(line_values(self.crossing_lines.with_nibbles(index, line), values))
    }
}

/// Returns for each of some tiles and each empty cell, line by line, the larger value after a slide
/// along the lines. Four cells are written at once, so there are three extra ones.
#[inline(always)]
pub(super) fn best_along<const N: usize>(
    lines: PackedLines,
    values: &LineValues,
    tiles: [u8; N],
) -> [[i32; 19]; N] {
    let mut best = [[NONE; 19]; N];
    let (first, last) = lines.slide_both_ways();
    let (first, last) = (Side::new(lines, first, values), Side::new(lines, last, values));
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
            let (to_first, to_last) = slide_row_both_ways(line | u16::from(tile) << (shift & 15));
            let first_value = first.value(index, to_first, values);
            let last_value = last.value(index, to_last, values);
            // Values written after the run are overwritten by the next one.
            for (cell, best) in best[shift as usize / 4..][..4].iter_mut().enumerate() {
                // A slide that returns the line with its tile has moved nothing.
                let line_with_tile = u32::from(line) | u32::from(tile) << ((shift & 15) + 4 * cell as u32);
                let first_value =
                    if moves[0] || u32::from(to_first) != line_with_tile { first_value } else { NONE };
                let last_value =
                    if moves[1] || u32::from(to_last) != line_with_tile { last_value } else { NONE };
                *best = first_value.max(last_value);
            }
        }
    }
    best
}
