//! The files of a tuning: the experiment, the search path, the settings found as an experiment for
//! `run`, the result of validation, and a manifest.

use std::collections::BTreeMap;

use gauntlet_analysis::compare::comparison::Comparison;
use gauntlet_analysis::compare::table;
use gauntlet_analysis::compare::verdict::Verdict;
use gauntlet_analysis::config::derivation::{DerivationOptions, check_derived, derive};
use gauntlet_analysis::results::store::manifest::{Manifest, ResultsKind, TuningKeys, total_seconds};
use gauntlet_analysis::results::store::replacement::FolderTransaction;
use gauntlet_analysis::results::store::tuning::finished_budget;
use gauntlet_core::disk::system_disk;
use gauntlet_core::game::Shape;
use gauntlet_core::table::{Table, TypedRow};
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::journal::Journal;
use gauntlet_run::machine;

use super::candidates::{Candidates, Side, root_seed};
use super::outcome::TuningOutcome;
use super::task::TuningJob;
use super::validation::ValidationResult;
use crate::results::ends::EndPointRow;
use crate::results::path::{TrajectoryRow, columns, keys};
use crate::results::tried_values::TriedValuesRow;
use crate::results::{ENDS, IMPORTANCE, TUNED, VALIDATION, ValidationColumns};

/// What is known about the settings that were found.
#[derive(Clone, Copy)]
pub(super) enum SettingsEvidence<'a> {
    /// They equal the start.
    AtItsStart,
    /// Validation has not ended.
    NotYet,
    /// Result of the validation.
    Validated(&'a ValidationResult),
}

impl<'a> SettingsEvidence<'a> {
    /// Returns what is known at the end. Without a validation the answer is the start.
    pub(super) fn from_validation(validation: Option<&'a ValidationResult>) -> SettingsEvidence<'a> {
        validation.map_or(SettingsEvidence::AtItsStart, SettingsEvidence::Validated)
    }
}

/// Name of the untuned player next to the tuned one, in a duel.
const START_NAME: &str = "start";
const OTHER_START_NAME: &str = "the start";

/// Writes the files of a tuning. In a new folder each file is written as soon as it is known, so a
/// search that is stopped leaves its path. If the folder has the answer of an earlier tuning, all
/// files are replaced together at the end, so that answer stays until then.
pub(super) struct TuningFiles<'a> {
    task: &'a TuningJob<'a>,
    manifest: Manifest,
    /// Files to be replaced at the end; `None` if each file is written at once.
    pending_files: Option<BTreeMap<String, Vec<u8>>>,
}

