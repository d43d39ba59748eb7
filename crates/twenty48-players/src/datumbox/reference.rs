//! Plain implementation of the program, for comparison. It uses sixteen values, a count of empty
//! cells that is stored where the program stores it, full windows, and no caches. It shares only
//! the rules of the game with the fast search.

use gauntlet_twenty48::eval::clustering;
use gauntlet_twenty48::rules::{Afterstate, Board, Cells, Direction};

use super::values::VersionDifferences;

/// Board in the program's representation.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReferenceBoard {
    pub(super) cells: Cells,
    pub(super) score: i32,
    /// Number of empty cells, if counted since the last tile.
    empty_count: Option<u32>,
}

impl ReferenceBoard {
    pub(super) fn new(cells: Cells, score: i32) -> ReferenceBoard {
        ReferenceBoard { cells, score, empty_count: None }
    }

    /// Returns the number of empty cells that the program assumes.
    pub(super) fn count_empty(&mut self) -> u32 {
        *self.empty_count.get_or_insert(self.cells.count_empty())
    }

    /// Slides and returns the points. The count is kept.
    pub(super) fn slide(&mut self, direction: Direction) -> i32 {
        let board = Board::new(self.cells);
        let gain = board.gain(direction) as i32;
        self.cells = board.slide(direction).map_or(self.cells, Afterstate::cells);
        self.score += gain;
        gain
    }

    fn with_tile(&self, cell: usize, rank: u8) -> ReferenceBoard {
        ReferenceBoard::new(Afterstate::new(self.cells).place(cell, rank).cells(), self.score)
    }

    pub(super) fn is_won(&self, differences: VersionDifferences) -> bool {
        differences.can_win && self.score >= 18432 && self.cells.max_tile() >= 2048
    }

    pub(super) fn is_terminated(&mut self, differences: VersionDifferences) -> bool {
        let nothing_to_gain =
            |mut copy: ReferenceBoard| Direction::ALL.into_iter().all(|direction| copy.slide(direction) == 0);
        self.is_won(differences) || self.count_empty() == 0 && nothing_to_gain(*self)
    }

    pub(super) fn heuristic(&mut self) -> i32 {
        let score = f64::from(self.score);
        let value = score + libm::log(score) * f64::from(self.count_empty()) - clustering(self.cells);
        (value as i32).max(self.score.min(1))
    }

    /// Returns the value of the position, and the first direction that leads to it.
    pub(super) fn search(
        mut self,
        differences: VersionDifferences,
        depth: u32,
        (mut alpha, mut beta): (i32, i32),
        is_players_turn: bool,
    ) -> (i32, Option<Direction>) {
        if self.is_terminated(differences) {
            let value = match (differences.has_end_values, self.is_won(differences)) {
                (true, true) => i32::MAX,
                (true, false) => self.score.min(1),
                (false, _) => self.heuristic(),
            };
            return (value, None);
        }
        if depth == 0 {
            return (self.heuristic(), None);
        }
        if is_players_turn {
            let mut best = None;
            for direction in Direction::ALL {
                let mut child = self;
                child.slide(direction);
                if child.cells == self.cells && !differences.passes {
                    continue;
                }
                let (value, _) = child.search(differences, depth - 1, (alpha, beta), false);
                if value > alpha {
                    (alpha, best) = (value, Some(direction));
                }
                if beta <= alpha {
                    break;
                }
            }
            (alpha, best)
        } else {
            let empty = (0..16).filter(|&cell| self.cells.rank(cell) == 0);
            let mut children =
                empty.flat_map(|cell| [self.with_tile(cell, 1), self.with_tile(cell, 2)]).peekable();
            if children.peek().is_none() {
                return (0, None);
            }
            for child in children {
                let (value, _) = child.search(differences, depth - 1, (alpha, beta), true);
                beta = beta.min(value);
                if beta <= alpha {
                    break;
                }
            }
            (beta, None)
        }
    }

    /// Returns the choice as the program computes it: the player is to move, without bounds.
    pub(super) fn choose(self, differences: VersionDifferences, depth: u32) -> (i32, Option<Direction>) {
        self.search(differences, depth, (i32::MIN, i32::MAX), true)
    }
}
