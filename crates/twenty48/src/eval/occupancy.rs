//! Empty cells, the largest tile and its position, and the mean tile.

use crate::rules::cells::value_of;
use crate::rules::{Cells, Line};

/// Natural logarithms of 0 to 16, as Node.js computes them: correctly rounded, except for ln 3,
/// which is one unit in the last place too small. A player that reproduces ovolve's program to the
/// last bit needs exactly these, and a table is equal on every platform.
pub const LN: [f64; 17] = [
    f64::NEG_INFINITY,
    0.0,
    std::f64::consts::LN_2,
    f64::from_bits(0x3FF1_93EA_7AAD_030A),
    1.3862943611198906,
    1.6094379124341003,
    1.791759469228055,
    1.9459101490553132,
    2.0794415416798357,
    2.1972245773362196,
    std::f64::consts::LN_10,
    2.3978952727983707,
    2.4849066497880004,
    2.5649493574615367,
    2.6390573296152584,
    2.70805020110221,
    2.772588722239781,
];

/// Returns the number of empty cells.
pub fn empty(cells: Cells) -> f64 {
    cells.count_empty().into()
}

/// Returns the number of empty cells of a line.
pub const fn empty_of_line(line: Line) -> i32 {
    (line[0] == 0) as i32 + (line[1] == 0) as i32 + (line[2] == 0) as i32 + (line[3] == 0) as i32
}

/// Returns the natural logarithm of the number of empty cells, as in ovolve's program; -∞ on a full
/// board.
pub fn empty_log(cells: Cells) -> f64 {
    LN[cells.count_empty() as usize]
}

/// Returns the value of the largest tile, 0 on an empty board.
pub fn max_tile(cells: Cells) -> f64 {
    cells.max_tile().into()
}

/// Returns the exponent of the largest tile: 11 for 2048. On an empty board, which no game shows,
/// it is -∞, the logarithm of 0 as in ovolve's program.
pub fn max_rank(cells: Cells) -> f64 {
    match cells.max_rank() {
        0 => f64::NEG_INFINITY,
        rank => rank.into(),
    }
}

/// Returns 1 if a corner cell equals the largest tile, else 0. So it is 1 on an empty board.
///
/// Source: the articles on 2048 in SwiftUI and their program (BestKora/Game2048ChatGPT).
pub fn corner(cells: Cells) -> f64 {
    let max = cells.max_rank();
    let is_in_corner = [0, 3, 12, 15].into_iter().any(|index| cells.rank(index) == max);
    if is_in_corner { 1.0 } else { 0.0 }
}

/// Returns the mean value of the tiles, truncated to a whole number as in the program, although its
/// article does not say so. It is 0 on an empty board, where the program would divide by zero and
/// which no game reaches.
///
/// Source: lazuxd/playing-2048-with-minimax, where it is the whole evaluation.
pub fn tile_mean(cells: Cells) -> f64 {
    let sum: u64 = cells.ranks().into_iter().map(value_of).map(u64::from).sum();
    let tiles = u64::from(16 - cells.count_empty());
    sum.checked_div(tiles).unwrap_or(0) as f64
}
