//! Value of each line, and of a board by its lines.

use std::sync::LazyLock;

use gauntlet_twenty48::eval::corner_slope_of_line;
use gauntlet_twenty48::rules::line::reverse;
use gauntlet_twenty48::rules::nibbles::build_table;
use gauntlet_twenty48::rules::slide::slide_row_both_ways;
use gauntlet_twenty48::rules::{Line, PackedLines};

use crate::leaf_values::LineTables;

/// Value of each line, by its nibbles.
pub(super) type LineValues = [i32; 1 << 16];

/// Table of values, built once.
pub(super) static VALUES: LazyLock<Box<LineValues>> = LazyLock::new(|| build_table(value_of_line));

/// Below any value.
pub(super) const NONE: i32 = i32::MIN;

/// Returns the value of a line of a turned board. Sums of a board fit even if all its tiles are
/// 131072.
pub(super) fn value_of_line(line: Line) -> i32 {
    corner_slope_of_line(reverse(line)) as i32
}

impl LineTables for LineValues {
    type Value = i32;
    const NONE: i32 = NONE;

    #[inline(always)]
    fn slide(&self, line: u16) -> (u16, u16) {
        slide_row_both_ways(line)
    }

    #[inline(always)]
    fn value(&self, line: u16) -> i32 {
        self[usize::from(line)]
    }

    #[inline(always)]
    fn sum([a, b, c, d]: [i32; 4]) -> i32 {
        (a + b) + (c + d)
    }

    #[inline(always)]
    fn sum_with(values: [i32; 4], sum: i32, index: usize, value: i32) -> i32 {
        sum - values[index & 3] + value
    }

    #[inline(always)]
    fn slide_all(&self, lines: PackedLines) -> (PackedLines, PackedLines) {
        lines.slide_both_ways()
    }

    #[inline(always)]
    fn max(one: i32, other: i32) -> i32 {
        one.max(other)
    }
}
