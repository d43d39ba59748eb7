//! Files that are replaced whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

/// Writes a document whole or not at all, through a link if it is one.
pub fn write_document(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut fresh = Fresh::at(path, ".gauntlet-")?;
    fresh.write(content)?;
    fresh.replace()
}

/// Removes a file of the results, if there is one.
pub fn remove_file(folder: &Path, name: &str) -> anyhow::Result<()> {
    let path = folder.join(name);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// A file that will replace another of its name, or none.
pub struct Fresh {
    path: PathBuf,
    pub(super) writer: BufWriter<NamedTempFile>,
}

/// How the names of half-written files of results begin.
const HALF_WRITTEN: &str = ".gauntlet-results-";

impl Fresh {
    pub(super) fn new(folder: &Path, name: &str) -> anyhow::Result<Fresh> {
        Fresh::at(folder.join(name), HALF_WRITTEN)
    }

    pub(super) fn at(path: PathBuf, prefix: &str) -> anyhow::Result<Fresh> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(prefix).suffix(".tmp").tempfile_in(folder);
        let file = file.with_context(|| format!("cannot write to the folder {}", folder.display()))?;
        Ok(Fresh { path, writer: BufWriter::with_capacity(1 << 18, file) })
    }

    pub(super) fn with(folder: &Path, name: &str, content: &[u8]) -> anyhow::Result<Fresh> {
        let mut fresh = Fresh::new(folder, name)?;
        fresh.write(content)?;
        Ok(fresh)
    }

    pub(super) fn write(&mut self, content: &[u8]) -> anyhow::Result<()> {
        self.writer.write_all(content).with_context(|| format!("cannot write {}", self.path.display()))
    }

    pub(super) fn replace(self) -> anyhow::Result<()> {
        let context = || format!("cannot write {}", self.path.display());
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error).with_context(context)?;
        // Temporary files are private; results can be read by all who may read the folder, and what is replaced keeps
        // its mode.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&self.path).map_or(0o644, |old| old.permissions().mode());
            let mode = std::fs::Permissions::from_mode(mode);
            file.as_file().set_permissions(mode).with_context(context)?;
        }
        // Not forced to the disk: the journal is, and the next run makes again from it what a power cut takes of the
        // tables. Waiting for 600 MB of games.csv took half of the time of ten million random games.
        file.persist(&self.path).map_err(|error| error.error).with_context(context)?;
        Ok(())
    }
}

/// Removes what a process that died left half written. Only for the process that has the journal of the folder
/// open: no other writes results there.
pub fn clear_half_written(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(HALF_WRITTEN) {
            // If it cannot be removed it does no harm.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
