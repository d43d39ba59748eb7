//! A tuning read back from its folder. Every file is held to the digest that the manifest has of it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};

use super::absent;
use super::folder::has_tables;
use super::read::Results;
use super::set::{Set, experiment_at};
use super::tuning::{
    EXPLAINED, FORMAT, IMPORTANCE, SETTINGS, TABLES, TRAJECTORY, TUNED, VALIDATION, Verdict, is_finished,
    trajectory_columns, validation_columns, validations,
};
use crate::arena::Arenas;
use crate::config::Experiment;
use crate::config::tune::{Field, Scale, Tune};
use crate::disk::system;
use crate::settings::{flat, shortest};
use crate::stats::Estimate;
use crate::table::{Cell, Column, Kind, Schema, Table};
use crate::text::shown;

/// A tuning that has come to its end.
#[derive(Debug)]
pub struct Tuning {
    /// Its files.
    pub set: Set,
    /// What was asked for.
    pub experiment: Experiment,
    /// Its `[tune]`.
    pub tune: Tune,
    /// What it has shown.
    pub verdict: Verdict,
    /// The settings of the player that was found.
    pub settings: Vec<Setting>,
    /// What the player is called that it began with, and the one that was found.
    pub players: [String; 2],
    /// What was found, as an experiment, to the letter.
    pub tuned: Experiment,
    /// The path of the search.
    pub path: Vec<Step>,
    /// What each value of [`Step::at`] is of: the keys of settings; of a race, that it is a player.
    pub keys: Vec<String>,
    /// What validation says, the objective first; none if the search stayed at its start.
    pub validation: Option<Table>,
    /// What is lost when one setting goes back to its start, if that was asked for.
    pub importance: Option<Table>,
    /// The results of the validations that are there, each with its number.
    pub validations: Vec<(u64, Results)>,
    /// The results of the slices through the answer, if they are there.
    pub explained: Option<Results>,
}

/// A setting, before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its dotted key.
    pub key: String,
    /// Its value at the start; empty if it was not set.
    pub start: String,
    /// Its value in the answer.
    pub tuned: String,
    /// Between which values it could move, and in which steps; none where players were raced.
    pub within: Option<(f64, f64, Scale)>,
}

/// A step of the search.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The games spent so far.
    pub games: u64,
    /// What it was for.
    pub kind: String,
    /// Of a check: whether what it compared was kept.
    pub kept: Option<bool>,
    /// Of a check: by how much the mean loss was less than that of the start, on the search's own games.
    pub gain: Option<Estimate>,
    /// Where the search stood then.
    pub at: Vec<String>,
}

/// The level of a gain's bounds.
const LEVEL: f64 = 0.95;

impl Tuning {
    /// Reads a folder that a tuning has filled.
    pub fn read(arenas: Arenas, folder: &Path) -> anyhow::Result<Tuning> {
        if !is_finished(folder) {
            return Err(absent::results(arenas, folder));
        }
        let set = Set::read(arenas, &system(), folder)?;
        refuse_newer(&set)?;
        let experiment = set.experiment()?;
        let tune = experiment.tune().cloned();
        let tune = tune.with_context(|| format!("{} is of a file without [tune]", shown(folder)))?;
        let verdict = set.manifest().get("verdict").and_then(toml::Value::as_str).and_then(Verdict::of);
        let verdict = verdict.with_context(|| format!("the manifest in {} has no verdict", shown(folder)))?;
        let tuned = experiment_at(arenas, &folder.join(TUNED), set.bytes(TUNED)?)?;
        let (keys, path) = read(&set, TRAJECTORY, |csv| path(csv, &tune))?;
        let columns = [&validation_columns()[..], &VALIDATION.columns].concat();
        let validation = Schema { columns: Cow::Owned(columns), ..VALIDATION };
        let table = |schema: &Schema| -> anyhow::Result<Option<Table>> {
            let is_there = set.names(&format!("{}.csv", schema.name));
            is_there.then(|| read(&set, schema.name, |csv| Table::from_csv(schema, csv))).transpose()
        };
        let (validation, importance) = (table(&validation)?, table(&IMPORTANCE)?);
        let (settings, players) = settings(&experiment, &tune, &tuned);
        let of_folder = |folder: PathBuf| -> anyhow::Result<Option<Results>> {
            has_tables(&*system(), &folder).then(|| Results::read(arenas, &folder)).transpose()
        };
        let mut validated = Vec::new();
        for (number, folder) in validations(folder) {
            validated.extend(of_folder(folder)?.map(|results| (number, results)));
        }
        let explained = if tune.explain > 0 { of_folder(folder.join(EXPLAINED))? } else { None };
        Ok(Tuning {
            set,
            experiment,
            tune,
            verdict,
            settings,
            players,
            tuned,
            path,
            keys,
            validation,
            importance,
            validations: validated,
            explained,
        })
    }

