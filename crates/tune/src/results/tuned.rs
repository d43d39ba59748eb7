//! Reads a finished tuning from its folder. Every file is checked against its digest in the
//! manifest.

use std::path::{Path, PathBuf};

use anyhow::Context;
use gauntlet_analysis::answer::{self, VerdictSentence};
use gauntlet_analysis::compare::table;
use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::folder::has_tables;
use gauntlet_analysis::results::store::read::{self, Results, has_table};
use gauntlet_analysis::results::store::set::{ResultsSnapshot, parse_experiment};
use gauntlet_analysis::results::store::tuning::{
    EXPLAIN_FOLDER, continued_journal, parse_validation_number, validation_folders,
};
use gauntlet_analysis::results::store::{absent, manifest};
use gauntlet_core::disk::system_disk;
use gauntlet_core::settings::flatten;
use gauntlet_core::table::{Schema, Table, TypedRow};
use gauntlet_core::text::{display_path, quote_path};

use super::course::{SearchHistory, SettingChange, SettingRow, describe_changes};
use super::ends::EndPointRow;
use super::path::{TrajectoryRow, columns, keys};
use super::tried::TriedValuesRow;
use super::{ENDS, IMPORTANCE, SETTINGS, TABLES, TRAJECTORY, TRIED, TUNED, VALIDATION, ValidationColumns};
use crate::section::{CandidateSpace, TuneSection};

/// A finished tuning.
#[derive(Debug)]
pub struct TuningResults {
    pub set: ResultsSnapshot,
    pub experiment: Experiment,
    /// Settings and path of its search. The settings are those of the player that was found; in a
    /// race, settings in which the players differ.
    pub course: SearchHistory,
    /// The tuning's entry in its manifest.
    pub told: manifest::TuningKeys,
    /// Names of the player it began with and of the player that was found.
    pub players: [String; 2],
    /// The answer as an experiment, equal to the file.
    pub tuned: Experiment,
    /// The final points of its other searches.
    pub ends: Vec<EndPointRow>,
    /// Table of the validation, the objective first; `None` if the search kept its start.
    pub validation: Option<Table>,
    /// Table of the losses if one setting is reset to its start, if it was requested.
    pub importance: Option<Table>,
    /// The results of its validations that exist, each with its number.
    pub validations: Vec<(u64, Results)>,
    /// The results of the slices through its answer, if they exist.
    pub explained: Option<Results>,
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
    let set = ResultsSnapshot::read(catalog, &system_disk(), folder)?;
    let (experiment, tune) = read_tuned_experiment(&set)?;
    let tuned = parse_experiment(catalog, &folder.join(TUNED), set.bytes(TUNED)?)?;
    let told = set.manifest().tuning().context("the manifest has no tuning")?;
    let table =
        if has_table(&set, VALIDATION) { Some(read::from_csv(&set, &validation_schema())?) } else { None };
    let by_games: Option<VerdictSentence> = table.and_then(|table| table.read_rows().next());
    let (changed, players) = setting_changes(&experiment, &tune, &tuned);
    let is_race = matches!(tune.field, CandidateSpace::Players { .. });
    Ok(TuningSummary {
        verdict: answer::tuning::describe_verdict(told.verdict, by_games.as_ref(), tune.at_most_nodes),
        settings: describe_changes(&changed, is_race.then_some(&players)),
    })
}

