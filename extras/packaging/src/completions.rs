//! `gauntlet completions`: completions for shells.

use std::io::Write;
use std::process::ExitCode;

use clap_complete::Shell;

use gauntlet_cli::output::data;

/// Generate shell completions
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet completions bash")]
pub(crate) struct Args {
    /// Shell
    shell: Shell,
}

pub(crate) fn run(args: &Args, program: &mut clap::Command) -> anyhow::Result<ExitCode> {
    // The script is written to memory first, because the generator would panic on a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, program, "gauntlet", &mut script);
    data().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
