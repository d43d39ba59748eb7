//! The folder of a tuning: which folder is one, and the folders of results in it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::manifest::Manifest;
use super::set::{EXPERIMENT, has_tables, manifest_of};
use crate::disk::system;
use crate::text::shown;

/// The folder of a tuning in the folder of its experiment's results.
pub const FOLDER: &str = "tune";

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

/// The budget of the search whose answer lies in a folder; none where no tuning has come to its end.
pub fn answered(folder: &Path) -> anyhow::Result<Option<u64>> {
    let finished = manifest(folder)?.filter(|manifest| !manifest.finished.is_empty());
    Ok(finished.and_then(|manifest| Some(manifest.tuning()?.budget)))
}

/// The manifest of a folder, if that is the folder of a tuning.
pub(super) fn manifest(folder: &Path) -> anyhow::Result<Option<Manifest>> {
    let disk = system();
    let there = if has_tables(&*disk, folder) { manifest_of(&*disk, folder)? } else { None };
    Ok(there.filter(|manifest| manifest.tuning().is_some()))
}

/// The folders of the validations of a tuning that have begun, by their numbers. If one was removed, the others keep theirs.
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
