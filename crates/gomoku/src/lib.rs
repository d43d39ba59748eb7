//! Gomoku: its rules, the features of its positions, and its players. Players compute here, so this
//! package is compiled for speed. It does not depend on experiments.

#![warn(missing_docs)]

pub mod eval;
pub mod players;
pub mod rules;

use gauntlet_core::arena::{Arena, CargoPackage, GameDefinition, GuestPlayers};

use rules::Gomoku;

/// Contents of the game: its players, its features and Gomocup's protocol.
pub const CONTENTS: GameDefinition<Gomoku> =
    GameDefinition::new(CargoPackage::BUILT_IN, players::PLAYERS, eval::compute_features)
        .with_feature_manual(eval::manual)
        .with_protocol(players::gomocup::wrap_player);

/// Returns the game for the bench. It is a function, so that the players are compiled only in this
/// package.
#[inline(never)]
pub fn arena() -> Arena {
    Arena::new(&CONTENTS)
}

/// Returns the game with additional players.
#[inline(never)]
pub fn arena_with_guests(guests: &'static [GuestPlayers<Gomoku>]) -> Arena {
    Arena::new(Box::leak(Box::new(CONTENTS.with_guests(guests))))
}
