//! `gauntlet network`: files of trained networks.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use gauntlet_analysis::results::store::command::ManifestCommand;
use gauntlet_analysis::results::store::files::write_document_by;
use gauntlet_core::arena::Arenas;
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::disk::system_disk;
use gauntlet_core::learning::{FileConverter, NetworkOrigin, TrainingSupport};
use gauntlet_core::text::{Bytes, display_path, escape, quote_path};
use gauntlet_run::machine;
use serde_json::json;

use gauntlet_cli::command::{Command, define, parse_arguments};
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::{accept_closed_pipe, print, prose};
use gauntlet_cli::target::refuse_missing;

/// The commands of this extra.
pub const COMMANDS: &[Command] = &[Command {
    name: "network",
    synonyms: &[],
    define: define::<Args>,
    run: |program, matches| accept_closed_pipe(run(program.catalog.games, &parse_arguments(matches))),
}];

/// Show, import or export learned networks
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet network show configs/train/quick.network")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Show shape, digest and origin of a network
    #[command(after_long_help = "Example:\n  gauntlet network show configs/train/quick.network")]
    Show {
        /// Network file from `gauntlet train`
        file: PathBuf,
    },
    /// Import a TDL2048+ file (.w)
    #[command(after_long_help = "\
Players can use the result with `network = \"FILE\"`. Learning rates are not imported, so training cannot resume from it.

Example:
  gauntlet network export configs/train/quick.network --out quick.w &&
  gauntlet network import quick.w --out quick-again.network")]
    Import {
        /// TDL2048+ file
        file: PathBuf,
        #[command(flatten)]
        out: OutputOptions,
    },
    /// Export a network as a TDL2048+ file (.w)
    #[command(
        after_long_help = "Example:\n  gauntlet network export configs/train/quick.network --out quick.w"
    )]
    Export {
        /// Network file from `gauntlet train`
        file: PathBuf,
        #[command(flatten)]
        out: OutputOptions,
    },
}

#[derive(clap::Args)]
struct OutputOptions {
    /// Output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Overwrite an existing file
    #[arg(long)]
    replace: bool,
}

impl OutputOptions {
    fn check(&self) -> anyhow::Result<()> {
        if self.out.exists() && !self.replace {
            let message =
                format!("{} already exists: use --replace to overwrite it", display_path(&self.out));
            return Err(Usage(message).into());
        }
        Ok(())
    }
}

pub(crate) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    let (Action::Show { file } | Action::Import { file, .. } | Action::Export { file, .. }) = &args.action;
    refuse_missing(file)?;
    match &args.action {
        Action::Show { file } => show(arenas, file)?,
        Action::Import { file, out } => {
            out.check()?;
            convert(arenas, file, &out.out, |training| Some(training.exchange?.import))?;
        }
        Action::Export { file, out } => {
            out.check()?;
            convert(arenas, file, &out.out, |training| Some(training.exchange?.export))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(arenas: Arenas, file: &Path) -> anyhow::Result<()> {
    let (game, description) =
        open_file(arenas, &AssetFiles::default(), file, |training| Some(training.describe))?;
    let mut out = prose();
    writeln!(out, "{:<13} {}", "game", game)?;
    for (label, value) in &*description {
        // A file may contain anything, so each value is kept on a line, and commands are checked
        // because a reader may type them.
        let command = (*label == "command").then(|| ManifestCommand::new(value).to_text());
        let value = match command {
            Some(command) => command.unwrap_or_else(|| "not a command of gauntlet".to_owned()),
            None => value.clone(),
        };
        writeln!(out, "{label:<13} {}", escape::line(&value))?;
    }
    Ok(())
}

/// Converts a file to another form.
fn convert(
    arenas: Arenas,
    file: &Path,
    out: &Path,
    find_converter: impl Fn(&TrainingSupport) -> Option<FileConverter>,
) -> anyhow::Result<()> {
    let assets = AssetFiles::default();
    let (_, converter) = open_file(arenas, &assets, file, find_converter)?;
    let origin = NetworkOrigin {
        experiment: String::new(),
        training: json!({ "file": display_path(file).to_string(), "blake3": assets.digest(file)? }),
        command: format!("gauntlet network import {} --out {}", quote_path(file), quote_path(out)),
        games: 0,
        seed: 0,
        build: format!("gauntlet {}", machine::VERSION),
    };
    write_document_by(&system_disk(), out, |document| Ok(converter(&origin, document)?))?;
    print(&format!("wrote {} ({})\n", display_path(out), Bytes(out.metadata()?.len())))
}

/// Reads a file with the first game that accepts it, and returns the game's name with the content.
/// `find_reader` returns the reader of a game, if it has one.
fn open_file<T: Send + Sync + 'static>(
    arenas: Arenas,
    assets: &AssetFiles,
    file: &Path,
    find_reader: impl Fn(&TrainingSupport) -> Option<fn(&mut dyn Read, u64) -> anyhow::Result<T>>,
) -> anyhow::Result<(&'static str, Arc<T>)> {
    let mut messages = Vec::new();
    for arena in arenas {
        let Some(reader) = arena.training.and_then(&find_reader) else { continue };
        let value = assets.load(file, |content| {
            let length = content.length();
            reader(content, length)
        });
        match value {
            Ok(value) => return Ok((arena.name, value)),
            Err(failure) if failure.is::<io::Error>() => return Err(failure),
            Err(error) => messages.push(error.to_string()),
        }
    }
    bail!("{} {}", display_path(file), messages.join("; "))
}
