//! Snapshot of a tuning, for `status`: repeats its search from its journal.

use std::path::Path;

use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::experiment_copy::parse_copy;
use gauntlet_analysis::results::store::folder::{RESULTS, read_experiment_copy};
use gauntlet_analysis::results::store::manifest::{Manifest, TuningKeys};
use gauntlet_analysis::results::store::tuning::{
    continued_journal, is_external, read_tuning_manifest, validation_folder,
};
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::{display_path, escape, format_games};
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;
use gauntlet_run::progress::{Progress, RunState};
use gauntlet_run::snapshot::Snapshot;
use gauntlet_tune::results::unfinished_tuning::UnfinishedTuning;
use gauntlet_tune::section::CandidateSpace;
use gauntlet_tune::unfinished_tuning::read_unfinished;
use gauntlet_tune::workers::read_workers;

use gauntlet_cli::permission::resume_lines;
use gauntlet_cli::target::Results;

/// Returns the snapshot of the tuning in a folder, if it has begun. `resume` is the command that
/// resumes it; by default the command that the manifest records.
pub(super) fn snapshot(
    catalog: Catalog,
    folder: &Path,
    resume: Option<&str>,
) -> anyhow::Result<Option<Snapshot>> {
    let Some(manifest) = read_tuning_manifest(folder)? else { return Ok(None) };
    let Some(keys) = manifest.tuning() else { return Ok(None) };
    let journal = paths::journal_path(folder, None);
    let is_in_use = Journal::is_in_use(&journal);
    if !manifest.finished.is_empty() {
        return finished_snapshot(folder, &manifest, keys, is_in_use).map(Some);
    }
    if is_external(&manifest) {
        let played_games = if journal.exists() { Journal::peek(&journal)?.games() } else { 0 };
        let state = if is_in_use { "running" } else { "unfinished" };
        let lines = vec![format!("{} played so far; no result yet", format_games(played_games))];
        return Ok(Some(Snapshot {
            remarks: lines,
            ..Snapshot::new(format!("{}: external tuning, {state}", display_path(folder)))
        }));
    }
    let tuning = read_unfinished(catalog, folder)?;
    let mut search = Snapshot::from_progress("search", tuning.progress.clone());
    if tuning.current_step.is_none() {
        search.state = "ended".to_owned();
    }
    search.remarks.extend([tuning.describe_steps().join(", "), best_point(&tuning)]);
    match read_workers(folder) {
        Ok(workers) => search.parts.extend(workers),
        Err(error) => {
            search.remarks.push(format!("unknown workers: {}", escape::line(&format!("{error:#}"))))
        }
    }
    let mut parts = vec![search];
    for (number, _) in &tuning.validations {
        let progress = validation_progress(catalog, &folder.join(validation_folder(*number)))?;
        let state = if progress.remaining() == 0 { RunState::Complete } else { RunState::Stopped };
        let progress = Progress { state, ..progress };
        parts.push(Snapshot::from_progress(format!("validation {number}"), progress));
    }
    let resume = match resume {
        _ if is_in_use => Vec::new(),
        Some(resume) => vec![format!("to resume: {resume}")],
        None => resume_lines(&resume_command(&manifest, folder), &tuning.experiment.plan()),
    };
    if let Some(last) = parts.last_mut() {
        last.remarks.extend(resume.into_iter().chain(tuning.journal_warnings));
    }
    let title = format!(
        "{}: tuning by {} with a budget of {}, unfinished",
        display_path(folder),
        keys.method,
        format_games(keys.budget)
    );
    Ok(Some(Snapshot { parts, ..Snapshot::new(title) }))
}

/// Describes the best point so far of a search.
fn best_point(tuning: &UnfinishedTuning) -> String {
    let settings = &tuning.history.settings;
    if settings.iter().all(|setting| setting.tuned == setting.start) {
        return "best so far: the start".to_owned();
    }
    let is_race = matches!(tuning.history.tune.field, CandidateSpace::Players { .. });
    let best = settings.iter().map(|setting| match is_race {
        true => setting.tuned.clone(),
        false => format!("{} = {} (was {})", setting.key, setting.tuned, setting.start),
    });
    format!("best so far: {}", escape::line(&best.collect::<Vec<_>>().join(", ")))
}

/// Returns the snapshot of a finished tuning, which may have been continued.
fn finished_snapshot(
    folder: &Path,
    manifest: &Manifest,
    keys: &TuningKeys,
    is_in_use: bool,
) -> anyhow::Result<Snapshot> {
    let (method_words, budget_note) = match is_external(manifest) {
        true => ("by an external optimizer".to_owned(), String::new()),
        false => (format!("by {}", keys.method), format!(" of a budget of {}", format_games(keys.budget))),
    };
    let mut tuning = Snapshot::new(format!(
        "{}: tuning {method_words}, ended: {}",
        display_path(folder),
        keys.verdict.word()
    ));
    tuning.remarks.push(format!("search: {}{budget_note}", format_games(manifest.games)));
    if let Some(validation) = &keys.validation {
        tuning.remarks.push(format!("verdict from {}", display_path(&folder.join(validation))));
    }
    if let Some(journal) = continued_journal(manifest, folder)? {
        let state = if is_in_use { "playing now" } else { "unfinished" };
        tuning.remarks.push(format!(
            "the search has continued since the verdict, {state}: its journal has {}; the verdict is valid until the next validation",
            format_games(journal.games())
        ));
    }
    Ok(tuning)
}

/// Returns the progress of a validation.
fn validation_progress(catalog: Catalog, folder: &Path) -> anyhow::Result<Progress> {
    let copy = read_experiment_copy(catalog, &system_disk(), folder)?;
    let experiment: Experiment = parse_copy(catalog, folder, copy).map_err(gauntlet_cli::target::to_error)?;
    Progress::from_path(experiment.plan(), &paths::journal_path(folder, None))
}

/// Returns the command that resumes a tuning, as typed where its results are in the default folder.
fn resume_command(manifest: &Manifest, folder: &Path) -> String {
    let Some(command) = manifest.command.to_text() else {
        return "the same `gauntlet tune` command".to_owned();
    };
    let results_folder = folder.parent().and_then(Path::parent).unwrap_or(Path::new(RESULTS));
    Results::new(results_folder).append_option(&command)
}
