//! The files of a folder that belong together: those that its manifest names, each by its digest.
//!
//! They change at once. New ones are written beside the old ones, under names that begin with [`NEW`]; the new manifest
//! takes the place of the old one; then each takes its own name (`replacement` does this). So what a manifest names lies
//! under its own name or under its new one, and its digest says which.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};

use super::manifest::FORMAT;
use crate::disk::{Disk, DiskFile, Reader};
use crate::text::shown;

/// The copy of an experiment's file beside its tables.
pub const EXPERIMENT: &str = "experiment.toml";

/// The file of single games.
pub const GAMES: &str = "games.csv";

/// Written with the tables: where it is not, there are none.
pub const MANIFEST: &str = "manifest.toml";

/// How the names of files begin that have not taken their own names yet.
pub(super) const NEW: &str = ".new-";

/// The files that a manifest names.
#[derive(Clone, Debug)]
pub struct Set {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    manifest: toml::Table,
}

impl Set {
    /// Reads the manifest of a folder.
    pub fn read(disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Set> {
        let path = folder.join(MANIFEST);
        let shown = shown(&path);
        let bytes = disk.open(&path).and_then(|file| whole(&*file));
        let bytes = bytes.with_context(|| format!("cannot read {shown}"))?;
        let manifest = parse(&bytes).ok_or_else(|| {
            anyhow!(
                "{shown} is damaged, so that nothing vouches for the tables beside it; `gauntlet run` with the \
                 experiment's own file makes them again"
            )
        })?;
        match manifest.get("format").and_then(toml::Value::as_integer) {
            Some(format) if format > FORMAT.into() => bail!(
                "{shown} was written by a newer gauntlet (format {format}; this one reads up to {FORMAT})"
            ),
            _ => Ok(Set { disk: Arc::clone(disk), folder: folder.to_owned(), manifest }),
        }
    }

    /// Where they lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where, when and by what the files were made.
    pub fn manifest(&self) -> &toml::Table {
        &self.manifest
    }

    /// What a reader would type to get the same.
    pub fn command(&self) -> &str {
        self.manifest.get("command").and_then(toml::Value::as_str).unwrap_or_default()
    }

    /// Whether the manifest names this file.
    pub fn names(&self, name: &str) -> bool {
        self.digest(name).is_some()
    }

    /// Whether the manifest names this file and it is there, fitting or not.
    pub fn holds(&self, name: &str) -> bool {
        self.names(name) && self.open(name).is_ok()
    }

    /// Reads a file.
    pub fn bytes(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        self.stream(name, |file| {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).with_context(|| self.unreadable(name))?;
            Ok(bytes)
        })
    }

    /// Reads a file as a stream. What `read` makes of it counts only if all that was read is what the manifest names.
    pub fn stream<T>(
        &self,
        name: &str,
        read: impl FnOnce(&mut dyn Read) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let file = self.open(name).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!("{} is not there; {}", self.shown(name), self.remedy()),
            _ => anyhow!(error).context(self.unreadable(name)),
        })?;
        let mut digested = Digested(Reader::at(&*file, 0), blake3::Hasher::new());
        let found = read(&mut digested);
        // Where a row is damaged, the rest is not read yet.
        io::copy(&mut digested, &mut io::sink()).with_context(|| self.unreadable(name))?;
        if self.digest(name) != Some(digested.1.finalize().to_hex().as_str()) {
            bail!(
                "{} is not the one that the manifest beside it tells of: it was changed or cut; {}",
                self.shown(name),
                self.remedy()
            );
        }
        found
    }

    /// Finds out whether every file is there and fits. Single games need not be there: often they are not kept.
    pub fn check(&self) -> anyhow::Result<()> {
        let digests = self.manifest.get("digests").and_then(toml::Value::as_table);
        let names = digests.into_iter().flat_map(toml::Table::keys).map(String::as_str);
        let mut names = names.chain([EXPERIMENT]).filter(|&name| name != GAMES || self.holds(name));
        names.try_for_each(|name| self.stream(name, |_| Ok(())))
    }

    /// Whether a file has the content that the manifest names.
    pub(super) fn fits(&self, name: &str, file: &dyn DiskFile) -> io::Result<bool> {
        let mut hasher = blake3::Hasher::new();
        io::copy(&mut Reader::at(file, 0), &mut Into(&mut hasher))?;
        Ok(self.digest(name) == Some(hasher.finalize().to_hex().as_str()))
    }

    /// Opens a file, which may not have taken its own name yet.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        match self.disk.open(&self.folder.join(format!("{NEW}{name}"))) {
            Ok(file) if self.fits(name, &*file)? => Ok(file),
            _ => self.disk.open(&self.folder.join(name)),
        }
    }

    fn digest(&self, name: &str) -> Option<&str> {
        match name {
            EXPERIMENT => self.manifest.get("experiment_digest"),
            _ => self.manifest.get("digests").and_then(|digests| digests.get(name)),
        }
        .and_then(toml::Value::as_str)
    }

    fn shown(&self, name: &str) -> String {
        shown(&self.folder.join(name)).to_string()
    }

    fn unreadable(&self, name: &str) -> String {
        format!("cannot read {}", self.shown(name))
    }

    fn remedy(&self) -> String {
        format!("`{}` makes it again", self.command())
    }
}

/// The manifest in these bytes; none if they are damaged.
pub(super) fn parse(bytes: &[u8]) -> Option<toml::Table> {
    let manifest: toml::Table = std::str::from_utf8(bytes).ok()?.parse().ok()?;
    // An empty file is a table without keys.
    let is_whole = manifest.contains_key("digests") && manifest.contains_key("experiment_digest");
    let is_newer = manifest.get("format").and_then(toml::Value::as_integer) > Some(FORMAT.into());
    (is_whole || is_newer).then_some(manifest)
}

/// Reads a whole file.
pub(super) fn whole(file: &dyn DiskFile) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Reader::at(file, 0).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file that is read, and the digest of what was read of it.
struct Digested<'a>(Reader<'a>, blake3::Hasher);

impl Read for Digested<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(bytes)?;
        self.1.update(&bytes[..read]);
        Ok(read)
    }
}

/// Writes into a digest.
struct Into<'a>(&'a mut blake3::Hasher);

impl io::Write for Into<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
