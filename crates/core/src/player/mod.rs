//! Contract of players, and of the settings that build them.

mod algorithm;
mod contract;
mod no_move;
mod preparation;
mod recipe;
mod server;
mod stop;

pub use algorithm::{Algorithm, ConfiguredAlgorithm};
pub use contract::{Abilities, Choice, Inspect, Player, RemotePlayer, Start, TableMove};
pub use no_move::{Forfeit, NoMove};
pub use preparation::{Preparation, PreparationTime};
pub use recipe::{
    BuildContext, FileMistake, FileUsed, MoveCounter, Recipe, RecipeFacts, RecipeIdentity, RulesMismatch,
};
pub use server::{PlayerServer, ProtocolAdapter, Reply};
pub use stop::Stop;
