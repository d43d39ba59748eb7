//! Search on nibbles: finds what `reference_search` finds, to the last bit.

mod children;
mod star1;

use gauntlet_twenty48::eval::{IntegerEvaluation, SumInteger, Symmetry};
use gauntlet_twenty48::rules::slide::{gain_of_row, slide_row_both_ways};
use gauntlet_twenty48::rules::{Afterstate, Board, Grid, PackedLines};

use super::bounds::{Bounds, half_sum};
use super::meter::Meter;
use super::reference_search;
use super::rules::{FOUR, MAX_DEPTH, NONE, Rules, TWO};
use super::table::{CachedValue, Horizon, Kind, Range, Table};
use super::vectors::Vectors;

/// Search with one evaluation, one root after another.
pub(super) struct Search<E: IntegerEvaluation> {
    pub(super) evaluation: E,
    pub(super) rules: Rules,
    pub(super) table: Table,
    pub(super) meter: Meter,
    /// Range of factors on the current board's probability that change no cut-off below it.
    factors: Range,
    /// Boards that are evaluated together: two tiles and two slides in each of two runs of four
    /// lines.
    prepared: [E::Prepared; 32],
    /// Upper bounds of boards, if moves that cannot be the best are pruned.
    pub(super) bounds: Option<Bounds>,
    /// Upper bound of each board of the search.
    upper_bound: i64,
    /// Evaluator of parallel leaves, if the processor supports it and points do not count.
    pub(super) vectors: Option<Vectors>,
}

/// Any factor.
const ANY_FACTOR: Range = Range { min: 0.0, max: f32::INFINITY };

/// Maximum relative effect of rounding on a product of probabilities.
const ROUNDING: f32 = 2e-5;

/// Slides of the lines of a board, as far as they do not depend on a new tile.
struct Side<S> {
    /// Lines after the slide.
    after: PackedLines,
    /// The same board by the crossing lines.
    crossing_lines: PackedLines,
    /// Sum over all lines, and for each line the sum over the three others.
    other_sums: [S; 4],
    /// Bits that the slide changes.
    changes: u64,
}

impl<E: IntegerEvaluation> Search<E> {
    pub(super) fn new(evaluation: E, rules: Rules, table: Table, meter: Meter) -> Search<E> {
        let vectors = evaluation.one_table().filter(|_| !rules.gains).and_then(Vectors::new);
        Search {
            evaluation,
            rules,
            table,
            meter,
            factors: ANY_FACTOR,
            prepared: Default::default(),
            bounds: None,
            upper_bound: i64::MAX,
            vectors,
        }
    }

    /// Computes what bounds need at any depth, so that it takes none of the time limit of a move.
    pub(super) fn prepare_bounds(&mut self, board: Board) {
        if let (Some(bounds), Some(rows)) = (&mut self.bounds, board.cells().nibbles_for(0)) {
            bounds.prepare(&self.evaluation, half_sum(rows) + 2 * MAX_DEPTH as usize);
        }
    }

    /// Returns the value of a board just after a move; if it is not above `alpha`, perhaps a number
    /// between the two. The result is meaningless once the search is over.
    pub(super) fn value(&mut self, after: Afterstate, depth: u32, fours: u32, alpha: i64) -> i64 {
        let horizon = Horizon { depth, fours, probability: 1.0 };
        match after.cells().nibbles_for(depth) {
            None => reference_search::chance(&self.evaluation, &self.rules, after, horizon, &mut self.meter),
            Some(rows) if depth == 0 => {
                self.meter.nodes += 1;
                self.leaf(Grid::from_rows(rows))
            }
            Some(rows) => {
                self.factors = ANY_FACTOR;
                // Boards at the ends of paths are evaluated regardless of their bounds.
                if let Some(bounds) = self.bounds.as_mut().filter(|_| depth > 1) {
                    let upper_bound = bounds.upper_bound(&self.evaluation, rows, depth);
                    self.upper_bound = upper_bound.max(self.rules.loss_value);
                }
                let grid = Grid::from_rows(rows);
                match self.table.kind {
                    Kind::Deep => {
                        debug_assert!(self.bounds.is_none(), "a value from a deeper search is not a bound");
                        self.chance::<true>(grid, horizon, alpha)
                    }
                    Kind::Ranged => self.chance::<false>(grid, horizon, alpha),
                }
            }
        }
    }

