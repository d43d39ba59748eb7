//! Validation: compares the answer of a search with the start, on games that the search never used.
//!
//! It is an ordinary experiment in a separate results folder. Its claim is that the answer is
//! better; if the file asks for a sequential test, its `[stop]` decides. Each validation has seeds
//! that no game was played on before. The k-th validation is tested at the risk divided by 2^k. So
//! the probability that any of them wrongly calls an answer better is at most the requested risk,
//! however often a tuning is continued and validated again.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use gauntlet_analysis::answer::{VerdictSentence, tuning};
use gauntlet_analysis::compare::comparison::Comparison;
use gauntlet_analysis::compare::question::Conclusion;
use gauntlet_analysis::compare::verdict::Verdict;
use gauntlet_analysis::config::derivation::{DerivationOptions, add, check_derived, derive};
use gauntlet_analysis::config::{Experiment, MAX_FILE_BYTES};
use gauntlet_analysis::results::analysis::contestants::read_contestants;
use gauntlet_analysis::results::analysis::pairwise::{PairwiseQuestion, compare};
use gauntlet_analysis::results::store::folder::read_experiment_copy;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::snapshot::{EXPERIMENT, MANIFEST, read_manifest};
use gauntlet_analysis::results::store::tuning::{finished_budget, validation_folder, validation_folders};
use gauntlet_core::disk::{read_regular, system_disk};
use gauntlet_core::measure::Measure;
use gauntlet_core::num::{Level, Risk};
use gauntlet_core::player::Stop;
use gauntlet_core::text::{display_path, format_games};
use gauntlet_run::bar::ProgressDisplay;
use gauntlet_run::early_stop::Sprt;
use serde_json::json;

use super::candidates::{Side, root_seed};
use super::experiment_run::run_experiment;
use super::task::{MissingGamesReason, TuningJob};

/// Result of a validation.
#[derive(Debug)]
pub struct ValidationResult {
    /// Its number in this tuning, from 1.
    pub number: u64,
    /// The folder of its results.
    pub folder: PathBuf,
    pub experiment: Experiment,
    /// The answer compared with the start: first by the objective, then by other measures. Only the
    /// first comparison is a test, announced before the games.
    pub comparisons: Vec<Comparison>,
    /// Nodes per move of the start and the answer, if the player counts nodes.
    pub nodes: [Option<f64>; 2],
    /// The limit of nodes per move, if there is one.
    at_most_nodes: Option<f64>,
    /// Verdict from the first comparison and the limit of nodes.
    pub conclusion: Conclusion,
}

impl ValidationResult {
    /// Describes the verdict and its reason in a sentence.
    pub fn describe(&self) -> String {
        let sentence = self.comparisons.first().map(VerdictSentence::from);
        tuning::describe_verdict(
            Verdict::from_comparison(self.conclusion),
            sentence.as_ref(),
            self.at_most_nodes,
        )
    }
}

/// Plays the answer against the start and writes the tables. Games in the journal are not played
/// again.
pub(super) fn validate(
    task: &TuningJob,
    sides: &[Side; 2],
    display: &ProgressDisplay,
    stop: &Stop,
) -> Result<ValidationResult, MissingGamesReason> {
    let (number, folder, experiment) = next_validation(task, sides)?;
    let games_text = format_games(experiment.blocks().len() * experiment.arena().shape.legs() as u64);
    display
        .replace_with_line(&format!("validation {number}: at most {games_text} per player, on fresh seeds"));
    let (results, nodes) = run_experiment(task, &experiment, &folder, stop)?;
    let results = [results];
    let nodes = [START, ANSWER].map(|side| nodes[side]);
    let comparisons = compare_by_all_measures(task, &results, number)?;
    let games_conclusion = comparisons.first().map_or(Conclusion::Inconclusive, Comparison::conclusion);
    let at_most_nodes = task.tune.at_most_nodes;
    let is_allowed =
        at_most_nodes.is_none_or(|max_nodes| nodes[ANSWER].is_some_and(|nodes| nodes <= max_nodes));
    let conclusion = if games_conclusion == Conclusion::Yes && !is_allowed {
        Conclusion::Inconclusive
    } else {
        games_conclusion
    };
    Ok(ValidationResult { number, folder, experiment, comparisons, nodes, at_most_nodes, conclusion })
}

/// Fails if no further validation is possible, because each one halves the risk. An unfinished
/// validation needs no further one, and neither does the answer of a search that has ended.
pub(super) fn check(task: &TuningJob) -> anyhow::Result<()> {
    let last_number = validation_folders(task.folder)?.last().map_or(0, |(number, _)| *number);
    let has_ended = last_number == 0 || path_of_validation(task, last_number).join(MANIFEST).exists();
    if !has_ended || finished_budget(task.folder)? == Some(task.tune.budget) {
        return Ok(());
    }
    if let Err(error) = Level::try_from(confidence_level(task, last_number + 1)) {
        bail!(
            "{} has {last_number} validations, each with half the risk of the previous validation; the level of the next validation {error}; use another --results folder",
            display_path(task.folder)
        );
    }
    Ok(())
}

/// Indices of both sides.
const START: usize = 0;
const ANSWER: usize = 1;

