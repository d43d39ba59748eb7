//! Search of the original, in its order and precision.

use gauntlet_core::player::Stop;
use gauntlet_twenty48::rules::{Board, Direction};

use super::board::{LargeBoard, SearchBoard, small_board};
use super::cache::Cache;
use super::value::{LineValues, NONE, VALUES};

/// In the original's order.
const DIRECTIONS: [Direction; 4] = [Direction::Up, Direction::Left, Direction::Right, Direction::Down];

/// Value of a lost position, if no tile is over 4096.
const LOSS: i32 = -1 << 17;

/// Search of one position after another.
pub(super) struct Search {
    values: &'static LineValues,
    pub(super) cache: Cache,
    /// Boards with less are not searched further.
    min_value: i32,
    /// Value of a lost position.
    loss: i32,
    /// Boards with a smaller probability are not searched further.
    min_probability: f32,
    /// Number of positions visited.
    pub(super) nodes: u64,
    pub(super) stop: Stop,
}

impl Search {
    pub(super) fn new(stop: Stop) -> Search {
        Search {
            values: &VALUES,
            cache: Cache::new(),
            min_value: NONE,
            loss: LOSS,
            min_probability: 0.0,
            nodes: 0,
            stop,
        }
    }

    /// Returns the legal directions and their values. Values are meaningless after a stop request.
    pub(super) fn search_root(&mut self, board: Board, depth: u32) -> Vec<(Direction, i32)> {
        match board.cells().nibbles_for(depth + 1) {
            Some(rows) => self.search_root_board(small_board(rows), board, depth),
            None => self.search_root_without_tables(board, depth),
        }
    }

    /// Computes `search_root` without tables.
    pub(super) fn search_root_without_tables(&mut self, board: Board, depth: u32) -> Vec<(Direction, i32)> {
        self.search_root_board(LargeBoard::new(board.cells()), board, depth)
    }

    fn search_root_board(
        &mut self,
        board: impl SearchBoard,
        root_board: Board,
        depth: u32,
    ) -> Vec<(Direction, i32)> {
        let max_rank = root_board.cells().max_rank();
        let double_weight = (2 * i32::from(max_rank)) << max_rank;
        self.min_value = if board.value(self.values) < 0 { NONE } else { double_weight };
        self.loss = LOSS.min(-double_weight);
        self.min_probability = 1.0 / (1 << (depth + 4)) as f32;
        self.nodes = 0;
        let slides = DIRECTIONS.into_iter().zip(board.slides()).filter(|&(_, after)| after != board);
        slides.map(|(direction, after)| (direction, self.chance(after, depth as i32 - 1, 1.0))).collect()
    }

    /// Returns the better of two values, the earlier one first. The original takes a value that
    /// equals a loss for none at all.
    pub(super) fn is_better(&self, best: i32, value: i32) -> bool {
        best == self.loss || value > best
    }

    /// Returns the value of a board if the player is to move.
    fn player(&mut self, board: impl SearchBoard, depth: i32, probability: f32) -> i32 {
        let mut best = self.loss;
        for after in board.slides() {
            if after != board {
                let value = self.chance(after, depth - 1, probability);
                if self.is_better(best, value) {
                    best = value;
                }
            }
        }
        best
    }

    /// Returns the value of a board before a tile appears.
    fn chance(&mut self, board: impl SearchBoard, depth: i32, probability: f32) -> i32 {
        let value = board.value(self.values);
        if value < self.min_value || depth < 0 || probability < self.min_probability {
            return value;
        }
        let number = board.number();
        if let Some(value) = self.cache.value(number, depth, probability) {
            return value;
        }
        if self.stop.is_requested() {
            return 0;
        }
        let mut empty = board.empty_mask();
        let empty_count = empty.count_ones();
        self.nodes += 2 * u64::from(empty_count);
        let cell_probability = f64::from(probability / empty_count as f32);
        let [two_probability, four_probability] = [0.9, 0.1].map(|chance| (cell_probability * chance) as f32);
        // If no board after a tile and a move is searched, their values are found together.
        let is_last = |probability| depth == 0 || probability < self.min_probability;
        let (mut twos, mut fours) = ([NONE; 16], [NONE; 16]);
        if is_last(two_probability) {
            [twos, fours] = board.best_values(self.values, [1, 2]);
        } else if is_last(four_probability) {
            [fours] = board.best_values(self.values, [2]);
        }
        let mut total = 0;
        while empty != 0 {
            let cell = (63 - empty.leading_zeros()) as usize / 4;
            empty ^= 1 << (4 * cell);
            let mut tile_value = |rank, best, probability| {
                let has_value = best > self.loss;
                i64::from(if has_value {
                    best
                } else {
                    self.player(board.with_tile(cell, rank), depth, probability)
                })
            };
            // Exactly the original's sum of doubles, which it cuts after each addition.
            total = (10 * total + 9 * tile_value(1, twos[cell], two_probability)) / 10;
            total = (10 * total + tile_value(2, fours[cell], four_probability)) / 10;
        }
        let value = (total / i64::from(empty_count)) as i32;
        self.cache.store(number, depth, probability, value);
        value
    }
}
