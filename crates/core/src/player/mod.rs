//! Contract of players, and of the settings that build them.
//!
//! - `algorithm`: families of players, by the names that experiments use
//! - `contract`: the contract of a player, and its optional abilities
//! - `no_move`: reasons why a player answers without a move
//! - `recipe`: the settings that build a player
//! - `served`: players that answer other programs
//! - `stop`: stop requests, and the time limit of a game

mod algorithm;
mod contract;
mod no_move;
mod recipe;
mod served;
mod stop;

pub use algorithm::{Algorithm, ConfiguredAlgorithm};
pub use contract::{Abilities, Choice, Inspect, Player, RemotePlayer, Start, TableMove};
pub use no_move::{Forfeit, NoMove};
pub use recipe::{
    BuildContext, FileMistake, FileUsed, MoveCounter, Recipe, RecipeFacts, RecipeIdentity, RulesMismatch,
};
pub use served::{PlayerServer, ProtocolAdapter, Reply};
pub use stop::Stop;
