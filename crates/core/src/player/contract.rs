//! The contract of a player, and what it may do besides choosing moves.

use serde_json::Value;

use super::no_move::NoMove;
use crate::game::{Game, Outcome, Seat};
use crate::record::CpuTime;
use crate::rng::Seed;

/// Something that chooses moves, built for one seat.
pub trait Player<G: Game>: Send {
    /// Forgets everything: the next game must not depend on the last one.
    fn begin(&mut self, start: &Start<G>);

    /// Chooses a move. Only asked where there is one.
    fn choose(&mut self, position: &G) -> Result<Thought<G::Move>, NoMove>;

    /// What it can do besides choosing moves.
    fn abilities(&mut self) -> Abilities<'_, G> {
        Abilities::None
    }
}

/// What a player can do besides choosing moves.
pub enum Abilities<'a, G: Game> {
    /// Nothing.
    None,
    /// It explains its choices.
    Inspect(&'a mut dyn Inspect<G>),
    /// It thinks in another process.
    Remote(&'a mut dyn Remote<G>),
}

impl<'a, G: Game> Abilities<'a, G> {
    /// The player, if it thinks in another process.
    pub fn remote(self) -> Option<&'a mut dyn Remote<G>> {
        if let Abilities::Remote(player) = self { Some(player) } else { None }
    }

    /// The player, if it explains its choices.
    pub fn inspect(self) -> Option<&'a mut dyn Inspect<G>> {
        if let Abilities::Inspect(player) = self { Some(player) } else { None }
    }

    /// Counters of the last choice ([`Inspect::counters`]).
    pub fn counters(self) -> Vec<(&'static str, Value)> {
        self.inspect().map_or_else(Vec::new, |player| player.counters())
    }

    /// Values of the legal moves at the last choice ([`Inspect::move_values`]).
    pub fn move_values(self, position: &G) -> Vec<(G::Move, f64)> {
        self.inspect().map_or_else(Vec::new, |player| player.move_values(position))
    }
}

/// A player that explains its last choice, for `gauntlet show` and `gauntlet probe`.
pub trait Inspect<G: Game> {
    /// Counters of the last choice.
    fn counters(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Value of each legal move, on the scale of [`Thought::value`]. Called right after `choose`,
    /// with the same position. It may take as long again and changes no later choice.
    fn move_values(&mut self, position: &G) -> Vec<(G::Move, f64)> {
        let _ = position;
        Vec::new()
    }
}

/// A player that thinks in another process.
///
/// Several games of one player can be open at once, each with a number below [`Remote::batch`]. The
/// number of a finished game is used again.
pub trait Remote<G: Game> {
    /// Name and version that its program reports, if it does. May start the program.
    fn greeting(&mut self, rules: &G::Rules) -> Result<Option<String>, NoMove> {
        let _ = rules;
        Ok(None)
    }

    /// CPU time that its processes have used since it was built.
    fn cpu_time(&self) -> CpuTime {
        CpuTime::default()
    }

    /// Maximum number of open games; 1 in a game of two. May start the program.
    fn batch(&mut self, rules: &G::Rules) -> usize {
        let _ = rules;
        1
    }

    /// Begins the game of this number. Called instead of [`Player::begin`] if `batch` exceeds 1.
    fn begin_numbered(&mut self, number: usize, start: &Start<G>) {
        let _ = (number, start);
    }

    /// Chooses a move in each of these open games, in their order. Appends an answer or an error
    /// for each game. An error of the call means that no game has an answer, and that all open
    /// games must begin again. No move may depend on which games are asked about together.
    fn choose_all(
        &mut self,
        asked: &[(usize, &G)],
        answers: &mut Vec<Result<Thought<G::Move>, NoMove>>,
    ) -> Result<(), NoMove> {
        let _ = (asked, answers);
        Ok(())
    }

    /// The game of this number is over; 0 if games are played one after the other. An abandoned
    /// game has no end.
    fn end(&mut self, number: usize, outcome: Outcome) {
        let _ = (number, outcome);
    }
}

/// The beginning of a game, as one of its players is told it.
#[derive(Debug)]
pub struct Start<'a, G: Game> {
    /// Source of the player's chance, if it uses any: no other game, leg or seat has the same.
    pub seed: Seed,
    /// The seat that it plays in.
    pub seat: Seat,
    /// The rules of the experiment. They are data, so a player can write them down for another
    /// program.
    pub rules: &'a G::Rules,
}

/// A chosen move, and what the player says of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thought<M> {
    /// The move.
    pub mv: M,
    /// The player's estimate of the move's value, on the player's own scale.
    pub value: Option<f64>,
    /// Positions visited beyond the one on the board, 0 where the player does not search.
    pub nodes: u64,
    /// Depth of the search that the move rests on, in the player's own plies; none where nothing
    /// was searched, or where the depth says nothing. It may depend on the clock, so it stands in a
    /// table of times and in no record.
    pub depth: Option<u32>,
}

impl<M> Thought<M> {
    /// A move that was chosen without a search.
    pub const fn of(mv: M) -> Thought<M> {
        Thought { mv, value: None, nodes: 0, depth: None }
    }
}