impl<'a> TuningFiles<'a> {
    /// Begins a tuning's files while the journal of the folder is locked. The manifest records that
    /// the folder is a tuning, and that it has not ended.
    pub(super) fn begin(task: &'a TuningJob<'a>) -> anyhow::Result<TuningFiles<'a>> {
        let TuningJob { experiment, tune, command, .. } = *task;
        let tuning = TuningKeys {
            method: tune.field.method().to_owned(),
            objective: tune.objective.to_string(),
            budget: tune.budget,
            refused: 0,
            verdict: Verdict::Inconclusive,
            validation: None,
            search_seconds: 0.0,
            sessions: None,
            journal_bytes: None,
        };
        let manifest = Manifest::new(ResultsKind::Tuning(tuning), &[], experiment, command);
        let pending_files = finished_budget(task.folder)?.map(|_| BTreeMap::new());
        let mut files = TuningFiles { task, manifest, pending_files };
        if files.pending_files.is_none() {
            files.replace(BTreeMap::new(), &[])?;
        }
        Ok(files)
    }

    /// Replaces files together with the manifest.
    fn replace(
        &mut self,
        new_files: BTreeMap<String, Vec<u8>>,
        stale: &[&'static str],
    ) -> anyhow::Result<()> {
        let disk = system_disk();
        let mut transaction = FolderTransaction::begin(&disk, self.task.folder)?;
        transaction.add_tables(std::iter::empty(), stale.iter().copied())?;
        new_files.iter().try_for_each(|(name, content)| transaction.add(name, content))?;
        transaction.replace(self.task.experiment, &mut self.manifest)
    }

    fn write_file(&mut self, name: &str, content: Vec<u8>) -> anyhow::Result<()> {
        match &mut self.pending_files {
            Some(files) => {
                files.insert(name.to_owned(), content);
                Ok(())
            }
            None => self.replace(BTreeMap::from([(name.to_owned(), content)]), &[]),
        }
    }

    fn write_table(&mut self, table: &Table) -> anyhow::Result<()> {
        self.write_file(&format!("{}.csv", table.name), table.to_csv())
    }

    /// Writes the search path, a row for each step.
    pub(super) fn write_trajectory(&mut self, steps: &[TrajectoryRow]) -> anyhow::Result<()> {
        self.write_table(&TrajectoryRow::table_with(&columns(&keys(self.task.tune)), steps))
    }

    /// Writes the values that the search has tried.
    pub(super) fn write_tried_values(&mut self, rows: &[TriedValuesRow]) -> anyhow::Result<()> {
        self.write_table(&TriedValuesRow::table(rows))
    }

    /// Writes the final points of the other searches, if there are any.
    pub(super) fn write_ends(&mut self, ends: &[EndPointRow]) -> anyhow::Result<()> {
        if ends.is_empty() {
            Ok(())
        } else {
            self.write_table(&EndPointRow::table_with(&columns(&keys(self.task.tune)), ends))
        }
    }

    /// Writes the settings that were found as an experiment for `run`, with a comment on what is
    /// known about them.
    pub(super) fn write_tuned(
        &mut self,
        side: &Side,
        name: &str,
        evidence: SettingsEvidence,
    ) -> anyhow::Result<()> {
        let TuningJob { experiment, command, .. } = self.task;
        let evidence_text = match evidence {
            SettingsEvidence::Validated(validation) => {
                format!("Validation {}: {}.", validation.number, validation.describe())
            }
            SettingsEvidence::AtItsStart => {
                "They are the settings of the start: the search found nothing better.".to_owned()
            }
            SettingsEvidence::NotYet => "Validation has not ended.".to_owned(),
        };
        let comment = format!(
            "Settings that `{command}` found.\n{evidence_text}\nThe seed is the seed of the tuned file; for your own games, use another seed."
        );
        let arena = experiment.arena();
        let (seed, blocks) = match experiment.blocks() {
            BlockSeeds::Derived { seed, games } => (*seed, *games),
            BlockSeeds::Listed(seeds) => (root_seed(experiment).number(), seeds.len() as u64),
        };
        let games = blocks * arena.shape.legs() as u64;
        let options = DerivationOptions { suffix: "-tuned", seed, games };
        let mut players = vec![(name, &side.entry)];
        if arena.shape == Shape::Duel {
            // A duel needs a second player.
            let start = if name == START_NAME { OTHER_START_NAME } else { START_NAME };
            let candidates = Candidates { experiment, tune: self.task.tune };
            players.push((start, candidates.original_player()));
        }
        let tuned_experiment = check_derived(experiment, &derive(experiment, options, players)?, &comment)?;
        self.write_file(TUNED, tuned_experiment.text().as_bytes().to_vec())
    }

    /// Writes the table of the validation, a row for each measure.
    pub(super) fn write_validation(&mut self, validation: Option<&ValidationResult>) -> anyhow::Result<()> {
        let Some(validation) = validation else { return Ok(()) };
        let mut table = table::comparison_table(VALIDATION, &validation.comparisons);
        let validation_columns =
            ValidationColumns { validation: validation.number, budget: self.task.tune.budget };
        let columns = ValidationColumns::table([validation_columns]);
        table.columns.splice(0..0, columns.columns);
        table.rows.iter_mut().for_each(|row| _ = row.splice(0..0, columns.rows[0].clone()));
        self.write_table(&table)
    }

    /// Writes the losses if one setting is reset to its start.
    pub(super) fn write_importance(&mut self, comparisons: &[Comparison]) -> anyhow::Result<()> {
        self.write_table(&table::comparison_table(IMPORTANCE, comparisons))
    }

    /// Records in the manifest that the tuning has ended, with which method and which result.
    pub(super) fn finish(
        mut self,
        method: &str,
        answer: &TuningOutcome,
        journal: &Journal,
    ) -> anyhow::Result<()> {
        let sessions = journal.sessions();
        let name = |validation: &ValidationResult| {
            Some(validation.folder.file_name()?.to_string_lossy().into_owned())
        };
        let tuning = TuningKeys {
            method: method.to_owned(),
            objective: self.task.tune.objective.to_string(),
            budget: self.task.tune.budget,
            refused: answer.refused_candidates,
            verdict: Verdict::from_comparison(answer.conclusion()),
            validation: answer.validation.as_ref().and_then(name),
            search_seconds: total_seconds(sessions),
            sessions: Some(sessions.len()),
            journal_bytes: Some(journal.length()),
        };
        let TuningJob { experiment, command, .. } = *self.task;
        let digests = std::mem::take(&mut self.manifest.digests);
        self.manifest = Manifest {
            games: answer.games,
            finished: machine::now(),
            digests,
            ..Manifest::new(ResultsKind::Tuning(tuning), sessions, experiment, command)
        };
        // Tables of an earlier answer that this answer does not have.
        let new_files = self.pending_files.take().unwrap_or_default();
        let has_file = |name: &str| new_files.contains_key(&format!("{name}.csv"));
        let is_new = new_files.is_empty();
        let stale: Vec<&str> =
            [VALIDATION, ENDS, IMPORTANCE].into_iter().filter(|name| !is_new && !has_file(name)).collect();
        self.replace(new_files, &stale)
    }
}
