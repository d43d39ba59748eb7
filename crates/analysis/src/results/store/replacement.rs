//! Files of a folder of results that are replaced together: all of them or none, whatever happens
//! meanwhile.
//!
//! One process at a time replaces files of a folder: it holds the folder's lock from before its
//! first new file until the last has its own name. Others wait for it.
//!
//! 1. Each new file is written beside the one that it will replace, and synced.
//! 2. The folder is synced: the new files have their names on the disk.
//! 3. The new manifest takes the place of the old one, and the folder is synced. From here on the
//!    folder shows the new files, for a reader looks for what the manifest names under both names
//!    ([`Set`](super::set::Set)).
//! 4. Each new file takes its own name, what is stale is removed, and the folder is synced.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use gauntlet_core::disk::{Disk, DiskFile};
use gauntlet_core::table::Table;
use gauntlet_core::text::shown;

use super::files::Fresh;
use super::manifest::Manifest;
use super::set::{self, EXPERIMENT, GAMES_CSV, MANIFEST, NEW};
use crate::config::Experiment;

/// The empty file that stands for the lock of a folder. It stays: a lock on a file that was removed
/// keeps out only those that opened it before.
const LOCK: &str = ".lock";

/// Tables that will replace those of a folder.
pub struct Replacement<'a> {
    disk: &'a Arc<dyn Disk>,
    folder: &'a Path,
    /// The files that are written, by the names that they will have.
    written: Vec<String>,
    digests: Vec<(String, blake3::Hash)>,
    /// Files of tables that an earlier version of the experiment may have had, and this one has
    /// not.
    stale: Vec<String>,
    /// True if the new manifest may be in its place.
    is_committed: bool,
    _lock: Arc<dyn DiskFile>,
}

impl<'a> Replacement<'a> {
    /// Begins one, when no other process replaces files of the folder. What a process that died has
    /// left is finished or removed before.
    pub fn begin(disk: &'a Arc<dyn Disk>, folder: &'a Path) -> anyhow::Result<Replacement<'a>> {
        let lock = disk.wait_for_lock(&folder.join(LOCK));
        let _lock = lock.with_context(|| format!("cannot lock the folder {}", shown(folder)))?;
        settle(&**disk, folder)?;
        let (written, digests, stale) = Default::default();
        Ok(Replacement { disk, folder, written, digests, stale, is_committed: false, _lock })
    }

    /// Begins the file of single games; the caller syncs it.
    pub(crate) fn begin_games(&mut self) -> anyhow::Result<Fresh> {
        self.create(GAMES_CSV)
    }

    /// Adds the file of single games.
    pub(crate) fn add_games(&mut self, digest: blake3::Hash) {
        self.digests.push((GAMES_CSV.to_owned(), digest));
    }

    /// Adds the tables that there are of those that there can be.
    pub fn add_tables<'t>(
        &mut self,
        tables: impl Iterator<Item = &'t Table>,
        all: impl Iterator<Item = &'static str>,
    ) -> anyhow::Result<()> {
        for table in tables {
            self.add(&format!("{}.csv", table.name), &table.to_csv())?;
        }
        let all = all.map(|name| format!("{name}.csv"));
        self.stale.extend(all.filter(|name| !self.written.contains(name)));
        Ok(())
    }

    /// Adds a file.
    pub fn add(&mut self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.write(name, content)?;
        self.digests.push((name.to_owned(), blake3::hash(content)));
        Ok(())
    }

    /// Replaces them, with the experiment and the manifest beside them. Files that the manifest
    /// names already stay as they are.
    pub fn replace(mut self, experiment: &Experiment, manifest: &mut Manifest) -> anyhow::Result<()> {
        let digests = &mut manifest.digests;
        digests.retain(|name, _| self.stale.iter().all(|stale| stale != name));
        // Files that were there keep their places.
        let own =
            self.digests.iter().map(|(name, digest)| (name.clone(), digest.to_hex().to_string().into()));
        digests.extend(own);
        self.write(EXPERIMENT, experiment.text().as_bytes())?;
        self.write(MANIFEST, manifest.to_toml().as_bytes())?;
        self.sync_folder()?;
        // A step that fails from here on may have been done all the same, so nothing is taken back.
        self.is_committed = true;
        self.rename(MANIFEST)?;
        self.sync_folder()?;
        let tables = self.written.iter().filter(|name| *name != MANIFEST);
        tables.map(String::as_str).try_for_each(|name| self.rename(name))?;
        self.stale.iter().try_for_each(|stale| remove(&**self.disk, &self.folder.join(stale)))?;
        self.sync_folder()
    }

    /// Replaces one file of a folder that has no manifest.
    pub(crate) fn replace_alone(mut self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        self.write(name, content)?;
        self.rename(name)?;
        self.is_committed = true;
        self.sync_folder()
    }

    fn write(&mut self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        let mut fresh = self.create(name)?;
        let written = fresh.write_all(content).and_then(|()| fresh.file.sync());
        written.with_context(|| in_vain(self.folder, name))
    }

    fn create(&mut self, name: &str) -> anyhow::Result<Fresh> {
        let path = new_path(self.folder, name);
        self.written.push(name.to_owned());
        Fresh::create(self.disk, path).with_context(|| in_vain(self.folder, name))
    }

    fn rename(&self, name: &str) -> anyhow::Result<()> {
        let renamed = self.disk.rename(&new_path(self.folder, name), &self.folder.join(name));
        renamed.with_context(|| in_vain(self.folder, name))
    }

    fn sync_folder(&self) -> anyhow::Result<()> {
        sync_folder(&**self.disk, self.folder)
    }
}

