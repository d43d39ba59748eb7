//! Terms of ovolve's evaluation except for the largest tile, computed together from one table of
//! lines. Its port to VBA uses them, too.

use super::monotonicity::monotonicity_lines;
use super::occupancy::empty_of_line;
use super::smoothness::smoothness_nearest;
use super::steps::{monotonicity_lines_of_line, smoothness_nearest_of_line};
use crate::rules::nibbles::build_table;
use crate::rules::{Cells, Line, PackedLines};

/// Terms of ovolve's evaluation. All are whole numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OvolveTerms {
    /// Feature `smoothness-nearest`.
    pub smoothness: f64,
    /// Feature `monotonicity-lines`.
    pub monotonicity: f64,
    /// Number of empty cells.
    pub empty: usize,
}

impl OvolveTerms {
    /// Computes the terms of any board by their definitions.
    pub fn from_cells(cells: Cells) -> OvolveTerms {
        OvolveTerms {
            smoothness: smoothness_nearest(cells),
            monotonicity: monotonicity_lines(cells),
            empty: cells.count_empty() as usize,
        }
    }
}

/// Terms of each line.
pub struct OvolveTable(Box<[u32; 1 << 16]>);

impl OvolveTable {
    /// Computes the terms of all lines, which takes some milliseconds.
    #[expect(clippy::new_without_default, reason = "it is work, and no default")]
    pub fn new() -> OvolveTable {
        OvolveTable(build_table(|line| PackedTerms::from_line(line).0))
    }

    /// Returns the terms of a board given by rows and by columns, in either order.
    #[inline]
    pub fn terms(&self, one: PackedLines, other: PackedLines) -> OvolveTerms {
        let (one, other) = (self.sum(one), self.sum(other));
        let total = PackedTerms(one.0 + other.0);
        OvolveTerms {
            smoothness: -f64::from(total.roughness()),
            monotonicity: -f64::from(one.monotonicity_penalty() + other.monotonicity_penalty()),
            empty: total.empty() / 2,
        }
    }

    #[inline]
    fn sum(&self, lines: PackedLines) -> PackedTerms {
        let [a, b, c, d] = lines.lines().map(|line| self.0[usize::from(line)]);
        PackedTerms(a + b + c + d)
    }
}

/// Terms of some lines, packed into one word so that they are summed together. Bits 0 to 8 are
/// minus the smoothness, 9 to 14 the empty cells, and 15 to 22 and 23 to 30 minus the two totals of
/// the monotonicity. Eight lines fit: their maxima are 336, 32, 232 and 232.
#[derive(Clone, Copy)]
struct PackedTerms(u32);

impl PackedTerms {
    fn from_line(line: Line) -> PackedTerms {
        let totals = monotonicity_lines_of_line(line);
        let fields = [
            (-smoothness_nearest_of_line(line), 0),
            (empty_of_line(line), 9),
            (-totals.falling, 15),
            (-totals.rising, 23),
        ];
        PackedTerms(fields.into_iter().map(|(sum, shift)| (sum as u32) << shift).sum())
    }

    fn roughness(self) -> u32 {
        self.0 & 0x1FF
    }

    fn empty(self) -> usize {
        (self.0 >> 9 & 0x3F) as usize
    }

    /// Returns minus the monotonicity of these lines: the smaller total.
    #[inline]
    fn monotonicity_penalty(self) -> u32 {
        (self.0 >> 15 & 0xFF).min(self.0 >> 23)
    }
}