    fn leaf(&self, grid: Grid) -> i64 {
        let [a, b, c, d] = std::array::from_fn(|index| self.evaluation.row(index, grid.rows.line(index)));
        let [e, f, g, h] = grid.columns.lines().map(|column| self.evaluation.column(column));
        let lines: i64 = ((a + b) + (c + d) + ((e + f) + (g + h))).into();
        lines + self.evaluation.unfolded_value(grid.rows)
    }

    /// Returns the value of a board that is searched further; if it is not above `alpha`, perhaps a
    /// number between the two. With `DEEPER` it may come from a deeper search, at any probability.
    fn chance<const DEEPER: bool>(&mut self, grid: Grid, horizon: Horizon, alpha: i64) -> i64 {
        // Step 1: bad boards are evaluated, and known values need no search.
        if self.rules.min_value > NONE {
            let value = self.leaf(grid);
            if value < self.rules.min_value {
                self.meter.nodes += 1;
                return value;
            }
        }
        let horizon = Horizon { fours: horizon.fours.min(horizon.depth), ..horizon };
        let probability = horizon.probability;
        let board = if DEEPER { grid.rows } else { self.key(grid, horizon) };
        if DEEPER {
            if let Some(value) = self.table.deeper_value(board, horizon) {
                self.meter.table_hits += 1;
                return value;
            }
        } else {
            let cached = self.table.value(board, horizon);
            if let Some(cached) = cached.filter(|cached| !cached.is_upper_bound || cached.value <= alpha) {
                self.meter.table_hits += 1;
                self.narrow_range(Range {
                    min: cached.range.min / probability,
                    max: cached.range.max / probability,
                });
                return cached.value;
            }
        }
        if self.meter.must_end() {
            return 0;
        }
        // Step 2: the mean over all possible tiles.
        let outer_factors = self.factors;
        if !DEEPER {
            self.factors =
                Range { min: self.rules.min_probability / probability * (1.0 + ROUNDING), ..ANY_FACTOR };
        }
        let cells = grid.rows.empty_mask().count_ones();
        let cell_probability = probability / cells as f32;
        let depth = horizon.depth - 1;
        let (with_two, with_four) = match horizon.fours {
            0 => (Horizon { depth, fours: 0, probability: cell_probability }, None),
            fours => (
                Horizon { depth, fours, probability: cell_probability * TWO },
                Some(Horizon { depth, fours: fours - 1, probability: cell_probability * FOUR }),
            ),
        };
        let (value, is_upper_bound) = if !DEEPER && self.bounds.is_some() && depth > 0 {
            self.bounded_mean(grid, with_two, with_four, alpha)
        } else {
            let (twos, fours) = match with_four {
                None => (self.sum_twos::<DEEPER>(grid, with_two), None),
                Some(with_four) => self.sum_both_tiles::<DEEPER>(grid, with_two, with_four),
            };
            (Rules::mean(twos, fours, cells), false)
        };
        // Step 3: store the value.
        if DEEPER {
            if !self.meter.is_over {
                self.table.store_deep(board, horizon, value);
            }
            return value;
        }
        if !self.meter.is_over {
            let Range { min, max } = self.factors;
            let range = Range { min: probability * min, max: probability * max };
            self.table.store(board, horizon, CachedValue { value, is_upper_bound, range });
        }
        self.narrow_range(outer_factors);
        value
    }

