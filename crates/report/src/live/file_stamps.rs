//! What is seen of files from outside: by this a look knows that there is nothing new to be read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gauntlet_run::journal::Journal;

/// How files lay there, and which of them processes of this machine had in use.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileStamps(Vec<(PathBuf, u64, Option<SystemTime>, bool)>);

impl FileStamps {
    /// Of files that no process locks, and of journals.
    pub(super) fn of(
        files: impl IntoIterator<Item = PathBuf>,
        journals: impl IntoIterator<Item = PathBuf>,
    ) -> FileStamps {
        let files = files.into_iter().filter_map(|path| trace(path, |_| false));
        FileStamps(
            files.chain(journals.into_iter().filter_map(|path| trace(path, Journal::is_in_use))).collect(),
        )
    }

    /// True if a process has one of the files in use.
    pub(super) fn are_in_use(&self) -> bool {
        self.0.iter().any(|(.., is_in_use)| *is_in_use)
    }
}

/// None of a file that is not there.
fn trace(
    path: PathBuf,
    is_in_use: impl Fn(&Path) -> bool,
) -> Option<(PathBuf, u64, Option<SystemTime>, bool)> {
    let file = fs::metadata(&path).ok()?;
    let is_in_use = is_in_use(&path);
    Some((path, file.len(), file.modified().ok(), is_in_use))
}
