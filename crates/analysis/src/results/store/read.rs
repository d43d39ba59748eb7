//! Reads a folder of results: everything that comparisons and the page need. Nothing is played.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use gauntlet_core::disk::{Disk, system_disk};
use gauntlet_core::measure::Measure;
use gauntlet_core::record::CalibrationRuns;
use gauntlet_core::record::GameRecord;
use gauntlet_core::table::{Schema, Table, TypedRow};
use gauntlet_core::text::display_path;
use gauntlet_run::failing_players;
use gauntlet_run::plan::Plan;
use gauntlet_run::sample::{self, Sample};
use gauntlet_run::tally::csv_tally::read_whole_blocks;
use gauntlet_run::tally::meeting::Meetings;
use gauntlet_run::tally::player_times::PlayerTimes;

use super::folder::has_tables;
use super::manifest::{self, Manifest, RunKeys, Session};
use super::snapshot::{GAMES_CSV, ResultsSnapshot};
use super::tuning::is_tuning;
use super::{missing_results, partial};
use crate::compare::VERDICT_TABLES;
use crate::compare::earlier_looks::EarlierLooks;
use crate::compare::stop::{STOP, StopTest};
use crate::config::{Catalog, Experiment};
use crate::results::tables::rates::WinRateRow;
use crate::results::tables::times::{self, TimeRow};
use crate::results::tables::{
    PlayerColumns, SETTINGS, SUMS_OF_PLAYERS, requestable_tables, schemas, settings, warnings,
};

#[derive(Debug)]
pub struct Results {
    pub folder: PathBuf,
    pub experiment: Experiment,
    pub snapshot: ResultsSnapshot,
    /// Keys of the run in its manifest.
    pub run: RunKeys,
    /// Result of the `[stop]`, if the experiment has one that compares two players.
    pub stop: Option<Arc<StopTest>>,
}

impl Results {
    /// Reads a folder of a finished or unfinished run.
    pub fn read(catalog: Catalog, folder: &Path) -> anyhow::Result<Results> {
        Results::from_snapshot(read_snapshot(catalog, folder)?)
    }

    /// Reads several folders.
    pub fn read_all(catalog: Catalog, folders: &[PathBuf]) -> anyhow::Result<Vec<Results>> {
        folders.iter().map(|folder| Results::read(catalog, folder)).collect()
    }

    /// Reads a folder of a finished or unfinished run, on a given file system.
    pub fn read_on_disk(catalog: Catalog, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Results> {
        Results::from_snapshot(ResultsSnapshot::read(catalog, disk, folder)?)
    }

    /// Makes results from a set of files.
    pub fn from_snapshot(snapshot: ResultsSnapshot) -> anyhow::Result<Results> {
        let experiment = snapshot.experiment()?;
        let mut results = Results::new(snapshot, experiment)?;
        if results.experiment.sections().stop.is_some() {
            let table = results.table(STOP)?;
            results.stop = StopTest::read(&results.experiment, table.as_ref()).map(Arc::new);
        }
        Ok(results)
    }

    /// Reads results for a re-evaluation. Tables of verdicts may be missing. So may the copy of the
    /// experiment, if it is the one to be judged.
    pub(crate) fn read_for_judging(
        catalog: Catalog,
        disk: &Arc<dyn Disk>,
        folder: &Path,
        experiment: &Experiment,
    ) -> anyhow::Result<Results> {
        let snapshot = ResultsSnapshot::read_for_repair(catalog, disk, folder)?;
        let is_same = snapshot.manifest().experiment_digest == manifest::experiment_digest(experiment);
        let experiment = if is_same { experiment.clone() } else { snapshot.experiment()? };
        Results::new(snapshot, experiment)
    }

    fn new(snapshot: ResultsSnapshot, experiment: Experiment) -> anyhow::Result<Results> {
        let folder = snapshot.folder().to_owned();
        let run = snapshot.manifest().run_keys().cloned();
        let run = run.with_context(|| format!("{} is a tuning folder", display_path(&folder)))?;
        Ok(Results { folder, experiment, snapshot, run, stop: None })
    }

    pub fn name(&self) -> &str {
        self.experiment.name()
    }

    pub fn manifest(&self) -> &Manifest {
        self.snapshot.manifest()
    }

    /// Lists the games of the experiment, without players that were skipped and without blocks that
    /// are not complete.
    pub fn plan(&self) -> Plan<'_> {
        let plan = self.run.plan(&self.experiment);
        self.snapshot.partial().map(|partial| plan.limit_to_blocks(&partial.parts)).unwrap_or(plan)
    }

