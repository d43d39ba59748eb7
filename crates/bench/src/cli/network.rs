//! `gauntlet network`: files that trainings made.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use super::say::prose;
use crate::arena::Arenas;
use crate::assets::Assets;
use crate::text::shown;

/// Tell what a network is and where it comes from
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
}

pub(super) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    let Action::Show { file } = &args.action;
    let trainings: Vec<_> = arenas.iter().filter_map(|arena| Some((arena.name, arena.training?))).collect();
    let (game, told) = &*Assets::default().get(file, |bytes| {
        let mut refused = Vec::new();
        for (game, training) in &trainings {
            match (training.describe)(bytes) {
                Ok(told) => return Ok((*game, told)),
                Err(why) => refused.push(why),
            }
        }
        Err(format!("{} {}", shown(file), refused.join("; ")))
    })?;
    let mut out = prose();
    writeln!(out, "{:<13} {}", "game", game)?;
    for (what, value) in told {
        writeln!(out, "{what:<13} {value}")?;
    }
    Ok(ExitCode::SUCCESS)
}