/// Returns the validation to be played: the last one of this tuning if it has the same answer, or a
/// new one.
fn next_validation(task: &TuningJob, sides: &[Side; 2]) -> anyhow::Result<(u64, PathBuf, Experiment)> {
    let last_number = validation_folders(task.folder)?.last().map_or(0, |(number, _)| *number);
    if last_number > 0 {
        let (folder, experiment) =
            (path_of_validation(task, last_number), make_experiment(task, sides, last_number)?);
        if is_validation_of(&folder, &experiment) {
            return Ok((last_number, folder, experiment));
        }
    }
    Ok((
        last_number + 1,
        path_of_validation(task, last_number + 1),
        make_experiment(task, sides, last_number + 1)?,
    ))
}

/// Returns true if the validation in a folder is of this experiment, by its copy of the experiment.
/// If the copy or the manifest is damaged, the other one decides. Its tables are written again from
/// its journal. If neither is left, the next validation begins, at half the risk.
fn is_validation_of(folder: &Path, experiment: &Experiment) -> bool {
    let (disk, text) = (system_disk(), experiment.text().as_bytes());
    if let Ok(stored) = read_experiment_copy(experiment.catalog(), &disk, folder) {
        return stored == text;
    }
    let copy = read_regular(&folder.join(EXPERIMENT), MAX_FILE_BYTES).ok();
    let manifest_matches = || {
        let manifest = read_manifest(&*disk, folder).ok().flatten()?;
        Some(manifest.file_digest(EXPERIMENT)? == blake3::hash(text).to_hex().as_str())
    };
    copy.is_some_and(|copy| copy == text) || manifest_matches() == Some(true)
}

fn path_of_validation(task: &TuningJob, number: u64) -> PathBuf {
    task.folder.join(validation_folder(number))
}

/// Returns the experiment of the k-th validation.
fn make_experiment(task: &TuningJob, sides: &[Side; 2], number: u64) -> anyhow::Result<Experiment> {
    let validate = &task.tune.validate;
    let [start, answer] = sides;
    // The folder's name is part of the seed: the k-th validation of another tuning has other seeds.
    let folder = task.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let tuning_seed = root_seed(task.experiment).child(task.experiment.name(), 0).child(&folder, 0);
    let seed = tuning_seed.child("validation", number).number();
    let options =
        DerivationOptions { suffix: &format!("-{}", validation_folder(number)), seed, games: validate.games };
    let players = sides.iter().map(|side| (&*side.name, &side.entry));
    let mut table = derive(task.experiment, options, players)?;
    let (answer_name, start_name, measure) = (&*answer.name, &*start.name, claim_measure(task).to_string());
    let level_error = |reason: &str| anyhow!("the level of validation {number} {reason}");
    if let Some(Sprt { from: null_difference, to: true_difference, alpha, beta, .. }) = validate.sprt {
        let alpha = Risk::try_from(alpha.get() / risk_divisor(number)).map_err(level_error)?;
        let stop = json!({
            "better": answer_name, "than": start_name, "by": measure, "difference": [null_difference, true_difference], "alpha": alpha, "beta": beta,
        });
        add(&mut table, "stop", &stop);
    } else {
        let level = Level::try_from(confidence_level(task, number)).map_err(level_error)?;
        add(
            &mut table,
            "claim",
            &json!([{ "better": answer_name, "than": start_name, "by": measure, "level": level }]),
        );
    }
    check_derived(task.experiment, &table, COMMENT)
}

const COMMENT: &str = "The best point of a tuning against its start, on seeds that the tuning never used.";

/// Returns the measure of the claim: the objective.
fn claim_measure(task: &TuningJob) -> Measure {
    task.tune.objective
}

/// Returns the divisor of the risk of the k-th validation. All validations together have less than
/// the whole risk.
pub(super) fn risk_divisor(number: u64) -> f64 {
    2_f64.powi(i32::try_from(number).unwrap_or(i32::MAX))
}

/// Returns the confidence level of the k-th validation.
fn confidence_level(task: &TuningJob, number: u64) -> f64 {
    let validate = &task.tune.validate;
    let risk = validate.sprt.map_or(1.0 - validate.level.get(), |sprt| sprt.alpha.get());
    1.0 - risk / risk_divisor(number)
}

/// Compares the answer with the start by all measures of interest, the objective first.
fn compare_by_all_measures(
    task: &TuningJob,
    results: &[Results],
    number: u64,
) -> anyhow::Result<Vec<Comparison>> {
    let mut measures = vec![claim_measure(task)];
    let others = [Measure::Win, Measure::Score, Measure::MsPerMove];
    let is_measured = |measure: &Measure| task.experiment.arena().measures().has(*measure);
    measures.extend(others.into_iter().filter(is_measured).filter(|&other| other != claim_measure(task)));
    let players = read_contestants(results, &measures)?;
    let pair = [(ANSWER, START)];
    let compare_by = |measure: Measure| {
        let level = if measure == claim_measure(task) {
            confidence_level(task, number)
        } else {
            task.tune.validate.level.get()
        };
        let question = PairwiseQuestion { measures: vec![measure], level, ..PairwiseQuestion::default() };
        compare(&players, &pair, &question)
    };
    Ok(measures.into_iter().flat_map(compare_by).collect())
}
