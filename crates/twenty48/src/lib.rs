//! 2048: its rules, the features of its positions, and its players. This is where programs think:
//! it is compiled for speed, and knows nothing of experiments.
//!
//! - [`rules`]: positions and moves
//! - [`eval`]: features of positions, and evaluations made of them; [`network`]: those that are
//!   learned
//! - [`training`]: games from which a network learns
//! - [`players`]: the table of players

#![warn(missing_docs)]

pub mod eval;
pub mod network;
pub mod players;
pub mod rules;
pub mod training;

use gauntlet_core::arena::{Arena, Contents, Guests, Package};

use rules::Twenty48;

/// The game, its players and its features.
pub const CONTENTS: Contents<Twenty48> =
    Contents::new(Package::HOUSE, players::PLAYERS, eval::measured).with_training(&training::TRAINING);

/// The game as the bench knows it. A function, so that its players are compiled here and in no
/// other package.
#[inline(never)]
pub fn arena() -> Arena {
    Arena::of(&CONTENTS)
}

/// The same with these players besides.
#[inline(never)]
pub fn with(guests: &'static [Guests<Twenty48>]) -> Arena {
    Arena::of(Box::leak(Box::new(CONTENTS.with_guests(guests))))
}
