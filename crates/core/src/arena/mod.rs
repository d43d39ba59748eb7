//! Arena, which plays games: takes seeds of blocks, returns records.
//!
//! - [`registry`]: a game with its players and rules, by name
//! - `described`: descriptions of a game as names, texts and numbers
//! - [`entrant`]: players with checked settings and rules; games and players without the game's
//!   type
//! - `erased`: type erasure of games
//! - [`contest`]: plays the games of one line-up on one thread
//! - [`mod@signature`]: digest of what a build plays
//! - `audience`: observers of a game
//! - `batch`: games of a player that is asked about many at once
//! - `flaw`: checks for impossible records
//! - [`mod@package`]: package that provides a game or a player
//! - `guard`: catches panics of players
//! - `serve`: serves a player to other programs; `position`: a position as text
//! - `stopwatch`: measures thinking time
//! - [`yardstick`]: measures the machine's speed meanwhile

mod audience;
mod batch;
pub mod contest;
mod described;
pub mod entrant;
mod erased;
mod flaw;
mod guard;
pub mod package;
mod position;
pub mod registry;
mod serve;
pub mod signature;
mod stopwatch;
pub mod yardstick;

pub use audience::ReplayStep;
pub use contest::MOST_FAILURES;
pub use described::{
    AlgorithmManual, CheckedRules, ExportedGame, FeatureEntry, ImportedGame, ImportedPosition,
    PositionDetails,
};
pub use entrant::{
    AnyGame, AnyPlayer, EarlyGames, Entrant, ReplayRequest, StreamWorker, Worker, replay, stream_worker,
    worker,
};
pub use package::CargoPackage;
pub use position::{InitialPosition, PositionInWords};
pub use registry::{Arena, Arenas, GameDefinition, GuestPlayers, PlayerLists};
pub use signature::signature;
