//! Named evaluations by tables of lines, exactly as `evaluation` defines them.
//!
//! A line's contributions to the terms are packed into one word, so that four words are summed at
//! once. A column contributes to monotonicity and smoothness only. A row contributes to all terms,
//! and to a snake by its position, so each position has a table. A leaf takes eight loads, and four
//! more for a snake together with smoothness, which do not fit into one word.
//!
//! Everything is `inline(always)`: the innermost loops of a search consist of nothing else, and the
//! compiler by itself did not inline some of it.

use std::marker::PhantomData;

use gauntlet_twenty48::eval::{
    empty_of_line, monotonicity_lines_of_line, monotonicity_tiles_of_line, smoothness_adjacent_of_line,
    snake_linear_of_row, snake_power_bottom_of_row, snake_power_of_row,
};
use gauntlet_twenty48::rules::nibbles::build_table;
use gauntlet_twenty48::rules::slide::unpack;
use gauntlet_twenty48::rules::{Cells, Line};

use super::evaluation::{BoardTerms, Formula, Snake, Terms};
use super::line_evaluation::LineEvaluation;

/// Named evaluation by tables of lines.
pub(super) struct TableEvaluation<F> {
    empty_weight: f64,
    columns: Box<[u32; 1 << 16]>,
    rows: Box<[u64; 4 << 16]>,
    /// All 0 if the words of `rows` contain the snake, or there is none.
    snakes: Box<[u64; 4 << 16]>,
    formula: PhantomData<F>,
}

impl<F: Formula> TableEvaluation<F> {
    /// True if words of rows contain the snake.
    const SNAKE_IN_ROWS: bool = !F::WITH_SMOOTHNESS;

    pub(super) fn new(empty_weight: f64) -> TableEvaluation<F> {
        let snake_of_row = |index: usize, row: Line| match F::SNAKE {
            Snake::None => 0,
            Snake::Linear => snake_linear_of_row(index, row).into(),
            Snake::Power => snake_power_of_row(index, row),
            Snake::PowerBottom => snake_power_bottom_of_row(index, row),
        };
        let indexed_rows = || (0..4).flat_map(|index| (0..=u16::MAX).map(move |row| (index, unpack(row))));
        let rows: Box<[u64]> = indexed_rows()
            .map(|(index, row)| {
                let snake = if Self::SNAKE_IN_ROWS { snake_of_row(index, row) } else { 0 };
                word::pack_row::<F>(row, snake)
            })
            .collect();
        let mut snakes = vec![0; 4 << 16];
        if !Self::SNAKE_IN_ROWS && F::SNAKE != Snake::None {
            snakes = indexed_rows().map(|(index, row)| snake_of_row(index, row) as u64).collect();
        }
        TableEvaluation {
            empty_weight,
            columns: build_table(word::pack_column::<F>),
            rows: rows.try_into().expect("as many for each place"),
            snakes: snakes.try_into().expect("as many for each place"),
            formula: PhantomData,
        }
    }
}

impl<F: Formula> LineEvaluation for TableEvaluation<F> {
    type Rows = Rows;
    type Columns = u64;

    fn value(&self, cells: Cells) -> f64 {
        F::sum(self.empty_weight, &BoardTerms::<F>::new(cells))
    }

    #[inline(always)]
    fn row(&self, index: usize, row: u16) -> Rows {
        let table_index = (index & 3) << 16 | usize::from(row);
        let row_word = self.rows[table_index];
        let snake = if Self::SNAKE_IN_ROWS || F::SNAKE == Snake::None { 0 } else { self.snakes[table_index] };
        Rows { cells: u64::from(row) << (16 * index), sum: row_word, max_word: row_word, snake }
    }

    #[inline(always)]
    fn add_rows(one: Rows, other: Rows) -> Rows {
        Rows {
            cells: one.cells | other.cells,
            sum: one.sum.wrapping_add(other.sum),
            max_word: one.max_word.max(other.max_word),
            snake: one.snake + other.snake,
        }
    }

    #[inline(always)]
    fn column(&self, column: u16) -> u64 {
        self.columns[usize::from(column)].into()
    }

    #[inline(always)]
    fn add_columns(one: u64, other: u64) -> u64 {
        one + other
    }

