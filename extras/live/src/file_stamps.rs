//! Sizes, times and locks of files, by which a reader detects that there is nothing new.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use gauntlet_run::journal::Journal;

/// Path, size and modification time of each file, and whether a process on this machine uses it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileStamps(Vec<(PathBuf, u64, Option<SystemTime>, bool)>);

impl FileStamps {
    /// Returns the stamps of files without locks, and of journals.
    pub(super) fn new(
        files: impl IntoIterator<Item = PathBuf>,
        journals: impl IntoIterator<Item = PathBuf>,
    ) -> FileStamps {
        let files = files.into_iter().filter_map(|path| read_stamp(path, |_| false));
        FileStamps(
            files
                .chain(journals.into_iter().filter_map(|path| read_stamp(path, Journal::is_in_use)))
                .collect(),
        )
    }

    /// Returns true if a process uses one of the files.
    pub(super) fn are_in_use(&self) -> bool {
        self.0.iter().any(|(.., is_in_use)| *is_in_use)
    }
}

/// Returns the stamp of a file, or `None` if it does not exist.
fn read_stamp(
    path: PathBuf,
    is_in_use: impl Fn(&Path) -> bool,
) -> Option<(PathBuf, u64, Option<SystemTime>, bool)> {
    let file = fs::metadata(&path).ok()?;
    let is_in_use = is_in_use(&path);
    Some((path, file.len(), file.modified().ok(), is_in_use))
}
