//! The evaluations that the sources name, each to the last bit: whole numbers measured on the board, and a sum of
//! doubles from left to right as printed.
//!
//! - [`Judge`]: what a search wants of an evaluation
//! - [`Named`]: the sources' own, as formulas
//! - [`Quick`]: one of them, from tables of lines
//!
//! The scales differ wildly: a snake of powers is 10^4 to 10^9 where the rest is 1 to 10^5, so with it the other
//! terms only break near-ties.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use crate::eval::twenty48::{
    Line, corner, empty, empty_of_line, max_tile, monotonicity_lines, monotonicity_lines_of_line,
    monotonicity_tiles, monotonicity_tiles_of_line, smoothness_adjacent, smoothness_adjacent_of_line,
    snake_linear, snake_power, snake_power_bottom,
};
use crate::games::twenty48::Cells;
use crate::games::twenty48::cells::value_of;

/// What a search wants of an evaluation. Cells without a tile over 32768 can be looked at by lines, and what the lines
/// say can be joined in any order: so a search that changes one row need not look at the others again.
pub(super) trait Judge: Send {
    /// What some rows say.
    type Rows: Copy;
    /// What some columns say.
    type Columns: Copy;

    /// What the cells are worth, by definition.
    fn value(&self, cells: Cells) -> f64;

    /// What a row of nibbles says, this one from the top.
    fn row(&self, index: usize, row: u16) -> Self::Rows;

    /// What two sets of rows say together.
    fn rows(one: Self::Rows, other: Self::Rows) -> Self::Rows;

    /// What a column of nibbles says.
    fn column(&self, column: u16) -> Self::Columns;

    /// What two sets of columns say together.
    fn columns(one: Self::Columns, other: Self::Columns) -> Self::Columns;

    /// What four rows and four columns are worth, to the last bit as by definition.
    fn sum(&self, rows: Self::Rows, columns: Self::Columns) -> f64;

    /// What all rows of a word say.
    #[inline(always)]
    fn all_rows(&self, word: u64) -> Self::Rows {
        let [a, b, c, d] = split(word);
        Self::rows(
            Self::rows(self.row(0, a), self.row(1, b)),
            Self::rows(self.row(2, c), self.row(3, d)),
        )
    }

    /// What all columns of a word say, which holds columns where others hold rows.
    #[inline(always)]
    fn all_columns(&self, word: u64) -> Self::Columns {
        let [a, b, c, d] = split(word).map(|column| self.column(column));
        Self::columns(Self::columns(a, b), Self::columns(c, d))
    }

    /// What the cells are worth, given by rows and by columns.
    #[inline(always)]
    fn quick(&self, rows: u64, columns: u64) -> f64 {
        self.sum(self.all_rows(rows), self.all_columns(columns))
    }
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
}

/// The formula of an evaluation, but for the weight of the empty cells, which the statistics repository varies.
pub(super) trait Formula: Send + 'static {
    /// Whether monotonicity counts empty cells at the ends of lines, as in the repository.
    const WITH_ENDS: bool = false;
    /// The path of its snake.
    const SNAKE: Snake = Snake::None;

    /// The sum, in the order of the source.
    fn sum(empty_weight: f64, board: &impl Terms) -> f64;
}

/// The paths of snakes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Snake {
    None,
    Linear,
    Power,
    PowerBottom,
}

/// See [`Named::Corner27`].
pub(super) struct Corner27;

impl Formula for Corner27 {
    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        empty_weight * board.empty()
            + 0.1 * board.smoothness()
            + 1.0 * board.monotonicity()
            + 1.0 * board.corner()
    }
}

/// See [`Named::SnakeLinear57`].
pub(super) struct SnakeLinear;

impl Formula for SnakeLinear {
    const SNAKE: Snake = Snake::Linear;

    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        1.0 * board.monotonicity()
            + 0.1 * board.smoothness()
            + empty_weight * board.empty()
            + 0.5 * board.corner()
            + board.snake()
    }
}

/// See [`Named::ArticleFinal`].
pub(super) struct ArticleFinal;

impl Formula for ArticleFinal {
    const SNAKE: Snake = Snake::Power;

    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        1.0 * board.monotonicity()
            + 0.1 * board.smoothness()
            + empty_weight * board.empty()
            + 1.0 * board.max_tile()
            + board.snake()
    }
}

