//! The command line apart from its commands: how a command is defined and run, and what commands
//! share.
//!
//! Core commands are in `src/commands`, others in `extras`.

pub mod command;
pub mod exit;
pub mod format;
pub mod page;
pub mod paint;
pub mod permission;
pub mod program;
mod refusal;
pub mod resources;
pub mod say;
pub mod session;
pub mod target;
pub mod terminal;