impl Drop for Replacement<'_> {
    /// A file that will replace nothing is removed at once: perhaps it was too large for the disk.
    fn drop(&mut self) {
        if !self.is_committed {
            for name in &self.written {
                let _ = self.disk.remove(&new_path(self.folder, name));
            }
        }
    }
}

/// True if a file may be of those that are replaced together. Others in the folder are the user's.
fn is_replaceable(name: &str) -> bool {
    [".csv", ".toml"].iter().any(|end| name.ends_with(end))
}

/// Finishes what a process that died after it replaced the manifest has left, and removes what one
/// has left that died before. Fails if something that is no file has the name of one that may be
/// written.
fn settle(disk: &dyn Disk, folder: &Path) -> anyhow::Result<()> {
    let mut names = disk.list(folder).with_context(|| format!("cannot read the folder {}", shown(folder)))?;
    names.retain(|name| is_replaceable(name));
    for path in names.iter().map(|name| folder.join(name)) {
        let replaceable = disk.check_replaceable(&path);
        replaceable.with_context(|| format!("cannot write {}", shown(&path)))?;
    }
    let mut left: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix(NEW)).collect();
    if left.is_empty() {
        return Ok(());
    }
    // Of what stands beside a damaged manifest nothing is known.
    let manifest = if set::has_tables(disk, folder) { set::manifest_of(disk, folder)? } else { None };
    if let Some(manifest) = manifest {
        let mut unfit = Vec::new();
        for &name in &left {
            let (new, own) = (new_path(folder, name), folder.join(name));
            let fits = disk.open(&new).and_then(|file| set::fits(&manifest, name, &*file));
            if fits.with_context(|| format!("cannot read {}", shown(&new)))? {
                disk.rename(&new, &own).with_context(|| in_vain(folder, name))?;
            } else {
                unfit.push(name);
            }
        }
        sync_folder(disk, folder)?;
        left = unfit;
    }
    left.iter().try_for_each(|name| remove(disk, &new_path(folder, name)))
}

fn new_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{NEW}{name}"))
}

fn in_vain(folder: &Path, name: &str) -> String {
    format!("cannot write {}", shown(&folder.join(name)))
}

fn sync_folder(disk: &dyn Disk, folder: &Path) -> anyhow::Result<()> {
    disk.sync_folder(folder).with_context(|| format!("cannot bring the folder {} to the disk", shown(folder)))
}

/// Removes a file, if there is one.
fn remove(disk: &dyn Disk, path: &Path) -> anyhow::Result<()> {
    match disk.remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", shown(path)))
        }
        _ => Ok(()),
    }
}
