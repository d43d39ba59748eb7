//! 2048: its rules, the features of its positions, and its players. Players compute here, so this
//! package is compiled for speed; it knows nothing of experiments.
//!
//! - [`rules`]: positions and moves
//! - [`eval`]: features of positions, and evaluations built from them; [`network`]: learned
//!   evaluations
//! - [`training`]: training of a network
//! - [`players`]: the table of players

#![warn(missing_docs)]

pub mod eval;
pub mod network;
pub mod players;
pub mod rules;
pub mod training;

use gauntlet_core::arena::{Arena, GameContents, GuestPlayers, Package};

use rules::Twenty48;

/// Contents of the game: its players, its features and its training.
pub const CONTENTS: GameContents<Twenty48> =
    GameContents::new(Package::HOUSE, players::PLAYERS, eval::measured).with_training(&training::TRAINING);

/// Returns the game for the bench. It is a function, so that the players are compiled only in this
/// package.
#[inline(never)]
pub fn arena() -> Arena {
    Arena::of(&CONTENTS)
}

/// Returns the game with additional players.
#[inline(never)]
pub fn with(guests: &'static [GuestPlayers<Twenty48>]) -> Arena {
    Arena::of(Box::leak(Box::new(CONTENTS.with_guests(guests))))
}
