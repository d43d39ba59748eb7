//! From a journal to a folder of tables.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use anyhow::{Context, bail};
use gauntlet_core::disk::folder_of;
use gauntlet_core::table::Table;
use gauntlet_core::text::display_path;
use gauntlet_run::coverage::Coverage;
use gauntlet_run::failing_players::{self, FailingPlayers, skip_failing};
use gauntlet_run::journal::Journal;
use gauntlet_run::judge::StopResult;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::missing_blocks::{BlockFailure, find_failures};
use gauntlet_run::plan::Plan;
use gauntlet_run::tally::{self, Tally, rows};
use gauntlet_run::{machine, threads};

use super::claim_history;
use super::files::NewFile;
use super::manifest::{Manifest, RunKeys};
use super::replacement::FolderTransaction;
use super::snapshot::read_manifest;
use crate::compare::VERDICT_TABLES;
use crate::compare::claims::ClaimSamples;
use crate::config::Experiment;
use crate::results::tables::artifacts::{ExperimentSums, assemble};
use crate::results::tables::sum_schemas;

/// Report about a finished experiment.
#[derive(Debug, Default)]
pub struct RunReport {
    /// Tables, in the order in which they are printed.
    pub tables: Vec<Table>,
    /// Warnings about the tables.
    pub warnings: Vec<String>,
    /// Mean positions per move of each player that counts them.
    pub mean_nodes_per_move: Vec<Option<f64>>,
    /// Blocks that broke a player's program.
    pub failures: Vec<BlockFailure>,
    /// Players without tables, by index in the plan, with the reason.
    pub skipped: FailingPlayers,
    /// Number of blocks of line-ups that are not played.
    pub missing_blocks: u64,
}

impl RunReport {
    /// Returns true if the tables have all games of all players.
    pub fn has_all_games(&self) -> bool {
        self.failures.is_empty() && self.skipped.is_empty()
    }
}

/// Writes all tables of a plan into the folder of its results, atomically; writes nothing if games
/// of players that were not skipped are missing. When it returns, the tables are on disk, and so is
/// the journal, which records that this answer was given. `command` reproduces the results;
/// `max_threads` is the largest number of threads.
pub fn write_results(
    experiment: &Experiment,
    plan: &KeyedPlan,
    journal: &mut Journal,
    folder: &Path,
    command: &str,
    max_threads: usize,
) -> anyhow::Result<RunReport> {
    let coverage = Coverage::from_journal(plan, journal)?;
    let has_foreign_games = coverage.foreign_games() > 0;
    let (remaining, judge) = skip_failing(plan, &coverage)?;
    if remaining.lineups.is_empty() && !remaining.skipped.is_empty() {
        journal.sync()?;
        bail!("{}", no_players_message(&remaining));
    }
    // Games after the end of a run that stopped itself were played before the end was known. They
    // do not count.
    let stop_result = judge.map(|judge| judge.stop_result());
    let end = stop_result.as_ref().and_then(StopResult::end);
    let plan = &remaining.limit_to_first(end.unwrap_or(remaining.blocks.len()));
    let coverage = Coverage::from_journal(plan, journal)?;
    let (failures, missing_blocks) = find_failures(plan, &coverage, &(0..plan.blocks.len()));
    if missing_blocks > 0 {
        journal.sync()?;
        return Ok(RunReport { failures, missing_blocks, ..RunReport::default() });
    }

    plan.assets.check()?;
    // Recorded before there are tables, so that no tables exist without the record.
    let covered_claims = claim_history::covered_claims(plan, experiment);
    journal.append_answer(plan, plan.blocks.len(), end.is_some(), covered_claims)?;
    let journal = &*journal;
    let coverage = Coverage::from_journal(plan, journal)?;
    let mut files = FolderTransaction::begin(journal.disk(), folder)?;
    let earlier_manifests = read_earlier_manifests(journal, folder)?;
    let answered_claims =
        earlier_manifests.iter().filter_map(Manifest::run_keys).flat_map(|run| run.answered_claim.clone());
    let mut manifest =
        Manifest::from_journal(plan, journal, experiment, command, &answered_claims.collect::<Vec<_>>());
    let pool = threads::build_pool(max_threads)?;
    let mut samples = ClaimSamples::new(plan, &experiment.sections().claims);
    // If all games of the journal are in the tables, its sessions identify the games.
    let tallies = if !has_foreign_games && files.keep_games(&manifest, &rows::header(plan))? {
        journal.sync()?;
        pool.install(|| tally::tally_without_rows(plan, &coverage, &failures, &mut samples))?
    } else {
        let mut games = files.begin_games()?;
        let (tallies, digest) = write_and_sync(journal, &mut games, |csv| {
            pool.install(|| tally::tally(plan, &coverage, &failures, csv, &mut samples))
        })?;
        files.add_games(digest);
        tallies
    };
    let result_tables = assemble(
        &sum_games(plan, journal, &manifest, &tallies, &samples, stop_result.as_ref(), true),
        experiment,
    )?;
    let sum_tables = sum_schemas(experiment.catalog().games).into_iter().map(|schema| schema.name);
    files.add_tables(result_tables.tables(), sum_tables.chain(VERDICT_TABLES))?;
    let manifest_of_same_sessions =
        earlier_manifests.iter().find(|manifest| covers_sessions(manifest, journal));
    manifest.finished =
        manifest_of_same_sessions.map_or_else(machine::now, |manifest| manifest.finished.clone());
    files.replace(experiment, &mut manifest)?;
    let nodes = tallies.iter().map(Tally::mean_nodes).collect();
    let tables = result_tables.sums.into_iter().chain(result_tables.verdicts).collect();
    let skipped = plan.skipped.clone();
    Ok(RunReport {
        tables,
        warnings: result_tables.warnings,
        mean_nodes_per_move: nodes,
        failures,
        skipped,
        missing_blocks,
    })
}

