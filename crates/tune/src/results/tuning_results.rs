//! Reads a finished tuning from its folder. Every file is checked against its digest in the
//! manifest.

use std::path::{Path, PathBuf};

use anyhow::Context;
use gauntlet_analysis::answer::{self, VerdictSentence};
use gauntlet_analysis::compare::table;
use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::folder::has_tables;
use gauntlet_analysis::results::store::read::{self, Results, has_table};
use gauntlet_analysis::results::store::snapshot::{ResultsSnapshot, parse_experiment};
use gauntlet_analysis::results::store::tuning::{
    EXPLAIN_FOLDER, continued_journal, parse_validation_number, validation_folders,
};
use gauntlet_analysis::results::store::{manifest, missing_results};
use gauntlet_core::disk::system_disk;
use gauntlet_core::settings::flatten;
use gauntlet_core::table::{Schema, Table, TypedRow};
use gauntlet_core::text::{display_path, quote_path};

use super::ends::EndPointRow;
use super::history::{SearchHistory, SettingChange, SettingRow, describe_changes};
use super::path::{TrajectoryRow, columns, keys};
use super::tried_values::TriedValuesRow;
use super::{ENDS, IMPORTANCE, SETTINGS, TABLES, TRAJECTORY, TRIED, TUNED, VALIDATION, ValidationColumns};
use crate::section::{CandidateSpace, TuneSection};

/// A finished tuning.
#[derive(Debug)]
pub struct TuningResults {
    pub snapshot: ResultsSnapshot,
    pub experiment: Experiment,
    /// Settings and path of its search. The settings are those of the player that was found; in a
    /// race, settings in which the players differ.
    pub history: SearchHistory,
    /// The tuning's entry in its manifest.
    pub tuning_keys: manifest::TuningKeys,
    /// Names of the player it began with and of the player that was found.
    pub players: [String; 2],
    /// The answer as an experiment, equal to the file.
    pub tuned_experiment: Experiment,
    /// The final points of its other searches.
    pub ends: Vec<EndPointRow>,
    /// Table of the validation, the objective first; `None` if the search kept its start.
    pub validation: Option<Table>,
    /// Table of the losses if one setting is reset to its start, if it was requested.
    pub importance: Option<Table>,
    /// The results of its validations that exist, each with its number.
    pub validations: Vec<(u64, Results)>,
    /// The results of the slices through its answer, if they exist.
    pub slices: Option<Results>,
}

/// The answer of a finished tuning, in words.
#[derive(Clone, Debug)]
pub struct TuningSummary {
    /// Its verdict in a sentence.
    pub verdict: String,
    /// The settings that it changed; in a race, the winner.
    pub settings: Vec<String>,
}

/// Reads the answer of a tuning without the games behind it.
pub fn read_summary(catalog: Catalog, folder: &Path) -> anyhow::Result<TuningSummary> {
    let snapshot = ResultsSnapshot::read(catalog, &system_disk(), folder)?;
    let (experiment, tune) = read_tuned_experiment(&snapshot)?;
    let tuned_experiment = parse_experiment(catalog, &folder.join(TUNED), snapshot.bytes(TUNED)?)?;
    let tuning_keys = snapshot.manifest().tuning().context("the manifest has no tuning")?;
    let table = if has_table(&snapshot, VALIDATION) {
        Some(read::from_csv(&snapshot, &validation_schema())?)
    } else {
        None
    };
    let by_games: Option<VerdictSentence> = table.and_then(|table| table.read_rows().next());
    let (changes, players) = setting_changes(&experiment, &tune, &tuned_experiment);
    let is_race = matches!(tune.field, CandidateSpace::Players { .. });
    Ok(TuningSummary {
        verdict: answer::tuning::describe_verdict(tuning_keys.verdict, by_games.as_ref(), tune.at_most_nodes),
        settings: describe_changes(&changes, is_race.then_some(&players)),
    })
}

/// Returns the experiment of a tuning and its `[tune]`.
fn read_tuned_experiment(snapshot: &ResultsSnapshot) -> anyhow::Result<(Experiment, TuneSection)> {
    let experiment = snapshot.experiment()?;
    let tune = TuneSection::from_experiment(&experiment).cloned();
    let tune = tune.with_context(|| {
        format!("{} belongs to an experiment without [tune]", display_path(snapshot.folder()))
    })?;
    Ok((experiment, tune))
}

fn validation_schema() -> Schema {
    let mut schema = table::schema(VALIDATION);
    schema.columns.splice(0..0, ValidationColumns::schema().columns);
    schema
}

