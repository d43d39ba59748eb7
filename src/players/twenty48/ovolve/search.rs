//! The search, with the moves, values and counters of the original, by tables of lines.

use super::plain;
use super::tables::{TABLES, Tables};
use crate::games::twenty48::cells::{transpose, zero_nibbles};
use crate::games::twenty48::slide::slid_both_ways;
use crate::games::twenty48::{Board, Direction};

/// What a move is worth that makes the winning tile.
pub(super) const WIN: f64 = 10_000.0;
/// What a board is worth on which nothing can be done.
pub(super) const LOSS: f64 = -10_000.0;
/// A value above this is a win some plies away.
pub(super) const WIN_IS_NEAR: f64 = 9900.0;

/// What a search found, and what the original counts on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The best move; none if every line loses.
    pub(super) mv: Option<Direction>,
    /// What it is worth.
    pub(super) score: f64,
    /// Legal moves and candidates that were tried.
    pub(super) positions: u64,
    /// Nodes left before all of these were tried.
    pub(super) cutoffs: u64,
}

/// Searches a board in full width. `win` is the rank of the tile that wins.
pub(super) fn search(board: Board, depth: u32, win: Option<u8>) -> Found {
    let sum: u64 = board.cells().values().into_iter().map(u64::from).sum();
    // A tile of 65536 takes tiles of that sum, and each ply brings at most 4 more.
    match board.cells().nibbles() {
        Some(rows) if sum + 4 * u64::from(depth) < 1 << 16 => {
            let mut search = Search::new(win);
            let max = board.cells().max_rank();
            let (mv, score) = search.player(Grid::of_rows(rows), max, depth, LOSS, WIN);
            Found { mv, score, positions: search.positions, cutoffs: search.cutoffs }
        }
        _ => plain::search(board, depth, win),
    }
}

/// A board as rows of nibbles and as columns, both kept through the search: a line is looked up wherever it lies.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    rows: u64,
    columns: u64,
}

impl Grid {
    pub(super) fn of_rows(rows: u64) -> Grid {
        Grid { rows, columns: transpose(rows) }
    }

    fn of_columns(columns: u64) -> Grid {
        Grid { rows: transpose(columns), columns }
    }
}

/// A search of boards whose tiles stay below 65536.
pub(super) struct Search {
    tables: &'static Tables,
    /// The rank that wins.
    win: u8,
    pub(super) positions: u64,
    pub(super) cutoffs: u64,
}

impl Search {
    pub(super) fn new(win: Option<u8>) -> Search {
        let win = win.filter(|&win| win <= 15).unwrap_or(u8::MAX);
        Search { tables: &TABLES, win, positions: 0, cutoffs: 0 }
    }

    /// The player is to move; `max` is the rank of the largest tile.
    fn player(&mut self, grid: Grid, max: u8, depth: u32, alpha: f64, beta: f64) -> (Option<Direction>, f64) {
        let (left, right) = slid(grid.rows);
        let (up, down) = slid(grid.columns);
        let (mut mv, mut best) = (None, alpha);
        for (direction, slid, before) in [
            (Direction::Up, up, grid.columns),
            (Direction::Right, right, grid.rows),
            (Direction::Down, down, grid.columns),
            (Direction::Left, left, grid.rows),
        ] {
            // Step 1. What the move makes of the board.
            if slid == before {
                continue;
            }
            self.positions += 1;
            let max = max + u8::from(max < 15 && has_rank(slid, max + 1));
            if max >= self.win && has_rank(slid, self.win) {
                return (Some(direction), WIN);
            }
            // Step 2. What that is worth.
            let value = if depth == 0 {
                self.tables.value(slid, transpose(slid), max)
            } else {
                let is_vertical = matches!(direction, Direction::Up | Direction::Down);
                let after = if is_vertical { Grid::of_columns(slid) } else { Grid::of_rows(slid) };
                let value = self.computer(after, max, depth - 1, best, beta);
                if value > WIN_IS_NEAR { value - 1.0 } else { value }
            };
            // Step 3. Whether it is better, or too good to be allowed.
            if value > best {
                (mv, best) = (Some(direction), value);
            }
            if best > beta {
                self.cutoffs += 1;
                return (mv, beta);
            }
        }
        (mv, best)
    }

