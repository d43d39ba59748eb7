//! 2048 with the players of its packages.

use gauntlet_core::arena::{Arena, CargoPackage, GameDefinition, GuestPlayers, PlayerLists};
pub use gauntlet_twenty48::{eval, rules};
pub use gauntlet_twenty48_search::{expectimax_example, network, training};

use rules::Twenty48;

/// Players of 2048, by the names of their files.
pub mod players {
    pub use gauntlet_twenty48_players::*;
    pub use gauntlet_twenty48_search::players::{expectimax, n_tuple};
}

/// Players of 2048, in the order of the manual.
const PLAYERS: PlayerLists<Twenty48> =
    &[&gauntlet_twenty48_players::PLAYERS, &gauntlet_twenty48_search::players::PLAYERS];

/// Contents of the game: its players, its features and its training.
pub const CONTENTS: GameDefinition<Twenty48> =
    GameDefinition::new(CargoPackage::BUILT_IN, &[], eval::compute_features)
        .with_feature_manual(eval::manual)
        .with_lists(PLAYERS)
        .with_training(&training::TRAINING);

/// Returns the game for the bench.
pub fn arena() -> Arena {
    gauntlet_twenty48::arena(&CONTENTS)
}

/// Returns the game with additional players.
pub fn arena_with_guests(guests: &'static [GuestPlayers<Twenty48>]) -> Arena {
    gauntlet_twenty48::arena(Box::leak(Box::new(CONTENTS.with_guests(guests))))
}
