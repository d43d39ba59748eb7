//! Search: alpha-beta to a fixed depth, from the view of the side to move.

use gauntlet_core::player::Stop;
use serde::{Deserialize, Serialize};

use super::search_board::{NearCells, RunValues, SearchBoard};
use crate::eval::runs;
use crate::rules::{Board, Stone};

/// Table that orders candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrderingSide {
    /// Black's table, whichever side is to move.
    #[default]
    Black,
    /// Table of the side to move.
    Mover,
}

/// Result of a search to some depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchResult {
    /// Index of the best cell.
    pub(super) cell: usize,
    /// Value of that cell to the side to move.
    pub(super) score: i32,
    /// Positions visited, including the root.
    pub(super) nodes: u64,
}

/// Search from one position.
pub(super) struct Search {
    board: SearchBoard,
    /// Stones at the root.
    stones: Vec<(usize, Stone)>,
    order_table: OrderingSide,
    /// Number of candidates per position.
    width: usize,
    /// Candidates of the positions between root and leaf, encoded by [`encode_candidate`].
    candidates: Vec<u64>,
    turn: Stone,
    run_values: RunValues,
    near_cells: NearCells,
    nodes: u64,
    stop: Stop,
}

/// Infinite value, equal to the original's bounds.
const INFINITE: i32 = i32::MAX;

impl Search {
    /// Creates a search for boards of this size, to at most this depth.
    pub(super) fn new(size: u8, depth: u32, width: usize, order_table: OrderingSide, stop: Stop) -> Search {
        let cells = usize::from(size) * usize::from(size);
        let width = width.min(cells);
        Search {
            board: SearchBoard::new(size, order_table == OrderingSide::Mover),
            stones: Vec::new(),
            order_table,
            width,
            candidates: vec![0; width * (depth as usize + 1)],
            turn: Stone::Black,
            run_values: [0; 2],
            near_cells: [0; _],
            nodes: 0,
            stop,
        }
    }

    /// Returns the number of cells on a side.
    pub(super) fn size(&self) -> usize {
        self.board.size()
    }

    /// Sets the root position.
    pub(super) fn set_up(&mut self, board: &Board, turn: Stone) {
        for (cell, stone) in self.stones.drain(..) {
            self.board.take(cell, stone);
        }
        (self.turn, self.run_values, self.near_cells) = (turn, [0; 2], [0; _]);
        for cell in board.cells() {
            if let Some(stone) = board.stone_at(cell) {
                let cell = cell.index(board.size());
                self.run_values = self.board.values_after(cell, stone, self.run_values);
                self.board.put(cell, stone);
                self.board.add_neighbours(&mut self.near_cells, cell);
                self.stones.push((cell, stone));
            }
        }
    }

    /// Returns the candidates at the root, in search order, with their values.
    pub(super) fn candidates(&mut self) -> Vec<(usize, i32)> {
        let near_cells = self.near_cells;
        let count = self.gather_candidates(0, self.turn, &near_cells);
        self.candidates[..count].iter().map(|&entry| (decode_cell(entry), (entry >> 10) as i32)).collect()
    }

    /// Searches to this depth; `None` if there is no candidate. After a stop request, the result is
    /// meaningless.
    pub(super) fn search(&mut self, depth: u32) -> Option<SearchResult> {
        self.nodes = 1;
        let (near_cells, run_values) = (self.near_cells, self.run_values);
        let first_cell = self.candidates().first()?.0;
        if is_finished(run_values) {
            return Some(SearchResult { cell: first_cell, score: balance(run_values, self.turn), nodes: 1 });
        }
        let (score, best) =
            self.search_position(depth, (-INFINITE, INFINITE), self.turn, run_values, &near_cells);
        Some(SearchResult { cell: best.unwrap_or(first_cell), score, nodes: self.nodes })
    }

    /// Returns the value of a position to the side to move, and its best cell. Neither colour has a
    /// five there, and the depth is at least 1.
    fn search_position(
        &mut self,
        depth: u32,
        (mut alpha, beta): (i32, i32),
        turn: Stone,
        run_values: RunValues,
        near_cells: &NearCells,
    ) -> (i32, Option<usize>) {
        if self.stop.is_requested() {
            return (alpha, None);
        }
        let first_index = depth as usize * self.width;
        let count = self.gather_candidates(first_index, turn, near_cells);
        if count == 0 {
            // The board is full.
            return (balance(run_values, turn), None);
        }
        let mut best = None;
        for index in first_index..first_index + count {
            let cell = decode_cell(self.candidates[index]);
            let new_values = self.board.values_after(cell, turn, run_values);
            self.nodes += 1;
            let value = if depth == 1 || is_finished(new_values) {
                balance(new_values, turn)
            } else {
                let mut next_near_cells = *near_cells;
                self.board.add_neighbours(&mut next_near_cells, cell);
                self.board.put(cell, turn);
                let (value, _) = self.search_position(
                    depth - 1,
                    (-beta, -alpha),
                    turn.other(),
                    new_values,
                    &next_near_cells,
                );
                self.board.take(cell, turn);
                -value
            };
            // Among equal cells the first is kept.
            if value > alpha {
                (alpha, best) = (value, Some(cell));
                if alpha >= beta {
                    break;
                }
            }
        }
        (alpha, best)
    }

    /// Writes the candidates of a position into the list from this index on, best first, ties in
    /// the order of cells, and returns their number.
    #[inline]
    fn gather_candidates(&mut self, first_index: usize, turn: Stone, near_cells: &NearCells) -> usize {
        let table = match self.order_table {
            OrderingSide::Black => 0,
            OrderingSide::Mover => turn.number(),
        };
        let list = &mut self.candidates[first_index..first_index + self.width];
        let mut count = 0;
        self.board.visit_near(near_cells, table, |cell, score| {
            let entry = encode_candidate(cell, score);
            if count < list.len() {
                count += 1;
            } else if entry < list[count - 1] {
                return;
            }
            let mut index = count - 1;
            while index > 0 && list[index - 1] < entry {
                list[index] = list[index - 1];
                index -= 1;
            }
            list[index] = entry;
        });
        count
    }
}

/// Encodes a candidate as a number; larger numbers come earlier.
#[inline]
fn encode_candidate(cell: usize, score: i32) -> u64 {
    (score as u64) << 10 | (1023 - cell as u64)
}

#[inline]
fn decode_cell(entry: u64) -> usize {
    1023 - (entry & 1023) as usize
}

/// Returns true if the search ends here, because one colour's runs are worth a five.
#[inline]
fn is_finished(run_values: RunValues) -> bool {
    run_values.iter().any(|&value| value >= runs::FIVE)
}

/// Returns the value of a colour's runs minus the other colour's.
#[inline]
fn balance(run_values: RunValues, stone: Stone) -> i32 {
    run_values[stone.number()] - run_values[stone.other().number()]
}
