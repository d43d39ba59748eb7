//! Content of a folder of results, and the version of the experiment that it is of.

use std::path::Path;
use std::sync::Arc;

use super::files::write_document;
use super::manifest;
use super::replacement::Replacement;
use super::set::{self, Set};
pub use super::set::{EXPERIMENT, has_tables};
use gauntlet_core::arena::Arenas;
use gauntlet_core::disk::Disk;

use crate::config::Experiment;

/// The default folder of results, in which each experiment has a folder of its own.
pub const RESULTS: &str = "results";

/// The tables of a folder.
#[derive(Debug)]
pub enum Tables {
    /// There are none.
    None,
    /// They are of this very experiment.
    Current,
    /// They are of another version of it.
    Other,
    /// They do not belong together.
    Unfit(anyhow::Error),
}

impl Tables {
    /// Those in a folder, beside an experiment. All of them are read.
    pub fn of(disk: &Arc<dyn Disk>, experiment: &Experiment, folder: &Path) -> Tables {
        if !has_tables(&**disk, folder) {
            return Tables::None;
        }
        match Set::read(experiment.arenas(), disk, folder) {
            Err(error) => Tables::Unfit(error),
            Ok(set) => {
                if is_of(&set, experiment) {
                    Tables::Current
                } else {
                    Tables::Other
                }
            }
        }
    }
}

/// True if tables are of this experiment: of a file that asks for the same, whatever its comments
/// say.
pub(super) fn is_of(set: &Set, experiment: &Experiment) -> bool {
    if set.manifest().experiment_digest == manifest::digest(experiment) {
        return true;
    }
    set.experiment().is_ok_and(|kept| kept.asks_the_same(experiment))
}

/// Keeps a copy of an experiment in the folder of its results, so that the folder can be named for
/// it. Beside tables of an earlier version their own copy stays, until they are replaced together.
/// Fails if tables could not be written there.
pub fn keep_experiment(disk: &Arc<dyn Disk>, experiment: &Experiment, folder: &Path) -> anyhow::Result<()> {
    let text = experiment.text().as_bytes();
    let alone = Replacement::begin(disk, folder)?;
    if has_tables(&**disk, folder) || copy(disk, folder).is_ok_and(|there| there == text) {
        return Ok(());
    }
    alone.replace_alone(EXPERIMENT, text)
}

/// The same for one of the shards of a run. All write the same, so a file system without locks
/// keeps none of them from playing.
pub fn keep_experiment_of_shard(
    disk: &Arc<dyn Disk>,
    experiment: &Experiment,
    folder: &Path,
) -> anyhow::Result<()> {
    let text = experiment.text().as_bytes();
    let is_kept = || has_tables(&**disk, folder) || copy(disk, folder).is_ok_and(|there| there == text);
    if is_kept() || keep_experiment(disk, experiment, folder).is_ok() {
        return Ok(());
    }
    write_document(disk, &folder.join(EXPERIMENT), text)
}

/// The copy of an experiment in a folder of results: where there are tables, the one that they are
/// of.
pub fn kept_experiment(arenas: Arenas, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Vec<u8>> {
    if has_tables(&**disk, folder) {
        Set::to_be_mended(arenas, disk, folder)?.bytes(EXPERIMENT)
    } else {
        copy(disk, folder)
    }
}

/// The same for making all tables again: beside a manifest that is damaged, the copy as it is.
pub fn experiment_to_merge(arenas: Arenas, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Vec<u8>> {
    if matches!(set::manifest_of(&**disk, folder), Ok(None)) {
        copy(disk, folder)
    } else {
        kept_experiment(arenas, disk, folder)
    }
}

fn copy(disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Vec<u8>> {
    set::read(&**disk, &folder.join(EXPERIMENT))
}
