//! The contract of a game: its rules, as far as a contest needs them. It knows nothing of who plays.
//!
//! Laws, which `tests/it/games.rs` holds every game to:
//! - what `moves` lists is what `play` accepts, and nothing else;
//! - where `to_move` is none because the rules ended the game (not the experiment, [`Game::is_cut_short`]), there
//!   are no moves;
//! - equal seeds and equal moves make equal games.

use std::fmt::{Debug, Display};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::rng::{Rng, Seed};

/// A place at the table. A solo game has only the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// Who moves first, or alone.
    First,
    /// The other one.
    Second,
}

/// How a position ended, or how it stands: absolute, not as somebody sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A solo game: points, and whether they count as a win.
    Points {
        /// Points so far.
        score: u64,
        /// Whether what the rules call a win was reached.
        won: bool,
    },
}

/// The most facts of its own that any game has ([`Game::FACTS`]).
pub const MAX_FACTS: usize = 2;

/// A game's own columns, in the order of [`Game::FACTS`]; the rest is 0.
pub type Facts = [i64; MAX_FACTS];

/// The rules of a game. A position is cloneable and a stream of chance is not, so no position hides one inside
/// itself: whoever plays a move brings the dice.
pub trait Game: Clone + Display + Debug + Send + 'static {
    /// What an experiment may set about the rules; its fields are keys of the experiment's file.
    type Rules: Rules;
    /// A move.
    type Move: Copy + PartialEq + Debug + Display + Send + 'static;

    /// Name in experiments.
    const NAME: &'static str;
    /// This game's own columns in `games.csv`.
    const FACTS: &'static [&'static str];

    /// A new game.
    fn start(rules: &Self::Rules, world: &mut Rng) -> Self;

    /// A position that somebody wrote down: its cells, and the score so far where that is known.
    fn set_up(rules: &Self::Rules, text: &str, score: Option<u64>) -> Result<Self, String>;

    /// Who is to move; nobody if the game is over.
    fn to_move(&self) -> Option<Seat>;

    /// Whether it was the experiment (`until`) that ended the game, rather than its rules.
    fn is_cut_short(&self) -> bool;

    /// Adds every legal move to the list.
    fn moves(&self, list: &mut Vec<Self::Move>);

    /// Any legal move, each as likely as any other; none if there is none. A game may override this with
    /// something quicker.
    fn random_move(&self, rng: &mut Rng) -> Option<Self::Move> {
        let mut list = Vec::new();
        self.moves(&mut list);
        if list.is_empty() { None } else { Some(list[rng.below(list.len() as u64) as usize]) }
    }

    /// Plays a move, if it is legal.
    fn play(&mut self, mv: Self::Move, world: &mut Rng) -> Result<(), IllegalMove>;

    /// Whole games of uniformly random moves, one for each pair of seeds (world, player), in their order and
    /// exactly as playing them one by one would give; none if this game knows no faster way than that.
    fn random_games(rules: &Self::Rules, seeds: &[(Seed, Seed)]) -> Option<Vec<Self>> {
        let _ = (rules, seeds);
        None
    }

    /// What each move would do, as `gauntlet probe` shows it.
    fn look(&self) -> serde_json::Value;

    /// How many moves have been played.
    fn moves_played(&self) -> u32;

    /// How the position ended or stands.
    fn outcome(&self) -> Outcome;

    /// The game's own columns.
    fn facts(&self) -> Facts;
}

/// Settings of a game's rules.
pub trait Rules: Clone + Debug + Default + Send + Sync + Serialize + DeserializeOwned + 'static {
    /// A contradiction between settings that are right each for itself: the key to blame and what is wrong.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        None
    }
}

/// A move that the rules do not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove;
