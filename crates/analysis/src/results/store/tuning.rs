//! Folders of tunings, and the folders of results in them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::display_path;
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;

use super::manifest::Manifest;
use super::snapshot::{EXPERIMENT, has_tables, read_manifest};

/// Name of a tuning's folder in the folder of its experiment's results.
pub const FOLDER: &str = "tune";

/// Name of the folder if another program does the search.
pub const ASK_FOLDER: &str = "ask";

/// Name of the folder of results of slices through the answer.
pub const EXPLAIN_FOLDER: &str = "explained";

/// Returns the name of the folder of the k-th validation, in the folder of its tuning.
pub fn validation_folder(number: u64) -> String {
    format!("{VALIDATION_PREFIX}{number}")
}

/// Parses the number of a validation from the name of its folder.
pub fn parse_validation_number(name: &str) -> Option<u64> {
    name.strip_prefix(VALIDATION_PREFIX)?.parse().ok()
}

const VALIDATION_PREFIX: &str = "validation-";

/// Returns true if a folder has a tuning, finished or not.
pub fn is_tuning(folder: &Path) -> bool {
    read_tuning_manifest(folder).is_ok_and(|manifest| manifest.is_some())
}

/// Returns the folders of the tunings in a folder of results.
pub fn tunings_in(folder: &Path) -> Vec<PathBuf> {
    let folders = [FOLDER, ASK_FOLDER].into_iter().map(|name| folder.join(name));
    folders.filter(|folder| is_tuning(folder)).collect()
}

/// Returns the journal of a finished tuning, if the search has continued since.
pub fn continued_journal(manifest: &Manifest, folder: &Path) -> anyhow::Result<Option<Journal>> {
    let Some(sessions) = manifest.tuning().and_then(|keys| keys.sessions) else { return Ok(None) };
    let path = paths::journal_path(folder, None);
    let recorded_bytes = manifest.tuning().and_then(|keys| keys.journal_bytes);
    // Reading a large journal takes a second.
    match fs::metadata(&path) {
        Ok(journal) if Some(journal.len()) != recorded_bytes => {}
        _ => return Ok(None),
    }
    let journal = Journal::peek(&path)?;
    Ok(Some(journal).filter(|journal| journal.sessions().len() > sessions))
}

/// Returns true if a folder has a tuning that was started and is not finished.
pub fn is_unfinished(folder: &Path) -> bool {
    let is_match = |manifest: &Manifest| manifest.finished.is_empty() && !is_external(manifest);
    read_tuning_manifest(folder).is_ok_and(|manifest| manifest.is_some_and(|manifest| is_match(&manifest)))
}

/// Returns true if another program did the search; only that program knows its path.
pub fn is_external(manifest: &Manifest) -> bool {
    manifest.command.to_shell_command().is_some_and(|command| command.subcommand == "ask")
}

/// Returns the budget of the finished search in a folder; `None` if no tuning has finished.
pub fn finished_budget(folder: &Path) -> anyhow::Result<Option<u64>> {
    let manifest = read_tuning_manifest(folder)?.filter(|manifest| !manifest.finished.is_empty());
    Ok(manifest.and_then(|manifest| Some(manifest.tuning()?.budget)))
}

/// Reads the manifest of a folder, if it is a tuning folder.
pub fn read_tuning_manifest(folder: &Path) -> anyhow::Result<Option<Manifest>> {
    Ok(read_manifest(&*system_disk(), folder)?.filter(|manifest| manifest.tuning().is_some()))
}

/// Returns the folders of the validations of a tuning, by number. If one was removed, the others
/// keep their numbers.
pub fn validation_folders(folder: &Path) -> anyhow::Result<Vec<(u64, PathBuf)>> {
    let disk = system_disk();
    let names = match disk.list(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        names => names.with_context(|| format!("cannot read {}", display_path(folder)))?,
    };
    let numbers: BTreeSet<u64> = names.iter().filter_map(|name| parse_validation_number(name)).collect();
    let folders = numbers.into_iter().map(|number| (number, folder.join(validation_folder(number))));
    Ok(folders.filter(|(_, folder)| has_tables(&*disk, folder) || folder.join(EXPERIMENT).exists()).collect())
}
