//! The evaluations that the sources name, each to the last bit: whole numbers measured on the board, and a sum of
//! doubles from left to right as printed.
//!
//! - [`Judge`]: what a search wants of an evaluation
//! - [`Named`]: the sources' own, as formulas
//! - [`Quick`]: one of them, from tables of lines
//!
//! The scales differ wildly: a snake of powers is 10^4 to 10^9 where the rest is 1 to 10^5, so with it the other
//! terms only break near-ties.

use serde::{Deserialize, Serialize};

use crate::eval::twenty48::{
    Line, corner, empty, empty_of_line, max_tile, monotonicity_lines, monotonicity_lines_of_line,
    monotonicity_tiles, monotonicity_tiles_of_line, smoothness_adjacent, smoothness_adjacent_of_line,
    snake_linear, snake_power, snake_power_bottom,
};
use crate::games::twenty48::Cells;
use crate::games::twenty48::cells::value_of;

/// What a search wants of an evaluation.
pub(super) trait Judge: Send {
    /// What the cells are worth.
    fn value(&self, cells: Cells) -> f64;

    /// The same of cells without a tile over 32768: their nibbles by rows, and by columns.
    fn quick(&self, rows: u64, columns: u64) -> f64;
}

/// An evaluation that the sources print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Named {
    /// Articles, steps 18 and 19.
    #[serde(rename = "corner27")]
    Corner27,
    /// Article, step 22, the first.
    #[serde(rename = "snake-linear-57")]
    SnakeLinear57,
    /// Article, step 22, the last.
    #[serde(rename = "article-final")]
    ArticleFinal,
    /// Article, step 24.
    #[serde(rename = "mc-simple")]
    McSimple,
    /// Repository, at its first version.
    #[serde(rename = "repo-57")]
    Repo57,
    /// Repository, at `109bfd1`.
    #[serde(rename = "repo-117")]
    Repo117,
}

impl Named {
    /// The weight of the empty cells.
    pub(super) const fn empty_weight(self) -> f64 {
        match self {
            Named::Corner27 => 2.7,
            Named::SnakeLinear57 | Named::ArticleFinal | Named::Repo57 => 5.7,
            Named::McSimple => 2.0,
            Named::Repo117 => 11.7,
        }
    }

    /// The formula as printed, but for the weight of the empty cells, which the statistics repository varies.
    #[inline]
    fn sum(self, empty_weight: f64, board: &impl Terms) -> f64 {
        match self {
            Named::Corner27 => {
                empty_weight * board.empty()
                    + 0.1 * board.smoothness()
                    + 1.0 * board.monotonicity()
                    + 1.0 * board.corner()
            }
            Named::SnakeLinear57 => {
                1.0 * board.monotonicity()
                    + 0.1 * board.smoothness()
                    + empty_weight * board.empty()
                    + 0.5 * board.corner()
                    + board.snake_linear()
            }
            Named::ArticleFinal => {
                1.0 * board.monotonicity()
                    + 0.1 * board.smoothness()
                    + empty_weight * board.empty()
                    + 1.0 * board.max_tile()
                    + board.snake_power()
            }
            Named::McSimple => board.smoothness() + board.monotonicity() + empty_weight * board.empty(),
            Named::Repo57 | Named::Repo117 => {
                1.0 * board.monotonicity()
                    + empty_weight * board.empty()
                    + 1.0 * board.max_tile()
                    + board.snake_power_bottom()
            }
        }
    }

    /// Whether its monotonicity is that of the repository, which counts empty cells at the ends of lines.
    const fn is_of_the_repository(self) -> bool {
        matches!(self, Named::Repo57 | Named::Repo117)
    }
}

/// What the formulas are made of. All are whole numbers.
trait Terms {
    fn empty(&self) -> f64;
    fn max_tile(&self) -> f64;
    fn corner(&self) -> f64;
    fn smoothness(&self) -> f64;
    fn monotonicity(&self) -> f64;
    fn snake_linear(&self) -> f64;
    fn snake_power(&self) -> f64;
    fn snake_power_bottom(&self) -> f64;
}

/// The terms by their definitions.
struct Measured {
    named: Named,
    cells: Cells,
}

impl Terms for Measured {
    fn empty(&self) -> f64 {
        empty(self.cells)
    }

