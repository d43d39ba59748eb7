//! `gauntlet init`: an experiment to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use super::exit::Usage;
use super::say::{data, screen};
use crate::text::{quoted_path, shown};

/// Write a short experiment with comments, to begin with
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet init mine.toml")]
pub(super) struct Args {
    /// The file, which must not be there yet; `-` for standard output
    #[arg(value_name = "FILE", default_value = "experiment.toml")]
    file: PathBuf,
}

/// Text that is written.
const EXPERIMENT: &str = include_str!("init.toml");

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.file.as_os_str() == "-" {
        data().write_all(EXPERIMENT.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = shown(&args.file);
    let mut file = match OpenOptions::new().write(true).create_new(true).open(&args.file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(
                Usage(format!("{name} is there already, and stays as it is: name another file")).into()
            );
        }
        file => file.with_context(|| format!("cannot write {name}"))?,
    };
    file.write_all(EXPERIMENT.as_bytes()).with_context(|| format!("cannot write {name}"))?;
    writeln!(screen(), "{name} is written; to play it:\n  gauntlet run {}", quoted_path(&args.file))?;
    Ok(ExitCode::SUCCESS)
}
