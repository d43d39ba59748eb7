//! `gauntlet signature`: a digest of what this build plays.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::ExitCode;

use gauntlet_core::arena;
use gauntlet_core::arena::Arenas;

use gauntlet_cli::output::screen;

/// Print a digest of how this build plays
///
/// Plays a few games with the examples of every algorithm. Builds with the same signature play the
/// same games. The output also lists packages that add games or players.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet signature")]
pub(crate) struct Args {}

pub(crate) fn run(arenas: Arenas) -> anyhow::Result<ExitCode> {
    let mut out = screen();
    writeln!(out, "{}", arena::signature(arenas))?;
    let manuals = arenas.iter().map(|arena| (arena, arena.manual()));
    let foreign: BTreeSet<_> = manuals
        .flat_map(|(arena, manual)| {
            let algorithms: Vec<&str> = manual.iter().map(|algorithm| algorithm.name).collect();
            arena.foreign_packages(&algorithms)
        })
        .collect();
    for package in foreign {
        writeln!(out, "with {package}")?;
    }
    Ok(ExitCode::SUCCESS)
}
