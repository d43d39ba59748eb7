//! A player that makes only some moves of its games, in all parts of them. A faster one makes the
//! others, so that whole games take little time.

use std::sync::Arc;

use super::entry::Entry;
use crate::game::Game;
use crate::player::{BuildContext, Choice, NoMove, Player, Preparation, Recipe, RecipeFacts, Start};

impl Entry {
    /// Returns a player that makes one in `stride` moves and leaves the others to `stand_in`, a
    /// player of the same game. The time of the stand-in does not count.
    ///
    /// # Panics
    /// If the players are of different games.
    #[must_use]
    pub fn with_stand_in(&self, stand_in: &Entry, stride: u32) -> Entry {
        Entry { player: self.player.share_moves(stand_in, stride), ..self.clone() }
    }
}

/// Recipe of a player with a stand-in.
#[derive(Debug)]
pub(super) struct SharedMoves<G: Game> {
    pub(super) player: Arc<dyn Recipe<G>>,
    pub(super) stand_in: Arc<dyn Recipe<G>>,
    pub(super) stride: u32,
}

impl<G: Game> Recipe<G> for SharedMoves<G> {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>> {
        // What the stand-in prepares is in its own time.
        let stand_in_context = BuildContext { preparation: Preparation::default(), ..context.clone() };
        Ok(Box::new(PlayerWithStandIn {
            player: self.player.build(context)?,
            stand_in: self.stand_in.build(&stand_in_context)?,
            stride: self.stride,
            moves: 0,
            preparation: context.preparation.clone(),
        }))
    }

    fn facts(&self, rules: &G::Rules) -> RecipeFacts {
        self.player.facts(rules)
    }
}

struct PlayerWithStandIn<G: Game> {
    player: Box<dyn Player<G>>,
    stand_in: Box<dyn Player<G>>,
    stride: u32,
    /// Number of moves made in the game.
    moves: u32,
    preparation: Preparation,
}

impl<G: Game> Player<G> for PlayerWithStandIn<G> {
    fn begin(&mut self, start: &Start<G>) {
        self.player.begin(start);
        self.stand_in.begin(start);
        self.moves = 0;
    }

    fn choose(&mut self, position: &G) -> Result<Choice<G::Move>, NoMove> {
        let is_own_move = self.moves % self.stride == self.stride / 2;
        self.moves += 1;
        if is_own_move {
            self.player.choose(position)
        } else {
            self.preparation.run(|| self.stand_in.choose(position))
        }
    }
}
