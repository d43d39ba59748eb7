//! Players for any game. Each game lists those that it wants in its own table; their code is compiled there, for that game.

use gauntlet_core::{game, num, player, rng};

// 6
pub mod players;
