//! `gauntlet check`: everything but playing.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::target::{self, Results};
use crate::config::Blocks;
use crate::plan::plan;
use crate::run::coverage::Coverage;
use crate::run::journal::{self, Journal};
use crate::run::stop;
use crate::text::{games, grouped};

/// Tell the mistakes in an experiment, or what it would play
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet check configs/quick.toml")]
pub(super) struct Args {
    /// Experiments to check
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    results: Results,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let (experiments, failure) = target::load_all(&args.files);
    for (file, experiment) in experiments {
        let plan = plan(&experiment);
        writeln!(out, "{}: {} ({})", file.display(), experiment.name(), experiment.arena().name)?;
        let seeds = match experiment.blocks() {
            Blocks::Derived { seed, .. } => format!("derived from seed {seed}"),
            Blocks::Listed(_) => "listed".to_owned(),
        };
        let blocks = experiment.blocks().len();
        writeln!(out, "  {} blocks, seeds {seeds}", grouped(blocks))?;
        writeln!(out, "  rules {}", experiment.rules().settings)?;
        if let Some(max_moves) = experiment.max_moves() {
            writeln!(out, "  at most {max_moves} moves a game")?;
        }
        let journal = journal::path_in(&args.results.folder(&experiment), None);
        let journal = if journal.exists() { Some(Journal::peek(&journal)?) } else { None };
        let coverage = journal.as_ref().map(|journal| Coverage::of(&plan, journal)).transpose()?;
        let ruling = match (&journal, &coverage) {
            (Some(journal), Some(coverage)) => stop::ruling(&plan, journal, coverage)?,
            _ => None,
        };
        let end = ruling.and_then(|ruling| ruling.end());
        let blocks = end.unwrap_or(blocks);
        let mut to_play = 0;
        let mut asked = 0;
        for (player, entry) in plan.entries.iter().enumerate() {
            write!(out, "  {}: {} {}, ", entry.name, entry.entrant.algorithm, entry.entrant.settings)?;
            if let Some(same) = plan.entries[..player].iter().find(|earlier| earlier.key == entry.key) {
                writeln!(out, "shares the games of {}", same.name)?;
                continue;
            }
            let played = coverage.as_ref().map_or(0, |coverage| coverage.games(player, &(0..blocks)));
            writeln!(out, "{} to play", games(blocks - played))?;
            to_play += blocks - played;
            asked += blocks;
        }
        for claim in experiment.claims() {
            let [better, than] = [claim.better, claim.than].map(|player| plan.entries[player].name);
            let is_better = claim.margin.map_or_else(
                || "is better than".to_owned(),
                |margin| format!("is worse by no more than {} than", margin.get()),
            );
            writeln!(out, "  claim: by {}, {better} {is_better} {than}, at level {}", claim.by, claim.level)?;
        }
        if let Some(stop) = experiment.stop() {
            let [better, than] = [stop.better, stop.than].map(|player| plan.entries[player].name);
            writeln!(out, "  stop: {}, {better} against {than} by {}", stop.method, stop.by)?;
        }
        if let Some(end) = end {
            writeln!(
                out,
                "  stopped after {} of at most {} blocks",
                grouped(end),
                grouped(plan.blocks.len())
            )?;
        }
        for said in experiment.published() {
            let player = plan.entries[said.player].name;
            let of = said.games.map_or(String::new(), |count| format!(" in {}", games(count.get())));
            writeln!(out, "  published: {player}, {}: {}{of} ({})", said.what, said.value, said.source)?;
        }
        if !plan.is_reproducible() {
            writeln!(out, "  not reproducible: some player is limited by time")?;
        }
        let at_most = if experiment.stop().is_some() && to_play > 0 { "at most " } else { "" };
        writeln!(out, "  {at_most}{} of {} games to play", grouped(to_play), grouped(asked))?;
    }
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}
