//! The arena, in which games are played: seeds of blocks in, records out.
//!
//! - [`registry`]: a game with its players and rules, by name
//! - `described`: a game in names, texts and numbers
//! - [`entrant`]: a player with checked settings and rules; games and players without the type of
//!   the game
//! - `erased`: the seam at which the type of a game disappears
//! - [`contest`]: the games of one line-up on one thread
//! - [`mod@signature`]: the play of a build, as one number
//! - `audience`: those who see a game move by move
//! - `batch`: the games of a player that is asked about many at once
//! - `flaw`: records that no game can have
//! - [`mod@package`]: the package that a game or a player comes from
//! - `guard`: catches panics of players
//! - `serve`: a player of ours for other programs; `position`: a position of some game in words
//! - `stopwatch`: the time of thinking
//! - [`yardstick`]: the speed of the machine meanwhile

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

pub use audience::Step;
pub use contest::MOST_FAILURES;
pub use described::{Exchange, Manual, Read, Rules, Sight, Told};
pub use entrant::{Again, AnyGame, AnyPlayer, Entrant, Worker, replay, worker};
pub use package::Package;
pub use position::{PositionInWords, Setup};
pub use registry::{Arena, Arenas, Contents, Guests};
pub use signature::signature;
