//! Contract of a player, and its optional abilities.

use std::time::Duration;

use serde_json::Value;

use super::no_move::NoMove;
use crate::game::{Game, Outcome, Seat};
use crate::record::ProcessTime;
use crate::rng::Seed;

/// Player: chooses moves for one seat.
pub trait Player<G: Game>: Send {
    /// Starts a game and resets all state, because no game may depend on an earlier one.
    fn begin(&mut self, start: &Start<G>);

    /// Chooses a move. It is only called if there is a legal move.
    fn choose(&mut self, position: &G) -> Result<Choice<G::Move>, NoMove>;

    /// Plays whole games at once, one per pair of seeds (world, player). The games must be those of
    /// asking for one move after another. `None` if the player has no faster way under these rules.
    fn play_games(
        &mut self,
        rules: &G::Rules,
        seeds: &mut dyn Iterator<Item = (Seed, Seed)>,
    ) -> Option<Vec<G>> {
        let _ = (rules, seeds);
        None
    }

    /// Returns the player's optional abilities.
    fn abilities(&mut self) -> Abilities<'_, G> {
        Abilities::None
    }
}

/// Optional abilities of a player.
pub enum Abilities<'a, G: Game> {
    /// No abilities.
    None,
    /// Explains its choices.
    Inspect(&'a mut dyn Inspect<G>),
    /// Computes in another process.
    Remote(&'a mut dyn RemotePlayer<G>),
}

impl<'a, G: Game> Abilities<'a, G> {
    /// Returns the player, if it computes in another process.
    pub fn remote(self) -> Option<&'a mut dyn RemotePlayer<G>> {
        if let Abilities::Remote(player) = self { Some(player) } else { None }
    }

    /// Returns the player, if it explains its choices.
    pub fn inspect(self) -> Option<&'a mut dyn Inspect<G>> {
        if let Abilities::Inspect(player) = self { Some(player) } else { None }
    }

    /// Returns the counters of the last choice ([`Inspect::counters`]).
    pub fn counters(self) -> Vec<(&'static str, Value)> {
        self.inspect().map_or_else(Vec::new, |player| player.counters())
    }

    /// Returns the table that the last choice came from ([`Inspect::table_move`]).
    pub fn table_move(self) -> Option<TableMove<G::Move>> {
        self.inspect().and_then(|player| player.table_move())
    }

    /// Returns the values of the legal moves at the last choice ([`Inspect::move_values`]).
    pub fn move_values(self, position: &G) -> Vec<(G::Move, f64)> {
        self.inspect().map_or_else(Vec::new, |player| player.move_values(position))
    }
}

/// Player that explains its last choice, for `gauntlet show` and `gauntlet probe`.
pub trait Inspect<G: Game> {
    /// Returns the counters of the last choice. It must not change any later choice.
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// Returns the table that the last choice came from, if it came from one. It may search, and
    /// must not change any later choice.
    fn table_move(&mut self) -> Option<TableMove<G::Move>> {
        None
    }

    /// Returns the value of each legal move, on the scale of [`Choice::value`]. It is called right
    /// after `choose`, with the same position. It may take as long again, and must not change any
    /// later choice.
    fn move_values(&mut self, position: &G) -> Vec<(G::Move, f64)> {
        let _ = position;
        Vec::new()
    }
}

/// Player that computes in another process.
///
/// Several games of one player can be open at once, each with a number below
/// [`RemotePlayer::batch_size`]. Numbers of finished games are reused.
pub trait RemotePlayer<G: Game> {
    /// Returns the name and version that its program reports, if any. May start the program.
    fn greeting(&mut self, rules: &G::Rules) -> Result<Option<String>, NoMove> {
        let _ = rules;
        Ok(None)
    }

    /// Returns the CPU time that its processes have used since it was built.
    fn cpu_time(&self) -> ProcessTime {
        ProcessTime::default()
    }

    /// Returns the maximum number of open games; 1 in a duel. May start the program.
    fn batch_size(&mut self, rules: &G::Rules) -> usize {
        let _ = rules;
        1
    }

    /// Begins the game with this number. It is called instead of [`Player::begin`] if `batch_size`
    /// exceeds 1.
    fn begin_numbered(&mut self, number: usize, start: &Start<G>) {
        let _ = (number, start);
    }

    /// Chooses a move in each of these open games, in order, and appends an answer or an error for
    /// each. An error of the call means that no game has an answer and all open games must restart.
    /// No move may depend on which games are asked about together.
    fn choose_all(
        &mut self,
        positions: &[(usize, &G)],
        answers: &mut Vec<Result<Choice<G::Move>, NoMove>>,
    ) -> Result<(), NoMove> {
        let _ = (positions, answers);
        Ok(())
    }

    /// Returns the time of the last call of `choose_all`, if the caller also waited for other
    /// players.
    fn thinking_time(&self) -> Option<Duration> {
        None
    }

    /// Ends the game with this number; 0 if games are played one after another. It is not called
    /// for an abandoned game.
    fn end(&mut self, number: usize, outcome: Outcome) {
        let _ = (number, outcome);
    }
}

/// Start of a game, for one of its players.
#[derive(Debug)]
pub struct Start<'a, G: Game> {
    /// Seed for the player's random choices, unique to this game, leg and seat.
    pub seed: Seed,
    /// Seat of the player.
    pub seat: Seat,
    /// Rules of the experiment. They are data, so that a player can pass them on to another
    /// program.
    pub rules: &'a G::Rules,
}

/// Table of solved positions that a choice came from.
#[derive(Clone, Debug, PartialEq)]
pub struct TableMove<M> {
    /// Name of the table.
    pub name: String,
    /// Probability to win, by the table.
    pub probability: f64,
    /// Choice of a player without tables whose game begins at this position; `None` if it has none.
    pub search: Option<M>,
}

impl<M: ToString> TableMove<M> {
    /// Converts the move to text.
    pub fn into_text(self) -> TableMove<String> {
        let TableMove { name, probability, search } = self;
        TableMove { name, probability, search: search.map(|mv| mv.to_string()) }
    }
}

/// Chosen move, with the player's information about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<M> {
    /// Chosen move.
    pub mv: M,
    /// Player's estimate of the move's value, on its own scale.
    pub value: Option<f64>,
    /// Number of positions visited beyond the current one; 0 without a search.
    pub nodes: u64,
    /// Search depth behind the move, in the player's own plies; `None` without a search, or if
    /// depth has no meaning. It may depend on the clock, so it appears in a table of times and in
    /// no record.
    pub depth: Option<u32>,
    /// True if the move comes from a table of solved positions, without a search.
    pub is_from_table: bool,
}

impl<M> Choice<M> {
    /// Creates a choice made without a search.
    pub const fn new(mv: M) -> Choice<M> {
        Choice { mv, value: None, nodes: 0, depth: None, is_from_table: false }
    }
}
