//! Checks whether an environment is 2048: plays it from outside with the rules as the referee.
//!
//! - [`environment`]: the contract of an environment
//! - [`check`](mod@check): the check
//! - [`report`]: verdicts; `text`: the report for a terminal
//! - [`rule`]: the rules that are checked; [`fault`]: known faults
//! - [`encoding`]: boards as numbers; [`actions`]: directions of actions
//! - [`evidence`]: checks and violations; `referee`: compares an answer with the rules;
//!   `explain`, `slides`: faults that explain a violation; `law`: tests of chance
//! - `moves`: moves to judge; `trials`: random actions, before directions are known; `play`: games;
//!   `policy`: their moves; `boards`: boards that are set; `replay`: seeds
//! - [`program`]: environments that are other programs

#![warn(missing_docs)]

pub mod actions;
mod boards;
pub mod check;
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
pub use encoding::CellKind;
pub use environment::{Environment, Failure, Observation, Reset, Step};
pub use fault::Fault;
pub use gauntlet_twenty48::rules::Direction;
pub use program::ProgramEnvironment;
pub use report::{Outcome, Report, RuleReport, Verdict};
pub use rule::Rule;
