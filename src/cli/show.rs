//! `gauntlet show`: one game of a result, move by move.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::Usage;
use super::target::{Results, Target};
use crate::config::Experiment;
use crate::diagnostic::nearest;
use crate::plan::plan;
use crate::record::{Ending, GameRecord};
use crate::rng::SEED_LIMIT;

/// Replay one game of a result
///
/// Games are not stored but played again from their seed; that the end agrees with games.csv is checked.
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet show results/quick --player greedy --block 7 --last")]
pub(super) struct Args {
    /// A folder of results, or an experiment
    #[arg(value_name = "RESULTS")]
    of: PathBuf,

    /// Whose game; may be left out where there is one player
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    player: Option<String>,

    /// The game on this block
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "seed")]
    block: u64,

    /// The game on this seed, which need not be of the experiment
    #[arg(long, value_name = "SEED", value_parser = clap::value_parser!(u64).range(..SEED_LIMIT))]
    seed: Option<u64>,

    /// Show only where it ended
    #[arg(long)]
    last: bool,

    #[command(flatten)]
    results: Results,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Target { experiment, folder } = Target::find(&args.of, &args.results)?;
    let plan = plan(&experiment);
    let names: Vec<&str> = plan.entries.iter().map(|entry| entry.name).collect();
    let entry = match &args.player {
        Some(name) => plan.entries.iter().find(|entry| entry.name == name).ok_or_else(|| {
            let near = nearest(name, names.iter().copied())
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            Usage(format!("the experiment has no player `{name}`{near}"))
        })?,
        None if plan.entries.len() == 1 => &plan.entries[0],
        None => return Err(Usage(format!("whose game? --player is one of: {}", names.join(", "))).into()),
    };
    let blocks = experiment.blocks();
    let seed = match args.seed {
        Some(seed) => seed,
        None if args.block < blocks.len() => blocks.seed(args.block),
        None => return Err(Usage(format!("the experiment has blocks 0 to {}", blocks.len() - 1)).into()),
    };

    let mut out = io::stdout().lock();
    let mut last = String::new();
    let mut failed = None;
    let (record, reason) = entry.entrant.replay(plan.max_moves, seed, &mut |step| {
        let depth = step.depth.map_or_else(String::new, |depth| format!(" at depth {depth}"));
        let mv = step.mv.map_or_else(String::new, |mv| format!(" {mv}{depth},"));
        let text = format!("{}:{mv} {} points\n{}\n\n", step.moves, step.score, step.position);
        if args.last {
            last = text; // Should the player break, this is where.
        } else if failed.is_none() {
            failed = out.write_all(text.as_bytes()).err();
        }
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    out.write_all(last.as_bytes())?;
    if record.ending == Ending::Panic {
        out.flush()?;
        bail!("{} broke here: {}", entry.name, reason.unwrap_or_default());
    }
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    let won = if record.won { "won" } else { "not won" };
    writeln!(
        out,
        "{}{reason} after {} moves, {} points, {won}",
        record.ending.name(),
        record.moves,
        record.score
    )?;

    if args.seed.is_none() {
        compare(&folder, &experiment, entry.name, args.block, &record)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The replayed game must be the one in `games.csv`, where there is one.
fn compare(
    folder: &Path,
    experiment: &Experiment,
    player: &str,
    block: u64,
    record: &GameRecord,
) -> anyhow::Result<()> {
    let path = folder.join("games.csv");
    if !path.exists() {
        return Ok(());
    }
    let context = || format!("cannot read {}", path.display());
    let mut reader = csv::Reader::from_path(&path).with_context(context)?;
    let columns = reader.headers().with_context(context)?.clone();
    let block = block.to_string();
    for row in reader.into_records() {
        let row = row.with_context(context)?;
        let cell = |name: &str| {
            columns.iter().position(|column| column == name).and_then(|i| row.get(i)).unwrap_or("")
        };
        if cell("player") != player || cell("block") != block {
            continue;
        }
        let facts = experiment.arena().facts.iter().zip(&record.facts);
        let same = cell("score") == record.score.to_string()
            && cell("moves") == record.moves.to_string()
            && cell("won") == record.won.to_string()
            && facts.into_iter().all(|(fact, value)| cell(fact.column) == value.to_string());
        // A game that broke has no score in the table; here it breaks again, or was mended.
        if !same && cell("ending") != Ending::Panic.name() {
            bail!(
                "{} has another game here ({} points after {} moves): it was played by another version of gauntlet or with other settings, or its player is limited by time",
                path.display(),
                cell("score"),
                cell("moves")
            );
        }
        return Ok(());
    }
    Ok(())
}
