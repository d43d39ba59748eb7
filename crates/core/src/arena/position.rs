//! A position of some game, without its type: for what asks programs one question after the other.

use crate::game::{Block, Game, Outcome, Seat};
use crate::protocol::no_move;
use crate::rng::Rng;

/// A position in play.
pub trait Position {
    /// The words by which another program is told it.
    fn told(&self) -> String;

    /// Whose turn it is; none if the game is over.
    fn to_move(&self) -> Option<Seat>;

    /// Every legal move.
    fn moves(&self) -> Vec<String>;

    /// Plays a move, or says why not.
    fn play(&mut self, mv: &str) -> Result<(), String>;

    /// State of the game.
    fn outcome(&self) -> Outcome;
}

pub(super) struct InPlay<G: Game> {
    position: G,
    world: Rng,
}

impl<G: Game> InPlay<G> {
    pub(super) fn of(position: G, block: Block) -> InPlay<G> {
        InPlay { position, world: block.world().rng() }
    }
}

impl<G: Game> Position for InPlay<G> {
    fn told(&self) -> String {
        let mut line = Vec::new();
        self.position.tell(&mut line);
        String::from_utf8_lossy(&line).into_owned()
    }

    fn to_move(&self) -> Option<Seat> {
        self.position.to_move()
    }

    fn moves(&self) -> Vec<String> {
        let mut moves = Vec::new();
        if self.position.to_move().is_some() {
            self.position.moves(&mut moves);
        }
        moves.iter().map(ToString::to_string).collect()
    }

    fn play(&mut self, mv: &str) -> Result<(), String> {
        let known = self.position.read_move(mv).ok_or_else(|| no_move(mv, G::MOVES))?;
        let done = self.position.play(known, &mut self.world);
        done.map_err(|_| format!("{mv} is not possible here"))
    }

    fn outcome(&self) -> Outcome {
        self.position.outcome()
    }
}
