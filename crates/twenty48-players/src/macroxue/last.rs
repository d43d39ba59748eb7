//! Values of all boards after a tile and a move, if none of them is searched further.

use gauntlet_twenty48::rules::PackedLines;
use gauntlet_twenty48::rules::slide::slide_row_both_ways;

use super::value::{LineValues, NONE, parts, sum};

/// Slide of the lines of a board without a new tile.
struct Side {
    /// The same board by the crossing lines.
    crossed: PackedLines,
    /// Values of the lines, and their sum.
    parts: [i32; 4],
    sum: i32,
    /// Bits that the slide changes.
    changes: u64,
}

impl Side {
    #[inline(always)]
    fn new(lines: PackedLines, slid: PackedLines, values: &LineValues) -> Side {
        let parts = parts(slid, values);
        let changes = lines.word() ^ slid.word();
        Side { crossed: slid.transpose(), parts, sum: sum(parts), changes }
    }

    /// Returns the value of the board with another line in this position.
    #[inline(always)]
    fn value(&self, index: usize, line: u16, values: &LineValues) -> i32 {
        let others = self.sum - self.parts[index] + values[usize::from(line)];
        others + sum(parts(self.crossed.with_nibbles(index, line), values))
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
        let place = runs.trailing_zeros();
        runs &= runs - 1;
        let index = place as usize / 16;
        let line = lines.line(index);
        let beside = !(0xFFFF << (16 * index));
        let moves = [&first, &last].map(|side| side.changes & beside != 0);
        for (tile, best) in tiles.into_iter().zip(&mut best) {
            let (to_first, to_last) = slide_row_both_ways(line | u16::from(tile) << (place & 15));
            let one = first.value(index, to_first, values);
            let other = last.value(index, to_last, values);
            // Values written after the run are overwritten by the next one.
            for (cell, best) in best[place as usize / 4..][..4].iter_mut().enumerate() {
                // A slide that returns the line with its tile has moved nothing.
                let with = u32::from(line) | u32::from(tile) << ((place & 15) + 4 * cell as u32);
                let one = if moves[0] || u32::from(to_first) != with { one } else { NONE };
                let other = if moves[1] || u32::from(to_last) != with { other } else { NONE };
                *best = one.max(other);
            }
        }
    }
    best
}
