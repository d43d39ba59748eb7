//! The folder of a tuning: which folder is one, and the folders of results in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::EXPERIMENT;
use super::manifest::Manifest;
use super::set::manifest_of;
use crate::disk::system;

/// The folder of a tuning in the folder of its experiment's results.
pub const FOLDER: &str = "tune";

/// The folder of the results of the slices through the answer.
pub const EXPLAINED: &str = "explained";

/// The folder of the results of the k-th validation, in the folder of its tuning.
pub fn validation_folder(number: u64) -> String {
    format!("{VALIDATED}{number}")
}

const VALIDATED: &str = "validation-";

/// True if a folder is that of a tuning, finished or not.
pub fn is_tuning(folder: &Path) -> bool {
    manifest(folder).is_some()
}

/// The budget of the search whose answer lies in a folder; none where no tuning has come to its end.
pub fn answered(folder: &Path) -> Option<u64> {
    let manifest = manifest(folder).filter(|manifest| !manifest.finished.is_empty())?;
    Some(manifest.tuning()?.budget)
}

/// The manifest of a folder, if that is the folder of a tuning.
pub(super) fn manifest(folder: &Path) -> Option<Manifest> {
    manifest_of(&*system(), folder).ok()?.filter(|manifest| manifest.tuning().is_some())
}

/// The folders of the validations of a tuning that have begun, by their numbers. If one was removed, the others keep theirs.
pub fn validations(folder: &Path) -> impl Iterator<Item = (u64, PathBuf)> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let number = |name: &str| name.strip_prefix(VALIDATED)?.parse::<u64>().ok();
    let numbers: BTreeSet<u64> = names.filter_map(|name| number(name.to_str()?)).collect();
    let all = numbers.into_iter().map(|number| (number, folder.join(validation_folder(number))));
    all.filter(|(_, folder)| folder.join(EXPERIMENT).exists()).collect::<Vec<_>>().into_iter()
}
