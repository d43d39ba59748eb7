//! The command line apart from its commands: how a command is defined and run, and what commands
//! share.
//!
//! Core commands are in `src/commands`, others in `extras`.

pub mod command;
pub mod exit;
pub mod format;
pub mod output;
pub mod permission;
pub mod picture;
pub mod program;
pub mod report_pages;
pub mod resources;
pub mod session;
pub mod target;
pub mod terminal;
mod usage_error;
