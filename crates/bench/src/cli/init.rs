//! `gauntlet init`: an experiment to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use super::exit::Usage;
use super::say::{data, screen};
use crate::text::{quoted_path, shown};

/// Write a short experiment with comments, to begin with
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet init mine.toml\n  gauntlet init --external python")]
pub(super) struct Args {
    /// The file, which must not be there yet; `-` for standard output
    #[arg(value_name = "FILE", default_value = "experiment.toml")]
    file: PathBuf,

    /// Also write a player of your own in this language, which the experiment plays
    #[arg(long, value_name = "LANGUAGE")]
    external: Option<Language>,
}

/// A language in which a player can be written to begin with.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Language {
    Python,
}

/// The player in Python, and the experiment that plays it.
const PYTHON: (&str, &str) = ("my_player.py", include_str!("../../../../examples/players/first.py"));
const EXTERNAL: &str = include_str!("../../../../examples/players/mine.toml");

/// Text that is written.
const EXPERIMENT: &str = include_str!("init.toml");

/// Writes a player of the user's own, and an experiment with it beside it.
fn external(args: &Args, Language::Python: Language) -> anyhow::Result<ExitCode> {
    let (name, script) = PYTHON;
    let script_path = args.file.with_file_name(name);
    let (_, experiment) = EXTERNAL.split_once('\n').unwrap_or(("", EXTERNAL));
    write_new(&script_path, script)?;
    write_new(&args.file, &experiment.replace("first.py", name))?;
    let (script_path, file) = (quoted_path(&script_path), quoted_path(&args.file));
    writeln!(
        screen(),
        "{} and {} are written; to try the player, and to play:\n  gauntlet players --try -- python3 {script_path}\n  \
         gauntlet run {file} --allow-commands",
        shown(&args.file.with_file_name(name)),
        shown(&args.file)
    )?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(language) = args.external {
        return external(args, language);
    }
    if args.file.as_os_str() == "-" {
        data().write_all(EXPERIMENT.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    write_new(&args.file, EXPERIMENT)?;
    let name = shown(&args.file);
    writeln!(screen(), "{name} is written; to play it:\n  gauntlet run {}", quoted_path(&args.file))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a file that must not be there yet.
fn write_new(path: &Path, text: &str) -> anyhow::Result<()> {
    let name = shown(path);
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(
                Usage(format!("{name} is there already, and stays as it is: name another file")).into()
            );
        }
        file => file.with_context(|| format!("cannot write {name}"))?,
    };
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {name}"))
}
