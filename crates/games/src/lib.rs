//! The games, with their evaluations and players. This is where programs think: it is compiled for speed, and knows nothing
//! of experiments.

use gauntlet_core::arena::{Arena, Arenas, Contents};
#[cfg(test)]
use gauntlet_core::settings;
use gauntlet_core::{diagnostic, game, num, player, rng};

// 3
pub mod games;
// 4
pub mod eval;
// 6
pub mod players;

/// Every game of the house.
pub const GAMES: Arenas = &[
    Arena::of::<games::twenty48::Twenty48>(&Contents {
        algorithms: players::TWENTY48,
        features: eval::twenty48::measured,
    }),
    Arena::of::<games::gomoku::Gomoku>(&Contents {
        algorithms: players::GOMOKU,
        features: eval::gomoku::measured,
    }),
];
