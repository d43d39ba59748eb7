//! Search of the original, in its order and precision.

use gauntlet_core::player::Stop;
use gauntlet_twenty48::rules::{Direction, Grid, PackedLines};

use super::cache::Cache;
use super::tables::{TABLES, Tables};

/// In the original's order.
pub(super) const DIRECTIONS: [Direction; 4] =
    [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

/// Smallest probability of a board that is searched.
const MIN_PROBABILITY: f32 = 0.0001;
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
        let slides = Grid::from_rows(rows).slides_by(|lines| self.tables.slide_both_ways(lines));
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
        let mut sum = 0.0;
        while empty != 0 {
            let cell = empty.trailing_zeros() as usize / 4;
            empty &= empty - 1;
            for (rank, chance) in [(1, 0.9), (2, 0.1)] {
                let with_tile = grid.with_tile(cell, rank);
                sum += self.player(with_tile, probability * chance, level + 1) * chance;
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
        let slides = grid.slides_by(|lines| self.tables.slide_both_ways(lines));
        let mut best = 0.0_f32;
        for slide in DIRECTIONS.map(|direction| slides[direction as usize]) {
            if slide.moves() {
                best = best.max(self.chance(slide.grid(), probability, level));
            }
        }
        best
    }
}