    /// Returns the symmetric image under which a board is stored. Computing it costs as much as
    /// some evaluations, and pays if much is searched below.
    #[inline(always)]
    fn key(&self, grid: Grid, horizon: Horizon) -> PackedLines {
        let image = |nibbles: PackedLines| nibbles.word();
        if horizon.depth < 2 || horizon.probability < 64.0 * self.rules.min_probability {
            return grid.rows;
        }
        match self.evaluation.features().symmetry {
            Symmetry::None => grid.rows,
            Symmetry::Diagonal => PackedLines::new(image(grid.rows).min(image(grid.columns))),
            Symmetry::Square => {
                let images = [grid.rows, grid.columns].map(|nibbles| {
                    let mirrored = nibbles.mirror();
                    let min_of_flips =
                        |nibbles: PackedLines| image(nibbles).min(image(nibbles.flip_vertically()));
                    min_of_flips(nibbles).min(min_of_flips(mirrored))
                });
                PackedLines::new(images[0].min(images[1]))
            }
        }
    }

    /// Narrows the range of factors.
    #[inline(always)]
    fn narrow_range(&mut self, range: Range) {
        self.factors.min = self.factors.min.max(range.min);
        self.factors.max = self.factors.max.min(range.max);
    }

    /// Returns true if boards of this reach are evaluated.
    #[inline(always)]
    fn is_leaf<const DEEPER: bool>(&mut self, horizon: Horizon) -> bool {
        if horizon.depth == 0 {
            return true;
        }
        let is_improbable = horizon.probability < self.rules.min_probability;
        if !DEEPER && is_improbable {
            let max_factor = self.rules.min_probability / horizon.probability * (1.0 - ROUNDING);
            self.factors.max = self.factors.max.min(max_factor);
        }
        is_improbable
    }

    /// Returns two sums over the empty cells: of the player's best value after a 2 there, and of
    /// that after a 4.
    fn sum_both_tiles<const DEEPER: bool>(
        &mut self,
        grid: Grid,
        with_two: Horizon,
        with_four: Horizon,
    ) -> (i64, Option<i64>) {
        let [twos, fours] = match (self.is_leaf::<DEEPER>(with_two), self.is_leaf::<DEEPER>(with_four)) {
            (true, true) => self.sum_leaves(grid, [1, 2]),
            (false, true) => {
                // Table entries are prefetched while 4s are searched.
                let slides = self.prefetch_slides(grid, [1]);
                let [fours] = self.sum_leaves(grid, [2]);
                let [twos] = self.search_children::<DEEPER, _>(grid, &slides, [(1, with_two)]);
                [twos, fours]
            }
            (_, false) => {
                let slides = self.prefetch_slides(grid, [1, 2]);
                self.search_children::<DEEPER, _>(grid, &slides, [(1, with_two), (2, with_four)])
            }
        };
        (twos, Some(fours))
    }

    /// Returns the sum over the empty cells of the player's best value after a 2 there, if no 4s
    /// appear.
    fn sum_twos<const DEEPER: bool>(&mut self, grid: Grid, horizon: Horizon) -> i64 {
        let [twos] = if self.is_leaf::<DEEPER>(horizon) {
            self.sum_leaves(grid, [1])
        } else {
            let slides = self.prefetch_slides(grid, [1]);
            self.search_children::<DEEPER, _>(grid, &slides, [(1, horizon)])
        };
        twos
    }

    #[inline(never)]
    fn line_points(&self, lines: PackedLines) -> i64 {
        self.evaluation.features().units(f64::from(lines.lines().map(gain_of_row).iter().sum::<u32>()))
    }

    /// Returns the value of a row, or of a column.
    #[inline(always)]
    fn line_value<const ROWS: bool>(&self, index: usize, line: u16) -> E::Sum {
        if ROWS { self.evaluation.row(index, line) } else { self.evaluation.column(line) }
    }