    fn max_tile(&self) -> f64 {
        max_tile(self.cells)
    }

    fn corner(&self) -> f64 {
        corner(self.cells)
    }

    fn smoothness(&self) -> f64 {
        smoothness_adjacent(self.cells)
    }

    fn monotonicity(&self) -> f64 {
        if self.named.is_of_the_repository() {
            monotonicity_lines(self.cells)
        } else {
            monotonicity_tiles(self.cells)
        }
    }

    fn snake_linear(&self) -> f64 {
        snake_linear(self.cells)
    }

    fn snake_power(&self) -> f64 {
        snake_power(self.cells)
    }

    fn snake_power_bottom(&self) -> f64 {
        snake_power_bottom(self.cells)
    }
}

/// A named evaluation from tables of lines. What rows and columns add to the terms is packed into one word each, so
/// that a leaf is twelve loads and a few sums: XXX times the definitions.
pub(super) struct Quick {
    named: Named,
    empty_weight: f64,
    lines: Box<[u64; 1 << 16]>,
    snakes: Box<[u64; 1 << 16]>,
}

impl Quick {
    pub(super) fn new(named: Named, empty_weight: f64) -> Quick {
        let line = |row: usize| std::array::from_fn(|column| (row >> (4 * column)) as u8 & 15);
        let table = |of_line: &dyn Fn(Line) -> u64| {
            let words: Vec<u64> = (0..1 << 16).map(|row| of_line(line(row))).collect();
            words.try_into().expect("a word for each row")
        };
        Quick {
            named,
            empty_weight,
            lines: table(&|line| lines::of(line, named.is_of_the_repository())),
            snakes: table(&|line| snakes::of(line, named == Named::SnakeLinear57)),
        }
    }
}

impl Judge for Quick {
    fn value(&self, cells: Cells) -> f64 {
        self.named.sum(self.empty_weight, &Measured { named: self.named, cells })
    }

    #[inline]
    fn quick(&self, rows: u64, columns: u64) -> f64 {
        let each = |word: u64| split(word).map(|line| self.lines[usize::from(line)]);
        let [of_rows, of_columns] = [each(rows), each(columns)];
        let sum = |of_lines: [u64; 4]| of_lines.into_iter().fold(0, u64::wrapping_add);
        let max_rank = of_rows.map(lines::max_rank).into_iter().max().unwrap_or(0);
        let board =
            Looked { tables: self, rows, max_rank, of_rows: sum(of_rows), of_columns: sum(of_columns) };
        self.named.sum(self.empty_weight, &board)
    }
}

/// The four lines of a word.
#[inline]
pub(super) fn split(word: u64) -> [u16; 4] {
    [word as u16, (word >> 16) as u16, (word >> 32) as u16, (word >> 48) as u16]
}

/// The terms of a board, as far as they were looked up.
struct Looked<'a> {
    tables: &'a Quick,
    rows: u64,
    max_rank: u8,
    /// The sums of the words of [`lines`].
    of_rows: u64,
    of_columns: u64,
}

impl Looked<'_> {
    #[inline]
    fn snakes(&self) -> [u64; 4] {
        split(self.rows).map(|row| self.tables.snakes[usize::from(row)])
    }
}

impl Terms for Looked<'_> {
    #[inline]
    fn empty(&self) -> f64 {
        lines::empty(self.of_rows) as f64
    }

    #[inline]
    fn max_tile(&self) -> f64 {
        value_of(self.max_rank).into()
    }

    #[inline]
    fn corner(&self) -> f64 {
        let is_max = |index: u32| (self.rows >> (4 * index)) as u8 & 15 == self.max_rank;
        if is_max(0) | is_max(3) | is_max(12) | is_max(15) { 1.0 } else { 0.0 }
    }

    #[inline]
    fn smoothness(&self) -> f64 {
        -lines::difference(self.of_rows + self.of_columns) as f64
    }

    #[inline]
    fn monotonicity(&self) -> f64 {
        -(lines::steps(self.of_rows) + lines::steps(self.of_columns)) as f64
    }

    #[inline]
    fn snake_linear(&self) -> f64 {
        snakes::linear(self.snakes()) as f64
    }

    #[inline]
    fn snake_power(&self) -> f64 {
        snakes::power(self.snakes()) as f64
    }

    #[inline]
    fn snake_power_bottom(&self) -> f64 {
        snakes::power_bottom(self.snakes()) as f64
    }
}

