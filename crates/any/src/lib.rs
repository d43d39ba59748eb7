//! Players for any game. Each game lists those that it wants in its own table; their code is compiled there, for that game.

use gauntlet_core::{assets, game, num, player, process, protocol, record, rng, text};

// 7
pub mod players;
