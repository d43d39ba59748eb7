//! The error for a file in the place of a journal that is not a journal.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Error, anyhow};
use gauntlet_core::text::{display_path, quote_path};

/// Error: a file in the place of a journal is something else, and must not be overwritten.
#[derive(Debug)]
pub struct NotJournal(PathBuf);

impl NotJournal {
    pub(super) fn new(path: &Path) -> NotJournal {
        NotJournal(path.to_owned())
    }

    fn message_with_remedy(&self, outcome: &str) -> String {
        let (path, backup_path) = (quote_path(&self.0), quote_path(&self.0.with_added_extension("bad")));
        format!(
            "{} is not a journal. Move it away (mv {path} {backup_path}); then the same command {outcome}.",
            display_path(&self.0)
        )
    }

    /// Words the error for the journal of a search, without which a tuning begins again.
    pub fn into_search_error(self) -> Error {
        anyhow!(self.message_with_remedy("with --replace starts again"))
    }
}

impl fmt::Display for NotJournal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message_with_remedy("continues"))
    }
}

impl std::error::Error for NotJournal {}
