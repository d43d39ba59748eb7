//! Folders of trainings.

use std::path::{Path, PathBuf};

/// Name of a training's folder in the folder of its experiment's results.
pub const FOLDER: &str = "train";

/// File whose lock excludes other processes.
pub const LOCK: &str = ".training";

/// File with the state of a training.
pub const CHECKPOINT: &str = "checkpoint";

/// Returns true if a folder has a training that was started.
pub fn is_training(folder: &Path) -> bool {
    folder.join(LOCK).is_file() || folder.join(CHECKPOINT).is_file()
}

/// Returns the folder of the training in a folder of results, if there is one.
pub fn training_in(folder: &Path) -> Option<PathBuf> {
    Some(folder.join(FOLDER)).filter(|folder| is_training(folder))
}
