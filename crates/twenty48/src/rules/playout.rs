//! Random games to the end: their start, single play, and the result.

use gauntlet_core::rng::Rng;

use super::board::{After, Board};
use super::direction::Direction;
use super::slide::potential_of_rank;

/// A finished game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout {
    /// The board on which nothing can move.
    pub board: Board,
    /// The points.
    pub score: u64,
    /// Number of moves.
    pub moves: u32,
}

impl Playout {
    /// A game from two tiles on, which ended on a full board of these ranks after `fours` 4s had
    /// come. Points and moves need no counting: merges leave the sum of all tiles as it is, and
    /// each adds its points to the potential; so both follow from the tiles that came, one with
    /// each move and two before, 2s but for the 4s.
    #[inline(always)]
    pub(super) fn of(board: Board, ranks: [u8; 16], fours: u32) -> Playout {
        debug_assert!(ranks.iter().all(|rank| (1..=22).contains(rank)), "a board on which nothing can move");
        let (mut sum, mut potential) = (0, 0);
        for rank in ranks {
            // Without a check of overflow, which would stand in the way of vector instructions.
            let tile = 1_u32 << (rank & 31);
            sum += tile;
            potential += u64::from(u32::from(rank).wrapping_sub(1).wrapping_mul(tile));
        }
        Playout { board, score: potential - 4 * u64::from(fours), moves: sum / 2 - fours - 2 }
    }
}

/// Start of many playouts: a board on which a tile is to come, prepared once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    after: After,
    /// The rank of each cell.
    pub(super) ranks: [u8; 16],
    /// The empty cells in row-major order, as far as there are any.
    pub(super) empty: [u8; 16],
    /// Number of empty cells.
    pub(super) empties: u8,
    /// The sum of its tiles.
    sum: u32,
    /// The sum of their potentials.
    potential: u64,
}

impl Start {
    /// Prepares this board.
    ///
    /// # Panics
    /// If no cell is empty.
    pub(super) fn of(after: After) -> Start {
        let ranks = after.cells().ranks();
        let (mut empty, mut empties) = ([0; 16], 0);
        for cell in (0..16).filter(|&cell| ranks[cell] == 0) {
            empty[usize::from(empties)] = cell as u8;
            empties += 1;
        }
        assert!(empties > 0, "a tile needs an empty cell");
        let sum = after.cells().values().into_iter().sum();
        Start { after, ranks, empty, empties, sum, potential: ranks.map(potential_of_rank).iter().sum() }
    }

    /// Result of a game played from here, counted from here: the tiles that lie here are taken off
    /// the sums of [`Playout::of`], and one tile came before the first move, not two.
    #[inline(always)]
    pub(super) fn since(&self, whole: Playout) -> Playout {
        let moves = whole.moves + 2 - self.sum / 2 - 1;
        Playout { score: whole.score - self.potential, moves, ..whole }
    }

    /// Plays a game from here to its end.
    pub(super) fn play(&self, mut world: Rng, dice: Rng) -> Playout {
        let (board, spawned) = self.after.spawn(&mut world);
        self.since(play_on(board, spawned.fours, world, dice))
    }
}

/// Plays a game to its end. `fours` is the number of 4s that came up to this board.
pub(super) fn play_on(mut board: Board, mut fours: u32, mut world: Rng, mut dice: Rng) -> Playout {
    while !board.is_over() {
        if let Some(spawned) = board.turn(Direction::from_bits(dice.bits() >> 62), &mut world) {
            fours += spawned.fours;
        }
    }
    Playout::of(board, board.cells().ranks(), fours)
}
