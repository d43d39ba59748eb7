//! Tiles weighted by their positions along a path that winds through the rows.
//!
//! Source: the articles on 2048 in SwiftUI and their repository, BestKora/Game2048ChatGPT.

use super::line::sum_of_rows;
use crate::rules::cells::value_of;
use crate::rules::{Cells, Line};

/// Path of the articles, which ends in the top left corner.
pub(super) const TO_TOP_LEFT: [[u8; 4]; 4] = [[15, 14, 13, 12], [8, 9, 10, 11], [7, 6, 5, 4], [0, 1, 2, 3]];

/// Path of the repository, which ends in the bottom left corner.
pub(super) const TO_BOTTOM_LEFT: [[u8; 4]; 4] =
    [[1, 2, 3, 4], [8, 7, 6, 5], [9, 10, 11, 12], [16, 15, 14, 13]];

/// Returns the sum of rank times position, 0 to 15, along a path that ends in the top left corner.
pub fn snake_linear(cells: Cells) -> f64 {
    sum_of_rows(cells, |index, row| snake_linear_of_row(index, row).into()) as f64
}

/// Returns the value of the row with this index in [`snake_linear`].
pub fn snake_linear_of_row(index: usize, row: Line) -> i32 {
    row.into_iter()
        .zip(TO_TOP_LEFT[index])
        .map(|(rank, position)| i32::from(rank) * i32::from(position))
        .sum()
}

/// Returns the sum of value times 2^position along the path of [`snake_linear`].
pub fn snake_power(cells: Cells) -> f64 {
    sum_of_rows(cells, snake_power_of_row) as f64
}

/// Returns the value of the row with this index in [`snake_power`].
pub fn snake_power_of_row(index: usize, row: Line) -> i64 {
    power_of_row(row, TO_TOP_LEFT[index])
}

/// Returns the sum of value times 2^position, 1 to 16, along a path that ends in the bottom left
/// corner.
pub fn snake_power_bottom(cells: Cells) -> f64 {
    sum_of_rows(cells, snake_power_bottom_of_row) as f64
}

/// Returns the value of the row with this index in [`snake_power_bottom`].
pub fn snake_power_bottom_of_row(index: usize, row: Line) -> i64 {
    power_of_row(row, TO_BOTTOM_LEFT[index])
}

fn power_of_row(row: Line, positions: [u8; 4]) -> i64 {
    row.into_iter().zip(positions).map(|(rank, position)| i64::from(value_of(rank)) << position).sum()
}