    #[inline(always)]
    fn sum(&self, rows: Rows, columns: u64) -> f64 {
        F::sum(self.empty_weight, &TableTerms::<F> { rows, columns, formula: PhantomData })
    }
}

/// Sums over some rows. A term that a formula does not use costs nothing.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    cells: u64,
    /// Sum of the rows' words.
    sum: u64,
    /// Largest of the rows' words.
    max_word: u64,
    snake: u64,
}

/// Terms of a board, as far as they were looked up.
struct TableTerms<F> {
    rows: Rows,
    columns: u64,
    formula: PhantomData<F>,
}

impl<F: Formula> Terms for TableTerms<F> {
    #[inline(always)]
    fn empty(&self) -> f64 {
        f64::from(word::empty(self.rows.sum))
    }

    #[inline(always)]
    fn max_tile(&self) -> f64 {
        // Rank 0 means no tile.
        f64::from((1_i32 << word::max_rank(self.rows.max_word)) & !1)
    }

    #[inline(always)]
    fn corner(&self) -> f64 {
        let max_rank = u64::from(word::max_rank(self.rows.max_word));
        let is_max = |index: u32| self.rows.cells >> (4 * index) & 15 == max_rank;
        if is_max(0) | is_max(3) | is_max(12) | is_max(15) { 1.0 } else { 0.0 }
    }

    #[inline(always)]
    fn smoothness(&self) -> f64 {
        -(2 * (word::half_difference(self.rows.sum) + word::half_difference(self.columns))) as f64
    }

    #[inline(always)]
    fn monotonicity(&self) -> f64 {
        -(word::steps(self.rows.sum) + word::steps(self.columns)) as f64
    }

    #[inline(always)]
    fn snake(&self) -> f64 {
        let snake =
            if TableEvaluation::<F>::SNAKE_IN_ROWS { word::snake(self.rows.sum) } else { self.rows.snake };
        snake as i64 as f64
    }
}

/// Contributions of a line to all terms, in one word:
///
/// | bits | content | maximum of a line, of four |
/// |---|---|---|
/// | 0-7 | ranks fallen | 29, 116 |
/// | 8-15 | ranks risen | 29, 116 |
/// | 16-51 | half the differences of neighbours (all even), or the snake | 49,149; 2^32 in all |
/// | 52-56 | of a row: empty cells | 4, 16 |
/// | 60-63 | of a row: the largest rank; meaningless in a sum | 15 |
///
/// Words are ordered by their largest rank first, so the largest of several words contains their
/// largest rank.
mod word {
    use super::*;

    pub(super) fn pack_column<F: Formula>(line: Line) -> u32 {
        let totals =
            if F::WITH_ENDS { monotonicity_lines_of_line(line) } else { monotonicity_tiles_of_line(line) };
        let differences = if F::WITH_SMOOTHNESS { -smoothness_adjacent_of_line(line) / 2 } else { 0 };
        let field = |number: i64, shift: u32| u32::try_from(number).expect("not below 0") << shift;
        field((-totals.falling).into(), 0) | field((-totals.rising).into(), 8) | field(differences, 16)
    }

    pub(super) fn pack_row<F: Formula>(row: Line, snake: i64) -> u64 {
        let max_rank = row.into_iter().max().unwrap_or(0);
        u64::from(pack_column::<F>(row))
            | (snake as u64) << 16
            | (empty_of_line(row) as u64) << 52
            | u64::from(max_rank) << 60
    }

    #[inline(always)]
    pub(super) fn steps(sum: u64) -> i64 {
        (sum & 255).min(sum >> 8 & 255) as i64
    }

    #[inline(always)]
    pub(super) fn half_difference(sum: u64) -> i64 {
        snake(sum) as i64
    }

    #[inline(always)]
    pub(super) fn snake(sum: u64) -> u64 {
        sum >> 16 & 0xF_FFFF_FFFF
    }

    #[inline(always)]
    pub(super) fn empty(sum: u64) -> u32 {
        (sum >> 52 & 31) as u32
    }

    #[inline(always)]
    pub(super) fn max_rank(max_word: u64) -> u8 {
        (max_word >> 60) as u8
    }
}
