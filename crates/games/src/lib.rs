//! The list of games. Each is a package of its own: so they are compiled side by side, and a
//! changed player of one leaves the others as they are.

use std::sync::LazyLock;

pub use gauntlet_players as players;
pub use {gauntlet_gomoku as gomoku, gauntlet_twenty48 as twenty48};

use gauntlet_core::arena::Arena;

/// Every game of the house.
pub static GAMES: LazyLock<Vec<Arena>> = LazyLock::new(|| vec![twenty48::arena(), gomoku::arena()]);
