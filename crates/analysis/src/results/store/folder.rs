//! Contents of a folder of results, and which version of the experiment they belong to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::write_document;
use super::manifest;
use super::replacement::FolderTransaction;
use super::replay::replay_folder;
use super::snapshot::GAMES_CSV;
use super::snapshot::{self, ResultsSnapshot};
pub use super::snapshot::{EXPERIMENT, has_tables};
use gauntlet_core::disk::Disk;
use gauntlet_run::journal::SessionEntry;

use crate::config::{Catalog, Experiment};

/// Default folder of results, in which each experiment has a folder.
pub const RESULTS: &str = "results";

/// What a folder of results is, for an experiment and the journals at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderState {
    /// It has no tables: nothing was played, or the run has not ended.
    Empty,
    /// These journals made its tables, for this experiment.
    Finished {
        /// Number of games in the tables.
        games: u64,
    },
    /// These journals made its tables, for another version of the experiment.
    Stale {
        /// Number of games in the tables.
        games: u64,
    },
    /// Its tables are of this experiment, from another journal. They are kept.
    Kept,
    /// Its tables are of another version of the experiment, from another journal.
    Foreign,
    /// Its manifest is damaged, so no command reads its tables. They are of this experiment, or
    /// these journals made them.
    Damaged,
}

impl FolderState {
    /// Determines the state of a folder from its manifest and the sessions of the journals.
    pub fn read<'a>(
        disk: &Arc<dyn Disk>,
        experiment: &Experiment,
        folder: &Path,
        sessions: impl Iterator<Item = &'a SessionEntry>,
    ) -> anyhow::Result<FolderState> {
        let sessions: Vec<_> = sessions.collect();
        if !has_tables(&**disk, folder) {
            // Without its manifest, a folder may still have games of another experiment.
            let has_games = disk.open(&folder.join(GAMES_CSV)).is_ok();
            let is_foreign = has_games && !is_copy_known(disk, experiment, folder, &sessions);
            return Ok(if is_foreign { FolderState::Foreign } else { FolderState::Empty });
        }
        if snapshot::read_manifest(&**disk, folder)?.is_none() {
            let may_replace = is_copy_known(disk, experiment, folder, &sessions);
            return Ok(if may_replace { FolderState::Damaged } else { FolderState::Foreign });
        }
        let set = ResultsSnapshot::read_for_repair(experiment.catalog(), disk, folder)?;
        let games = set.manifest().games;
        let is_own = set.manifest().run_keys().is_some_and(|run| run.is_from_sessions(&sessions));
        Ok(match (is_own, belongs_to(&set, experiment)) {
            (true, true) => FolderState::Finished { games },
            (true, false) => FolderState::Stale { games },
            (false, true) => FolderState::Kept,
            (false, false) => FolderState::Foreign,
        })
    }

    /// Determines the state of a folder without its journals. Fails if its tables are damaged, or
    /// do not belong together.
    pub fn read_without_journals(
        disk: &Arc<dyn Disk>,
        experiment: &Experiment,
        folder: &Path,
    ) -> anyhow::Result<FolderState> {
        if has_tables(&**disk, folder) {
            ResultsSnapshot::read(experiment.catalog(), disk, folder)?;
        }
        FolderState::read(disk, experiment, folder, std::iter::empty())
    }

    /// Returns true if the folder has tables of this version of the experiment.
    pub fn is_current(self) -> bool {
        matches!(self, FolderState::Finished { .. } | FolderState::Kept)
    }

    /// Returns the folder for new tables; `None` if they would replace foreign ones.
    pub fn folder_for_tables(self, folder: &Path) -> Option<PathBuf> {
        match self {
            FolderState::Foreign => None,
            FolderState::Kept => Some(replay_folder(folder)),
            _ => Some(folder.to_owned()),
        }
    }
}

/// Returns true if tables belong to this experiment: to a file with equal contents, apart from
/// comments.
fn belongs_to(snapshot: &ResultsSnapshot, experiment: &Experiment) -> bool {
    if snapshot.manifest().experiment_digest == manifest::experiment_digest(experiment) {
        return true;
    }
    snapshot.experiment().is_ok_and(|copy| copy.is_equivalent(experiment))
}

/// Returns true if tables without a manifest can be made again, judging by the copy of the
/// experiment next to them: it is this experiment, or was played in one of these sessions. If there
/// is no copy, this experiment must have been played.
fn is_copy_known(
    disk: &Arc<dyn Disk>,
    experiment: &Experiment,
    folder: &Path,
    sessions: &[&SessionEntry],
) -> bool {
    let was_played = |digest: &str| sessions.iter().any(|session| session.experiment == digest);
    let Ok(copy) = read_copy(disk, folder) else {
        return was_played(&manifest::experiment_digest(experiment));
    };
    if copy == experiment.text().as_bytes() || was_played(blake3::hash(&copy).to_hex().as_str()) {
        return true;
    }
    let copy = snapshot::parse_experiment(experiment.catalog(), &folder.join(EXPERIMENT), copy);
    copy.is_ok_and(|copy| copy.is_equivalent(experiment))
}

/// Copies an experiment to the folder of its results, so that the folder identifies it. If the
/// folder has tables of an earlier version, their copy stays until both are replaced together.
/// Fails if tables could not be written there.
pub fn copy_experiment(disk: &Arc<dyn Disk>, experiment: &Experiment, folder: &Path) -> anyhow::Result<()> {
    let text = experiment.text().as_bytes();
    let transaction = FolderTransaction::begin(disk, folder)?;
    if has_tables(&**disk, folder) || read_copy(disk, folder).is_ok_and(|copy| copy == text) {
        return Ok(());
    }
    transaction.replace_one(EXPERIMENT, text)
}

/// Copies an experiment for one of the shards of a run. All shards write equal files, so a file
/// system without locks stops none of them.
pub fn copy_experiment_of_shard(
    disk: &Arc<dyn Disk>,
    experiment: &Experiment,
    folder: &Path,
) -> anyhow::Result<()> {
    let text = experiment.text().as_bytes();
    let has_copy = || has_tables(&**disk, folder) || read_copy(disk, folder).is_ok_and(|copy| copy == text);
    if has_copy() || copy_experiment(disk, experiment, folder).is_ok() {
        return Ok(());
    }
    write_document(disk, &folder.join(EXPERIMENT), text)
}

/// Reads the copy of an experiment in a folder of results. If there are tables, it is the one that
/// they belong to.
pub fn read_experiment_copy(
    catalog: Catalog,
    disk: &Arc<dyn Disk>,
    folder: &Path,
) -> anyhow::Result<Vec<u8>> {
    if has_tables(&**disk, folder) {
        ResultsSnapshot::read_for_repair(catalog, disk, folder)?.bytes(EXPERIMENT)
    } else {
        read_copy(disk, folder)
    }
}

/// Reads the copy of an experiment to make all tables again; it is not verified if the manifest is
/// damaged.
pub fn read_experiment_to_merge(
    catalog: Catalog,
    disk: &Arc<dyn Disk>,
    folder: &Path,
) -> anyhow::Result<Vec<u8>> {
    if matches!(snapshot::read_manifest(&**disk, folder), Ok(None)) {
        read_copy(disk, folder)
    } else {
        read_experiment_copy(catalog, disk, folder)
    }
}

fn read_copy(disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Vec<u8>> {
    snapshot::read(&**disk, &folder.join(EXPERIMENT))
}
