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
use gauntlet_analysis::results::store::write::write_results;
use gauntlet_core::disk::system_disk;
use gauntlet_core::rng::Seed;
use gauntlet_core::text::{display_path, format_games};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::decision::ShardEarlyStop;
use gauntlet_run::division;
use gauntlet_run::failing_players::skip_failing;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::machine;
use gauntlet_run::merge::{check_games, merge};
use gauntlet_run::missing_blocks::{complete_ranges, find_failures};
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::verify::{VerificationSize, verify};

use super::destination::{Destination, Replace};
use super::final_output::FinalOutput;
use gauntlet_cli::exit::{FAILED, STOPPED, Usage};
use gauntlet_cli::output::{NO_TABLES, describe_damaged_lines, print_failures, print_message, print_skipped};
use gauntlet_cli::resources::Memory;
use gauntlet_cli::session::CommandSession;
use gauntlet_cli::target::{Results, Target, refuse_missing};

/// Merge shard journals and write result tables
///
/// Reads the journals of all shards in the results folder, and any JOURNAL. If two journals have
/// the same game, both records must agree, and every record must be possible under the rules. If
/// games are missing, they are listed and no tables are written.
#[derive(clap::Args)]
#[command(after_long_help = "Example:
  gauntlet run quick --shard 1/2 && gauntlet run quick --shard 2/2 && gauntlet merge quick")]
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
    let main_path = paths::journal_path(&folder, None);
    let shards = paths::find_shards(&folder)?;
    division::check_all(&folder, &shards).map_err(Usage)?;
    let sources = open_sources(&folder, &main_path, &shards, &args.journals)?;
    let plan = KeyedPlan::new(plan, &sources.iter().collect::<Vec<_>>())?;
    let coverages = sources.iter().map(|journal| Coverage::from_journal(&plan, journal));
    let coverages = coverages.collect::<anyhow::Result<Vec<_>>>()?;
    print_versions(&coverages, args.of.is_dir().then_some(&*folder))?;
    // Nothing is written before everything is checked.
    let main_journal = if main_path.exists() { Some(Journal::open(&main_path)?) } else { None };
    let main_coverage =
        main_journal.as_ref().map(|journal| Coverage::from_journal(&plan, journal)).transpose()?;
    check_builds(&plan, coverages.iter().chain(&main_coverage), sources.is_empty() || args.mix_builds)?;
    if let Some(sample_size) = args.verify {
        let seed = args.verify_seed.unwrap_or_else(machine::unique_number);
        let status = verify_all(
            &plan,
            coverages.iter().chain(&main_coverage),
            (sample_size, seed),
            args.memory.bytes(),
        )?;
        if status != ExitCode::SUCCESS {
            return Ok(status);
        }
    }
    let sessions = sources.iter().chain(&main_journal).flat_map(Journal::sessions);
    let destination = Destination::find(&experiment, &folder, sessions, &args.replace)?;
    destination.warn_of_fewer_games(&plan);
    let mut journal = match main_journal {
        Some(journal) => journal,
        None => Journal::open(&main_path)?,
    };
    let table_folder = destination.prepare()?;
    copy_experiment(journal.disk(), &experiment, &table_folder)?;
    let merged_games = merge(&plan, &mut journal, &coverages)?;
    journal.sync()?;
    let shard = shards.first().map(|(shard, _)| *shard);
    let digest = manifest::experiment_digest(&experiment);
    let early_stop = shard.and_then(|shard| ShardEarlyStop::new(&plan, &folder, &digest, shard));
    let (missing, missing_lines) = find_missing(&plan, &journal, shard, early_stop.as_ref())?;
    if missing > 0 {
        print_message(format_args!(
            "gauntlet: {} missing; {NO_TABLES}\n{missing_lines}",
            games_with_verb(missing)
        ));
        return Ok(ExitCode::from(FAILED));
    }
    let command = command::reproducing_command("merge", &args.of);
    let report = write_results(&experiment, &plan, &mut journal, &table_folder, &command, machine::cores())?;
    let merge_note = format!("{} merged from other journals", format_games(merged_games));
    let (description, is_different) = destination.describe_tables(&report, merge_note)?;
    let results = read::Results::read(catalog, &table_folder)?;
    FinalOutput::new(&results, &report.tables, &report.warnings, description, Vec::new())?.print(true)?;
    print_failures(&report.failures, &plan, &folder);
    print_skipped(&report.skipped, &plan, &folder);
    Ok(if report.has_all_games() && !is_different { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Opens the journals to be merged. All are opened before the first one is merged, so an error in
/// the last one leaves no partial merge.
fn open_sources(
    folder: &Path,
    main_path: &Path,
    shards: &[(Shard, PathBuf)],
    extra_paths: &[PathBuf],
) -> anyhow::Result<Vec<Journal>> {
    // A journal of the folder may also be named, for example by a pattern that matches all of them.
    let mut seen_paths = BTreeSet::new();
    let sources = shards.iter().map(|(_, path)| path).chain(extra_paths);
    let is_new =
        |path: &&PathBuf| seen_paths.insert(fs::canonicalize(path).unwrap_or_else(|_| (*path).clone()));
    let sources: Vec<_> = sources.filter(is_new).collect();
    machine::allow_open_files(sources.len() as u64);
    if sources.is_empty() && !main_path.exists() {
        bail!("{} has no journal, and no JOURNAL is given: nothing to merge", display_path(folder));
    }
    for path in extra_paths {
        refuse_missing(path)?;
        if let (Ok(source_path), Ok(target_path)) = (fs::canonicalize(path), fs::canonicalize(main_path))
            && source_path == target_path
        {
            return Err(Usage(format!("{} is the target of the merge", display_path(path))).into());
        }
    }
    let mut journals = Vec::new();
    for path in sources {
        let source = Journal::open_existing(path)?;
        // A shard that was killed during its first line leaves a file without a complete line.
        if source.is_foreign() {
            if extra_paths.contains(path) {
                bail!("{} is not a journal", display_path(path));
            }
            print_message(format_args!("gauntlet: {} has no games yet", display_path(path)));
        } else if source.damaged_lines() > 0 {
            print_message(format_args!("gauntlet: {} passed over", describe_damaged_lines(&source)));
        }
        journals.push(source);
    }
    Ok(journals)
}

/// Fails unless all games in these journals are possible, and are played by one build, unless
/// builds may be mixed.
fn check_builds<'a>(
    plan: &KeyedPlan,
    coverages: impl Iterator<Item = &'a Coverage<'a>>,
    allow_mixed: bool,
) -> anyhow::Result<()> {
    let mut builds = BTreeMap::new();
    for coverage in coverages {
        check_games(plan, coverage)?;
        for session in coverage.sessions() {
            builds
                .entry(coverage.journal.sessions()[session].describe_build())
                .or_insert_with(|| display_path(coverage.journal.path()).to_string());
        }
    }
    if allow_mixed || builds.len() <= 1 {
        return Ok(());
    }
    let lines: Vec<String> = builds.iter().map(|(build, journal)| format!("  {journal}: {build}")).collect();
    let list = lines.join("\n");
    Err(Usage(format!(
        "these games were played by different builds:\n{list}\nReplay the journals of one build, or use --mix-builds if `gauntlet signature` prints the same for all builds"
    ))
    .into())
}

/// Plays a part of each journal again. Reports every journal that differs before the command fails.
fn verify_all<'a>(
    plan: &KeyedPlan,
    coverages: impl Iterator<Item = &'a Coverage<'a>>,
    (sample_size, seed): (VerificationSize, u64),
    memory: u64,
) -> anyhow::Result<ExitCode> {
    let session = CommandSession::begin()?;
    let unverifiable: Vec<_> =
        (0..plan.lineups.len()).filter(|&lineup| !plan.is_lineup_reproducible(lineup)).collect();
    if let Some((&first, others)) = unverifiable.split_first() {
        let suffix = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        print_message(format_args!(
            "gauntlet: {}{suffix} cannot be verified: not reproducible",
            plan.title(first)
        ));
    }
    let mut replayed_games = 0;
    let mut has_difference = false;
    for (number, coverage) in (0..).zip(coverages) {
        // Each journal has its own random sample of blocks, by its place in the list.
        let sample_seed = Seed::root(seed).child("journal", number);
        let (result, _) =
            session.run_stoppable(|stop| verify(plan, coverage, (sample_size, sample_seed), memory, stop));
        let verification = result?;
        if verification.is_interrupted {
            print_message(format_args!("stopped before verification ended; nothing merged"));
            return Ok(ExitCode::from(STOPPED));
        }
        if let Some(difference) = &verification.difference {
            print_message(format_args!("gauntlet: {}", difference.describe(plan)));
            has_difference = true;
        }
        replayed_games += verification.games;
    }
    if has_difference {
        print_message(format_args!(
            "gauntlet: nothing merged. Remove the journals listed above, or check their origin; `gauntlet run --shard` replays a shard (--verify-seed {seed})"
        ));
        return Ok(ExitCode::from(FAILED));
    }
    match (replayed_games, unverifiable.len() == plan.lineups.len()) {
        (0, true) => print_message(format_args!("gauntlet: nothing verified: no player is reproducible")),
        (0, false) => print_message(format_args!(
            "gauntlet: nothing verified: the journals contain no reproducible games"
        )),
        _ => print_message(format_args!(
            "{} replayed with identical results (--verify-seed {seed})",
            format_games(replayed_games)
        )),
    }
    Ok(ExitCode::SUCCESS)
}