/// What a line adds to all terms but the snakes, in one word:
///
/// | bits | what | most in a line, in four |
/// |---|---|---|
/// | 0-7 | ranks fallen | 29, 116 |
/// | 8-15 | ranks risen | 29, 116 |
/// | 16-39 | differences of neighbours | 98,298 |
/// | 40-47 | empty cells | 4, 16 |
/// | 60-63 | largest rank; in a sum it means nothing | 15 |
mod lines {
    use super::*;

    pub(super) fn of(line: Line, of_the_repository: bool) -> u64 {
        let totals = if of_the_repository {
            monotonicity_lines_of_line(line)
        } else {
            monotonicity_tiles_of_line(line)
        };
        let part = |number: i64, place: u32| u64::try_from(number).expect("not below 0") << place;
        let max_rank = line.into_iter().max().unwrap_or(0);
        part((-totals.falling).into(), 0)
            | part((-totals.rising).into(), 8)
            | part(-smoothness_adjacent_of_line(line), 16)
            | part(empty_of_line(line).into(), 40)
            | part(max_rank.into(), 60)
    }

    #[inline]
    pub(super) fn steps(sum: u64) -> i64 {
        (sum & 255).min(sum >> 8 & 255) as i64
    }

    #[inline]
    pub(super) fn difference(sum: u64) -> i64 {
        (sum >> 16 & 0xFF_FFFF) as i64
    }

    #[inline]
    pub(super) fn empty(sum: u64) -> u32 {
        (sum >> 40 & 255) as u32
    }

    #[inline]
    pub(super) fn max_rank(of_line: u64) -> u8 {
        (of_line >> 60) as u8
    }
}

/// What a row adds to the snakes, whichever row it is. A snake turns at the end of each row, so a row is weighed
/// along its columns or against them, and the rest is the place of the row. The word holds the row weighed by the
/// places 0 1 2 3 (bits 0-23), by 3 2 1 0 (24-47), and by 1 1 1 1 (48-63, ranks only). A weight is the place times
/// the rank, or two to the place times the value.
mod snakes {
    use super::*;

    pub(super) fn of(row: Line, is_linear: bool) -> u64 {
        let sum =
            |weigh: &dyn Fn(usize, u8) -> u64| (0..4).map(|column| weigh(column, row[column])).sum::<u64>();
        if is_linear {
            let along = sum(&|column, rank| column as u64 * u64::from(rank));
            let against = sum(&|column, rank| (3 - column as u64) * u64::from(rank));
            along | against << 24 | sum(&|_, rank| rank.into()) << 48
        } else {
            let along = sum(&|column, rank| u64::from(value_of(rank)) << column);
            let against = sum(&|column, rank| u64::from(value_of(rank)) << (3 - column));
            along | against << 24
        }
    }

    #[inline]
    fn along(row: u64) -> u64 {
        row & 0xFF_FFFF
    }

    #[inline]
    fn against(row: u64) -> u64 {
        row >> 24 & 0xFF_FFFF
    }

    /// Places 15 14 13 12, 8 9 10 11, 7 6 5 4, 0 1 2 3.
    #[inline]
    pub(super) fn linear(rows: [u64; 4]) -> u64 {
        let ranks = rows.map(|row| row >> 48);
        against(rows[0])
            + along(rows[1])
            + against(rows[2])
            + along(rows[3])
            + 12 * ranks[0]
            + 8 * ranks[1]
            + 4 * ranks[2]
    }

    /// The same places.
    #[inline]
    pub(super) fn power(rows: [u64; 4]) -> u64 {
        (against(rows[0]) << 12) + (along(rows[1]) << 8) + (against(rows[2]) << 4) + along(rows[3])
    }

    /// Places 1 2 3 4, 8 7 6 5, 9 10 11 12, 16 15 14 13.
    #[inline]
    pub(super) fn power_bottom(rows: [u64; 4]) -> u64 {
        (along(rows[0]) << 1) + (against(rows[1]) << 5) + (along(rows[2]) << 9) + (against(rows[3]) << 13)
    }
}