    #[inline(always)]
    fn side<const ROWS: bool>(&self, lines: PackedLines, after: PackedLines) -> Side<E::Sum> {
        let [a, b, c, d] = std::array::from_fn(|index| self.line_value::<ROWS>(index, after.line(index)));
        let (ab, cd) = (a + b, c + d);
        Side {
            after,
            crossing_lines: after.transpose(),
            other_sums: [b + cd, a + cd, ab + d, ab + c],
            changes: lines.word() ^ after.word(),
        }
    }

    /// Computes `search_children` for boards that are evaluated: nearly all time is spent here.
    ///
    /// A tile changes how one row and one column slide; the other lines' results are known before.
    /// After a slide of rows, one row of the board is new, and one cell of each column.
    #[inline(always)]
    fn sum_leaves<const N: usize>(&mut self, grid: Grid, tiles: [u8; N]) -> [i64; N] {
        let Some(vectors) = &self.vectors else { return self.sum_leaves_portably(grid, tiles) };
        let loss_value = self.rules.loss_value as i32;
        let min_value = if self.rules.is_loss_minimum { loss_value } else { i32::MIN };
        let (sums, leaves) = vectors.last_tile_sums(grid.rows, grid.columns, loss_value, min_value);
        self.meter.nodes += N as u64 * u64::from(leaves);
        tiles.map(|tile| sums[usize::from(tile) - 1])
    }

    /// Computes `sum_leaves` on any processor and with any evaluation.
    fn sum_leaves_portably<const N: usize>(&mut self, grid: Grid, tiles: [u8; N]) -> [i64; N] {
        let (mut row_best, mut column_best) = ([[E::Sum::NONE; 19]; N], [[E::Sum::NONE; 19]; N]);
        self.best_leaves_along::<true, N>(grid.rows, tiles, &mut row_best);
        self.best_leaves_along::<false, N>(grid.columns, tiles, &mut column_best);
        let mut sums = [0; N];
        let mut empty_mask = grid.rows.empty_mask();
        while empty_mask != 0 {
            let cell = empty_mask.trailing_zeros() as usize / 4;
            empty_mask &= empty_mask - 1;
            let transposed_cell = cell % 4 * 4 + cell / 4;
            for (sum, (row_best, column_best)) in sums.iter_mut().zip(row_best.iter().zip(&column_best)) {
                let best = row_best[cell].max(column_best[transposed_cell]);
                *sum += self.rules.position_value(Some(best.into()).filter(|_| best != E::Sum::NONE));
            }
        }
        sums
    }

    /// Returns for each of some tiles and each cell, line by line, the best of both slides along
    /// the lines. Results of occupied cells are meaningless. Four cells are written at once, so
    /// there are three extra ones.
    #[inline(always)]
    fn best_leaves_along<const ROWS: bool, const N: usize>(
        &mut self,
        lines: PackedLines,
        tiles: [u8; N],
        best: &mut [[E::Sum; 19]; N],
    ) {
        let (to_first, to_last) = lines.slide_both_ways();
        let first = self.side::<ROWS>(lines, to_first);
        let second = self.side::<ROWS>(lines, to_last);
        let is_memory_bound = E::HAS_BOARD_FEATURES && self.evaluation.is_memory_bound();
        if is_memory_bound {
            self.prepare_leaves::<ROWS, N>(lines, tiles, [&first, &second]);
        }
        let mut prepared = if is_memory_bound { self.prepared.iter() } else { [].iter() };
        self.meter.nodes += 2 * N as u64 * u64::from(lines.run_starts().count_ones());
        for (shift, index) in empty_runs(lines) {
            let line = lines.line(index);
            let other_lines = !(0xFFFF << (16 * index));
            let moves = [&first, &second].map(|side| side.changes & other_lines != 0);
            for (tile, best) in tiles.into_iter().zip(best.iter_mut()) {
                let tile_line = line | u16::from(tile) << (shift & 15);
                let (to_first, to_last) = slide_row_both_ways(tile_line);
                let gain =
                    if self.rules.gains { self.line_points(lines.with_line(index, tile_line)) } else { 0 };
                let first_value = self.leaf_value::<ROWS>(&first, index, to_first, prepared.next())
                    + E::Sum::from_units(gain);
                let second_value = self.leaf_value::<ROWS>(&second, index, to_last, prepared.next())
                    + E::Sum::from_units(gain);
                // Values written after the run are overwritten by the next one.
                for (cell, best) in best[shift as usize / 4..][..4].iter_mut().enumerate() {
                    // A slide that returns the line with its tile has moved nothing.
                    let line_with_tile =
                        u32::from(line) | u32::from(tile) << ((shift & 15) + 4 * cell as u32);
                    let first_value = if moves[0] || u32::from(to_first) != line_with_tile {
                        first_value
                    } else {
                        E::Sum::NONE
                    };
                    let second_value = if moves[1] || u32::from(to_last) != line_with_tile {
                        second_value
                    } else {
                        E::Sum::NONE
                    };
                    *best = first_value.max(second_value);
                }
            }
        }
    }

