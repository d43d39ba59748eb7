//! What positions are worth to the program.

use super::clustering::Memory;
use crate::eval::twenty48::clustering;
use crate::games::twenty48::{After, Board, Cells, Direction, Nibbles};

/// How the versions of the program differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Whether a move that changes nothing passes the turn.
    pub(super) passes: bool,
    /// Whether won and lost positions have values of their own.
    pub(super) ends_count: bool,
    /// Whether any position counts as won.
    pub(super) can_win: bool,
}

/// What a win needs besides its tile.
pub(super) const WIN_SCORE: i32 = 18432;

/// The tile of a win is 2048.
const WIN_RANK: u8 = 11;

/// The evaluation, and what it remembers.
pub(super) struct Values {
    pub(super) manner: Manner,
    memory: Memory,
    logarithms: Logarithms,
}

impl Values {
    pub(super) fn new(manner: Manner) -> Values {
        Values { manner, memory: Memory::new(), logarithms: Logarithms::new() }
    }

    /// Whether the game counts as won.
    #[inline]
    pub(super) fn is_won(&self, cells: Cells, score: i32) -> bool {
        score >= WIN_SCORE && self.manner.can_win && cells.max_rank() >= WIN_RANK
    }

    /// What a won position is worth.
    pub(super) fn won(&mut self, cells: Cells, score: i32, empty: u32) -> i32 {
        if self.manner.ends_count { i32::MAX } else { self.value(cells, score, empty) }
    }

    /// What a lost position is worth.
    pub(super) fn lost(&mut self, cells: Cells, score: i32, empty: u32) -> i32 {
        if self.manner.ends_count { score.min(1) } else { self.value(cells, score, empty) }
    }

    /// What any other position is worth where the search ends.
    pub(super) fn value(&mut self, cells: Cells, score: i32, empty: u32) -> i32 {
        match cells.nibbles() {
            Some(board) => self.of_nibbles(board, score, empty),
            None => self.valued(score, empty, clustering(cells) as i32),
        }
    }

    /// The same of a board of nibbles, which may be turned about its diagonal.
    #[inline]
    pub(super) fn of_nibbles(&mut self, board: Nibbles, score: i32, empty: u32) -> i32 {
        let clustering = self.memory.clustering(board);
        self.valued(score, empty, clustering)
    }

    /// Points, plus empty cells, less clustering; but not less than 1, or 0 where there are no points. The conversion
    /// is that of Java: towards zero, within bounds, and 0 of what is no number (ln 0 times no cell).
    #[inline]
    fn valued(&mut self, score: i32, empty: u32, clustering: i32) -> i32 {
        let value = f64::from(score) + self.logarithms.of(score) * f64::from(empty) - f64::from(clustering);
        (value as i32).max(score.min(1))
    }
}

/// Whether up, right, down and left, made one after another, earn no points.
#[cold]
pub(super) fn earns_nothing(mut cells: Cells) -> bool {
    for direction in Direction::ALL {
        let board = Board::new(cells);
        if board.gain(direction) > 0 {
            return false;
        }
        cells = board.slide(direction).map_or(cells, After::cells);
    }
    true
}

/// Natural logarithms of scores, remembered: a search meets few scores, and each many times. It saves a fifth of the
/// time at depth 5 and a third at depth 7.
struct Logarithms(Box<[(i32, f64); Logarithms::ENTRIES]>);

impl Logarithms {
    const ENTRIES: usize = 1 << 10;

    fn new() -> Logarithms {
        Logarithms(vec![(-1, 0.0); Logarithms::ENTRIES].try_into().expect("of this length"))
    }

    #[inline]
    fn of(&mut self, score: i32) -> f64 {
        // Scores are multiples of 4.
        let entry = &mut self.0[(score >> 2) as usize % Logarithms::ENTRIES];
        if entry.0 != score {
            *entry = (score, libm::log(score.into()));
        }
        entry.1
    }
}
