//! The games, with their evaluations and players. This is where programs think: it is compiled for speed, and knows nothing
//! of experiments.

use gauntlet_core::arena::{Arena, Arenas, Contents, Guests};
use gauntlet_core::package;
#[cfg(test)]
use gauntlet_core::settings;
use gauntlet_core::{diagnostic, game, num, player, rng};

// 3
pub mod games;
// 4
pub mod eval;
// 6
pub mod players;

use games::gomoku::Gomoku;
use games::twenty48::Twenty48;

/// 2048, with the players of the house.
pub const TWENTY48: Contents<Twenty48> =
    Contents::new(package!(), players::TWENTY48, eval::twenty48::measured);

/// Gomoku, with the players of the house.
pub const GOMOKU: Contents<Gomoku> = Contents::new(package!(), players::GOMOKU, eval::gomoku::measured);

/// 2048 with these players besides. A function, so that the players of the house are compiled here and in no other package.
pub fn twenty48(guests: &'static [Guests<Twenty48>]) -> Arena {
    Arena::of(Box::leak(Box::new(TWENTY48.with_guests(guests))))
}

/// Gomoku with these players besides.
pub fn gomoku(guests: &'static [Guests<Gomoku>]) -> Arena {
    Arena::of(Box::leak(Box::new(GOMOKU.with_guests(guests))))
}

/// Every game of the house. A `static`, so that players are compiled here: of a `const` each program would compile them once more.
pub static GAMES: Arenas = &[Arena::of(&TWENTY48), Arena::of(&GOMOKU)];