    /// The most annoying tiles are to come.
    pub(super) fn computer(&mut self, after: Grid, max: u8, depth: u32, alpha: f64, beta: f64) -> f64 {
        let mut best = beta;
        for (rank, mut places) in (1..).zip(self.candidates(after)) {
            while places != 0 {
                let place = places.trailing_zeros() / 4;
                places &= places - 1;
                self.positions += 1;
                let grid = Grid {
                    rows: after.rows | rank << (16 * (place % 4) + 4 * (place / 4)),
                    columns: after.columns | rank << (4 * place),
                };
                let (_, value) = self.player(grid, max.max(rank as u8), depth, alpha, best);
                best = best.min(value);
                if best < alpha {
                    self.cutoffs += 1;
                    return alpha;
                }
            }
        }
        best
    }

    /// The most annoying 2s and the most annoying 4s: a one in each such nibble, in the order of columns.
    ///
    /// A new tile changes the smoothness of its row and of its column only. It is an island of its own, but makes
    /// one of all groups of equal tiles beside it. So annoyances are compared by these changes alone.
    pub(super) fn candidates(&self, after: Grid) -> [u64; 2] {
        let tiles = [1, 2].map(|rank| zero_nibbles(after.columns ^ (rank * ONES)));
        let beside = tiles.map(beside);
        let mut most = 0;
        let mut candidates = [0; 2];
        let mut empty = zero_nibbles(after.columns);
        while empty != 0 {
            let place = empty.trailing_zeros();
            let here = empty & empty.wrapping_neg();
            empty ^= here;
            let (column, row) = (place as usize / 16, place as usize / 4 % 4);
            let by_column = self.tables.roughening((after.columns >> (16 * column)) as u16, row);
            let by_row = self.tables.roughening((after.rows >> (16 * row)) as u16, column);
            let rougher = by_column + by_row;
            for (which, rougher) in [rougher as u8, (rougher >> 32) as u8].into_iter().enumerate() {
                let neighbours = (beside[which] >> place) as u8 & 15;
                let joined = if neighbours < 2 { neighbours } else { groups_beside(here, tiles[which]) };
                // At most four groups are joined, so this does not fall below 0.
                let annoyance = rougher + 4 - joined;
                if annoyance > most {
                    most = annoyance;
                    candidates = [0; 2];
                }
                if annoyance == most {
                    candidates[which] |= here;
                }
            }
        }
        candidates
    }
}

/// A one in each nibble.
const ONES: u64 = 0x1111_1111_1111_1111;

/// All lines slid towards their first cells, and towards their last.
#[inline]
fn slid(lines: u64) -> (u64, u64) {
    let [a, b, c, d] = [0, 16, 32, 48].map(|shift| slid_both_ways((lines >> shift) as u16));
    let whole = |a: u16, b: u16, c: u16, d: u16| {
        u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
    };
    (whole(a.0, b.0, c.0, d.0), whole(a.1, b.1, c.1, d.1))
}

#[inline]
fn has_rank(cells: u64, rank: u8) -> bool {
    zero_nibbles(cells ^ (u64::from(rank) * ONES)) != 0
}

/// In each nibble, how many of the four cells beside it are in the mask.
#[inline]
fn beside(mask: u64) -> u64 {
    let from_before = (mask & 0x0111_0111_0111_0111) << 4;
    let from_behind = (mask & 0x1110_1110_1110_1110) >> 4;
    (mask << 16) + (mask >> 16) + from_before + from_behind
}

/// How many groups of the mask's cells, connected by their sides, lie beside a cell.
#[cold]
fn groups_beside(cell: u64, mask: u64) -> u8 {
    let around = |cells: u64| {
        let sides = beside(cells);
        (sides | sides >> 1 | sides >> 2) & mask
    };
    let mut left = around(cell);
    let mut groups = 0;
    while left != 0 {
        let mut group = left & left.wrapping_neg();
        loop {
            let larger = group | around(group);
            if larger == group {
                break;
            }
            group = larger;
        }
        left &= !group;
        groups += 1;
    }
    groups
}
