//! Errors about paths without results. They suggest results in subfolders or nearby.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Error, anyhow};
use gauntlet_core::diagnostic::nearest_name;
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::{display_path, list_names, quote_path};
use gauntlet_run::paths;

use super::folder::{EXPERIMENT, RESULTS, has_tables};
use super::training::{is_training, training_in};
use super::tuning::{self, is_tuning, tunings_in};
use crate::config;
use crate::config::{BuiltInExperiment, Catalog};

/// Largest number of suggested folders.
const MAX_NAMED: usize = 3;

/// Error: nothing exists at a path that the user named.
#[derive(Debug)]
pub struct NoResults(String);

impl fmt::Display for NoResults {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoResults {}

/// Returns the error for a path that is no folder of results.
pub fn missing_results_error(catalog: Catalog, path: &Path) -> Error {
    match path {
        _ if is_tuning(path) => tuning_error(path),
        _ if path.is_dir() => folder_error(catalog, path),
        _ if path.exists() => file_error(catalog, path),
        _ => {
            let suggestion = find_similar(path, has_results)
                .or_else(|| find_similar(&Path::new(RESULTS).join(path), has_results));
            NoResults(format!("no such folder: {}{}", display_path(path), suggest_path(suggestion))).into()
        }
    }
}

/// Returns the error for a path where nothing exists, with an experiment or a folder of a similar
/// name.
pub fn missing_path_error(path: &Path, built_in: &[BuiltInExperiment]) -> Error {
    let is_either = |path: &Path| path.is_dir() || path.extension().is_some_and(|end| end == "toml");
    let built_in_name = || {
        let names = built_in.iter().map(|experiment| experiment.name);
        nearest_name(path.file_stem()?.to_str()?, names).map(PathBuf::from)
    };
    let suggestion = find_similar(path, is_either).or_else(built_in_name);
    NoResults(format!("no such file or folder: {}{}", display_path(path), suggest_path(suggestion))).into()
}

/// Returns the error for a folder without tables.
fn folder_error(catalog: Catalog, folder: &Path) -> Error {
    let shown_folder = display_path(folder);
    if has_journal(folder) {
        return anyhow!("{shown_folder} has no tables yet; `gauntlet run` or `merge` writes them");
    }
    if folder.join(EXPERIMENT).exists() {
        let folder = quote_path(folder);
        return anyhow!("{shown_folder} has no results; play its experiment with `gauntlet run {folder}`");
    }
    let own_tuning = folder.join(tuning::FOLDER);
    if is_tuning(&own_tuning) {
        return anyhow!(
            "{shown_folder} has no results of a run, only a tuning: {}",
            tuning_error(&own_tuning)
        );
    }
    let subfolders = result_folders(folder);
    let names: Vec<String> = subfolders.iter().map(|path| quote_path(path)).collect();
    match &*names {
        [] => anyhow!("{shown_folder} has no results{}", catalog.hidden_experiment_hint(folder)),
        [one] => anyhow!("{shown_folder} has no results; use the folder {one}"),
        all => {
            anyhow!("{shown_folder} has no results; use one of its folders: {}", list_names(all, MAX_NAMED))
        }
    }
}

/// Returns the error for a folder of a tuning, with the folder of results in it.
fn tuning_error(folder: &Path) -> Error {
    let (shown_folder, path) = (display_path(folder), quote_path(folder));
    let manifest = tuning::read_tuning_manifest(folder).ok().flatten();
    if let Some(manifest) = manifest.filter(|manifest| manifest.finished.is_empty()) {
        // A forged command is never suggested.
        let resume_command =
            manifest.command.to_shell_command().map_or("gauntlet", |command| match command.subcommand {
                "ask" => "gauntlet ask",
                _ => "gauntlet tune",
            });
        return anyhow!(
            "{shown_folder} has an unfinished tuning; resume it with the same `{resume_command}` command"
        );
    }
    let validations = tuning::validation_folders(folder).unwrap_or_default();
    let last_validation = validations.into_iter().rfind(|(_, folder)| has_tables(&*system_disk(), folder));
    let validation = last_validation
        .map_or_else(String::new, |(_, folder)| format!("; its validation is in {}", display_path(&folder)));
    anyhow!("{shown_folder} has a tuning: use `gauntlet report {path} --out FILE`{validation}")
}

/// Returns the error for a file in place of a folder of results.
fn file_error(catalog: Catalog, path: &Path) -> Error {
    let shown_file = display_path(path);
    if let Some(folder) = path.parent().filter(|folder| has_results(folder)) {
        return anyhow!("{shown_file} is a file: use its folder, {}", display_path(folder));
    }
    let experiment =
        config::read_bytes(catalog, path).and_then(|bytes| config::from_bytes(catalog, path, bytes, None));
    let Ok(experiment) = experiment else {
        return anyhow!("{shown_file} is a file, not a results folder");
    };
    let folder = Path::new(RESULTS).join(experiment.name());
    let hint = if has_results(&folder) {
        format!("its results are in {}", display_path(&folder))
    } else {
        format!("create them with `gauntlet run {}`", quote_path(path))
    };
    anyhow!("{shown_file} is an experiment, not a results folder; {hint}")
}

/// Lists the folders of results in a folder.
fn result_folders(folder: &Path) -> Vec<PathBuf> {
    list_paths(folder).into_iter().filter(|path| has_results(path)).collect()
}

/// Lists the folders of results in a folder, and those with only a tuning or a training.
fn result_and_tuning_folders(folder: &Path) -> Vec<PathBuf> {
    let holds_any =
        |path: &PathBuf| has_results(path) || !tunings_in(path).is_empty() || training_in(path).is_some();
    list_paths(folder).into_iter().filter(holds_any).collect()
}

/// Expands a path in a command that accepts any number of results. A folder without results is
/// expanded to all folders of results in it.
pub fn expand_path(path: &Path) -> Vec<PathBuf> {
    expand_with(path, result_folders)
}

/// Expands a path like [`expand_path`], and includes tunings and trainings.
pub fn expand_path_with_tunings(path: &Path) -> Vec<PathBuf> {
    expand_with(path, result_and_tuning_folders)
}

fn expand_with(path: &Path, find_folders: fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let is_single = !path.is_dir()
        || has_results(path)
        || path.join(EXPERIMENT).exists()
        || is_tuning(path)
        || !tunings_in(path).is_empty()
        || is_training(path)
        || training_in(path).is_some();
    let subfolders = if is_single { Vec::new() } else { find_folders(path) };
    if subfolders.is_empty() { vec![path.to_owned()] } else { subfolders }
}

/// Returns true if a folder has the results of a run, or its journal.
pub fn has_results(folder: &Path) -> bool {
    folder.is_dir() && (has_tables(&*system_disk(), folder) || has_journal(folder))
}

fn has_journal(folder: &Path) -> bool {
    paths::journal_path(folder, None).exists()
        || paths::find_shards(folder).is_ok_and(|shards| !shards.is_empty())
}

/// Finds the file of a kind with the most similar name, in the folder of a path that does not
/// exist.
fn find_similar(path: &Path, is_of_kind: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy();
    let folder = path.parent()?;
    let paths = list_paths(folder).into_iter().filter(|path| is_of_kind(path));
    let names: Vec<String> =
        paths.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect();
    nearest_name(&name, names.iter().map(String::as_str)).map(|name| folder.join(name))
}

/// Lists the paths in a folder, sorted by name; none if it cannot be read.
fn list_paths(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut paths: Vec<PathBuf> =
        folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn suggest_path(suggestion: Option<PathBuf>) -> String {
    suggestion.map_or_else(String::new, |path| format!("; did you mean {}?", display_path(&path)))
}
