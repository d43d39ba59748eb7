//! Boards and numbers for tests of players.

use gauntlet_core::game::{Game, RandomPlay};
use gauntlet_core::rng::Seed;
use serde_json::value::RawValue;

use crate::rules::{Board, Cells, Rules, Twenty48};

/// Parses a number exactly: serde_json may miss the nearest double by one unit in the last place.
pub fn parse_exact(value: &RawValue) -> f64 {
    value.get().trim_matches('"').parse().expect("a number")
}

/// Returns every board of the random game of this seed on which a move was made.
pub fn random_boards(seed: u64) -> Vec<Board> {
    let mut game_rng = Seed::root(seed).child("world", 0).rng();
    let mut player_rng = Seed::root(seed).child("player", 0).rng();
    let mut game = Twenty48::start(&Rules::default(), &mut game_rng);
    let mut boards = Vec::new();
    while let Some(mv) = game.random_move(&mut player_rng) {
        boards.push(game.board());
        game.play(mv, &mut game_rng).expect("a legal move");
    }
    boards
}

/// Raises all tiles of rank `min_rank` or more equally, so that the largest becomes `largest`.
/// Small tiles are kept, so that new tiles can merge with them.
pub fn raise_tiles(cells: Cells, largest: u8, min_rank: u8) -> Cells {
    let max_rank = cells.max_rank();
    Cells::from_ranks(
        cells.ranks().map(|rank| if rank >= min_rank { rank + largest - max_rank } else { rank }),
    )
}