    /// Reads a table; `None` if the experiment has no such table.
    pub fn table(&self, name: &str) -> anyhow::Result<Option<Table>> {
        if has_table(&self.snapshot, name) { table(&self.snapshot, name).map(Some) } else { Ok(None) }
    }

    /// Reads the rows of a table; none if the experiment has no such table.
    pub(crate) fn rows<R: TypedRow>(&self) -> anyhow::Result<Vec<R>> {
        Ok(self.table(R::NAME)?.iter().flat_map(Table::read_rows::<R>).collect())
    }

    /// Reads the table of all settings of its players.
    pub fn settings(&self) -> anyhow::Result<Table> {
        table(&self.snapshot, SETTINGS)
    }

    /// Reads the thinking time of each player.
    pub fn read_times(&self) -> anyhow::Result<BTreeMap<String, PlayerTimes>> {
        let mut clocks = self.table(TimeRow::NAME)?.as_ref().map(times::read_times).unwrap_or_default();
        let machine = |session: &Session| (session.cpu.clone(), session.yardstick);
        let of_several_machines =
            self.run.session.windows(2).any(|pair| machine(&pair[0]) != machine(&pair[1]));
        let threads: Vec<usize> = self.run.session.iter().map(|session| session.threads).collect();
        for clock in clocks.values_mut() {
            clock.has_several_machines = of_several_machines;
            clock.note_sessions(&threads);
        }
        for PlayerColumns { player, out_of_time, .. } in self.sums()? {
            if let Some(cut_games) = out_of_time {
                clocks.entry(player).or_default().cut_games = cut_games;
            }
        }
        Ok(clocks)
    }

    /// Returns the mean CPU time of the calibration loop in nanoseconds, if known.
    pub fn calibration_ns(&self) -> anyhow::Result<Option<f64>> {
        let mut runs = CalibrationRuns::default();
        for thinking in self.read_times()?.values().flat_map(|clock| clock.strata.values()) {
            runs += thinking.calibration_runs;
        }
        Ok(runs.mean_ns())
    }

    /// Reads the mean scores of its players; empty in a duel.
    pub(crate) fn mean_scores(&self) -> anyhow::Result<BTreeMap<String, f64>> {
        let rows = self.rows::<WinRateRow>()?;
        Ok(rows.into_iter().filter_map(|row| Some((row.player, row.mean_score.estimate?.value))).collect())
    }

    /// Returns the answers about its games that precede the present one.
    pub(crate) fn earlier_answers(&self) -> EarlierLooks {
        let plan = self.plan();
        // A run may have ended early, or be unfinished.
        let games = self.manifest().games / (plan.lineups.len() as u64).max(1);
        self.run.earlier_answers(&plan, games)
    }

    /// Reads the sums of each player's games.
    pub(crate) fn sums(&self) -> anyhow::Result<Vec<PlayerColumns>> {
        let mut rows = Vec::new();
        for name in SUMS_OF_PLAYERS {
            rows.extend(self.table(name)?.iter().flat_map(Table::read_rows));
        }
        Ok(rows)
    }

    /// Returns true if its games are in the folder; large ones often are not kept.
    pub fn has_games(&self) -> bool {
        self.snapshot.has_file(GAMES_CSV)
    }

    /// Reads samples for comparisons by these measures, in the order of the experiment.
    pub fn samples(&self, measures: &[Measure]) -> anyhow::Result<Vec<(String, Sample)>> {
        self.read_games(|csv| {
            sample::read(&self.plan(), csv, measures).with_context(|| self.damage_message())
        })
    }

