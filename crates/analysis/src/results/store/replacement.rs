//! Replaces files of a folder of results together: all of them or none, even after a crash.
//!
//! Only one process at a time replaces files of a folder. It holds the folder's lock from before
//! its first new file until the last file has its final name. Other processes wait for it.
//!
//! 1. Each new file is written next to the one that it will replace, and synced.
//! 2. The folder is synced: the names of the new files are on disk.
//! 3. The new manifest replaces the old one, and the folder is synced. From now on readers see the
//!    new files, because they look for files of the manifest under both names
//!    ([`ResultsSnapshot`](super::snapshot::ResultsSnapshot)).
//! 4. Each new file gets its final name, stale files are removed, and the folder is synced.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use gauntlet_core::disk::{Disk, DiskFile, Reader};
use gauntlet_core::table::Table;
use gauntlet_core::text::display_path;

use super::files::NewFile;
use super::manifest::Manifest;
use super::snapshot::{self, EXPERIMENT, GAMES_CSV, MANIFEST, NEW_PREFIX};
use crate::config::Experiment;

/// Empty file whose lock is the lock of a folder. It is never removed: a lock on a removed file
/// would exclude only processes that had opened it before.
const LOCK: &str = ".lock";

/// A replacement of files of a folder, in progress.
pub struct FolderTransaction<'a> {
    disk: &'a Arc<dyn Disk>,
    folder: &'a Path,
    /// New files, by their final names.
    new_files: Vec<String>,
    digests: Vec<(String, blake3::Hash)>,
    /// Files of tables that this version of the experiment does not have, but an earlier version
    /// may have had.
    stale: Vec<String>,
    /// True if the new manifest may be in place.
    is_committed: bool,
    _lock: Arc<dyn DiskFile>,
}

impl<'a> FolderTransaction<'a> {
    /// Begins a replacement, after other processes have finished theirs. Files left by a process
    /// that died are completed or removed first.
    pub fn begin(disk: &'a Arc<dyn Disk>, folder: &'a Path) -> anyhow::Result<FolderTransaction<'a>> {
        let lock = disk.wait_for_lock(&folder.join(LOCK));
        let _lock = lock.with_context(|| format!("cannot lock the folder {}", display_path(folder)))?;
        recover(&**disk, folder)?;
        let (new_files, digests, stale) = Default::default();
        Ok(FolderTransaction { disk, folder, new_files, digests, stale, is_committed: false, _lock })
    }

    /// Begins the file of single games; the caller syncs it.
    pub(crate) fn begin_games(&mut self) -> anyhow::Result<NewFile> {
        self.create(GAMES_CSV)
    }

    /// Adds the file of single games.
    pub(crate) fn add_games(&mut self, digest: blake3::Hash) {
        self.digests.push((GAMES_CSV.to_owned(), digest));
    }

    /// Keeps the file of single games if it has these columns, and the manifest of the folder has
    /// its digest and is about the games of the new manifest. Returns false if the file must be
    /// written.
    pub(super) fn keep_games(&mut self, new_manifest: &Manifest, header: &str) -> anyhow::Result<bool> {
        let Some(manifest) = snapshot::read_manifest(&**self.disk, self.folder)? else { return Ok(false) };
        if !manifest.has_games_of(new_manifest) {
            return Ok(false);
        }
        // A file that cannot be read is replaced.
        let Ok(file) = self.disk.open(&self.folder.join(GAMES_CSV)) else { return Ok(false) };
        let mut first_line = vec![0; header.len()];
        let is_read = Reader::new(&*file, 0).read_exact(&mut first_line).is_ok();
        if !is_read || first_line != header.as_bytes() {
            return Ok(false);
        }
        let digest = snapshot::compute_digest(&*file).ok();
        let digest = digest.filter(|digest| manifest.file_digest(GAMES_CSV) == Some(&*digest.to_hex()));
        self.digests.extend(digest.map(|digest| (GAMES_CSV.to_owned(), digest)));
        Ok(digest.is_some())
    }

    /// Adds tables; files of possible tables that do not exist become stale.
    pub fn add_tables<'t>(
        &mut self,
        tables: impl Iterator<Item = &'t Table>,
        possible_names: impl Iterator<Item = &'static str>,
    ) -> anyhow::Result<()> {
        for table in tables {
            self.add(&format!("{}.csv", table.name), &table.to_csv())?;
        }
        let possible_files = possible_names.map(|name| format!("{name}.csv"));
        self.stale.extend(possible_files.filter(|name| !self.new_files.contains(name)));
        Ok(())
    }

    pub fn add(&mut self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.write(name, content)?;
        self.digests.push((name.to_owned(), blake3::hash(content)));
        Ok(())
    }

    /// Replaces the files, together with the experiment and the manifest. Files that the old
    /// manifest has already are not changed.
    pub fn replace(mut self, experiment: &Experiment, manifest: &mut Manifest) -> anyhow::Result<()> {
        let digests = &mut manifest.digests;
        digests.retain(|name, _| self.stale.iter().all(|stale| stale != name));
        // Files that existed keep their positions.
        let new_digests =
            self.digests.iter().map(|(name, digest)| (name.clone(), digest.to_hex().to_string().into()));
        digests.extend(new_digests);
        self.write(EXPERIMENT, experiment.text().as_bytes())?;
        self.write(MANIFEST, manifest.to_toml().as_bytes())?;
        self.sync_folder()?;
        // A step that fails from now on may have succeeded anyway, so nothing is undone.
        self.is_committed = true;
        self.rename(MANIFEST)?;
        self.sync_folder()?;
        let tables = self.new_files.iter().filter(|name| *name != MANIFEST);
        tables.map(String::as_str).try_for_each(|name| self.rename(name))?;
        self.stale.iter().try_for_each(|stale| remove(&**self.disk, &self.folder.join(stale)))?;
        self.sync_folder()
    }

    /// Replaces one file of a folder that has no manifest.
    pub(crate) fn replace_one(mut self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.write(name, content)?;
        self.rename(name)?;
        self.is_committed = true;
        self.sync_folder()
    }

    fn write(&mut self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        let mut new_file = self.create(name)?;
        let result = new_file.write_all(content).and_then(|()| new_file.file.sync());
        result.with_context(|| write_error_message(self.folder, name))
    }

    fn create(&mut self, name: &str) -> anyhow::Result<NewFile> {
        let path = new_path(self.folder, name);
        self.new_files.push(name.to_owned());
        NewFile::create(self.disk, path).with_context(|| write_error_message(self.folder, name))
    }

    fn rename(&self, name: &str) -> anyhow::Result<()> {
        let result = self.disk.rename(&new_path(self.folder, name), &self.folder.join(name));
        result.with_context(|| write_error_message(self.folder, name))
    }

    fn sync_folder(&self) -> anyhow::Result<()> {
        sync_folder(&**self.disk, self.folder)
    }
}

