//! `gauntlet check-env`: checks whether an environment is 2048. It plays the environment from
//! outside, with the rules as the referee.

#![warn(missing_docs)]

pub mod actions;
mod boards;
pub mod check;
mod command;
pub mod encoding;
pub mod environment;
pub mod evidence;
mod explain;
pub mod fault;
mod law;
mod moves;
mod play;
mod policy;
pub mod program;
mod referee;
mod replay;
pub mod report;
pub mod rule;
mod slides;
#[cfg(test)]
mod tests;
mod text;
mod trials;

pub use actions::ActionMap;
pub use check::{CheckOptions, check};
pub use command::COMMANDS;
pub use encoding::CellKind;
pub use environment::{Environment, Failure, Observation, Reset, Step};
pub use fault::Fault;
pub use gauntlet_twenty48::rules::Direction;
pub use program::ProgramEnvironment;
pub use report::{Outcome, Report, RuleReport, Verdict};
pub use rule::Rule;