/// Reports which journals contain games of another version of the experiment. If a folder was
/// named, and no journal fits the version in it, the user must name the version: the folder's copy
/// belongs to its tables, which may be older than later games.
fn print_versions(coverages: &[Coverage], named_folder: Option<&Path>) -> anyhow::Result<()> {
    let mut matching_journals = 0;
    let mut other_versions = Vec::new();
    for coverage in coverages {
        match coverage.foreign_games() {
            0 => matching_journals += usize::from(!coverage.journal.lines().is_empty()),
            games => other_versions.push((coverage.journal, games)),
        }
    }
    if let (Some(folder), 0, [_, ..]) = (named_folder, matching_journals, &other_versions[..])
        && has_tables(&*system_disk(), folder)
    {
        bail!(
            "these journals belong to another version of the experiment than the tables in {}: give the file of the experiment instead of the folder",
            display_path(&folder.join(EXPERIMENT))
        );
    }
    for (journal, games) in other_versions {
        print_message(format_args!(
            "gauntlet: {} has {} that this version of the experiment does not need; skipping them",
            display_path(journal.path()),
            format_games(games)
        ));
    }
    Ok(())
}

fn games_with_verb(count: u64) -> String {
    format_games(count) + if count == 1 { " is" } else { " are" }
}

/// The most missing stretches that are listed.
const MAX_RANGES: usize = 20;