    /// Prepares the boards of `best_leaves_along`, in the order in which their values are needed.
    #[inline(always)]
    fn prepare_leaves<const ROWS: bool, const N: usize>(
        &mut self,
        lines: PackedLines,
        tiles: [u8; N],
        [first, second]: [&Side<E::Sum>; 2],
    ) {
        let mut slots = self.prepared.iter_mut();
        for (shift, index) in empty_runs(lines) {
            for tile in tiles {
                let (to_first, to_last) =
                    slide_row_both_ways(lines.line(index) | u16::from(tile) << (shift & 15));
                for (side, line) in [(first, to_first), (second, to_last)] {
                    let slot = slots.next().expect("each line has space for two runs");
                    self.evaluation.prepare(side.rows::<ROWS>(index, line), slot);
                }
            }
        }
    }

    /// Returns the value of the board of a side with another line in this position.
    #[inline(always)]
    fn leaf_value<const ROWS: bool>(
        &self,
        side: &Side<E::Sum>,
        index: usize,
        line: u16,
        prepared: Option<&E::Prepared>,
    ) -> E::Sum {
        let crossing_lines = side.crossing_lines.with_nibbles(index, line);
        let [a, b, c, d]: [E::Sum; 4] = if ROWS {
            crossing_lines.lines().map(|column| self.evaluation.column(column))
        } else {
            std::array::from_fn(|index| self.evaluation.row(index, crossing_lines.line(index)))
        };
        let lines = (side.other_sums[index] + self.line_value::<ROWS>(index, line)) + ((a + b) + (c + d));
        if !E::HAS_BOARD_FEATURES {
            return lines;
        }
        let rows = side.rows::<ROWS>(index, line);
        lines
            + E::Sum::from_units(match prepared {
                Some(prepared) => self.evaluation.prepared_unfolded_value(rows, prepared),
                None => self.evaluation.unfolded_value(rows),
            })
    }
}

/// Returns the runs of empty cells in the lines of a board: the lowest bit of the first cell of
/// each, and the index of its line.
#[inline(always)]
fn empty_runs(lines: PackedLines) -> impl Iterator<Item = (u32, usize)> {
    let mut runs = lines.run_starts();
    std::iter::from_fn(move || {
        let shift = (runs != 0).then(|| runs.trailing_zeros())?;
        runs &= runs - 1;
        Some((shift, shift as usize / 16))
    })
}

impl<S> Side<S> {
    /// Returns the rows of the board with another line in this position.
    #[inline(always)]
    fn rows<const ROWS: bool>(&self, index: usize, line: u16) -> PackedLines {
        if ROWS { self.after.with_line(index, line) } else { self.crossing_lines.with_nibbles(index, line) }
    }
}
