//! Search of the original, in its order and precision.

use gauntlet_core::player::Stop;
use gauntlet_twenty48::rules::{Direction, Grid, PackedLines};

use super::cache::Cache;
use super::tables::{TABLES, Tables};
use crate::leaf_values::{LineTables, best_values};

/// In the original's order.
pub(super) const DIRECTIONS: [Direction; 4] =
    [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

/// Smallest probability of a board that is searched.
const MIN_PROBABILITY: f32 = 0.0001;
/// Value of a lost position, which is the smallest value.
const LOSS: f32 = 0.0;
/// Probabilities of a new 2 and of a new 4.
const TWO: f32 = 0.9;
const FOUR: f32 = 0.1;
/// Level from which on boards are not cached.
const CACHED_LEVELS: u32 = 15;

/// Search of one direction at the root after another.
pub(super) struct Search {
    tables: &'static Tables,
    cache: Cache,
    depth: u32,
    /// Counters of the original: moves that were tried, legal or not, and answers from the cache.
    pub(super) evaluated: u64,
    pub(super) cache_hits: u64,
    pub(super) stop: Stop,
}

impl Search {
    pub(super) fn new(stop: Stop) -> Search {
        Search { tables: &TABLES, cache: Cache::new(), depth: 0, evaluated: 0, cache_hits: 0, stop }
    }

    /// Returns the value of a direction that moves something. It is meaningless after a stop
    /// request.
    pub(super) fn search_root(&mut self, rows: PackedLines, direction: Direction, depth: u32) -> f32 {
        self.cache.clear();
        (self.depth, self.evaluated, self.cache_hits) = (depth, 0, 0);
        let slides = Grid::from_rows(rows).slides_by(|lines| self.tables.slide_all(lines));
        let after = slides[direction as usize].grid();
        // More than a lost position, to which no direction leads.
        (f64::from(self.chance(after, 1.0, 0)) + 1e-6) as f32
    }

    /// Returns the value of a board before a tile appears.
    fn chance(&mut self, grid: Grid, probability: f32, level: u32) -> f32 {
        if probability < MIN_PROBABILITY || level >= self.depth {
            return self.tables.heuristic(grid);
        }
        if level < CACHED_LEVELS
            && let Some(value) = self.cache.value(grid.rows, level)
        {
            self.cache_hits += 1;
            return value;
        }
        if self.stop.is_requested() {
            return 0.0;
        }
        let mut empty = grid.rows.empty_mask();
        let empty_count = empty.count_ones() as f32;
        let probability = probability / empty_count;
        // If no board after a tile and a move is searched, their values are found together.
        let is_last = |chance| probability * chance < MIN_PROBABILITY || level + 1 >= self.depth;
        let leaf_values = if is_last(TWO) {
            best_values(grid, self.tables, [1, 2]).map(Some)
        } else if is_last(FOUR) {
            let [fours] = best_values(grid, self.tables, [2]);
            [None, Some(fours)]
        } else {
            [None; 2]
        };
        let mut sum = 0.0;
        while empty != 0 {
            let cell = empty.trailing_zeros() as usize / 4;
            empty &= empty - 1;
            for ((rank, chance), leaf_values) in [(1, TWO), (2, FOUR)].into_iter().zip(&leaf_values) {
                let value = if let Some(leaf_values) = leaf_values {
                    self.evaluated += 4;
                    leaf_values[cell].max(LOSS)
                } else {
                    self.player(grid.with_tile(cell, rank), probability * chance, level + 1)
                };
                sum += value * chance;
            }
        }
        let value = sum / empty_count;
        if level < CACHED_LEVELS {
            self.cache.store(grid.rows, level, value);
        }
        value
    }

    /// Returns the value of a board if the player is to move.
    fn player(&mut self, grid: Grid, probability: f32, level: u32) -> f32 {
        self.evaluated += 4;
        let slides = grid.slides_by(|lines| self.tables.slide_all(lines));
        let mut best = LOSS;
        for slide in DIRECTIONS.map(|direction| slides[direction as usize]) {
            if slide.moves() {
                best = best.max(self.chance(slide.grid(), probability, level));
            }
        }
        best
    }
}
