//! `gauntlet show`: one game of a result, move by move.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use super::exit::Usage;
use super::say::{complain, screen};
use super::target::{Results, Target};
use crate::arena::{Again, replay};
use crate::diagnostic::nearest;
use crate::disk::system;
use crate::game::{Outcome, Seat, Shape};
use crate::plan::{Plan, plan};
use crate::player::Stop;
use crate::record::GameRecord;
use crate::results::folder::has_tables;
use crate::results::set::{GAMES, Set};
use crate::rng::SEED_LIMIT;
use crate::tally::rows::RowWriter;
use crate::text::{escape, shown};

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

    /// In a game of two, its opponent
    #[arg(long, value_name = "NAME", requires = "player", allow_hyphen_values = true)]
    against: Option<String>,

    /// In a game of two, which game of the block: in 1 the player that the experiment names first moves second
    #[arg(long, value_name = "LEG", default_value_t = 0)]
    leg: u64,

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
    let lineup = lineup(&plan, args)?;
    if args.leg >= plan.legs() {
        return Err(Usage(format!("a block of this game has the legs 0 to {}", plan.legs() - 1)).into());
    }
    let blocks = experiment.blocks();
    let seed = match args.seed {
        Some(seed) => seed,
        None if args.block < blocks.len() => blocks.seed(args.block),
        None => return Err(Usage(format!("the experiment has blocks 0 to {}", blocks.len() - 1)).into()),
    };

    let mut out = screen();
    let mut last = String::new();
    let mut failed = None;
    let entrants: Vec<_> = plan.members(lineup).map(|player| player.entrant).collect();
    let kit = plan.kit(&Stop::default());
    let leg = args.leg as usize;
    let (record, reason) =
        replay(&entrants, plan.max_moves, Again { seed, leg, weighed: false }, &kit, &mut |step| {
            let depth = step.depth.map_or_else(String::new, |depth| format!(" at depth {depth}"));
            let mv = step.mv.map_or_else(String::new, |mv| format!(" {mv}{depth},"));
            let text = format!("{}:{mv} {}\n{}\n\n", step.moves, standing(step.outcome), step.position);
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
    if record.ending.is_panic() {
        out.flush()?;
        bail!("{} broke here: {}", plan.title(lineup), escape::line(&reason.unwrap_or_default()));
    }
    let reason = reason.map(|reason| format!(" ({})", escape::line(&reason))).unwrap_or_default();
    let (name, moves) = (record.ending.name(), record.moves);
    let won = match record.outcome {
        Outcome::Points { won: true, .. } => ", won",
        Outcome::Points { won: false, .. } => ", not won",
        Outcome::Won(_) | Outcome::Drawn => "",
    };
    writeln!(out, "{name}{reason} after {moves} moves, {}{won}", standing(record.outcome))?;

    if !plan.is_lineup_reproducible(lineup) {
        complain(format_args!("gauntlet: {} may play otherwise each time", plan.title(lineup)));
    } else if args.seed.is_none() {
        compare(&folder, &plan, lineup, (args.block, leg), &record)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How a position stands.
fn standing(outcome: Outcome) -> String {
    match outcome {
        Outcome::Points { score, .. } => format!("{score} points"),
        Outcome::Won(Seat::First) => "won by the first player".to_owned(),
        Outcome::Won(Seat::Second) => "won by the second player".to_owned(),
        Outcome::Drawn => "neither has won".to_owned(),
    }
}

/// The line-up whose game is asked for.
fn lineup(plan: &Plan, args: &Args) -> Result<usize, Usage> {
    let names: Vec<&str> = plan.players.iter().map(|player| player.name).collect();
    let mut asked = Vec::new();
    for name in args.player.iter().chain(&args.against) {
        let place = names.iter().position(|known| known == name).ok_or_else(|| {
            let near = nearest(name, names.iter().copied())
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            Usage(format!("the experiment has no player `{name}`{near}"))
        })?;
        asked.push(place);
    }
    let has_all = |lineup: &usize| asked.iter().all(|place| plan.lineups[*lineup].members().contains(place));
    let found: Vec<usize> = (0..plan.lineups.len()).filter(has_all).collect();
    match (&found[..], plan.arena.shape) {
        (&[one], _) => Ok(one),
        ([], _) => Err(Usage("these two do not play against each other".to_owned())),
        (_, Shape::Solo) => Err(Usage(format!("whose game? --player is one of: {}", names.join(", ")))),
        (_, Shape::Duel) => {
            Err(Usage(format!("whose game? --player and --against are two of: {}", names.join(", "))))
        }
    }
}

/// The replayed game must be the one in `games.csv`, where there is one.
fn compare(
    folder: &Path,
    plan: &Plan,
    lineup: usize,
    (block, leg): (u64, usize),
    record: &GameRecord,
) -> anyhow::Result<()> {
    let disk = system();
    if !has_tables(&*disk, folder) {
        return Ok(());
    }
    let set = Set::read(&disk, folder)?;
    if !set.holds(GAMES) {
        return Ok(());
    }
    let path = folder.join(GAMES);
    let rows = RowWriter::new(plan, lineup);
    let replayed = rows.row(block, leg, record);
    let head = rows.head(block, leg);
    let row = set.stream(GAMES, |csv| {
        for row in BufReader::new(csv).lines() {
            let row = row.with_context(|| format!("cannot read {}", shown(&path)))?;
            if row.starts_with(&head) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    })?;
    // A game of a broken block has no score in the table. Here it did not break: its player was mended, or it was the
    // other game of the block that broke.
    if let Some(row) = row.filter(|row| *row != replayed && !rows.is_broken(row)) {
        bail!(
            "{} has another game here ({row}): it was played by another version of gauntlet or with other settings",
            shown(&path),
        );
    }
    Ok(())
}
