//! `gauntlet status`: how far runs and shards are, from their journals alone.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::say::{self, damaged_lines, prose};
use super::target::{Results, Target};
use super::tuning_status::{self, part_of};
use crate::arena::Arenas;
use crate::config::Experiment;
use crate::disk::system;
use crate::plan::{Shard, plan};
use crate::results::store::absent;
use crate::results::store::folder::{EXPERIMENT, Tables};
use crate::results::store::tuning::{is_tuning, tunings_in};
use crate::run::broken::{broken, complete};
use crate::run::coverage::Coverage;
use crate::run::journal::Journal;
use crate::run::judge::{self, Judge};
use crate::run::keyed::Keyed;
use crate::run::places;
use crate::text::{games, grouped, shown};

/// Tell how far runs, their shards and tunings are
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet status configs/quick.toml")]
pub(super) struct Args {
    /// Folders of results, or a folder that holds some, or experiments
    #[arg(value_name = "RESULTS", required = true)]
    of: Vec<PathBuf>,

    #[command(flatten)]
    results: Results,
}

pub(super) fn run(arenas: Arenas, args: &Args) -> anyhow::Result<ExitCode> {
    let mut screen = prose();
    let mut failure: Option<anyhow::Error> = None;
    for of in args.of.iter().flat_map(|of| absent::all_with_tunings_at(of)) {
        let of = &of;
        let mut out = Vec::new();
        let told = tell_folder(arenas, &mut out, of, &args.results);
        screen.write_all(&out)?;
        // What is wrong with one folder keeps none of the others from being told of. The last failure ends the command.
        if let Err(error) = told
            && let Some(earlier) = failure.replace(error)
        {
            say::tell(&earlier);
        }
    }
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Tells of one folder all that can be told. Fails if there is something wrong with it.
fn tell_folder(arenas: Arenas, out: &mut impl Write, of: &Path, results: &Results) -> anyhow::Result<()> {
    if is_tuning(of) {
        return tuning_status::tell(arenas, out, of);
    }
    let tell_tunings = |out: &mut _, folder: &Path| {
        tunings_in(folder).iter().try_for_each(|tuning| tuning_status::tell(arenas, out, tuning))
    };
    if of.is_dir() && !absent::holds_results(of) && !tunings_in(of).is_empty() {
        return tell_tunings(out, of);
    }
    let Target { experiment, folder } = Target::find_without_files(arenas, of, results)?;
    let main = places::path_in(&folder, None);
    let shards = places::shards_in(&folder)?;
    let has_no_journal = !main.exists() && shards.is_empty();
    // What a journal holds is found by keys, which rest on the files that players are built from.
    let experiment = if has_no_journal { experiment } else { Target::find(arenas, of, results)?.experiment };
    let plan = plan(&experiment);
    let mut unfit = Ok(());
    let tables = match Tables::of(&system(), &experiment, &folder) {
        Tables::None => "no tables yet",
        Tables::Current => "tables are there",
        Tables::Other => "tables are of another version of the experiment",
        Tables::Unfit(error) => {
            unfit = Err(error);
            "tables do not belong together"
        }
    };
    writeln!(out, "{}: {}, {tables}", shown(&folder), games(plan.games()))?;
    if has_no_journal {
        writeln!(out, "  no journal: nothing was played here")?;
    }
    let again = run_again(of, &experiment, &folder, results);
    // Keys are the same for all journals: they are found once, with the help of the first.
    let mut keyed = None;
    let mut tell_of = |path: &Path, shard| {
        let journal = Journal::peek(path)?;
        let plan = match keyed.take() {
            Some(known) => known,
            None => Keyed::of(plan.clone(), &[&journal])?,
        };
        tell(&mut *out, keyed.insert(plan), &journal, shard, &again)
    };
    if main.exists() {
        tell_of(&main, None)?;
    }
    for (shard, path) in &shards {
        tell_of(path, Some(*shard))?;
    }
    if let Some((first, _)) = shards.first() {
        let begun: BTreeSet<Shard> = shards.iter().map(|(shard, _)| *shard).collect();
        let mut not_begun = first.all().filter(|shard| !begun.contains(shard));
        for shard in not_begun.by_ref().take(NAMED) {
            writeln!(out, "  shard {shard}: not begun here")?;
        }
        let more = not_begun.count() as u64;
        if more > 0 {
            writeln!(out, "  … and {} more shards not begun here", grouped(more))?;
        }
    }
    tell_tunings(out, &folder)?;
    unfit
}

/// The command that goes on with a run.
fn run_again(of: &Path, experiment: &Experiment, folder: &Path, results: &Results) -> String {
    if !of.is_dir() {
        return format!("gauntlet run {}", results.said_again(of));
    }
    // The copy of the experiment leads to a folder that is called as the experiment.
    match (folder.file_name(), folder.parent()) {
        (Some(name), Some(around)) if name == experiment.name() => {
            let around = if around == Path::new("") { Path::new(".") } else { around };
            format!("gauntlet run {}", Results::of(around).said_again(&folder.join(EXPERIMENT)))
        }
        _ => "the same `gauntlet run` as before".to_owned(),
    }
}

/// More shards than this need not be named.
const NAMED: usize = 20;

fn tell(
    out: &mut impl Write,
    plan: &Keyed,
    journal: &Journal,
    shard: Option<Shard>,
    again: &str,
) -> anyhow::Result<()> {
    let coverage = Coverage::of(plan, journal)?;
    // Shards play all of their blocks, and are judged together.
    let judge = if shard.is_none() { judge::heard(plan, &coverage)? } else { None };
    let end = judge.as_ref().and_then(Judge::end);
    let among = shard.map_or(0..end.unwrap_or(plan.blocks.len()), |shard| shard.blocks(plan.blocks.len()));
    let all = (among.end - among.start) * plan.lineups.len() as u64 * plan.legs();
    let played =
        (0..plan.lineups.len()).map(|lineup| coverage.blocks(lineup, &among)).sum::<u64>() * plan.legs();
    let (broken, _) = broken(plan, &coverage, &among);
    let name = shard.map_or_else(|| "run".to_owned(), |shard| format!("shard {shard}"));
    let is_in_use = Journal::is_in_use(journal.path());
    let state = match (played == all, is_in_use) {
        (_, true) => "playing now",
        (true, false) => "complete",
        (false, false) => "not complete",
    };
    writeln!(out, "  {name}: {}, {state}", part_of(played, all))?;
    for lineup in 0..plan.lineups.len() {
        let blocks = coverage.blocks(lineup, &among);
        if blocks < among.end - among.start {
            let [blocks, all] = [blocks, among.end - among.start].map(|blocks| grouped(plan.legs() * blocks));
            writeln!(out, "    {}: {blocks} of {all}", plan.title(lineup))?;
        }
    }
    match (&judge, end) {
        (_, Some(end)) => writeln!(
            out,
            "    stopped after {} of at most {} blocks",
            grouped(end),
            grouped(plan.blocks.len())
        )?,
        (Some(judge), None) => writeln!(out, "    {}", judge.stands(|player| plan.players[player].name))?,
        (None, None) => {}
    }
    if played < all && shard.is_none() {
        let [blocks, all] = [complete(plan, &coverage).min(among.end), among.end].map(grouped);
        let whom = if plan.players.len() == 1 { "" } else { " for all players" };
        writeln!(
            out,
            "    {blocks} of {all} blocks are complete{whom}: `report` and `compare` are of these"
        )?;
    }
    if played < all && !is_in_use {
        let shard = shard.map_or_else(String::new, |shard| format!(" --shard {shard}"));
        writeln!(out, "    to go on: {again}{shard}")?;
    }
    if !broken.is_empty() {
        let count = games(plan.legs() * broken.len() as u64);
        writeln!(out, "    {count} broke their player's program")?;
    }
    if coverage.others() > 0 {
        writeln!(
            out,
            "    and {} that this version of the experiment does not ask for",
            games(coverage.others())
        )?;
    }
    if let Some(dispute) = &coverage.disputed {
        writeln!(out, "    {}; `gauntlet run` plays the games of both lines again", dispute.told)?;
    }
    if journal.damaged() > 0 {
        writeln!(out, "    {} passed over", damaged_lines(journal))?;
    }
    Ok(())
}
