//! What lies in a folder of results, and of which version of the experiment it is.

use std::path::Path;

use super::files::Fresh;
use super::manifest;
use crate::config::Experiment;

/// The copy of an experiment's file beside its tables.
pub const EXPERIMENT: &str = "experiment.toml";

/// The file of single games.
pub(super) const GAMES: &str = "games.csv";

/// Written with the tables: where it is not, there are none.
pub const MANIFEST: &str = "manifest.toml";

/// Whether the tables in a folder are of this very experiment; none if there are none.
pub fn is_current(experiment: &Experiment, folder: &Path) -> Option<bool> {
    let manifest = std::fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let manifest: toml::Table = manifest.parse().ok()?;
    Some(manifest.get("experiment_digest")?.as_str()? == manifest::digest(experiment))
}

/// Whether tables lie in a folder, of whatever version of the experiment.
pub fn has_tables(folder: &Path) -> bool {
    folder.join(MANIFEST).exists()
}

/// Keeps a copy of an experiment in the folder of its results, so that the folder can be named for it. Beside tables
/// of an earlier version their own copy stays, until they are replaced together.
pub fn keep_experiment(experiment: &Experiment, folder: &Path) -> anyhow::Result<()> {
    let text = experiment.text().as_bytes();
    let is_there = || std::fs::read(folder.join(EXPERIMENT)).is_ok_and(|there| there == text);
    if has_tables(folder) || is_there() { Ok(()) } else { Fresh::with(folder, EXPERIMENT, text)?.replace() }
}
