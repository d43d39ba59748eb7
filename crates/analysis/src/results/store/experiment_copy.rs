//! The experiment of a folder of results, with the files of its players at the paths of the run.

use std::path::{Path, PathBuf};

use anyhow::bail;
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::display_path;
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;

use super::snapshot::{EXPERIMENT, read_manifest};
use crate::config::{self, Catalog, Experiment, LoadError};

/// Parses the copy of an experiment in a folder of results.
pub fn parse_copy(catalog: Catalog, folder: &Path, copy: Vec<u8>) -> Result<Experiment, LoadError> {
    let path = folder.join(EXPERIMENT);
    let experiment = config::from_bytes(catalog, &path, copy.clone(), None)?;
    if !experiment.players().iter().any(|entry| entry.entry.needs_files()) {
        return Ok(experiment);
    }
    let files_folder = find_files_folder(folder).map_err(LoadError::Unreadable)?;
    config::from_bytes(catalog, &path, copy, Some(&folder.join(files_folder)))
}

/// Returns the folder of the players' files, as recorded in the manifest or the last session that
/// has it.
fn find_files_folder(folder: &Path) -> anyhow::Result<PathBuf> {
    let manifest = read_manifest(&*system_disk(), folder).ok().flatten();
    if let Some(files_folder) =
        manifest.and_then(|manifest| Some(manifest.run_keys()?.files_from.as_ref()?.into()))
    {
        return Ok(files_folder);
    }
    let shards = paths::find_shards(folder)?.into_iter().map(|(_, path)| path);
    for path in [paths::journal_path(folder, None)].into_iter().chain(shards).filter(|path| path.exists()) {
        let journal = Journal::peek(&path)?;
        if let Some(files_folder) =
            journal.sessions().iter().rev().find_map(|session| session.files_from.as_ref())
        {
            return Ok(files_folder.into());
        }
    }
    bail!(
        "{} does not record the paths of its players' files: pass the experiment file instead of the folder",
        display_path(folder)
    )
}
