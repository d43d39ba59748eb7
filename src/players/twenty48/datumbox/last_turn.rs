//! The last turn of a search: a tile comes, the player moves, and what lies there then is valued.
//!
//! Nearly all positions of a search are here, so here it is that its time goes. A tile changes one row and one column, so
//! how the other lines slide is found once for all tiles that may come. A board is valued as soon as its four lines
//! are known; after a vertical move those are columns, for a transposed board has the same clustering.

use super::search::{Search, WIN_SCORE, earns_nothing};
use crate::games::twenty48::Cells;
use crate::games::twenty48::cells::{transpose, zero_nibbles};
use crate::games::twenty48::slide::{gain_of_row, slid_both_ways};

/// Four lines of nibbles.
#[derive(Clone, Copy)]
pub(super) struct Rows(pub(super) [u16; 4]);

impl Rows {
    /// # Panics
    /// If a tile is larger than 32768.
    pub(super) fn of(cells: Cells) -> Rows {
        Rows::from_word(cells.nibbles().expect("no tile over 32768"))
    }

    #[inline]
    fn from_word(word: u64) -> Rows {
        Rows([word as u16, (word >> 16) as u16, (word >> 32) as u16, (word >> 48) as u16])
    }

    #[inline]
    fn word(self) -> u64 {
        let [a, b, c, d] = self.0.map(u64::from);
        a | b << 16 | c << 32 | d << 48
    }
}

/// How four lines slide, each way.
struct Slides {
    lines: Rows,
    to_start: [u16; 4],
    to_end: [u16; 4],
    /// A bit for each line that moves.
    start_moves: u8,
    end_moves: u8,
    gains: [i32; 4],
    gain: i32,
}

impl Slides {
    #[inline]
    fn of(lines: Rows) -> Slides {
        let slid = lines.0.map(slid_both_ways);
        let (to_start, to_end) = (slid.map(|slid| slid.0), slid.map(|slid| slid.1));
        let moves = |slid: [u16; 4]| (0..4).fold(0, |bits, i| bits | u8::from(slid[i] != lines.0[i]) << i);
        let gains = lines.0.map(|line| gain_of_row(line) as i32);
        Slides {
            lines,
            to_start,
            to_end,
            start_moves: moves(to_start),
            end_moves: moves(to_end),
            gains,
            gain: gains.iter().sum(),
        }
    }

    /// The two slides after a tile came at this place of this line: each board, if anything moved, and the gain,
    /// which is the same.
    #[inline]
    fn with_tile(&self, line: usize, place: usize, rank: u16) -> ([Option<[u16; 4]>; 2], i32) {
        let new = self.lines.0[line] | rank << (4 * place);
        let (start, end) = slid_both_ways(new);
        let others = !(1_u8 << line);
        let moved = |slid: [u16; 4], slid_line: u16, moves: u8| {
            let mut board = slid;
            board[line] = slid_line;
            (moves & others != 0 || slid_line != new).then_some(board)
        };
        let boards = [moved(self.to_start, start, self.start_moves), moved(self.to_end, end, self.end_moves)];
        (boards, self.gain - self.gains[line] + gain_of_row(new) as i32)
    }
}

impl Search {
    /// The worst of all tiles that may come, the player making the best of each. The value, cut to the bounds.
    pub(super) fn last_turn(&mut self, rows: Rows, score: i32, alpha: i32, mut beta: i32) -> i32 {
        // Step 1. How the lines slide without the tile.
        let horizontal = Slides::of(rows);
        let vertical = Slides::of(Rows::from_word(transpose(rows.word())));
        let room = zero_nibbles(rows.word());
        let empty = room.count_ones() - 1;
        let mut cells = room;
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            let (row, column) = (cell / 4, cell % 4);
            for rank in [1, 2] {
                self.nodes += 1;
                let (across, gain) = horizontal.with_tile(row, column, rank);
                let (along, vertical_gain) = vertical.with_tile(column, row, rank);
                // Step 2. Lost, if nothing moves; only a full board can be so.
                let boards = [across[0], across[1], along[0], along[1]];
                if empty == 0 && boards.iter().all(Option::is_none) {
                    let cells = Cells::from_nibbles(with_tile(rows.word(), cell, rank));
                    beta = beta.min(self.lost(cells, score, 0));
                } else {
                    // Step 3. The best of the moves, as long as it is worse than a tile that came before.
                    let mut best = i32::MIN;
                    for (i, board) in boards.into_iter().enumerate() {
                        let (board, gain, turned) = match board {
                            Some(board) => (Rows(board), if i < 2 { gain } else { vertical_gain }, i >= 2),
                            None if self.manner.passes => {
                                (Rows::from_word(with_tile(rows.word(), cell, rank)), 0, false)
                            }
                            None => continue,
                        };
                        best = best.max(self.end(board, turned, score + gain, empty));
                        if best >= beta {
                            break;
                        }
                    }
                    beta = beta.min(best);
                }
                if beta <= alpha {
                    return beta;
                }
            }
        }
        beta
    }

    /// What a board is worth after the last move, `empty` being as many cells as were empty before it. The board may
    /// be turned about its diagonal.
    #[inline]
    fn end(&mut self, board: Rows, turned: bool, score: i32, empty: u32) -> i32 {
        self.nodes += 1;
        if score >= WIN_SCORE || empty == 0 {
            let word = if turned { transpose(board.word()) } else { board.word() };
            return self.end_with_care(Cells::from_nibbles(word), score, empty);
        }
        let clustering = self.memory.clustering(board.0);
        self.valued(score, empty, clustering)
    }

    /// As [`Search::end`], where the game may be over.
    #[cold]
    fn end_with_care(&mut self, cells: Cells, score: i32, empty: u32) -> i32 {
        if self.is_won(cells, score) {
            return self.won(cells, score, empty);
        }
        if empty == 0 && earns_nothing(cells) {
            return self.lost(cells, score, empty);
        }
        self.value(cells, score, empty)
    }
}

#[inline]
fn with_tile(word: u64, cell: usize, rank: u16) -> u64 {
    word | u64::from(rank) << (4 * cell)
}