/// Returns the number of missing games and their line-ups, by shard if there are any. Reports if
/// the decision in the folder is wrong.
fn find_missing(
    plan: &KeyedPlan,
    journal: &Journal,
    shard: Option<Shard>,
    early_stop: Option<&ShardEarlyStop>,
) -> anyhow::Result<(u64, String)> {
    // Games after an early stop of the run, and of skipped players, are not missing.
    let (plan, judge) = skip_failing(plan, &Coverage::from_journal(plan, journal)?)?;
    let (plan, coverage) = (&plan, Coverage::from_journal(&plan, journal)?);
    let end = judge.and_then(|judge| judge.end());
    let first = complete_ranges(plan, &coverage, 0).into_iter().next();
    let prefix = first.filter(|part| part.start == 0).map_or(0, |part| part.end);
    if let Some(correction) = early_stop.and_then(|early_stop| early_stop.correct(end, prefix)) {
        print_message(format_args!("gauntlet: {correction}"));
    }
    let block_range = 0..end.unwrap_or(plan.blocks.len());
    let (failed_games, missing) = find_failures(plan, &coverage, &block_range);
    if missing == 0 {
        return Ok((0, String::new()));
    }
    let is_broken = |lineup: usize, block: u64| {
        failed_games.binary_search_by_key(&(lineup, block), |game| (game.lineup, game.block)).is_ok()
    };
    let mut lines = Vec::new();
    let mut omitted = 0;
    for lineup in 0..plan.lineups.len() {
        for range in coverage.missing_blocks(lineup, &block_range) {
            if range.clone().all(|block| is_broken(lineup, block)) {
                continue;
            }
            if lines.len() == MAX_RANGES {
                omitted += 1;
                continue;
            }
            let touched_shards = shard.into_iter().flat_map(Shard::all_shards).filter(|shard| {
                let overlaps = |part: &Range<u64>| part.start < range.end && range.start < part.end;
                plan.shard_parts(*shard).iter().any(overlaps)
            });
            let shard_names: Vec<String> = touched_shards.map(|shard| format!("shard {shard}")).collect();
            let shard_note = match shard_names.len() {
                0 => String::new(),
                1..=5 => format!(" ({})", shard_names.join(", ")),
                count => format!(" ({} and {} more)", shard_names[0], count - 1),
            };
            lines.push(format!(
                "  {}: blocks {} to {}{shard_note}",
                plan.title(lineup),
                range.start,
                range.end - 1
            ));
        }
    }
    if omitted > 0 {
        lines.push(format!("  … and {omitted} more ranges"));
    }
    Ok((plan.legs() * missing, lines.join("\n")))
}
