//! The search: alpha-beta to a fixed depth, from the view of the side to move.

use gauntlet_core::player::Stop;
use serde::{Deserialize, Serialize};

use super::search_board::{Near, SearchBoard, Worths};
use crate::eval::runs;
use crate::rules::{Board, Stone};

/// Table that orders candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OrderTable {
    /// That of black, whichever side is to move.
    #[default]
    Black,
    /// That of the side to move.
    Mover,
}

/// Result of a search to some depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The best cell, by its number.
    pub(super) cell: usize,
    /// Its value to the side to move.
    pub(super) score: i32,
    /// Positions visited, the root among them.
    pub(super) nodes: u64,
}

/// A search from one position.
pub(super) struct Search {
    board: SearchBoard,
    /// The stones of the root.
    stones: Vec<(usize, Stone)>,
    order_table: OrderTable,
    /// Number of candidates searched in each position.
    width: usize,
    /// The candidates of the positions between root and leaf, as [`entry`] writes them.
    candidates: Vec<u64>,
    turn: Stone,
    worths: Worths,
    near: Near,
    nodes: u64,
    stop: Stop,
}

/// As far from 0 as the program's own bounds.
const INFINITE: i32 = i32::MAX;

impl Search {
    /// A search of positions on boards of this size, to this depth at most.
    pub(super) fn new(size: u8, depth: u32, width: usize, order_table: OrderTable, stop: Stop) -> Search {
        let cells = usize::from(size) * usize::from(size);
        let width = width.min(cells);
        Search {
            board: SearchBoard::new(size, order_table == OrderTable::Mover),
            stones: Vec::new(),
            order_table,
            width,
            candidates: vec![0; width * (depth as usize + 1)],
            turn: Stone::Black,
            worths: [0; 2],
            near: [0; _],
            nodes: 0,
            stop,
        }
    }

    /// Cells on a side.
    pub(super) fn size(&self) -> usize {
        self.board.size()
    }

    /// Takes a position as the root.
    pub(super) fn set_up(&mut self, board: &Board, turn: Stone) {
        self.stones.drain(..).for_each(|(cell, stone)| self.board.take(cell, stone));
        (self.turn, self.worths, self.near) = (turn, [0; 2], [0; _]);
        for cell in board.cells() {
            if let Some(stone) = board.at(cell) {
                let cell = cell.index(board.size());
                self.worths = self.board.after(cell, stone, self.worths);
                self.board.put(cell, stone);
                self.board.widen(&mut self.near, cell);
                self.stones.push((cell, stone));
            }
        }
    }

    /// The candidates at the root, in the order of the search, each with its worth.
    pub(super) fn candidates(&mut self) -> Vec<(usize, i32)> {
        let near = self.near;
        let count = self.gather(0, self.turn, &near);
        self.candidates[..count].iter().map(|&entry| (cell_of(entry), (entry >> 10) as i32)).collect()
    }

    /// Searches to this depth; none if there is no candidate. Once it is asked to stop, the answer
    /// means nothing.
    pub(super) fn search(&mut self, depth: u32) -> Option<Found> {
        self.nodes = 1;
        let (near, worths) = (self.near, self.worths);
        let first = self.candidates().first()?.0;
        if is_finished(worths) {
            return Some(Found { cell: first, score: balance(worths, self.turn), nodes: 1 });
        }
        let (score, best) = self.best(depth, (-INFINITE, INFINITE), self.turn, worths, &near);
        Some(Found { cell: best.unwrap_or(first), score, nodes: self.nodes })
    }

    /// Value of a position to the side to move, and its best cell. Neither colour has a five there,
    /// and the depth is at least 1.
    fn best(
        &mut self,
        depth: u32,
        (mut alpha, beta): (i32, i32),
        turn: Stone,
        worths: Worths,
        near: &Near,
    ) -> (i32, Option<usize>) {
        if self.stop.is_asked() {
            return (alpha, None);
        }
        let first = depth as usize * self.width;
        let count = self.gather(first, turn, near);
        if count == 0 {
            // The board is full.
            return (balance(worths, turn), None);
        }
        let mut best = None;
        for place in first..first + count {
            let cell = cell_of(self.candidates[place]);
            let after = self.board.after(cell, turn, worths);
            self.nodes += 1;
            let value = if depth == 1 || is_finished(after) {
                balance(after, turn)
            } else {
                let mut wider = *near;
                self.board.widen(&mut wider, cell);
                self.board.put(cell, turn);
                let (value, _) = self.best(depth - 1, (-beta, -alpha), turn.other(), after, &wider);
                self.board.take(cell, turn);
                -value
            };
            // Of equal cells the first one stays.
            if value > alpha {
                (alpha, best) = (value, Some(cell));
                if alpha >= beta {
                    break;
                }
            }
        }
        (alpha, best)
    }

    /// Writes the candidates of a position into the list from this place on, the best first and of
    /// equals the first in the order of cells, and says how many there are.
    #[inline]
    fn gather(&mut self, first: usize, turn: Stone, near: &Near) -> usize {
        let table = match self.order_table {
            OrderTable::Black => 0,
            OrderTable::Mover => turn.number(),
        };
        let list = &mut self.candidates[first..first + self.width];
        let mut count = 0;
        self.board.each_near(near, table, |cell, score| {
            let entry = entry(cell, score);
            if count < list.len() {
                count += 1;
            } else if entry < list[count - 1] {
                return;
            }
            let mut place = count - 1;
            while place > 0 && list[place - 1] < entry {
                list[place] = list[place - 1];
                place -= 1;
            }
            list[place] = entry;
        });
        count
    }
}

/// A candidate as a number, which is the larger the earlier the candidate comes.
#[inline]
fn entry(cell: usize, score: i32) -> u64 {
    (score as u64) << 10 | (1023 - cell as u64)
}

#[inline]
fn cell_of(entry: u64) -> usize {
    1023 - (entry & 1023) as usize
}

/// True if a search ends here: one colour's runs are worth a five.
#[inline]
fn is_finished(worths: Worths) -> bool {
    worths.iter().any(|&worth| worth >= runs::FIVE)
}

/// By how much a colour's runs are worth more than the other's.
#[inline]
fn balance(worths: Worths, stone: Stone) -> i32 {
    worths[stone.number()] - worths[stone.other().number()]
}
