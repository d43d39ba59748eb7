//! The list of built-in games. Games and the players of 2048 are packages, so they compile in
//! parallel, and a change in one player recompiles few others.

#![warn(missing_docs)]

pub mod twenty48;

use std::sync::LazyLock;

use gauntlet_core::arena::Arena;
pub use gauntlet_gomoku as gomoku;
pub use gauntlet_players as players;

/// All built-in games.
pub static GAMES: LazyLock<Vec<Arena>> = LazyLock::new(|| vec![twenty48::arena(), gomoku::arena()]);
