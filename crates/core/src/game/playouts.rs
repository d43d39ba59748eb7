//! Games of random moves from a position, as they are asked for and as they are defined.

use std::ops::ControlFlow;

use super::{Game, Outcome};
use crate::rng::{Rng, Seed};

/// Random games that are asked of a position ([`Game::playouts`]).
#[derive(Clone, Copy, Debug)]
pub struct Playouts<'a, M> {
    /// The legal moves that they begin with.
    pub first: &'a [M],
    /// Number of games that begin with each: game n begins with move n / `runs`.
    pub runs: usize,
    /// A game is left when it has this many moves, the first one included.
    pub most_moves: u32,
    /// Game n draws its world from the n-th child named "world", and its moves after the first from the n-th child named
    /// "player".
    pub seed: Seed,
}

/// Result of a random game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playout {
    /// Its outcome at the end, or when it was left.
    pub outcome: Outcome,
    /// Number of moves.
    pub moves: u32,
}

/// Plays random moves by the rules, one after the other: the definition of [`Game::play_out`].
pub fn play_out_plainly<G: Game>(game: &mut G, most_moves: u32, world: &mut Rng, dice: &mut Rng) -> u32 {
    let mut moves = 0;
    while moves < most_moves && game.to_move().is_some() {
        let Some(mv) = game.random_move(dice) else { break };
        game.play(mv, world).expect("a random move is legal");
        moves += 1;
    }
    moves
}

/// Plays random games one after the other: the definition of [`Game::playouts`].
pub fn playouts_one_by_one<G: Game>(
    position: &G,
    asked: &Playouts<G::Move>,
    mut ended: impl FnMut(usize, Playout) -> ControlFlow<()>,
) {
    let (worlds, players) = (asked.seed.children("world"), asked.seed.children("player"));
    let mut game = position.clone();
    for number in 0..asked.first.len() * asked.runs {
        let (mut world, mut dice) =
            (worlds.numbered(number as u64).rng(), players.numbered(number as u64).rng());
        game.clone_from(position);
        game.play(asked.first[number / asked.runs], &mut world).expect("a legal move");
        let moves = 1 + game.play_out(asked.most_moves.saturating_sub(1), &mut world, &mut dice);
        if ended(number, Playout { outcome: game.outcome(), moves }).is_break() {
            return;
        }
    }
}
