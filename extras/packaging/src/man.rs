//! `gauntlet man`: the manual as pages for `man`.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap_mangen::Man;
use gauntlet_core::text::display_path;

use gauntlet_cli::output::data;

/// Print the man page, or write all man pages to a folder
#[derive(clap::Args)]
#[command(after_long_help = "\
With DIR, the command writes gauntlet.1 and a page gauntlet-COMMAND.1 for each command.

Example:
  gauntlet man")]
pub(crate) struct Args {
    /// Folder for all man pages
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, program: clap::Command) -> anyhow::Result<ExitCode> {
    let Some(folder) = &args.folder else {
        // The page is written to memory first, so that write errors are handled like write errors
        // of any output.
        let mut page = Vec::new();
        Man::new(program.disable_help_subcommand(true)).render(&mut page)?;
        data().write_all(&page)?;
        return Ok(ExitCode::SUCCESS);
    };
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", display_path(folder)))?;
    let result = clap_mangen::generate_to(program, folder);
    result.with_context(|| format!("cannot write man pages into {}", display_path(folder)))?;
    Ok(ExitCode::SUCCESS)
}
