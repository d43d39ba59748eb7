//! `gauntlet merge`: combines the shards of an experiment into one result.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::store::command;
use gauntlet_analysis::results::store::folder::{EXPERIMENT, copy_experiment, has_tables};
use gauntlet_analysis::results::store::manifest;
use gauntlet_analysis::results::store::read;
use gauntlet_analysis::results::store::write::write;
use gauntlet_core::disk::system_disk;
use gauntlet_core::rng::Seed;
use gauntlet_core::text::{display_path, format_games};
use gauntlet_run::broken::{complete_ranges, find_failures};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::decision::ShardEarlyStop;
use gauntlet_run::division;
use gauntlet_run::failing::skip_failing;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::machine;
use gauntlet_run::merge::{check_games, merge};
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::verify::{VerificationSize, verify};

use super::destination::{Destination, Replace};
use super::ending::Ending;
use gauntlet_cli::exit::{FAILED, STOPPED, Usage};
use gauntlet_cli::resources::Memory;
use gauntlet_cli::say::{NO_TABLES, complain, describe_damaged_lines, print_broken, print_skipped};
use gauntlet_cli::session::CommandSession;
use gauntlet_cli::target::{Results, Target, refuse_missing};

/// Merge shard journals and write result tables
///
/// Reads the journals of all shards in the results folder, and any JOURNAL. If two journals have
/// the same game, both records must agree, and every record must be possible under the rules. If
/// games are missing, they are listed and no tables are written.
#[derive(clap::Args)]
#[command(after_long_help = "Example:
  gauntlet run configs/quick.toml --shard 1/2 && gauntlet run configs/quick.toml --shard 2/2 && gauntlet merge configs/quick.toml")]
pub(super) struct Args {
    /// Experiment or results folder
    #[arg(value_name = "EXPERIMENT")]
    of: PathBuf,

    /// Additional journals, for example from other machines
    #[arg(value_name = "JOURNAL")]
    journals: Vec<PathBuf>,

    /// Before merging, replay a sample of blocks per player and journal: a share such as 1%, or a
    /// number; fail if a block differs
    #[arg(long, value_name = "PART")]
    verify: Option<VerificationSize>,

    /// Seed of the sample for --verify [default: random]
    #[arg(long, value_name = "SEED", requires = "verify")]
    verify_seed: Option<u64>,

    #[command(flatten)]
    memory: Memory,

    /// Allow games played by different builds
    #[arg(long)]
    mix_builds: bool,

    #[command(flatten)]
    replace: Replace,

