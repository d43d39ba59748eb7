//! Downgraded boards: large tiles are halved if a smaller tile is missing in between. So a network
//! gets a kind of board that was frequent in its training. The order of the tiles is kept, so on
//! this board the legal moves and the merges are unchanged. Deeper in a search a new tile may merge
//! with one that only looks equal.
//!
//! Source: Guei, Chen and Wu (2022), "Optimistic Temporal Difference Learning for 2048", and their
//! program TDL2048+. Their program looks at the board after a move, and by default closes a second
//! gap only at a sum of 65536. This one looks at the board before the move, and closes the next gap
//! at the same sum again.

use gauntlet_twenty48::rules::{Board, Cells};

/// Downgrading state of a game.
pub(super) struct Downgrading {
    /// Sum of a board's distinct tiles from which on it is downgraded further.
    threshold: u32,
    /// Number of gaps closed so far.
    gaps: u32,
}

impl Downgrading {
    /// Creates a state without any closed gap.
    pub(super) fn new(threshold: u32) -> Downgrading {
        Downgrading { threshold, gaps: 0 }
    }

    /// Resets for another game.
    pub(super) fn reset(&mut self) {
        self.gaps = 0;
    }

    /// Returns the downgraded form of the game's next board. Once another gap is closed, it stays
    /// closed.
    pub(super) fn downgrade(&mut self, board: Board) -> Board {
        let mut cells = close_gaps(board.cells(), self.gaps);
        while cells.different_tiles() >= self.threshold {
            let next_cells = close_gaps(board.cells(), self.gaps + 1);
            if next_cells == cells {
                break;
            }
            cells = next_cells;
            self.gaps += 1;
        }
        Board::new(cells)
    }
}

/// Closes this number of the board's largest gaps: each tile loses a rank for each closed gap below
/// it. A gap is a missing tile below the largest one.
fn close_gaps(cells: Cells, gaps: u32) -> Cells {
    let tiles = cells.different_tiles();
    let largest = u32::from(cells.max_rank());
    let mut missing_tiles = !tiles & ((1 << largest) - 1) & !1;
    while missing_tiles.count_ones() > gaps {
        missing_tiles &= missing_tiles - 1;
    }
    let ranks = cells.ranks().map(|rank| rank - (missing_tiles & ((1 << rank) - 1)).count_ones() as u8);
    Cells::from_ranks(ranks)
}

#[cfg(test)]
mod tests {
    use gauntlet_twenty48::rules::Direction;
    use gauntlet_twenty48::testing::{raise_tiles, random_boards};

    use super::*;

    fn cells(text: &str) -> Cells {
        text.parse().expect("a board")
    }

    #[test]
    fn the_largest_gaps_are_closed_up() {
        #[track_caller]
        fn check(board: &str, gaps: u32, expected: &str) {
            assert_eq!(close_gaps(cells(board), gaps).format_line(), cells(expected).format_line());
        }

        let board = "32768 8192 4096 512  2 4 0 0  0 0 0 0  0 0 0 0";
        check(board, 0, board);
        // 16384 is missing, then 2048, then 1024.
        check(board, 1, "16384 8192 4096 512  2 4 0 0  0 0 0 0  0 0 0 0");
        check(board, 2, "8192 4096 2048 512  2 4 0 0  0 0 0 0  0 0 0 0");
        check(board, 3, "4096 2048 1024 512  2 4 0 0  0 0 0 0  0 0 0 0");
        // 256 to 8 are missing, too, and nothing else.
        check(board, 9, "64 32 16 8  2 4 0 0  0 0 0 0  0 0 0 0");
        check("65536 2 0 0  0 0 0 0  0 0 0 0  0 0 0 0", 1, "32768 2 0 0  0 0 0 0  0 0 0 0  0 0 0 0");
    }

    #[test]
    fn a_game_is_downgraded_ever_further() {
        let mut downgrading = Downgrading::new(16384);
        let mut check = |board: &str, expected: &str| {
            let downgraded_board = downgrading.downgrade(Board::new(cells(board)));
            assert_eq!(downgraded_board.cells().format_line(), cells(expected).format_line());
        };
        let suffix = "  0 0 0 0  0 0 0 0  0 0 0 0";
        check(&format!("8192 4096 4 2{suffix}"), &format!("8192 4096 4 2{suffix}"));
        check(&format!("16384 4096 4 2{suffix}"), &format!("8192 4096 4 2{suffix}"));
        check(&format!("16384 8192 4 2{suffix}"), &format!("8192 4096 4 2{suffix}"));
        // With one gap closed it is at the threshold.
        check(&format!("32768 4096 4 2{suffix}"), &format!("8192 4096 4 2{suffix}"));
        downgrading.reset();
        let downgraded_board =
            downgrading.downgrade(Board::new(cells("16384 4096 4 2  0 0 0 0  0 0 0 0  0 0 0 0")));
        assert_eq!(downgraded_board.cells().rank(0), 13);
    }

    #[test]
    fn moves_stay_what_they_are() {
        for board in random_boards(3) {
            let cells = raise_tiles(board.cells(), 13, 4);
            for gaps in 0..6 {
                let (one, other) = (Board::new(cells), Board::new(close_gaps(cells, gaps)));
                let legal_directions =
                    |board: Board| Direction::ALL.map(|direction| board.slide(direction).is_some());
                assert_eq!(legal_directions(one), legal_directions(other), "{}", cells.format_line());
                let empty_counts = |board: Board| {
                    Direction::ALL
                        .map(|direction| board.slide(direction).map(|after| after.cells().count_empty()))
                };
                assert_eq!(empty_counts(one), empty_counts(other), "{}", cells.format_line());
            }
        }
    }
}
