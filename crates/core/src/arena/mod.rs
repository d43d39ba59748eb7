//! Arena, which plays games: takes seeds of blocks, returns records.

mod batch;
pub mod calibration;
pub mod contest;
mod descriptions;
pub mod entry;
mod erasure;
mod member;
mod observer;
pub mod package;
mod panic_guard;
mod position;
pub mod registry;
mod server;
pub mod signature;
mod stand_in;
mod stopwatch;
mod validity;

pub use descriptions::{
    AlgorithmManual, CheckedRules, ExportedGame, FeatureEntry, ImportedGame, ImportedPosition,
    PositionDetails,
};
pub use entry::{
    AnyGame, AnyPlayer, EarlyGames, Entry, ReplayRequest, Replayer, StreamWorker, Worker, build_replayer,
    build_stream_worker, build_worker, replay,
};
pub use member::MAX_FAILURES;
pub use observer::ReplayStep;
pub use package::CargoPackage;
pub use position::{InitialPosition, PositionInWords};
pub use registry::{Arena, Arenas, GameDefinition, GuestPlayers, PlayerLists};
pub use signature::signature;
