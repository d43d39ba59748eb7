//! Contents of a folder of results, and which version of the experiment they belong to.

use std::path::Path;
use std::sync::Arc;

use super::files::write_document;
use super::manifest;
use super::replacement::FolderTransaction;
use super::set::{self, ResultsSnapshot};
pub use super::set::{EXPERIMENT, has_tables};
use gauntlet_core::disk::Disk;

use crate::config::{Catalog, Experiment};

/// Default folder of results, in which each experiment has a folder.
pub const RESULTS: &str = "results";

/// Tables in a folder.
#[derive(Debug)]
pub enum TablesStatus {
    /// There are no tables.
    None,
    /// Tables of this version of the experiment.
    Current,
    /// Tables of another version of the experiment.
    Other,
    /// Tables that do not belong together.
    Unfit(anyhow::Error),
}

impl TablesStatus {
    /// Reads all tables in a folder and compares them with an experiment.
    pub fn of(disk: &Arc<dyn Disk>, experiment: &Experiment, folder: &Path) -> TablesStatus {
        if !has_tables(&**disk, folder) {
            return TablesStatus::None;
        }
        match ResultsSnapshot::read(experiment.catalog(), disk, folder) {
            Err(error) => TablesStatus::Unfit(error),
            Ok(set) => {
                if is_of(&set, experiment) {
                    TablesStatus::Current
                } else {
                    TablesStatus::Other
                }
            }
        }
    }
}

/// Returns true if tables belong to this experiment: to a file with equal contents, apart from
/// comments.
pub(super) fn is_of(set: &ResultsSnapshot, experiment: &Experiment) -> bool {
    if set.manifest().experiment_digest == manifest::digest(experiment) {
        return true;
    }
    set.experiment().is_ok_and(|kept| kept.asks_the_same(experiment))
}

/// Copies an experiment to the folder of its results, so that the folder identifies it. If the
/// folder has tables of an earlier version, their copy stays until both are replaced together.
/// Fails if tables could not be written there.
pub fn keep_experiment(disk: &Arc<dyn Disk>, experiment: &Experiment, folder: &Path) -> anyhow::Result<()> {
    let text = experiment.text().as_bytes();
    let alone = FolderTransaction::begin(disk, folder)?;
    if has_tables(&**disk, folder) || copy(disk, folder).is_ok_and(|there| there == text) {
        return Ok(());
    }
    alone.replace_alone(EXPERIMENT, text)
}

/// Copies an experiment for one of the shards of a run. All shards write equal files, so a file
/// system without locks stops none of them.
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

/// Reads the copy of an experiment in a folder of results. If there are tables, it is the one that
/// they belong to.
pub fn kept_experiment(catalog: Catalog, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Vec<u8>> {
    if has_tables(&**disk, folder) {
        ResultsSnapshot::to_be_mended(catalog, disk, folder)?.bytes(EXPERIMENT)
    } else {
        copy(disk, folder)
    }
}

/// Reads the copy of an experiment to make all tables again; it is not verified if the manifest is
/// damaged.
pub fn experiment_to_merge(catalog: Catalog, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Vec<u8>> {
    if matches!(set::manifest_of(&**disk, folder), Ok(None)) {
        copy(disk, folder)
    } else {
        kept_experiment(catalog, disk, folder)
    }
}

fn copy(disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Vec<u8>> {
    set::read(&**disk, &folder.join(EXPERIMENT))
}