    /// The results in it: of its validations, then of the slices.
    pub fn results(&self) -> impl Iterator<Item = &Results> {
        self.validations.iter().map(|(_, results)| results).chain(&self.explained)
    }

    /// One of [`TABLES`]. Fails if the tuning has left none of this name.
    pub fn table(&self, name: &str) -> anyhow::Result<Table> {
        let table = match name {
            SETTINGS => Some(self.settings_table()),
            TRAJECTORY => Some(self.path_table(|_| true)),
            _ => [&self.validation, &self.importance]
                .into_iter()
                .flatten()
                .find(|table| table.name == name)
                .cloned(),
        };
        table.with_context(|| format!("the tuning in {} has no table `{name}`", shown(self.set.folder())))
    }

    /// The tables that a person is shown: all but the path.
    pub fn printed(&self) -> Vec<Table> {
        TABLES.iter().filter(|&&name| name != TRAJECTORY).filter_map(|name| self.table(name).ok()).collect()
    }

    /// A number of its manifest.
    pub fn number(&self, key: &str) -> Option<f64> {
        let value = self.set.manifest().get(key)?;
        value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
    }

    /// The table of its settings, before and after.
    pub fn settings_table(&self) -> Table {
        let words = |text: &str| Cell::Text(text.to_owned());
        let mut columns = ["setting", "start", "tuned"].map(Column::words).to_vec();
        let is_within = self.settings.iter().any(|setting| setting.within.is_some());
        if is_within {
            columns.extend(["min", "max", "scale"].map(Column::words));
        }
        let row = |setting: &Setting| {
            let mut row = vec![words(&setting.key), words(&setting.start), words(&setting.tuned)];
            row.extend(setting.within.iter().flat_map(|&(min, max, scale)| {
                let scale = match scale {
                    Scale::Linear => "linear",
                    Scale::Log => "log",
                };
                [words(&shortest(min)), words(&shortest(max)), words(scale)]
            }));
            row
        };
        let rows = self.settings.iter().map(row).collect();
        Table { name: SETTINGS, columns, level: None, rows }
    }

    /// The path of the search as a table.
    pub fn path_table(&self, is_shown: impl Fn(&Step) -> bool) -> Table {
        let mut columns = trajectory_columns();
        columns.extend(self.keys.iter().map(|key| Column::of_setting(key.clone(), Kind::Words)));
        let row = |step: &Step| {
            let gain = step.gain.map(|gain| [gain.value, gain.low, gain.high]);
            let mut cells = vec![
                Cell::Whole(step.games),
                Cell::Text(step.kind.clone()),
                step.kept.map_or(Cell::Nothing, Cell::Truth),
            ];
            cells.extend([0, 1, 2].map(|place| Cell::real(gain.map(|gain| gain[place]), 6)));
            cells.extend(step.at.iter().map(|value| Cell::Text(value.clone())));
            cells
        };
        let rows = self.path.iter().filter(|step| is_shown(step)).map(row).collect();
        Table { name: TRAJECTORY, columns, level: Some(LEVEL), rows }
    }
}

/// Refuses a manifest that a newer version of the program has written.
fn refuse_newer(set: &Set) -> anyhow::Result<()> {
    match set.manifest().get("format").and_then(toml::Value::as_integer) {
        Some(format) if format > FORMAT.into() => bail!(
            "{} is of a tuning by a newer gauntlet (format {format}; this one reads up to {FORMAT})",
            shown(set.folder())
        ),
        _ => Ok(()),
    }
}

