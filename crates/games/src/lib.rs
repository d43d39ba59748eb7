//! The list of built-in games. Each game is a package, so games compile in parallel, and a change
//! in one player does not recompile other games.

use std::sync::LazyLock;

pub use gauntlet_players as players;
pub use {gauntlet_gomoku as gomoku, gauntlet_twenty48 as twenty48};

use gauntlet_core::arena::Arena;

/// All built-in games.
pub static GAMES: LazyLock<Vec<Arena>> = LazyLock::new(|| vec![twenty48::arena(), gomoku::arena()]);
