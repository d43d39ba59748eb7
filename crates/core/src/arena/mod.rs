//! Arena, which plays games: takes seeds of blocks, returns records.

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
    AnyGame, AnyPlayer, EarlyGames, Entry, ReplayRequest, StreamWorker, Worker, build_stream_worker,
    build_worker, replay,
};
pub use package::CargoPackage;
pub use position::{InitialPosition, PositionInWords};
pub use registry::{Arena, Arenas, GameDefinition, GuestPlayers, PlayerLists};
pub use signature::signature;