    #[command(flatten)]
    results: Results,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let Target { experiment, folder } = Target::find_to_merge(catalog, &args.of, &args.results)?;
    let plan = experiment.plan();
    let main = paths::journal_path(&folder, None);
    let shards = paths::find_shards(&folder)?;
    division::check_all(&folder, &shards).map_err(Usage)?;
    let opened = open_sources(&folder, &main, &shards, &args.journals)?;
    let plan = KeyedPlan::new(plan, &opened.iter().collect::<Vec<_>>())?;
    let offered = opened.iter().map(|journal| Coverage::from_journal(&plan, journal));
    let offered = offered.collect::<anyhow::Result<Vec<_>>>()?;
    print_versions(&offered, args.of.is_dir().then_some(&*folder))?;
    // Nothing is written before everything is checked.
    let known = if main.exists() { Some(Journal::open(&main)?) } else { None };
    let of_known = known.as_ref().map(|known| Coverage::from_journal(&plan, known)).transpose()?;
    check_builds(&plan, offered.iter().chain(&of_known), opened.is_empty() || args.mix_builds)?;
    if let Some(part) = args.verify {
        let seed = args.verify_seed.unwrap_or_else(machine::unique_number);
        let verified = verify_all(&plan, offered.iter().chain(&of_known), (part, seed), args.memory.bytes())?;
        if verified != ExitCode::SUCCESS {
            return Ok(verified);
        }
    }
    let sessions = opened.iter().chain(&known).flat_map(Journal::sessions);
    let destination = Destination::find(&experiment, &folder, sessions, &args.replace)?;
    destination.warn_of_fewer_games(&plan);
    let mut journal = match known {
        Some(known) => known,
        None => Journal::open(&main)?,
    };
    let tables = destination.prepare()?;
    copy_experiment(journal.disk(), &experiment, &tables)?;
    let taken = merge(&plan, &mut journal, &offered)?;
    journal.sync()?;
    let shard = shards.first().map(|(shard, _)| *shard);
    let digest = manifest::experiment_digest(&experiment);
    let deciding = shard.and_then(|shard| ShardEarlyStop::new(&plan, &folder, &digest, shard));
    let (missing, names) = find_missing(&plan, &journal, shard, deciding.as_ref())?;
    if missing > 0 {
        complain(format_args!("gauntlet: {} missing; {NO_TABLES}\n{names}", games_are(missing)));
        return Ok(ExitCode::from(FAILED));
    }
    let command = command::reproducing_command("merge", &args.of);
    let report = write(&experiment, &plan, &mut journal, &tables, &command, machine::cores())?;
    let taken = format!("{} merged from other journals", format_games(taken));
    let (how, is_different) = destination.describe_tables(&report, taken)?;
    let results = read::Results::read(catalog, &tables)?;
    Ending::new(&results, &report.tables, &report.doubts, how, Vec::new())?.print(true)?;
    print_broken(&report.broken, &plan, &folder);
    print_skipped(&report.skipped, &plan, &folder);
    Ok(if report.is_whole() && !is_different { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Opens the journals to be merged. All are opened before the first one is merged, so an error in
/// the last one leaves no partial merge.
fn open_sources(
    folder: &Path,
    main: &Path,
    shards: &[(Shard, PathBuf)],
    named: &[PathBuf],
) -> anyhow::Result<Vec<Journal>> {
    // A journal of the folder may also be named, for example by a pattern that matches all of them.
    let mut seen = BTreeSet::new();
    let sources = shards.iter().map(|(_, path)| path).chain(named);
    let is_new = |path: &&PathBuf| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| (*path).clone()));
    let sources: Vec<_> = sources.filter(is_new).collect();
    machine::allow_open_files(sources.len() as u64);
    if sources.is_empty() && !main.exists() {
        bail!("{} has no journal, and no JOURNAL is given: nothing to merge", display_path(folder));
    }
    for path in named {
        refuse_missing(path)?;
        if let (Ok(one), Ok(other)) = (fs::canonicalize(path), fs::canonicalize(main))
            && one == other
        {
            return Err(Usage(format!("{} is the target of the merge", display_path(path))).into());
        }
    }
    let mut opened = Vec::new();
    for path in sources {
        let source = Journal::open_existing(path)?;
        // A shard that was killed during its first line leaves a file without a complete line.
        if source.is_foreign() {
            if named.contains(path) {
                bail!("{} is not a journal", display_path(path));
            }
            complain(format_args!("gauntlet: {} has no games yet", display_path(path)));
        } else if source.damaged_lines() > 0 {
            complain(format_args!("gauntlet: {} passed over", describe_damaged_lines(&source)));
        }
        opened.push(source);
    }
    Ok(opened)
}

/// Fails unless all games in these journals are possible, and are played by one build, unless
/// builds may be mixed.
fn check_builds<'a>(
    plan: &KeyedPlan,
    held: impl Iterator<Item = &'a Coverage<'a>>,
    may_differ: bool,
) -> anyhow::Result<()> {
    let mut builds = BTreeMap::new();
    for coverage in held {
        check_games(plan, coverage)?;
        for session in coverage.sessions() {
            builds
                .entry(coverage.journal.sessions()[session].describe_build())
                .or_insert_with(|| display_path(coverage.journal.path()).to_string());
        }
    }
    if may_differ || builds.len() <= 1 {
        return Ok(());
    }
    let each: Vec<String> = builds.iter().map(|(build, journal)| format!("  {journal}: {build}")).collect();
    let each = each.join("\n");
    Err(Usage(format!(
        "these games were played by different builds:\n{each}\nReplay the journals of one build, or use --mix-builds if `gauntlet signature` prints the same for all builds"
    ))
    .into())
}

