//! The folder of a training: which folder is one.

use std::path::{Path, PathBuf};

/// The folder of a training in the folder of its experiment's results.
pub const FOLDER: &str = "train";

/// The file whose lock keeps other processes out.
pub const LOCK: &str = ".training";

/// The state of a training.
pub const CHECKPOINT: &str = "checkpoint";

/// True if a folder is that of a training that has begun.
pub fn is_training(folder: &Path) -> bool {
    folder.join(LOCK).is_file() || folder.join(CHECKPOINT).is_file()
}

/// The training in the folder of an experiment's results.
pub fn training_in(folder: &Path) -> Option<PathBuf> {
    Some(folder.join(FOLDER)).filter(|folder| is_training(folder))
}