/// Reads a table that the manifest names.
fn read<T>(set: &Set, name: &str, read: impl FnOnce(&[u8]) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let file = format!("{name}.csv");
    let damaged =
        || format!("{} is damaged, or of another version of gauntlet", shown(&set.folder().join(&file)));
    read(&set.bytes(&file)?).with_context(damaged)
}

/// The path of a search. A setting may be called as one of the first columns, so all are read by their places.
fn path(csv: &[u8], tune: &Tune) -> anyhow::Result<(Vec<String>, Vec<Step>)> {
    let first = trajectory_columns();
    let mut reader = csv::Reader::from_reader(csv);
    let heads: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    ensure!(
        heads.len() > first.len() && heads.iter().zip(&first).all(|(head, column)| head == column.name),
        "it has other columns"
    );
    let keys = heads[first.len()..].to_vec();
    if let Field::Params { params, .. } = &tune.field {
        ensure!(keys.iter().eq(params.iter().map(|param| &param.key)), "it is of other settings");
    }
    let words = Column::words("");
    let mut steps = Vec::new();
    for record in reader.into_records() {
        let record = record?;
        let mut cells = Vec::new();
        for (column, text) in first.iter().chain(keys.iter().map(|_| &words)).zip(&record) {
            let cell = column.read(text);
            cells.push(cell.ok_or_else(|| anyhow!("{text:?} cannot stand in the column `{}`", column.name))?);
        }
        let number = |place: usize| match cells[place] {
            Cell::Real(number, _) => Some(number),
            _ => None,
        };
        let Cell::Whole(games) = cells[0] else { bail!("a row has no number of games") };
        let gain = number(3).map(|value| match number(4).zip(number(5)) {
            Some((low, high)) => Estimate { value, low, high, level: LEVEL },
            None => Estimate::unbounded(value, LEVEL),
        });
        let kept = if let Cell::Truth(kept) = cells[2] { Some(kept) } else { None };
        let at = cells[first.len()..].iter().map(Cell::text).collect();
        steps.push(Step { games, kind: cells[1].text(), kept, gain, at });
    }
    Ok((keys, steps))
}

/// The settings before and after, and the names of both players. Of a race, those in which the players differ.
fn settings(experiment: &Experiment, tune: &Tune, tuned: &Experiment) -> (Vec<Setting>, [String; 2]) {
    let answer = &tuned.entries()[0];
    let now = flat(&answer.entrant.settings);
    let value = |all: &[(String, Option<String>)], key: &str| {
        all.iter().find(|(known, _)| known == key).and_then(|(_, value)| value.clone()).unwrap_or_default()
    };
    let first = match &tune.field {
        Field::Params { player, .. } => *player,
        Field::Players(players) => players[0],
    };
    let before = &experiment.entries()[first];
    let settings = match &tune.field {
        Field::Params { params, .. } => {
            let setting = |param: &crate::config::tune::Param| Setting {
                key: param.key.clone(),
                start: shortest(param.start),
                tuned: value(&now, &param.key),
                within: Some((param.min, param.max, param.scale)),
            };
            params.iter().map(setting).collect()
        }
        Field::Players(_) => {
            let old = flat(&before.entrant.settings);
            let algorithms = [before, answer].map(|entry| entry.entrant.algorithm.to_owned());
            let mut keys: Vec<&String> = old.iter().chain(&now).map(|(key, _)| key).collect();
            let mut known = Vec::new();
            keys.retain(|key| {
                !known.contains(key) && {
                    known.push(*key);
                    true
                }
            });
            let own = keys.into_iter().map(|key| (key.clone(), value(&old, key), value(&now, key)));
            let [start, tuned] = algorithms;
            let all = std::iter::once(("algorithm".to_owned(), start, tuned)).chain(own);
            let setting = |(key, start, tuned)| Setting { key, start, tuned, within: None };
            all.filter(|(_, start, tuned)| start != tuned).map(setting).collect()
        }
    };
    (settings, [before, answer].map(|entry| entry.name.clone()))
}