/// See [`Named::McSimple`].
pub(super) struct McSimple;

impl Formula for McSimple {
    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        board.smoothness() + board.monotonicity() + empty_weight * board.empty()
    }
}

/// See [`Named::Repo57`] and [`Named::Repo117`].
pub(super) struct Repository;

impl Formula for Repository {
    const WITH_ENDS: bool = true;
    const SNAKE: Snake = Snake::PowerBottom;

    #[inline(always)]
    fn sum(empty_weight: f64, board: &impl Terms) -> f64 {
        1.0 * board.monotonicity()
            + empty_weight * board.empty()
            + 1.0 * board.max_tile()
            + board.snake()
    }
}

/// What the formulas are made of. All are whole numbers.
pub(super) trait Terms {
    fn empty(&self) -> f64;
    fn max_tile(&self) -> f64;
    fn corner(&self) -> f64;
    fn smoothness(&self) -> f64;
    fn monotonicity(&self) -> f64;
    fn snake(&self) -> f64;
}

/// The terms of a formula by their definitions.
struct Measured<F> {
    cells: Cells,
    formula: PhantomData<F>,
}

impl<F: Formula> Terms for Measured<F> {
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
        if F::WITH_ENDS {
            monotonicity_lines(self.cells)
        } else {
            monotonicity_tiles(self.cells)
        }
    }

    fn snake(&self) -> f64 {
        match F::SNAKE {
            Snake::None => 0.0,
            Snake::Linear => snake_linear(self.cells),
            Snake::Power => snake_power(self.cells),
            Snake::PowerBottom => snake_power_bottom(self.cells),
        }
    }
}

/// A named evaluation from tables of lines. What rows and columns add to the terms is packed into one word each, so
/// that a leaf is twelve loads and a few sums: XXX times the definitions.
pub(super) struct Quick<F> {
    empty_weight: f64,
    lines: Box<[u64; 1 << 16]>,
    snakes: Box<[u64; 1 << 16]>,
    formula: PhantomData<F>,
}

impl<F: Formula> Quick<F> {
    pub(super) fn new(empty_weight: f64) -> Quick<F> {
        let line = |row: usize| std::array::from_fn(|column| (row >> (4 * column)) as u8 & 15);
        let table = |of_line: &dyn Fn(Line) -> u64| {
            let words: Vec<u64> = (0..1 << 16).map(|row| of_line(line(row))).collect();
            words.try_into().expect("a word for each row")
        };
        Quick {
            empty_weight,
            lines: table(&|line| lines::of(line, F::WITH_ENDS)),
            snakes: table(&|line| snakes::of(line, F::SNAKE)),
            formula: PhantomData,
        }
    }
}

impl<F: Formula> Judge for Quick<F> {
    type Rows = Rows;
    type Columns = u64;

    fn value(&self, cells: Cells) -> f64 {
        F::sum(self.empty_weight, &Measured { cells, formula: PhantomData::<F> })
    }

    #[inline(always)]
    fn row(&self, index: usize, row: u16) -> Rows {
        let of_line = self.lines[usize::from(row)];
        let snake = self.snakes[usize::from(row)];
        let snake = match F::SNAKE {
            Snake::None => 0,
            Snake::Linear => snakes::linear(index, snake),
            Snake::Power => snakes::power(index, snake),
            Snake::PowerBottom => snakes::power_bottom(index, snake),
        };
        Rows {
            word: u64::from(row) << (16 * index),
            of_lines: of_line,
            max_rank: lines::max_rank(of_line),
            snake,
        }
    }

    #[inline(always)]
    fn rows(one: Rows, other: Rows) -> Rows {
        Rows {
            word: one.word | other.word,
            of_lines: one.of_lines.wrapping_add(other.of_lines),
            max_rank: one.max_rank.max(other.max_rank),
            snake: one.snake + other.snake,
        }
    }

    #[inline(always)]
    fn column(&self, column: u16) -> u64 {
        self.lines[usize::from(column)]
    }

    #[inline(always)]
    fn columns(one: u64, other: u64) -> u64 {
        one.wrapping_add(other)
    }

