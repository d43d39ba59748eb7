//! Values of positions, as in the program.

use gauntlet_twenty48::eval::clustering;
use gauntlet_twenty48::rules::{Afterstate, Board, Cells, Direction, PackedLines};

use super::clustering::ClusteringCache;

/// Differences between the versions of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct VersionDifferences {
    /// True if a move that changes nothing passes the turn.
    pub(super) passes: bool,
    /// True if won and lost positions have special values.
    pub(super) has_end_values: bool,
    /// True if a position can count as won.
    pub(super) can_win: bool,
}

/// Score required for a win, in addition to its tile.
pub(super) const WIN_SCORE: i32 = 18432;

/// Tile required for a win.
pub(super) const WIN_TILE: u32 = 2048;

/// Rank of that tile.
const WIN_RANK: u8 = WIN_TILE.ilog2() as u8;

/// Evaluation, with its caches.
pub(super) struct Values {
    pub(super) differences: VersionDifferences,
    clustering_cache: ClusteringCache,
    logarithms: Logarithms,
}

impl Values {
    pub(super) fn new(differences: VersionDifferences) -> Values {
        Values { differences, clustering_cache: ClusteringCache::new(), logarithms: Logarithms::new() }
    }

    /// Returns true if the game counts as won.
    #[inline]
    pub(super) fn is_won(&self, cells: Cells, score: i32) -> bool {
        score >= WIN_SCORE && self.differences.can_win && cells.max_rank() >= WIN_RANK
    }

    /// Returns the value of a won position.
    pub(super) fn win_value(&mut self, cells: Cells, score: i32, empty: u32) -> i32 {
        if self.differences.has_end_values { i32::MAX } else { self.value(cells, score, empty) }
    }

    /// Returns the value of a lost position.
    pub(super) fn loss_value(&mut self, cells: Cells, score: i32, empty: u32) -> i32 {
        if self.differences.has_end_values { score.min(1) } else { self.value(cells, score, empty) }
    }

    /// Returns the value of any other position at the end of the search.
    pub(super) fn value(&mut self, cells: Cells, score: i32, empty: u32) -> i32 {
        match cells.nibbles() {
            Some(board) => self.value_of_nibbles(board, score, empty),
            None => self.combine(score, empty, clustering(cells) as i32),
        }
    }

    /// Returns the value of a board of nibbles, which may be transposed.
    #[inline]
    pub(super) fn value_of_nibbles(&mut self, board: PackedLines, score: i32, empty: u32) -> i32 {
        let clustering = self.clustering_cache.clustering(board);
        self.combine(score, empty, clustering)
    }

    /// Returns points, plus empty cells, minus clustering; but at least 1, or 0 without points. The
    /// conversion is Java's: towards zero, saturating, and 0 for NaN (ln 0 times no cell).
    #[inline]
    fn combine(&mut self, score: i32, empty: u32, clustering: i32) -> i32 {
        let value = f64::from(score) + self.logarithms.get(score) * f64::from(empty) - f64::from(clustering);
        (value as i32).max(score.min(1))
    }
}

/// Returns true if up, right, down and left, made one after another, earn no points.
#[cold]
pub(super) fn earns_nothing(mut cells: Cells) -> bool {
    for direction in Direction::ALL {
        let board = Board::new(cells);
        if board.gain(direction) > 0 {
            return false;
        }
        cells = board.slide(direction).map_or(cells, Afterstate::cells);
    }
    true
}

/// Cache of the natural logarithms of scores: a search meets few scores, each many times. It saves
/// a fifth of the time at depth 5 and a third at depth 7.
struct Logarithms(Box<[(i32, f64); Logarithms::ENTRIES]>);

impl Logarithms {
    const ENTRIES: usize = 1 << 10;

    fn new() -> Logarithms {
        Logarithms(vec![(-1, 0.0); Logarithms::ENTRIES].try_into().expect("of this length"))
    }

    #[inline]
    fn get(&mut self, score: i32) -> f64 {
        // Scores are multiples of 4.
        let entry = &mut self.0[(score >> 2) as usize % Logarithms::ENTRIES];
        if entry.0 != score {
            *entry = (score, libm::log(score.into()));
        }
        entry.1
    }
}
