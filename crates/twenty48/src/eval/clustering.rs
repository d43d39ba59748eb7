//! Mean differences between tiles and the tiles around them.

use crate::rules::Cells;
use crate::rules::cells::value_of;

/// Returns the sum over all tiles of the mean difference of value to the surrounding tiles,
/// including diagonals. Each mean counts the tile itself as a neighbour and is truncated to a whole
/// number.
///
/// Source: datumbox/Game-2048-AI-Solver, `calculateClusteringScore`. Its article calls this the
/// mean difference to the neighbours; in the program a tile is one of its own neighbours.
pub fn clustering(cells: Cells) -> f64 {
    let values = cells.ranks().map(value_of);
    let neighbour_range = |coordinate: usize| coordinate.saturating_sub(1)..=(coordinate + 1).min(3);
    let mut score: u64 = 0;
    for index in (0..16).filter(|&index| values[index] != 0) {
        let (mut differences, mut tiles) = (0, 0);
        for row in neighbour_range(index / 4) {
            for column in neighbour_range(index % 4) {
                let other = values[4 * row + column];
                if other != 0 {
                    differences += u64::from(values[index].abs_diff(other));
                    tiles += 1;
                }
            }
        }
        score += differences / tiles;
    }
    score as f64
}
