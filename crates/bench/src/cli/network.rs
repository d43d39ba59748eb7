//! `gauntlet network`: files that trainings made.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use serde_json::json;

use super::exit::Usage;
use super::say::{prose, say};
use crate::arena::Arenas;
use crate::assets::Assets;
use crate::disk::system;
use crate::learning::{Described, Exchange, Origin, Training};
use crate::results::store::files::write_document;
use crate::run::machine;
use crate::text::{Bytes, escape, quoted_path, shown};

/// Tell what a network is, or exchange it with TDL2048+
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet network show configs/train/quick.network")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Print shape, digest and origin of a network
    #[command(after_long_help = "Example:\n  gauntlet network show configs/train/quick.network")]
    Show {
        /// A file that `gauntlet train` wrote
        file: PathBuf,
    },
    /// Make a network of a file of TDL2048+ (.w)
    #[command(after_long_help = "\
Players play by what is written (`network = \"FILE\"`). Learning rates are not imported, so no training can go on from it.

Example:
  gauntlet network export configs/train/quick.network --out quick.w &&
  gauntlet network import quick.w --out quick-again.network")]
    Import {
        /// A file that TDL2048+ wrote
        file: PathBuf,
        #[command(flatten)]
        out: Out,
    },
    /// Make a file of TDL2048+ (.w) of a network
    #[command(
        after_long_help = "Example:\n  gauntlet network export configs/train/quick.network --out quick.w"
    )]
    Export {
        /// A file that `gauntlet train` wrote
        file: PathBuf,
        #[command(flatten)]
        out: Out,
    },
}

#[derive(clap::Args)]
struct Out {
    /// Write to this file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Write it in place of one that is there
    #[arg(long)]
    replace: bool,
}

pub(super) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    match &args.action {
        Action::Show { file } => show(arenas, file),
        Action::Import { file, out } => {
            let digest = Assets::default().digest(file)?;
            let origin = Origin {
                experiment: String::new(),
                training: json!({ "file": shown(file).to_string(), "blake3": digest }),
                command: format!(
                    "gauntlet network import {} --out {}",
                    quoted_path(file),
                    quoted_path(&out.out)
                ),
                games: 0,
                seed: 0,
                build: format!("gauntlet {}", machine::VERSION),
            };
            exchanged(arenas, file, out, |exchange, bytes| (exchange.import)(bytes, &origin))
        }
        Action::Export { file, out } => {
            exchanged(arenas, file, out, |exchange, bytes| (exchange.export)(bytes))
        }
    }
}

/// The games of which something learns, with their trainings.
fn trainings(arenas: Arenas) -> Vec<(&'static str, &'static Training)> {
    arenas.iter().filter_map(|arena| Some((arena.name, arena.training?))).collect()
}

fn show(arenas: Arenas, file: &Path) -> anyhow::Result<ExitCode> {
    let mut refused = Vec::new();
    for (game, training) in trainings(arenas) {
        // Part by part: no memory is taken for the file beside that for what it holds.
        let described = Assets::default().load(file, |content| {
            let length = content.length();
            match (training.describe)(content, length) {
                Err(wrong) if !wrong.is::<io::Error>() => Ok(Err(wrong.to_string())),
                read => read.map(Ok),
            }
        })?;
        match &*described {
            Ok(told) => return tell(game, told),
            Err(why) => refused.push(why.clone()),
        }
    }
    bail!("{}", refusal(file, &refused))
}

/// What all games say of a file that none of them can read.
fn refusal(file: &Path, refused: &[String]) -> String {
    format!("{} {}", shown(file), refused.join("; "))
}

fn tell(game: &str, told: &Described) -> anyhow::Result<ExitCode> {
    let mut out = prose();
    writeln!(out, "{:<13} {}", "game", game)?;
    for (what, value) in told {
        // A file from elsewhere may tell anything, but each on a line of its own.
        writeln!(out, "{what:<13} {}", escape::line(value))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn exchanged(
    arenas: Arenas,
    file: &Path,
    Out { out, replace }: &Out,
    make: impl Fn(&Exchange, &[u8]) -> Result<Vec<u8>, String>,
) -> anyhow::Result<ExitCode> {
    if out.exists() && !replace {
        return Err(Usage(format!("{} is there already: --replace replaces it", shown(out))).into());
    }
    let exchanges = trainings(arenas).into_iter().filter_map(|(_, training)| training.exchange);
    let made = Assets::default().get(file, |bytes| {
        let mut refused = Vec::new();
        for exchange in exchanges {
            match make(&exchange, bytes) {
                Ok(made) => return Ok(made),
                Err(why) => refused.push(why),
            }
        }
        Err(refusal(file, &refused))
    })?;
    write_document(&system(), out, &made)?;
    say(&format!("wrote {} ({})\n", shown(out), Bytes(made.len() as u64)))?;
    Ok(ExitCode::SUCCESS)
}
