//! `gauntlet rank`: a leaderboard over any number of results.

use std::path::PathBuf;
use std::process::ExitCode;

use super::compare::{check, level, print, what};
use super::format::Format;
use crate::measure::Measure;
use crate::num::Level;
use crate::results::read::Results;
use crate::results::{contestants, doubts, rank};

/// List the players of results from the best on
///
/// Each stands with the ranks that the games leave open: behind all who are shown to be better, before all who are
/// shown to be worse, at the level chosen for all pairs together.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet rank results/quick --by score")]
pub(super) struct Args {
    /// Folders of results
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,

    /// What counts: win, `reach 2048` or another tile, score, ms
    #[arg(long, value_name = "WHAT", default_value = "win", value_parser = what)]
    by: Measure,

    /// How sure all of the ranks together shall be, from 0.51 to 0.999999999
    #[arg(long, value_name = "LEVEL", default_value = "0.95", value_parser = level)]
    level: Level,

    /// Put the settings of each player beside its numbers: in CSV all, otherwise those that differ; JSON always has them
    #[arg(long)]
    with_settings: bool,

    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let results =
        args.results.iter().map(|folder| Results::read(folder)).collect::<anyhow::Result<Vec<_>>>()?;
    let players = contestants::contestants(&results, &[args.by])?;
    check(&results, &players, &[args.by])?;
    let mut table = rank::rank(&results, &players, args.by, args.level.get());
    let settings = || contestants::settings(&results, &players);
    args.format.join_settings(args.with_settings, std::slice::from_mut(&mut table), settings)?;
    let mut doubts = doubts::of_partial(&results);
    doubts.extend(doubts::of_comparisons(&results, &[args.by]));
    print(&table, args.format, doubts)?;
    Ok(ExitCode::SUCCESS)
}