/// Explains why there are no tables if no player is left in a plan.
pub(super) fn no_players_message(plan: &Plan) -> String {
    format!(
        "no player has complete games: {}",
        failing_players::skip_messages(plan).collect::<Vec<_>>().join("; ")
    )
}

/// Returns the manifests of the tables that new ones replace, and of those next to the journal.
fn read_earlier_manifests(journal: &Journal, folder: &Path) -> anyhow::Result<Vec<Manifest>> {
    let mut folders = vec![folder_of(journal.path()), folder];
    folders.dedup();
    let manifests = folders.into_iter().map(|folder| read_manifest(&**journal.disk(), folder));
    Ok(manifests.collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Returns true if no session of the journal is newer than a manifest: the games were finished when
/// the manifest says, even if the text of the experiment has changed since.
fn covers_sessions(manifest: &Manifest, journal: &Journal) -> bool {
    let sessions: Vec<_> = journal.sessions().iter().collect();
    let is_same = |run: &RunKeys| run.session.len() == sessions.len() && run.is_from_sessions(&sessions);
    !manifest.finished.is_empty() && manifest.run_keys().is_some_and(is_same)
}

/// Sums the games of a journal, and collects what tables need besides.
pub(super) fn sum_games<'a>(
    plan: &'a KeyedPlan,
    journal: &'a Journal,
    manifest: &'a Manifest,
    tallies: &'a [Tally],
    samples: &'a ClaimSamples<'a>,
    stop_result: Option<&'a StopResult>,
    is_whole: bool,
) -> ExperimentSums<'a> {
    let run = manifest.run_keys().expect("a manifest of a run");
    let (rules, earlier_looks) = (run.rules(), run.earlier_answers(plan, plan.legs() * plan.blocks.len()));
    ExperimentSums {
        plan,
        tallies,
        samples,
        is_whole,
        stop_result,
        rules,
        earlier_looks,
        sessions: journal.sessions(),
        cores: manifest.cores,
        added_claims: &run.added_claims,
        repeated_claims: &run.repeated_claims,
    }
}

/// Writes the file of single games, and syncs it and the journal. The sync uses no CPU, so it runs
/// while the file is written.
fn write_and_sync<T>(
    journal: &Journal,
    games: &mut NewFile,
    write: impl FnOnce(&mut (dyn Write + Send)) -> anyhow::Result<T>,
) -> anyhow::Result<(T, blake3::Hash)> {
    let file = Arc::clone(&games.file);
    let sync_error = format!("cannot sync {} to disk", display_path(&games.path));
    let (growth_sender, growth_receiver) = sync_channel(1);
    let mut csv = WatchedWriter { games, hasher: blake3::Hasher::new(), unsynced_bytes: 0, growth_sender };
    thread::scope(|scope| {
        let journal_sync = threads::start(scope, || journal.sync())?;
        let games_sync = threads::start(scope, move || {
            // Text written after the last message must be synced too.
            growth_receiver.iter().try_for_each(|()| file.sync()).and_then(|()| file.sync())
        })?;
        let result = write(&mut csv);
        let digest = csv.finish();
        let games_result = games_sync.join().expect("syncing a file does not panic");
        journal_sync.join().expect("syncing a file does not panic")?;
        let value = result?;
        games_result.context(sync_error)?;
        Ok((value, digest))
    })
}

/// Writes a file, computes its digest, and sends a message when it has grown.
struct WatchedWriter<'a> {
    games: &'a mut NewFile,
    hasher: blake3::Hasher,
    unsynced_bytes: usize,
    growth_sender: SyncSender<()>,
}

/// Bytes that are written between two syncs.
const SYNC_BYTES: usize = 16 << 20;

impl WatchedWriter<'_> {
    /// Returns the digest of the complete file.
    fn finish(self) -> blake3::Hash {
        self.hasher.finalize()
    }
}

impl Write for WatchedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let WatchedWriter { games, hasher, .. } = self;
        // Writing and hashing take equally long, and data arrives in megabytes.
        let (result, ()) = rayon::join(|| games.write_all(bytes), || _ = hasher.update(bytes));
        self.unsynced_bytes += bytes.len();
        if self.unsynced_bytes >= SYNC_BYTES {
            self.unsynced_bytes = 0;
            // If a sync is still running, this part is synced with the next one.
            let _ = self.growth_sender.try_send(());
        }
        let path = display_path(&games.path);
        result.map_err(|error| io::Error::new(error.kind(), format!("cannot write {path}: {error}")))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
