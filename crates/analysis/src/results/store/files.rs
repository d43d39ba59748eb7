//! Files that are replaced atomically.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;

use gauntlet_core::disk::{Disk, DiskFile, folder_of};
use gauntlet_core::text::display_path;

/// Prefix of the names of partly written documents.
const PARTIAL_PREFIX: &str = ".gauntlet-";

/// Writes a document atomically, through a link if it is one.
pub fn write_document(disk: &Arc<dyn Disk>, path: &Path, content: &[u8]) -> anyhow::Result<()> {
    write_document_by(disk, path, |document| Ok(document.write_all(content)?))
}

/// Writes a document atomically, part by part. If that fails, nothing is replaced.
pub fn write_document_by(
    disk: &Arc<dyn Disk>,
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = folder_of(&path);
    let file_suffix = format!("-{}", path.file_name().unwrap_or_default().to_string_lossy());
    clear_partial_files(&**disk, folder, &file_suffix);
    let partial_path = folder.join(format!("{PARTIAL_PREFIX}{}{file_suffix}", process::id()));
    let result = (|| {
        let mut new_file = NewFile::create(disk, partial_path.clone())?;
        // The lock shows other processes that its writer is alive.
        let _ = new_file.file.lock();
        write(&mut new_file)?;
        new_file.file.sync()?;
        disk.rename(&partial_path, &path)?;
        Ok(disk.sync_folder(folder)?)
    })();
    if result.is_err() {
        let _ = disk.remove(&partial_path);
    }
    result.map_err(|error: anyhow::Error| error.context(format!("cannot write {}", display_path(&path))))
}

/// Removes partly written files of processes that died. A failure does no harm.
fn clear_partial_files(disk: &dyn Disk, folder: &Path, file_suffix: &str) {
    for name in disk.list(folder).unwrap_or_default() {
        let Some(rest) = name.strip_prefix(PARTIAL_PREFIX) else { continue };
        let process = rest.strip_suffix(file_suffix);
        let is_partial_file =
            process.is_some_and(|process| process.bytes().all(|byte| byte.is_ascii_digit()));
        if is_partial_file {
            let path = folder.join(name);
            if disk.open(&path).is_ok_and(|file| file.lock().is_ok()) {
                let _ = disk.remove(&path);
            }
        }
    }
}

/// A new file, written sequentially.
#[derive(Debug)]
pub(crate) struct NewFile {
    pub(crate) path: PathBuf,
    pub(crate) file: Arc<dyn DiskFile>,
}

impl NewFile {
    pub(super) fn create(disk: &Arc<dyn Disk>, path: PathBuf) -> io::Result<NewFile> {
        Ok(NewFile { file: disk.create(&path)?, path })
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.append(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
