//! Feature of macroxue/2048-ai: large tiles in the top left corner, and smaller ones with each step
//! away from it.

use crate::rules::Line;

/// Returns the score of a row from the left, or of a column from the top, where the weight of a
/// tile is rank × 2^rank. A line counts the weight of its first cell. Each step to the next cell
/// adds both weights if the step does not rise, else subtracts 12 times the difference. Equal
/// neighbours add one more weight.
pub fn corner_slope_of_line(line: Line) -> i64 {
    let weights = line.map(|rank| i64::from(rank) << rank);
    let steps = weights.windows(2).map(|pair| match (pair[0], pair[1]) {
        (one, next) if one > next => one + next,
        (one, next) if one == next => one + next + one,
        (one, next) => 12 * (one - next),
    });
    weights[0] + steps.sum::<i64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_formula() {
        // 3 × 8 = 24, 2 × 4 = 8, 1 × 2 = 2.
        for (line, slope) in [
            ([3, 2, 1, 0], 24 + (24 + 8) + (8 + 2) + 2),
            ([0, 1, 2, 3], -12 * 2 - 12 * 6 - 12 * 16),
            ([2, 2, 3, 1], 8 + (8 + 8 + 8) - 12 * 16 + (24 + 2)),
            ([0, 0, 0, 0], 0),
        ] {
            assert_eq!(corner_slope_of_line(line), slope, "{line:?}");
        }
    }
}
