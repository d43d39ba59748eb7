//! 2048: its rules, the features of its positions, and its players. This is where programs think: it is
//! compiled for speed, and knows nothing of experiments.

use gauntlet_any::players as any;
use gauntlet_core::arena::{Arena, Contents, Guests, Package};
#[cfg(test)]
use gauntlet_core::settings;
use gauntlet_core::{assets, diagnostic, game, learning, memory, num, player, rng, text};

// 3
pub mod rules;
// 4
pub mod eval;
pub mod network;
// 5
pub mod training;
// 7
pub mod players;

use rules::Twenty48;

/// The game, its players and its features.
pub const CONTENTS: Contents<Twenty48> =
    Contents::new(Package::HOUSE, players::PLAYERS, eval::measured).with_training(&training::TRAINING);

/// The game as the bench knows it. A function, so that its players are compiled here and in no other package.
#[inline(never)]
pub fn arena() -> Arena {
    Arena::of(&CONTENTS)
}

/// The same with these players besides.
#[inline(never)]
pub fn with(guests: &'static [Guests<Twenty48>]) -> Arena {
    Arena::of(Box::leak(Box::new(CONTENTS.with_guests(guests))))
}
