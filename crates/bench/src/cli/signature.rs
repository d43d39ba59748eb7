//! `gauntlet signature`: what this build plays, as one number.

use std::io::Write;
use std::process::ExitCode;

use super::say::screen;
use crate::arena;
use crate::arena::Arenas;

/// Print a digest of what this build plays
///
/// Plays the examples of every algorithm a few games. Two builds with the same signature play the same.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet signature")]
pub(super) struct Args {}

pub(super) fn run(arenas: Arenas, _args: &Args) -> anyhow::Result<ExitCode> {
    writeln!(screen(), "{}", arena::signature(arenas))?;
    Ok(ExitCode::SUCCESS)
}
