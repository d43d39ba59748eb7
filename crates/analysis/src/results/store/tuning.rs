//! The folder of a tuning: which folder is one, and the folders of results in it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use gauntlet_core::disk::system;
use gauntlet_core::text::shown;
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;

use super::manifest::Manifest;
use super::set::{EXPERIMENT, has_tables, manifest_of};

/// The folder of a tuning in the folder of its experiment's results.
pub const FOLDER: &str = "tune";

/// The folder of a tuning whose search is another program's, in the same place.
pub const ASKED: &str = "ask";

/// The folder of the results of the slices through the answer.
pub const EXPLAINED: &str = "explained";

/// The folder of the results of the k-th validation, in the folder of its tuning.
pub fn validation_folder(number: u64) -> String {
    format!("{VALIDATED}{number}")
}

/// The number of the validation whose results lie in a folder of this name.
pub fn number_of_validation(name: &str) -> Option<u64> {
    name.strip_prefix(VALIDATED)?.parse().ok()
}

const VALIDATED: &str = "validation-";

/// True if a folder is that of a tuning, finished or not.
pub fn is_tuning(folder: &Path) -> bool {
    manifest(folder).is_ok_and(|manifest| manifest.is_some())
}

/// The tunings in the folder of an experiment's results.
pub fn tunings_in(folder: &Path) -> Vec<PathBuf> {
    let own = [FOLDER, ASKED].into_iter().map(|name| folder.join(name));
    own.filter(|folder| is_tuning(folder)).collect()
}

/// The journal of a tuning that has come to its end, if the search has gone on since.
pub fn gone_on(manifest: &Manifest, folder: &Path) -> anyhow::Result<Option<Journal>> {
    let Some(sessions) = manifest.tuning().and_then(|told| told.sessions) else { return Ok(None) };
    let path = paths::path_in(folder, None);
    let at_the_end = manifest.tuning().and_then(|told| told.journal_bytes);
    // To read a journal takes a second where it is large.
    match fs::metadata(&path) {
        Ok(journal) if Some(journal.len()) != at_the_end => {}
        _ => return Ok(None),
    }
    let journal = Journal::peek(&path)?;
    Ok(Some(journal).filter(|journal| journal.sessions().len() > sessions))
}

/// True if a folder is that of a tuning whose search has begun, and which has not come to its end.
pub fn is_unfinished(folder: &Path) -> bool {
    let is_one = |manifest: &Manifest| manifest.finished.is_empty() && !is_asked(manifest);
    manifest(folder).is_ok_and(|manifest| manifest.is_some_and(|manifest| is_one(&manifest)))
}

/// True if the search of a tuning is another program's, which alone knows its path.
pub fn is_asked(manifest: &Manifest) -> bool {
    manifest.command.offered().is_some_and(|offered| offered.verb == "ask")
}

/// The budget of the search whose answer lies in a folder; none where no tuning has come to its
/// end.
pub fn answered(folder: &Path) -> anyhow::Result<Option<u64>> {
    let finished = manifest(folder)?.filter(|manifest| !manifest.finished.is_empty());
    Ok(finished.and_then(|manifest| Some(manifest.tuning()?.budget)))
}

/// The manifest of a folder, if that is the folder of a tuning.
pub fn manifest(folder: &Path) -> anyhow::Result<Option<Manifest>> {
    let disk = system();
    let there = if has_tables(&*disk, folder) { manifest_of(&*disk, folder)? } else { None };
    Ok(there.filter(|manifest| manifest.tuning().is_some()))
}

/// The folders of the validations of a tuning that have begun, by their numbers. If one was
/// removed, the others keep theirs.
pub fn validations(folder: &Path) -> anyhow::Result<Vec<(u64, PathBuf)>> {
    let disk = system();
    let names = match disk.list(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        names => names.with_context(|| format!("cannot read {}", shown(folder)))?,
    };
    let numbers: BTreeSet<u64> = names.iter().filter_map(|name| number_of_validation(name)).collect();
    let all = numbers.into_iter().map(|number| (number, folder.join(validation_folder(number))));
    Ok(all.filter(|(_, folder)| has_tables(&*disk, folder) || folder.join(EXPERIMENT).exists()).collect())
}
