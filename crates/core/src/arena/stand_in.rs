//! A player that makes only some moves of its games, in all parts of them. A faster one makes the
//! others, so that whole games take little time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::entry::Entry;
use crate::game::Game;
use crate::player::{BuildContext, Choice, NoMove, Player, Preparation, Recipe, RecipeFacts, Start};

impl Entry {
    /// Returns a player that makes one in `stride` moves and leaves the others to `stand_in`, a
    /// player of the same game. The time of the stand-in does not count. Also returns the number of
    /// own moves, which grows as the player plays.
    ///
    /// # Panics
    /// If the players are of different games.
    #[must_use]
    pub fn with_stand_in(&self, stand_in: &Entry, stride: u32) -> (Entry, Arc<AtomicU64>) {
        let own_moves = Arc::new(AtomicU64::new(0));
        let player = self.player.share_moves(stand_in, stride, Arc::clone(&own_moves));
        (Entry { player, ..self.clone() }, own_moves)
    }
}

/// Recipe of a player with a stand-in.
#[derive(Debug)]
pub(super) struct SharedMoves<G: Game> {
    pub(super) player: Arc<dyn Recipe<G>>,
    pub(super) stand_in: Arc<dyn Recipe<G>>,
    pub(super) stride: u32,
    pub(super) own_moves: Arc<AtomicU64>,
}

/// Distance between the first own moves of successive games, so that all parts of games are
/// measured. It has no common divisor with the stride.
const GAME_OFFSET: u32 = 7;

impl<G: Game> Recipe<G> for SharedMoves<G> {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>> {
        // What the stand-in prepares is in its own time.
        let stand_in_context = BuildContext { preparation: Preparation::default(), ..context.clone() };
        Ok(Box::new(PlayerWithStandIn {
            player: self.player.build(context)?,
            stand_in: self.stand_in.build(&stand_in_context)?,
            stride: self.stride,
            own_moves: Arc::clone(&self.own_moves),
            moves: 0,
            next_offset: self.stride - self.stride / 2,
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
    own_moves: Arc<AtomicU64>,
    /// Number of moves made in the game, plus the offset of the game.
    moves: u32,
    next_offset: u32,
    preparation: Preparation,
}

impl<G: Game> Player<G> for PlayerWithStandIn<G> {
    fn begin(&mut self, start: &Start<G>) {
        self.player.begin(start);
        self.stand_in.begin(start);
        self.moves = self.next_offset;
        self.next_offset = (self.next_offset + GAME_OFFSET) % self.stride;
    }

    fn choose(&mut self, position: &G) -> Result<Choice<G::Move>, NoMove> {
        let is_own_move = self.moves.is_multiple_of(self.stride);
        self.moves += 1;
        if is_own_move {
            self.own_moves.fetch_add(1, Ordering::Relaxed);
            self.player.choose(position)
        } else {
            self.preparation.run(|| self.stand_in.choose(position))
        }
    }
}