impl TuningResults {
    /// Reads the folder of a finished tuning.
    pub fn read(catalog: Catalog, folder: &Path) -> anyhow::Result<TuningResults> {
        let mut snapshot = ResultsSnapshot::read(catalog, &system_disk(), folder)?;
        let Some(tuning_keys) =
            snapshot.manifest().tuning().filter(|_| !snapshot.manifest().finished.is_empty())
        else {
            return Err(missing_results::missing_results_error(catalog, folder));
        };
        let tuning_keys = tuning_keys.clone();
        // The tables exist, even if the journal is missing or damaged.
        if matches!(continued_journal(snapshot.manifest(), folder), Ok(Some(_))) {
            snapshot.warn(format!(
                "the search in {0} has continued since this verdict and is unfinished: see `gauntlet status {1}`",
                display_path(folder),
                quote_path(folder)
            ));
        }
        let (experiment, tune) = read_tuned_experiment(&snapshot)?;
        let tuned_experiment = parse_experiment(catalog, &folder.join(TUNED), snapshot.bytes(TUNED)?)?;
        let table = |schema: &Schema| -> anyhow::Result<Option<Table>> {
            if has_table(&snapshot, schema.name) {
                read::from_csv(&snapshot, schema).map(Some)
            } else {
                Ok(None)
            }
        };
        let keys = keys(&tune);
        let setting_columns = columns(&keys);
        let path =
            table(&TrajectoryRow::schema_with(&setting_columns))?.iter().flat_map(Table::read_rows).collect();
        let tried_values = table(&TriedValuesRow::schema())?.iter().flat_map(Table::read_rows).collect();
        let ends =
            table(&EndPointRow::schema_with(&setting_columns))?.iter().flat_map(Table::read_rows).collect();
        let (validation, importance) = (table(&validation_schema())?, table(&table::schema(IMPORTANCE))?);
        let (settings, players) = setting_changes(&experiment, &tune, &tuned_experiment);
        let read_results = |folder: PathBuf| -> anyhow::Result<Option<Results>> {
            has_tables(&*system_disk(), &folder).then(|| Results::read(catalog, &folder)).transpose()
        };
        // A tuning that was continued and has not ended may have left games of its next answer.
        let last_validation =
            tuning_keys.validation.as_deref().and_then(parse_validation_number).unwrap_or(0);
        let mut validations = Vec::new();
        for (number, folder) in
            validation_folders(folder)?.into_iter().filter(|(number, _)| *number <= last_validation)
        {
            validations.extend(read_results(folder)?.map(|results| (number, results)));
        }
        let slices = if tune.explain > 0 { read_results(folder.join(EXPLAIN_FOLDER))? } else { None };
        let settings_of = |experiment: &Experiment| experiment.players()[0].entry.settings.clone();
        let slices =
            slices.filter(|slices| settings_of(&slices.experiment) == settings_of(&tuned_experiment));
        Ok(TuningResults {
            snapshot,
            experiment,
            history: SearchHistory { tune, keys, path, tried_values, settings },
            tuning_keys,
            players,
            tuned_experiment,
            ends,
            validation,
            importance,
            validations,
            slices,
        })
    }

    /// Returns one of [`TABLES`]. Fails if the tuning has no table of this name.
    pub fn table(&self, name: &str) -> anyhow::Result<Table> {
        let table = match name {
            SETTINGS => Some(self.settings_table()),
            TRAJECTORY => Some(self.history.path_table(|_| true)),
            TRIED => self.history.tried_table(),
            ENDS => Some(self.ends_table()).filter(|table| !table.rows.is_empty()),
            _ => [&self.validation, &self.importance]
                .into_iter()
                .flatten()
                .find(|table| table.name == name)
                .cloned(),
        };
        table.with_context(|| {
            format!("the tuning in {} has no table `{name}`", display_path(self.snapshot.folder()))
        })
    }

    /// Returns the tables for a terminal: all except the search path and the values tried.
    pub fn printed_tables(&self) -> Vec<Table> {
        TABLES
            .iter()
            .filter(|name| ![TRAJECTORY, TRIED].contains(*name))
            .filter_map(|name| self.table(name).ok())
            .collect()
    }

    /// Returns the table of its settings, before and after.
    pub fn settings_table(&self) -> Table {
        SettingRow::table(self.history.settings.iter().map(SettingRow::new))
    }

    /// Returns the final points of the other searches as a table.
    pub fn ends_table(&self) -> Table {
        EndPointRow::table_with(&columns(&self.history.keys), &self.ends)
    }
}

/// Returns the settings before and after, and the names of both players. In a race, the settings
/// are those in which the players differ.
fn setting_changes(
    experiment: &Experiment,
    tune: &TuneSection,
    tuned_experiment: &Experiment,
) -> (Vec<SettingChange>, [String; 2]) {
    let answer = &tuned_experiment.players()[0];
    let new_settings = flatten(&answer.entry.settings);
    let value = |settings: &[(String, Option<String>)], key: &str| {
        settings.iter().find(|(name, _)| name == key).and_then(|(_, value)| value.clone()).unwrap_or_default()
    };
    let first_player = match &tune.field {
        CandidateSpace::Params { player, .. } => *player,
        CandidateSpace::Players { players, .. } => players[0],
    };
    let first_entry = &experiment.players()[first_player];
    let settings = match &tune.field {
        CandidateSpace::Params { params, .. } => {
            params.iter().map(|param| SettingChange::new(param, value(&new_settings, &param.key))).collect()
        }
        CandidateSpace::Players { .. } => {
            let old_settings = flatten(&first_entry.entry.settings);
            let algorithms = [first_entry, answer].map(|entry| entry.entry.algorithm.to_owned());
            let is_new = |(key, _): &&(String, _)| old_settings.iter().all(|(name, _)| name != key);
            let keys = old_settings.iter().chain(new_settings.iter().filter(is_new)).map(|(key, _)| key);
            let setting_rows =
                keys.map(|key| (key.clone(), value(&old_settings, key), value(&new_settings, key)));
            let [start, tuned] = algorithms;
            let all_rows = std::iter::once(("algorithm".to_owned(), start, tuned)).chain(setting_rows);
            let setting = |(key, start, tuned)| SettingChange::without_range(key, start, tuned);
            all_rows.filter(|(_, start, tuned)| start != tuned).map(setting).collect()
        }
    };
    (settings, [first_entry, answer].map(|entry| entry.name.clone()))
}

/// Returns the schemas of the stored tables, for the manual.
pub fn schemas() -> [Schema; 4] {
    [TrajectoryRow::schema(), TriedValuesRow::schema(), EndPointRow::schema(), ValidationColumns::schema()]
}