/// Returns the experiment of a tuning and its `[tune]`.
fn read_tuned_experiment(set: &ResultsSnapshot) -> anyhow::Result<(Experiment, TuneSection)> {
    let experiment = set.experiment()?;
    let tune = TuneSection::from_experiment(&experiment).cloned();
    let tune = tune
        .with_context(|| format!("{} belongs to an experiment without [tune]", display_path(set.folder())))?;
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
        let mut set = ResultsSnapshot::read(catalog, &system_disk(), folder)?;
        let Some(told) = set.manifest().tuning().filter(|_| !set.manifest().finished.is_empty()) else {
            return Err(absent::missing_results_error(catalog, folder));
        };
        let told = told.clone();
        // The tables exist, even if the journal is missing or damaged.
        if matches!(continued_journal(set.manifest(), folder), Ok(Some(_))) {
            set.warn(format!(
                "the search in {0} has continued since this verdict and is unfinished: see `gauntlet status {1}`",
                display_path(folder),
                quote_path(folder)
            ));
        }
        let (experiment, tune) = read_tuned_experiment(&set)?;
        let tuned = parse_experiment(catalog, &folder.join(TUNED), set.bytes(TUNED)?)?;
        let table = |schema: &Schema| -> anyhow::Result<Option<Table>> {
            if has_table(&set, schema.name) { read::from_csv(&set, schema).map(Some) } else { Ok(None) }
        };
        let keys = keys(&tune);
        let more = columns(&keys);
        let path = table(&TrajectoryRow::schema_with(&more))?.iter().flat_map(Table::read_rows).collect();
        let tried = table(&TriedValuesRow::schema())?.iter().flat_map(Table::read_rows).collect();
        let found = table(&EndPointRow::schema_with(&more))?.iter().flat_map(Table::read_rows).collect();
        let (validation, importance) = (table(&validation_schema())?, table(&table::schema(IMPORTANCE))?);
        let (settings, players) = setting_changes(&experiment, &tune, &tuned);
        let of_folder = |folder: PathBuf| -> anyhow::Result<Option<Results>> {
            has_tables(&*system_disk(), &folder).then(|| Results::read(catalog, &folder)).transpose()
        };
        // A tuning that was continued and has not ended may have left games of its next answer.
        let last = told.validation.as_deref().and_then(parse_validation_number).unwrap_or(0);
        let mut validated = Vec::new();
        for (number, folder) in validation_folders(folder)?.into_iter().filter(|(number, _)| *number <= last)
        {
            validated.extend(of_folder(folder)?.map(|results| (number, results)));
        }
        let explained = if tune.explain > 0 { of_folder(folder.join(EXPLAIN_FOLDER))? } else { None };
        let settings_of = |experiment: &Experiment| experiment.entries()[0].entrant.settings.clone();
        let explained =
            explained.filter(|explained| settings_of(&explained.experiment) == settings_of(&tuned));
        Ok(TuningResults {
            set,
            experiment,
            course: SearchHistory { tune, keys, path, tried, settings },
            told,
            players,
            tuned,
            ends: found,
            validation,
            importance,
            validations: validated,
            explained,
        })
    }

    /// Returns one of [`TABLES`]. Fails if the tuning has no table of this name.
    pub fn table(&self, name: &str) -> anyhow::Result<Table> {
        let table = match name {
            SETTINGS => Some(self.settings_table()),
            TRAJECTORY => Some(self.course.path_table(|_| true)),
            TRIED => self.course.tried_table(),
            ENDS => Some(self.ends_table()).filter(|table| !table.rows.is_empty()),
            _ => [&self.validation, &self.importance]
                .into_iter()
                .flatten()
                .find(|table| table.name == name)
                .cloned(),
        };
        table.with_context(|| {
            format!("the tuning in {} has no table `{name}`", display_path(self.set.folder()))
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
        SettingRow::table(self.course.settings.iter().map(SettingRow::new))
    }

    /// Returns the final points of the other searches as a table.
    pub fn ends_table(&self) -> Table {
        EndPointRow::table_with(&columns(&self.course.keys), &self.ends)
    }
}

/// Returns the settings before and after, and the names of both players. In a race, the settings
/// are those in which the players differ.
fn setting_changes(
    experiment: &Experiment,
    tune: &TuneSection,
    tuned: &Experiment,
) -> (Vec<SettingChange>, [String; 2]) {
    let answer = &tuned.entries()[0];
    let now = flatten(&answer.entrant.settings);
    let value = |all: &[(String, Option<String>)], key: &str| {
        all.iter().find(|(known, _)| known == key).and_then(|(_, value)| value.clone()).unwrap_or_default()
    };
    let first = match &tune.field {
        CandidateSpace::Params { player, .. } => *player,
        CandidateSpace::Players { players, .. } => players[0],
    };
    let before = &experiment.entries()[first];
    let settings = match &tune.field {
        CandidateSpace::Params { params, .. } => {
            params.iter().map(|param| SettingChange::new(param, value(&now, &param.key))).collect()
        }
        CandidateSpace::Players { .. } => {
            let old = flatten(&before.entrant.settings);
            let algorithms = [before, answer].map(|entry| entry.entrant.algorithm.to_owned());
            let is_new = |(key, _): &&(String, _)| old.iter().all(|(known, _)| known != key);
            let keys = old.iter().chain(now.iter().filter(is_new)).map(|(key, _)| key);
            let own = keys.map(|key| (key.clone(), value(&old, key), value(&now, key)));
            let [start, tuned] = algorithms;
            let all = std::iter::once(("algorithm".to_owned(), start, tuned)).chain(own);
            let setting = |(key, start, tuned)| SettingChange::without_range(key, start, tuned);
            all.filter(|(_, start, tuned)| start != tuned).map(setting).collect()
        }
    };
    (settings, [before, answer].map(|entry| entry.name.clone()))
}

/// Returns the schemas of the stored tables, for the manual.
pub fn schemas() -> [Schema; 4] {
    [TrajectoryRow::schema(), TriedValuesRow::schema(), EndPointRow::schema(), ValidationColumns::schema()]
}
