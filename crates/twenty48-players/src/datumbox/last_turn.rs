//! Last turn of a search: a tile appears, the player moves, and the board is valued.
//!
//! Nearly all positions and time of a search are here. A tile changes one row and one column, so
//! the slides of the other lines are computed once for all tiles. A board is valued as soon as its
//! four lines are known. After a vertical move those are columns, because a transposed board has
//! the same clustering.

use gauntlet_twenty48::rules::slide::{gain_of_row, slide_row_both_ways};
use gauntlet_twenty48::rules::{Board, Cells, PackedLines};

use super::super::new_tile::NewTile;
use super::values::{Values, VersionDifferences, WIN_SCORE, earns_nothing};

/// Slides of the four lines of a board, in both directions.
struct Slides {
    board: PackedLines,
    /// Boards slid towards the first cells of lines, and towards the last.
    after_slides: [PackedLines; 2],
    /// Points of each line, and of all together.
    gains: [i32; 4],
    gain: i32,
}

impl Slides {
    #[inline]
    fn new(board: PackedLines) -> Slides {
        let (start, end) = board.slide_both_ways();
        let gains = board.lines().map(|line| gain_of_row(line) as i32);
        Slides { board, after_slides: [start, end], gains, gain: gains.iter().sum() }
    }

    /// Returns the slide in one direction after a tile on this cell of this line, and its gain;
    /// `None` if nothing moves.
    #[inline]
    fn with_tile(
        &self,
        slide_index: usize,
        line: usize,
        cell: usize,
        rank: u8,
    ) -> Option<(PackedLines, i32)> {
        let board = self.board.with_tile(4 * line + cell, rank);
        let new_line = board.line(line);
        let (start, end) = slide_row_both_ways(new_line);
        let after =
            self.after_slides[slide_index].with_line(line, if slide_index == 0 { start } else { end });
        if after == board {
            return None;
        }
        Some((after, self.gain - self.gains[line] + gain_of_row(new_line) as i32))
    }
}

/// Orders of the four slides. The order at index `i` begins with slide `i`.
const ORDERS: [[usize; 4]; 4] = [[0, 1, 2, 3], [1, 0, 2, 3], [2, 0, 1, 3], [3, 0, 1, 2]];

/// Search of the last turn, with its memory.
pub(super) struct LastTurn {
    pub(super) values: Values,
    /// Killer tile: the worst tile found last.
    worst_tile: Option<NewTile>,
    /// Number of positions visited.
    pub(super) nodes: u64,
}

impl LastTurn {
    pub(super) fn new(differences: VersionDifferences) -> LastTurn {
        LastTurn { values: Values::new(differences), worst_tile: None, nodes: 0 }
    }

    /// Starts with another root.
    pub(super) fn begin(&mut self) {
        self.worst_tile = None;
        self.nodes = 0;
    }

    /// Returns the value of the worst tile, with the player's best move after each, cut to the
    /// bounds.
    pub(super) fn search(&mut self, board: PackedLines, score: i32, alpha: i32, mut beta: i32) -> i32 {
        // Step 1: slides of the lines without the tile.
        let horizontal = Slides::new(board);
        let vertical = Slides::new(board.transpose());
        let empty_mask = board.empty_mask();
        let empty_count = empty_mask.count_ones() - 1;
        // Step 2: the worst tile on a similar board first, then all others.
        let mut best_slide = 0;
        for tile in NewTile::all_starting_with(self.worst_tile, empty_mask) {
            self.nodes += 1;
            let (row, column, rank) = (tile.cell / 4, tile.cell % 4, tile.rank);
            let board = board.with_tile(tile.cell, rank);
            let mut best = i32::MIN;
            if empty_count == 0 && Board::new(board.cells()).is_over() {
                best = self.values.loss_value(board.cells(), score, 0);
            } else {
                // Step 3: the best of the moves, as long as it is worse than an earlier tile's. The
                // best earlier move comes first.
                for slide_index in ORDERS[best_slide] {
                    let is_horizontal = slide_index < 2;
                    let after_slide = if is_horizontal {
                        horizontal.with_tile(slide_index, row, column, rank)
                    } else {
                        vertical.with_tile(slide_index - 2, column, row, rank)
                    };
                    let value = match after_slide {
                        Some((board, gain)) => {
                            self.end_value(board, !is_horizontal, score + gain, empty_count)
                        }
                        None if self.values.differences.passes => {
                            self.end_value(board, false, score, empty_count)
                        }
                        None => continue,
                    };
                    if value > best {
                        best = value;
                        if best >= beta {
                            best_slide = slide_index;
                            break;
                        }
                    }
                }
            }
            if best < beta {
                beta = best;
                self.worst_tile = Some(tile);
                if beta <= alpha {
                    break;
                }
            }
        }
        beta
    }

    /// Returns the value of a board after the last move; `empty` is the number of empty cells
    /// before it. The board may be transposed.
    #[inline]
    fn end_value(&mut self, board: PackedLines, is_transposed: bool, score: i32, empty: u32) -> i32 {
        self.nodes += 1;
        if score >= WIN_SCORE || empty == 0 {
            let board = if is_transposed { board.transpose() } else { board };
            return self.end_value_checked(board.cells(), score, empty);
        }
        self.values.value_of_nibbles(board, score, empty)
    }

    /// Returns [`LastTurn::end_value`] for a game that may be over.
    #[cold]
    fn end_value_checked(&mut self, cells: Cells, score: i32, empty: u32) -> i32 {
        if self.values.is_won(cells, score) {
            return self.values.win_value(cells, score, empty);
        }
        if empty == 0 && earns_nothing(cells) {
            return self.values.loss_value(cells, score, empty);
        }
        self.values.value(cells, score, empty)
    }
}
