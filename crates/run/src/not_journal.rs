//! The error for a file in the place of a journal that is not a journal.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Error, anyhow};
use gauntlet_core::text::{quoted_path, shown};

/// Error: a file in the place of a journal is something else, and must not be overwritten.
#[derive(Debug)]
pub struct NotJournal(PathBuf);

impl NotJournal {
    pub(super) fn at(path: &Path) -> NotJournal {
        NotJournal(path.to_owned())
    }

    fn with_remedy(&self, then: &str) -> String {
        let (path, away) = (quoted_path(&self.0), quoted_path(&self.0.with_added_extension("bad")));
        format!(
            "{} is not a journal. Move it away (mv {path} {away}); then the same command {then}.",
            shown(&self.0)
        )
    }

    /// Words the error for the journal of a search, without which a tuning begins again.
    pub fn of_search(self) -> Error {
        anyhow!(self.with_remedy("with --replace starts again"))
    }
}

impl fmt::Display for NotJournal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.with_remedy("continues"))
    }
}

impl std::error::Error for NotJournal {}
