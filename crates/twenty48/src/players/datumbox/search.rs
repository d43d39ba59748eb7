//! The search, down to its last turn.

use gauntlet_core::player::Stop;

use super::super::new_tile::NewTile;
use super::last_turn::LastTurn;
use super::values::{Values, VersionDifferences, earns_nothing};
use crate::rules::{After, Board, Cells, Direction};

/// The search, and what it remembers.
pub(super) struct Search {
    last_turn: LastTurn,
    /// True if all boards of this search fit into nibbles.
    fits: bool,
    /// Killers by plies to come: the tile that was worst where one was looked for last, and the
    /// move that was good enough. Tried first, they spare others: with the same for moves of the
    /// last turn 38 % of all positions at depth 5 and 58 % at depth 7, over ten games.
    worst_tiles: [Option<NewTile>; PLIES],
    best_moves: [Direction; PLIES],
    /// Positions visited before the last turn.
    nodes: u64,
    pub(super) stop: Stop,
}

/// More than any depth.
const PLIES: usize = 21;

impl Search {
    pub(super) fn new(manner: VersionDifferences, stop: Stop) -> Search {
        Search {
            last_turn: LastTurn::new(manner),
            fits: true,
            worst_tiles: [None; PLIES],
            best_moves: [Direction::Up; PLIES],
            nodes: 0,
            stop,
        }
    }

    /// Values of positions.
    pub(super) fn values(&mut self) -> &mut Values {
        &mut self.last_turn.values
    }

    /// Positions that the last search visited.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes + self.last_turn.nodes
    }

    /// The first direction of the highest value among those that are `accepted`, and that value.
    /// The player is to move, the position is not won, and `depth` is not 0.
    pub(super) fn choose(
        &mut self,
        cells: Cells,
        score: i32,
        depth: u32,
        accepted: impl Fn(Direction) -> bool,
    ) -> (Option<Direction>, i32) {
        self.nodes = 0;
        self.last_turn.begin();
        self.worst_tiles = [None; PLIES];
        self.best_moves = [Direction::Up; PLIES];
        self.fits = cells.nibbles_for(depth).is_some();
        let board = Board::new(cells);
        if board.is_over() {
            return (None, self.values().lost(cells, score, 0));
        }
        let (mut best, mut alpha) = (None, i32::MIN);
        for direction in Direction::ALL.into_iter().filter(|&direction| accepted(direction)) {
            let Some((after, gained)) = self.moved(board, score, direction) else { continue };
            let value = self.computer(after, gained, cells.empty(), depth - 1, alpha, i32::MAX);
            if value > alpha {
                (best, alpha) = (Some(direction), value);
            }
        }
        (best, alpha)
    }

    /// Value of each of these directions: the search of `choose`, without bounds from other
    /// directions.
    pub(super) fn weigh(
        &mut self,
        cells: Cells,
        score: i32,
        depth: u32,
        accepted: impl Iterator<Item = Direction>,
    ) -> Vec<(Direction, f64)> {
        let board = Board::new(cells);
        let worth = |direction| {
            let (after, gained) = self.moved(board, score, direction)?;
            let value = self.computer(after, gained, cells.empty(), depth - 1, i32::MIN, i32::MAX);
            Some((direction, value.into()))
        };
        accepted.filter_map(worth).collect()
    }

    /// The board after a move and the score with its gain; none if this is no move.
    #[inline]
    fn moved(&self, board: Board, score: i32, direction: Direction) -> Option<(Cells, i32)> {
        match board.slide(direction) {
            Some(after) => Some((after.cells(), score + board.gain(direction) as i32)),
            None if self.last_turn.values.manner.passes => Some((board.cells(), score)),
            None => None,
        }
    }

    /// The player is to move. The value, cut to the bounds.
    fn player(&mut self, cells: Cells, score: i32, depth: u32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        // Step 1. Lost, or as deep as we go. Won it is not: its parent was not, and a tile wins
        // nothing.
        let board = Board::new(cells);
        if board.is_over() {
            return self.values().lost(cells, score, 0);
        }
        let empty = cells.empty();
        if depth == 0 {
            return self.values().value(cells, score, empty);
        }
        // Step 2. The best of the moves, beginning with what was good enough on a board like this.
        let ply = depth as usize;
        let first = self.best_moves[ply];
        let others = Direction::ALL.into_iter().filter(|&direction| direction != first);
        for direction in std::iter::once(first).chain(others) {
            let Some((after, gained)) = self.moved(board, score, direction) else { continue };
            alpha = alpha.max(self.computer(after, gained, empty, depth - 1, alpha, beta));
            if beta <= alpha {
                self.best_moves[ply] = direction;
                break;
            }
        }
        alpha
    }

    /// A tile is to come. `stale` is how many cells were empty before the move. The value, cut to
    /// the bounds.
    fn computer(
        &mut self,
        cells: Cells,
        score: i32,
        stale: u32,
        depth: u32,
        alpha: i32,
        mut beta: i32,
    ) -> i32 {
        self.nodes += 1;
        // Step 1. Won, lost, or as deep as we go.
        if self.values().is_won(cells, score) {
            return self.values().won(cells, score, stale);
        }
        if stale == 0 && earns_nothing(cells) {
            return self.values().lost(cells, score, stale);
        }
        if depth == 0 {
            return self.values().value(cells, score, stale);
        }
        // Step 2. A pass on a full board leaves no room for a tile.
        if cells.empty() == 0 {
            return 0;
        }
        if self.stop.is_asked() {
            return beta;
        }
        // Step 3. The worst of the tiles that may come, beginning with what was worst on a board
        // like this.
        if let Some(nibbles) = cells.nibbles().filter(|_| self.fits && depth == 2) {
            return self.last_turn.search(nibbles, score, alpha, beta);
        }
        let ply = depth as usize;
        let after = After::new(cells);
        for tile in NewTile::all_but_first(self.worst_tiles[ply], cells.empty_mask()) {
            let child = after.place(tile.cell, tile.rank).cells();
            let value = self.player(child, score, depth - 1, alpha, beta);
            if value < beta {
                beta = value;
                self.worst_tiles[ply] = Some(tile);
                if beta <= alpha {
                    break;
                }
            }
        }
        beta
    }
}