/// Plays a part of each journal again. Reports every journal that differs before the command fails.
fn verify_all<'a>(
    plan: &KeyedPlan,
    held: impl Iterator<Item = &'a Coverage<'a>>,
    (part, seed): (VerificationSize, u64),
    memory: u64,
) -> anyhow::Result<ExitCode> {
    let session = CommandSession::begin()?;
    let not: Vec<_> =
        (0..plan.lineups.len()).filter(|&lineup| !plan.is_lineup_reproducible(lineup)).collect();
    if let Some((&first, more)) = not.split_first() {
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        complain(format_args!("gauntlet: {}{more} cannot be verified: not reproducible", plan.title(first)));
    }
    let mut played = 0;
    let mut differs = false;
    for (number, held) in (0..).zip(held) {
        // Each journal has its own random sample of blocks, by its place in the list.
        let drawn_by = Seed::root(seed).child("journal", number);
        let (verified, _) = session.run_stoppable(|stop| verify(plan, held, (part, drawn_by), memory, stop));
        let verified = verified?;
        if verified.interrupted {
            complain(format_args!("stopped before verification ended; nothing merged"));
            return Ok(ExitCode::from(STOPPED));
        }
        if let Some(difference) = &verified.differs {
            complain(format_args!("gauntlet: {}", difference.describe(plan)));
            differs = true;
        }
        played += verified.games;
    }
    if differs {
        complain(format_args!(
            "gauntlet: nothing merged. Remove the journals listed above, or check their origin; `gauntlet run --shard` replays a shard (--verify-seed {seed})"
        ));
        return Ok(ExitCode::from(FAILED));
    }
    match (played, not.len() == plan.lineups.len()) {
        (0, true) => complain(format_args!("gauntlet: nothing verified: no player is reproducible")),
        (0, false) => {
            complain(format_args!("gauntlet: nothing verified: the journals contain no reproducible games"))
        }
        _ => complain(format_args!(
            "{} replayed with identical results (--verify-seed {seed})",
            format_games(played)
        )),
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports which journals contain games of another version of the experiment. If a folder was
/// named, and no journal fits the version in it, the user must name the version: the folder's copy
/// belongs to its tables, which may be older than later games.
fn print_versions(offered: &[Coverage], named: Option<&Path>) -> anyhow::Result<()> {
    let mut fitting = 0;
    let mut others = Vec::new();
    for coverage in offered {
        match coverage.foreign_games() {
            0 => fitting += usize::from(!coverage.journal.lines().is_empty()),
            games => others.push((coverage.journal, games)),
        }
    }
    if let (Some(folder), 0, [_, ..]) = (named, fitting, &others[..])
        && has_tables(&*system_disk(), folder)
    {
        bail!(
            "these journals belong to another version of the experiment than the tables in {}: give the file of the experiment instead of the folder",
            display_path(&folder.join(EXPERIMENT))
        );
    }
    for (source, others) in others {
        complain(format_args!(
            "gauntlet: {} has {} that this version of the experiment does not need; skipping them",
            display_path(source.path()),
            format_games(others)
        ));
    }
    Ok(())
}

fn games_are(number: u64) -> String {
    format_games(number) + if number == 1 { " is" } else { " are" }
}

/// The most missing stretches that are listed.
const MOST_NAMED: usize = 20;

/// Returns the number of missing games and their line-ups, by shard if there are any. Reports if
/// the decision in the folder is wrong.
fn find_missing(
    plan: &KeyedPlan,
    journal: &Journal,
    shard: Option<Shard>,
    deciding: Option<&ShardEarlyStop>,
) -> anyhow::Result<(u64, String)> {
    // Games after an early stop of the run, and of skipped players, are not missing.
    let (plan, judge) = skip_failing(plan, &Coverage::from_journal(plan, journal)?)?;
    let (plan, coverage) = (&plan, Coverage::from_journal(&plan, journal)?);
    let end = judge.and_then(|judge| judge.end());
    let first = complete_ranges(plan, &coverage, 0).into_iter().next();
    let prefix = first.filter(|part| part.start == 0).map_or(0, |part| part.end);
    if let Some(corrected) = deciding.and_then(|deciding| deciding.correct(end, prefix)) {
        complain(format_args!("gauntlet: {corrected}"));
    }
    let among = 0..end.unwrap_or(plan.blocks.len());
    let (broken, missing) = find_failures(plan, &coverage, &among);
    if missing == 0 {
        return Ok((0, String::new()));
    }
    let is_broken = |lineup: usize, block: u64| {
        broken.binary_search_by_key(&(lineup, block), |game| (game.lineup, game.block)).is_ok()
    };
    let mut names = Vec::new();
    let mut more = 0;
    for lineup in 0..plan.lineups.len() {
        for range in coverage.missing_blocks(lineup, &among) {
            if range.clone().all(|block| is_broken(lineup, block)) {
                continue;
            }
            if names.len() == MOST_NAMED {
                more += 1;
                continue;
            }
            let touched = shard.into_iter().flat_map(Shard::all_shards).filter(|shard| {
                let touches = |part: &Range<u64>| part.start < range.end && range.start < part.end;
                plan.shard_parts(*shard).iter().any(touches)
            });
            let touched: Vec<String> = touched.map(|shard| format!("shard {shard}")).collect();
            let touched = match touched.len() {
                0 => String::new(),
                1..=5 => format!(" ({})", touched.join(", ")),
                more => format!(" ({} and {} more)", touched[0], more - 1),
            };
            names.push(format!(
                "  {}: blocks {} to {}{touched}",
                plan.title(lineup),
                range.start,
                range.end - 1
            ));
        }
    }
    if more > 0 {
        names.push(format!("  … and {more} more ranges"));
    }
    Ok((plan.legs() * missing, names.join("\n")))
}
