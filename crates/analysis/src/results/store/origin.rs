//! The experiment of a folder of results, with the files of its players at the paths of the run.

use std::path::{Path, PathBuf};

use anyhow::bail;
use gauntlet_core::disk::system;
use gauntlet_core::text::shown;
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;

use super::set::{EXPERIMENT, manifest_of};
use crate::config::{self, Catalog, Experiment, LoadError};

/// Parses the copy of an experiment in a folder of results.
pub fn with_files(catalog: Catalog, folder: &Path, copy: Vec<u8>) -> Result<Experiment, LoadError> {
    let path = folder.join(EXPERIMENT);
    let experiment = config::from_bytes(catalog, &path, copy.clone(), None)?;
    if !experiment.entries().iter().any(|entry| entry.entrant.needs_files()) {
        return Ok(experiment);
    }
    let from = files_from(folder).map_err(LoadError::Unreadable)?;
    config::from_bytes(catalog, &path, copy, Some(&folder.join(from)))
}

/// Returns the folder of the players' files, as recorded in the manifest or the last session that
/// has it.
fn files_from(folder: &Path) -> anyhow::Result<PathBuf> {
    let manifest = manifest_of(&*system(), folder).ok().flatten();
    if let Some(from) = manifest.and_then(|manifest| Some(manifest.run()?.files_from.as_ref()?.into())) {
        return Ok(from);
    }
    let shards = paths::shards_in(folder)?.into_iter().map(|(_, path)| path);
    for path in [paths::path_in(folder, None)].into_iter().chain(shards).filter(|path| path.exists()) {
        let journal = Journal::peek(&path)?;
        if let Some(from) = journal.sessions().iter().rev().find_map(|session| session.files_from.as_ref()) {
            return Ok(from.into());
        }
    }
    bail!(
        "{} does not record the paths of its players' files: pass the experiment file instead of the folder",
        shown(folder)
    )
}
