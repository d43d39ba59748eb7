//! The contract of a player, and of the settings that build one.
//!
//! - `algorithm`: a family of players, as an experiment names it
//! - `contract`: the contract of a player, and what it may do besides choosing moves
//! - `no_move`: reasons why a player answers without a move
//! - `recipe`: the settings that build a player
//! - `served`: players that other programs ask
//! - `stop`: the request to stop, and the limit of time for a game

mod algorithm;
mod contract;
mod no_move;
mod recipe;
mod served;
mod stop;

pub use algorithm::{Algorithm, Settled};
pub use contract::{Abilities, Inspect, Player, Remote, Start, Thought};
pub use no_move::{Forfeit, NoMove};
pub use recipe::{EndMismatch, FileMistake, Kit, Moves, Recipe, RecipeFacts};
pub use served::{Reply, Served, Translated};
pub use stop::Stop;
