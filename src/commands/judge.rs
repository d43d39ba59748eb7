//! `gauntlet judge`: re-evaluates verdicts on existing games.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::analysis::judge::judge;
use gauntlet_analysis::results::store::command;
use gauntlet_analysis::results::store::folder::has_tables;
use gauntlet_analysis::results::store::missing_results;
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::{display_path, quote_path};

use gauntlet_cli::output::{format_report, print};
use gauntlet_cli::target::{Results, Target};

/// Re-evaluate claims from existing games
///
/// Use it after adding a `[[published]]` number or a `[[claim]]` to an experiment whose games are
/// already played. The games of the experiment must not have changed.
#[derive(clap::Args)]
#[command(after_long_help = "\
Reads games.csv and times.csv (or ms-per-move.csv). Writes published.csv, claims.csv, stop.csv and precision.csv \
if the experiment has these sections; elo.csv and duels.csv for two-player games; settings.csv, experiment.toml and manifest.toml. \
Other tables do not change. To update an HTML report, run `gauntlet report --out` again.

New claims are listed, because a claim that was chosen after seeing the games is weaker evidence.

Example:
  gauntlet judge quick")]
pub(super) struct Args {
    /// Experiments or results folders
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
            bail!("no such folder: {}; `gauntlet run {}` creates it", display_path(folder), quote_path(path));
        }
        if !has_tables(&*system_disk(), folder) {
            return Err(missing_results::missing_results_error(catalog, folder));
        }
    }
    for (path, Target { experiment, folder }) in args.of.iter().zip(targets) {
        let report = judge(&experiment, &folder, &command::reproducing_command("judge", path))?;
        print(&format_report(&report, &folder, "verdicts re-evaluated; no games played"))?;
    }
    Ok(ExitCode::SUCCESS)
}
