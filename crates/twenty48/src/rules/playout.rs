//! Random games to the end: their start, sequential play, and the result.

use gauntlet_core::rng::Rng;

use super::board::{Afterstate, Board};
use super::direction::Direction;
use super::slide::potential_of_rank;

/// Finished game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playout {
    /// Final board, on which nothing can move.
    pub board: Board,
    /// Score of the game.
    pub score: u64,
    /// Number of moves.
    pub moves: u32,
}

impl Playout {
    /// Creates the result of a game from two tiles on, which ended on a full board of these ranks
    /// with `fours` spawned 4s. Points and moves need no counting: merges keep the sum of all
    /// tiles, and each adds its points to the potential. So both follow from the spawned tiles: one
    /// per move and two before, 2s except for the 4s.
    #[inline(always)]
    pub(super) fn new(board: Board, ranks: [u8; 16], fours: u32) -> Playout {
        debug_assert!(ranks.iter().all(|rank| (1..=22).contains(rank)), "the board has no legal move");
        let (mut sum, mut potential) = (0, 0);
        for rank in ranks {
            // Without an overflow check, which would prevent vector instructions.
            let tile = 1_u32 << (rank & 31);
            sum += tile;
            potential += u64::from(u32::from(rank).wrapping_sub(1).wrapping_mul(tile));
        }
        Playout { board, score: potential - 4 * u64::from(fours), moves: sum / 2 - fours - 2 }
    }
}

/// Start of many playouts: a board before a tile appears, prepared once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    after: Afterstate,
    /// Rank of each cell.
    pub(super) ranks: [u8; 16],
    /// Empty cells in row-major order; the rest is unused.
    pub(super) empty_cells: [u8; 16],
    /// Number of empty cells.
    pub(super) empty_count: u8,
    /// Sum of its tiles.
    sum: u32,
    /// Sum of their potentials.
    potential: u64,
}

impl Start {
    /// Prepares this board.
    ///
    /// # Panics
    /// If no cell is empty.
    pub(super) fn new(after: Afterstate) -> Start {
        let ranks = after.cells().ranks();
        let (mut empty_cells, mut empty_count) = ([0; 16], 0);
        for cell in (0..16).filter(|&cell| ranks[cell] == 0) {
            empty_cells[usize::from(empty_count)] = cell as u8;
            empty_count += 1;
        }
        assert!(empty_count > 0, "a tile needs an empty cell");
        let sum = after.cells().values().into_iter().sum();
        Start {
            after,
            ranks,
            empty_cells,
            empty_count,
            sum,
            potential: ranks.map(potential_of_rank).iter().sum(),
        }
    }

    /// Converts the result of a game played from here to one counted from here. It subtracts the
    /// initial tiles from the sums of [`Playout::new`]. One tile came before the first move, not
    /// two.
    #[inline(always)]
    pub(super) fn subtract_start(&self, playout: Playout) -> Playout {
        let moves = playout.moves + 2 - self.sum / 2 - 1;
        Playout { score: playout.score - self.potential, moves, ..playout }
    }

    /// Plays a game from here to its end.
    pub(super) fn play(&self, mut game_rng: Rng, player_rng: Rng) -> Playout {
        let (board, spawn_count) = self.after.spawn(&mut game_rng);
        self.subtract_start(play_to_end(board, spawn_count.fours, game_rng, player_rng))
    }
}

/// Plays a game to its end. `fours` is the number of 4s spawned up to this board.
pub(super) fn play_to_end(
    mut board: Board,
    mut fours: u32,
    mut game_rng: Rng,
    mut player_rng: Rng,
) -> Playout {
    while !board.is_over() {
        if let Some(spawn_count) =
            board.play_turn(Direction::from_bits(player_rng.bits() >> 62), &mut game_rng)
        {
            fours += spawn_count.fours;
        }
    }
    Playout::new(board, board.cells().ranks(), fours)
}
