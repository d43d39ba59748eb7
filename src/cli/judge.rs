//! `gauntlet judge`: re-evaluates verdicts on existing games.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::judge::judge;
use gauntlet_analysis::results::store::absent;
use gauntlet_analysis::results::store::command;
use gauntlet_analysis::results::store::folder::has_tables;
use gauntlet_core::disk::system;
use gauntlet_core::text::{quoted_path, shown};

use super::say::{said, say};
use super::target::{Results, Target};

/// Make the verdicts of results anew from their games, without playing
///
/// For a `[[published]]` number or a `[[claim]]` that was added to an experiment when its games
/// were played, and for results of an older version of this program. Only verdicts may differ in
/// the experiment, not what is played.
#[derive(clap::Args)]
#[command(after_long_help = "\
Reads games.csv, and times.csv for times, of older results ms-per-move.csv. Writes published.csv, claims.csv, stop.csv and precision.csv if the experiment asks for \
them, of a game of two elo.csv and duels.csv, settings.csv, experiment.toml and manifest.toml, which says when and by what they were judged; other tables stay as they are. A \
page that was made of the results before is not made again: `gauntlet report --out` does that. Claims that were added \
are named, for a comparison that was chosen when its games were known proves less.

Example:
  gauntlet judge configs/quick.toml")]
pub(super) struct Args {
    /// Experiments, or folders of their results
    #[arg(value_name = "EXPERIMENT", required = true)]
    of: Vec<PathBuf>,

    #[command(flatten)]
    results: Results,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    // All mistakes in all files are reported before the first table is replaced.
    let targets = args.of.iter().map(|path| Target::find_without_files(catalog, path, &args.results));
    let targets = targets.collect::<anyhow::Result<Vec<_>>>()?;
    for (path, Target { folder, .. }) in args.of.iter().zip(&targets) {
        if !folder.exists() {
            bail!("there is no folder {}; `gauntlet run {}` makes it", shown(folder), quoted_path(path));
        }
        if !has_tables(&*system(), folder) {
            return Err(absent::results(catalog, folder));
        }
    }
    for (path, Target { experiment, folder }) in args.of.iter().zip(targets) {
        let report = judge(&experiment, &folder, &command::command("judge", path))?;
        say(&said(&report, &folder, "verdicts are made anew, and nothing was played"))?;
    }
    Ok(ExitCode::SUCCESS)
}