impl Drop for FolderTransaction<'_> {
    /// Removes new files that will not replace others. The next process would remove them too, but
    /// until then they might fill the disk.
    fn drop(&mut self) {
        if !self.is_committed {
            for name in &self.new_files {
                let _ = self.disk.remove(&new_path(self.folder, name));
            }
        }
    }
}

/// Returns true if a file is one that may be replaced together with others. Other files in the
/// folder belong to the user.
fn is_replaceable(name: &str) -> bool {
    [".csv", ".toml"].iter().any(|end| name.ends_with(end))
}

/// Finishes the work of a process that died after it replaced the manifest, and removes files of a
/// process that died before. Fails if a directory or another special file has the name of such a
/// file.
fn recover(disk: &dyn Disk, folder: &Path) -> anyhow::Result<()> {
    let mut names =
        disk.list(folder).with_context(|| format!("cannot read the folder {}", display_path(folder)))?;
    names.retain(|name| is_replaceable(name));
    for path in names.iter().map(|name| folder.join(name)) {
        let check = disk.check_replaceable(&path);
        check.with_context(|| format!("cannot write {}", display_path(&path)))?;
    }
    let mut leftovers: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix(NEW_PREFIX)).collect();
    if leftovers.is_empty() {
        return Ok(());
    }
    // If the manifest is damaged, nothing is known about the other files.
    if let Some(manifest) = snapshot::read_manifest(disk, folder)? {
        let mut unmatched = Vec::new();
        for &name in &leftovers {
            let (temporary, final_path) = (new_path(folder, name), folder.join(name));
            let matches =
                disk.open(&temporary).and_then(|file| snapshot::has_listed_digest(&manifest, name, &*file));
            if matches.with_context(|| format!("cannot read {}", display_path(&temporary)))? {
                disk.rename(&temporary, &final_path).with_context(|| write_error_message(folder, name))?;
            } else {
                unmatched.push(name);
            }
        }
        sync_folder(disk, folder)?;
        leftovers = unmatched;
    }
    leftovers.iter().try_for_each(|name| remove(disk, &new_path(folder, name)))
}

fn new_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{NEW_PREFIX}{name}"))
}

fn write_error_message(folder: &Path, name: &str) -> String {
    format!("cannot write {}", display_path(&folder.join(name)))
}

fn sync_folder(disk: &dyn Disk, folder: &Path) -> anyhow::Result<()> {
    disk.sync_folder(folder)
        .with_context(|| format!("cannot sync the folder {} to disk", display_path(folder)))
}

/// Removes a file, if it exists.
fn remove(disk: &dyn Disk, path: &Path) -> anyhow::Result<()> {
    match disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", display_path(path)))
        }
        _ => Ok(()),
    }
}