    /// Sums the games of each pairing.
    pub fn meetings(&self) -> anyhow::Result<Meetings> {
        self.read_games(|csv| Meetings::read(&self.plan(), csv).with_context(|| self.damage_message()))
    }

    /// Calls `visitor` with the games of each block, except those that failed.
    pub fn visit_blocks(
        &self,
        plan: &Plan,
        visitor: &mut dyn FnMut(usize, u64, &[GameRecord]),
    ) -> anyhow::Result<()> {
        self.read_games(|csv| read_whole_blocks(plan, csv, visitor).with_context(|| self.damage_message()))
    }

    fn damage_message(&self) -> String {
        format!("{} is damaged", display_path(&self.folder.join(GAMES_CSV)))
    }

    /// Reads the file of its games.
    pub(crate) fn read_games<T>(
        &self,
        read: impl FnOnce(&mut dyn Read) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.snapshot.stream(GAMES_CSV, read)
    }
}

/// Returns the tables in a folder. If there are none, makes the tables of the games in its
/// journals.
pub fn read_snapshot(catalog: Catalog, folder: &Path) -> anyhow::Result<ResultsSnapshot> {
    if is_tuning(folder) {
        return Err(missing_results::missing_results_error(catalog, folder));
    }
    let mut snapshot = if has_tables(&*system_disk(), folder) {
        let mut snapshot = ResultsSnapshot::read(catalog, &system_disk(), folder)?;
        snapshot.warnings.extend(partial::describe_continuation(&snapshot));
        let skipped = snapshot.manifest().run_keys().map_or_else(BTreeMap::new, |run| run.skipped.clone());
        snapshot
            .warnings
            .extend(skipped.iter().map(|(name, reason)| failing_players::skip_message(name, reason)));
        snapshot
    } else {
        partial::read_partial(catalog, folder)?
            .ok_or_else(|| missing_results::missing_results_error(catalog, folder))?
    };
    let unidentified = snapshot.manifest().run_keys().map_or_else(Vec::new, |run| run.unidentified.clone());
    snapshot.warnings.extend(unidentified.iter().map(|name| warnings::unidentified_warning(name)));
    Ok(snapshot)
}

/// Returns true if some results have a table.
pub fn has_table(snapshot: &ResultsSnapshot, name: &str) -> bool {
    snapshot.has_entry(&format!("{name}.csv"))
}

/// Reads the table `name` of a set of results from its CSV file.
pub fn table(snapshot: &ResultsSnapshot, name: &str) -> anyhow::Result<Table> {
    if name == SETTINGS {
        return parse_file(snapshot, name, settings::from_csv);
    }
    let all_schemas = schemas(snapshot.games()).into_iter().chain([TimeRow::schema()]);
    let Some(schema) = all_schemas.into_iter().find(|schema| schema.name == name) else {
        bail!("unknown table `{name}`: expected {}", requestable_tables(snapshot.games()).join(", "));
    };
    let file = format!("{name}.csv");
    if !snapshot.has_entry(&file) {
        let is_verdict = VERDICT_TABLES.contains(&name);
        match snapshot.partial() {
            Some(partial) if is_verdict && !partial.is_whole => {
                bail!("{} has no table `{name}` until the run has finished", display_path(snapshot.folder()))
            }
            _ => bail!("{} has no table `{name}`", display_path(snapshot.folder())),
        }
    }
    let mut table = from_csv(snapshot, &schema)?;
    table.drop_empty_columns();
    Ok(table)
}

/// Reads a table with these columns from its file.
pub fn from_csv(snapshot: &ResultsSnapshot, schema: &Schema) -> anyhow::Result<Table> {
    parse_file(snapshot, schema.name, |csv| Table::from_csv(schema, csv))
}

fn parse_file(
    snapshot: &ResultsSnapshot,
    name: &str,
    parse: impl FnOnce(&[u8]) -> anyhow::Result<Table>,
) -> anyhow::Result<Table> {
    let file = format!("{name}.csv");
    let damage_message = || {
        format!(
            "{} is damaged, or from another version of gauntlet",
            display_path(&snapshot.folder().join(&file))
        )
    };
    parse(&snapshot.bytes(&file)?).with_context(damage_message)
}