    #[inline(always)]
    fn sum(&self, rows: Rows, columns: u64) -> f64 {
        F::sum(self.empty_weight, &Looked { rows, columns })
    }
}

/// The four lines of a word.
#[inline(always)]
pub(super) fn split(word: u64) -> [u16; 4] {
    [word as u16, (word >> 16) as u16, (word >> 32) as u16, (word >> 48) as u16]
}

/// What [`Quick`] knows of some rows.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    word: u64,
    /// The sum of the words of [`lines`].
    of_lines: u64,
    max_rank: u8,
    snake: u64,
}

/// The terms of a board, as far as they were looked up.
struct Looked {
    rows: Rows,
    columns: u64,
}

impl Terms for Looked {
    #[inline(always)]
    fn empty(&self) -> f64 {
        lines::empty(self.rows.of_lines) as f64
    }

    #[inline(always)]
    fn max_tile(&self) -> f64 {
        value_of(self.rows.max_rank).into()
    }

    #[inline(always)]
    fn corner(&self) -> f64 {
        let is_max = |index: u32| (self.rows.word >> (4 * index)) as u8 & 15 == self.rows.max_rank;
        if is_max(0) | is_max(3) | is_max(12) | is_max(15) { 1.0 } else { 0.0 }
    }

    #[inline(always)]
    fn smoothness(&self) -> f64 {
        -lines::difference(self.rows.of_lines.wrapping_add(self.columns)) as f64
    }

    #[inline(always)]
    fn monotonicity(&self) -> f64 {
        -(lines::steps(self.rows.of_lines) + lines::steps(self.columns)) as f64
    }

    #[inline(always)]
    fn snake(&self) -> f64 {
        self.rows.snake as f64
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

    pub(super) fn of(line: Line, with_ends: bool) -> u64 {
        let totals = if with_ends {
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

    #[inline(always)]
    pub(super) fn steps(sum: u64) -> i64 {
        (sum & 255).min(sum >> 8 & 255) as i64
    }

    #[inline(always)]
    pub(super) fn difference(sum: u64) -> i64 {
        (sum >> 16 & 0xFF_FFFF) as i64
    }

    #[inline(always)]
    pub(super) fn empty(sum: u64) -> u32 {
        (sum >> 40 & 255) as u32
    }

    #[inline(always)]
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

    pub(super) fn of(row: Line, snake: Snake) -> u64 {
        let sum =
            |weigh: &dyn Fn(usize, u8) -> u64| (0..4).map(|column| weigh(column, row[column])).sum::<u64>();
        if snake == Snake::Linear {
            let along = sum(&|column, rank| column as u64 * u64::from(rank));
            let against = sum(&|column, rank| (3 - column as u64) * u64::from(rank));
            along | against << 24 | sum(&|_, rank| rank.into()) << 48
        } else {
            let along = sum(&|column, rank| u64::from(value_of(rank)) << column);
            let against = sum(&|column, rank| u64::from(value_of(rank)) << (3 - column));
            along | against << 24
        }
    }

    #[inline(always)]
    fn along(row: u64) -> u64 {
        row & 0xFF_FFFF
    }

    #[inline(always)]
    fn against(row: u64) -> u64 {
        row >> 24 & 0xFF_FFFF
    }

    /// Places 15 14 13 12, 8 9 10 11, 7 6 5 4, 0 1 2 3.
    #[inline(always)]
    pub(super) fn linear(index: usize, row: u64) -> u64 {
        let ranks = row >> 48;
        match index {
            0 => against(row) + 12 * ranks,
            1 => along(row) + 8 * ranks,
            2 => against(row) + 4 * ranks,
            _ => along(row),
        }
    }

    /// The same places.
    #[inline(always)]
    pub(super) fn power(index: usize, row: u64) -> u64 {
        match index {
            0 => against(row) << 12,
            1 => along(row) << 8,
            2 => against(row) << 4,
            _ => along(row),
        }
    }

    /// Places 1 2 3 4, 8 7 6 5, 9 10 11 12, 16 15 14 13.
    #[inline(always)]
    pub(super) fn power_bottom(index: usize, row: u64) -> u64 {
        match index {
            0 => along(row) << 1,
            1 => against(row) << 5,
            2 => along(row) << 9,
            _ => against(row) << 13,
        }
    }
}
