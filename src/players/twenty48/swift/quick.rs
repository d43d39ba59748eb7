//! A named evaluation from tables of lines, exactly as `evaluation` defines it.

use std::marker::PhantomData;

use super::evaluation::{Formula, Measured, Snake, Terms};
use super::judge::Judge;
use crate::eval::twenty48::{
    Line, empty_of_line, monotonicity_lines_of_line, monotonicity_tiles_of_line, smoothness_adjacent_of_line,
};
use crate::games::twenty48::Cells;
use crate::games::twenty48::cells::value_of;

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
        F::sum(self.empty_weight, &Measured::<F>::new(cells))
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
        let totals =
            if with_ends { monotonicity_lines_of_line(line) } else { monotonicity_tiles_of_line(line) };
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
