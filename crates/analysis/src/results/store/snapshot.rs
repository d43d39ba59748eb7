//! The files of a folder that belong together: those in its manifest, each with its digest.
//!
//! The files are replaced together. First, new files are written next to the old ones, with the
//! prefix `.new-`. Then the new manifest replaces the old one, and each file gets its final name
//! (see `replacement`). So a file of the manifest is under its final name or under its new name.
//! Its digest shows which of the two belongs to the manifest.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};

pub use super::manifest::EXPERIMENT;
use gauntlet_core::arena::Arenas;
use gauntlet_core::disk::{Disk, DiskFile, MAX_LINE_LENGTH, Reader, read_all, too_long_error};
use gauntlet_core::text::display_path;

use super::manifest::Manifest;
use crate::compare::VERDICT_TABLES;
use crate::config::{self, Catalog, Experiment, LoadError};

/// Name of the file of single games.
pub const GAMES_CSV: &str = "games.csv";

/// Name of the manifest, which is written with the tables: without it, there are no tables.
pub const MANIFEST: &str = "manifest.toml";

/// Prefix of files that do not have their final names yet.
pub(super) const NEW_PREFIX: &str = ".new-";

/// The files of a manifest, as they were at one moment: later replacements are not visible.
#[derive(Debug)]
pub struct ResultsSnapshot {
    catalog: Catalog,
    folder: PathBuf,
    manifest: Manifest,
    /// Files that can be read.
    files: BTreeMap<String, io::Result<Content>>,
    partial: Option<PartialRun>,
    /// Warnings that a reader must know first, in sentences.
    pub(in crate::results) warnings: Vec<String>,
}

/// Part of an experiment covered by tables from a journal, before the run has written its tables.
#[derive(Clone, Debug)]
pub struct PartialRun {
    /// Blocks that are complete for all players.
    pub parts: Vec<Range<u64>>,
    /// Number of these blocks.
    pub blocks: u64,
    /// Largest number of blocks of the run.
    pub total_blocks: u64,
    /// True if these are all blocks of the run, which may have ended early.
    pub is_whole: bool,
}

/// Content or open handle of a file, which stays valid if the file is replaced.
#[derive(Debug)]
enum Content {
    Bytes(Vec<u8>),
    /// File of single games, which may not fit in memory.
    Open(Arc<dyn DiskFile>),
}

/// Largest total size of a folder's files in memory, in bytes, without single games. The tables of
/// 10,000 players have a few MB.
const MAX_TOTAL_BYTES: usize = 256 << 20;

/// Largest size of a manifest, or of an experiment without tables, in bytes.
const MAX_FILE_BYTES: usize = 64 << 20;

/// Number of attempts to read a folder whose files are being replaced.
const MAX_ATTEMPTS: usize = 20;

impl ResultsSnapshot {
    /// Reads the manifest of a folder and its files. Every file must exist and match, except that
    /// single games may be missing: often they are not kept.
    pub fn read(catalog: Catalog, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<ResultsSnapshot> {
        let snapshot = ResultsSnapshot::read_for_repair(catalog, disk, folder)?;
        let names = snapshot.manifest.digests.keys().map(String::as_str).chain([EXPERIMENT]);
        // The command that makes a table again also makes the games, but not the other way round.
        for name in
            names.filter(|&name| name != GAMES_CSV).chain(snapshot.has_file(GAMES_CSV).then_some(GAMES_CSV))
        {
            snapshot.stream(name, |_| Ok(()))?;
        }
        Ok(snapshot)
    }

    /// Reads the manifest for commands that make files again: files may be missing, and are
    /// verified only when they are read.
    pub(super) fn read_for_repair(
        catalog: Catalog,
        disk: &Arc<dyn Disk>,
        folder: &Path,
    ) -> anyhow::Result<ResultsSnapshot> {
        let read_bytes = || read(&**disk, &folder.join(MANIFEST));
        let mut bytes = read_bytes()?;
        for _ in 0..MAX_ATTEMPTS {
            let snapshot = ResultsSnapshot::open_listed_files(catalog, &**disk, folder, &bytes)?;
            // Files get their final names only after the manifest. So if the manifest has not
            // changed, the files belong together.
            let bytes_after = read_bytes()?;
            if bytes_after == bytes {
                return Ok(snapshot);
            }
            bytes = bytes_after;
        }
        bail!("the files in {} keep changing; try again later", display_path(folder))
    }

    fn open_listed_files(
        catalog: Catalog,
        disk: &dyn Disk,
        folder: &Path,
        bytes: &[u8],
    ) -> anyhow::Result<ResultsSnapshot> {
        let path = folder.join(MANIFEST);
        let manifest = Manifest::read(bytes, &path)?.ok_or_else(|| {
            anyhow!(
                "{} is damaged, so the tables next to it cannot be verified; recreate them with `gauntlet run` and the file of the experiment",
                display_path(&path)
            )
        })?;
        // A forged manifest may name files elsewhere.
        let names = manifest.digests.keys().map(String::as_str).filter(|name| !name.contains(['/', '\\']));
        let mut bytes_left = MAX_TOTAL_BYTES;
        let files = names.chain([EXPERIMENT]).map(|name| {
            let content = open(disk, folder, &manifest, name).and_then(|file| match name {
                GAMES_CSV => Ok(Content::Open(file)),
                _ => {
                    let bytes = read_whole(&*file, bytes_left).map_err(|error| match error.kind() {
                        io::ErrorKind::FileTooLarge => {
                            let message = format!(
                                "the files of a folder exceed {} MiB in total",
                                MAX_TOTAL_BYTES >> 20
                            );
                            io::Error::new(error.kind(), message)
                        }
                        _ => error,
                    })?;
                    bytes_left -= bytes.len();
                    Ok(Content::Bytes(bytes))
                }
            });
            (name.to_owned(), content)
        });
        let files = files.collect();
        Ok(ResultsSnapshot {
            catalog,
            folder: folder.to_owned(),
            manifest,
            files,
            partial: None,
            warnings: Vec::new(),
        })
    }

    /// Makes a set in memory: the files that a run into this folder would have written for a part
    /// of its games.
    pub(super) fn in_memory(
        catalog: Catalog,
        folder: &Path,
        manifest: Manifest,
        files: BTreeMap<String, Vec<u8>>,
        rows: Arc<dyn DiskFile>,
        partial: PartialRun,
        warnings: Vec<String>,
    ) -> ResultsSnapshot {
        let mut files: BTreeMap<_, _> =
            files.into_iter().map(|(name, bytes)| (name, Ok(Content::Bytes(bytes)))).collect();
        files.insert(GAMES_CSV.to_owned(), Ok(Content::Open(rows)));
        ResultsSnapshot {
            catalog,
            folder: folder.to_owned(),
            manifest,
            files,
            partial: Some(partial),
            warnings,
        }
    }

    pub fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Returns warnings that a reader must know first, in sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the part of the experiment that is covered; `None` for tables that the run has
    /// written.
    pub fn partial(&self) -> Option<&PartialRun> {
        self.partial.as_ref()
    }

    /// Returns the games that its experiment may use.
    pub fn games(&self) -> Arenas {
        self.catalog.games
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Reads the copy of the experiment.
    pub fn experiment(&self) -> anyhow::Result<Experiment> {
        parse_experiment(self.catalog, &self.folder.join(EXPERIMENT), self.bytes(EXPERIMENT)?)
    }

    /// Returns true if the manifest has this file.
    pub fn has_entry(&self, name: &str) -> bool {
        self.manifest.file_digest(name).is_some()
    }

    /// Returns true if the manifest has this file and it exists, valid or not.
    pub fn has_file(&self, name: &str) -> bool {
        match self.files.get(name) {
            Some(Err(error)) => error.kind() != io::ErrorKind::NotFound,
            content => content.is_some(),
        }
    }

    /// Reads a file.
    pub fn bytes(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        self.stream(name, |file| {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).with_context(|| self.read_error_message(name))?;
            Ok(bytes)
        })
    }

    /// Reads a file as a stream. The result of `read` counts only if the whole file matches its
    /// digest.
    pub fn stream<T>(
        &self,
        name: &str,
        read: impl FnOnce(&mut dyn Read) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let content: Box<dyn Read> = match self.files.get(name) {
            Some(Ok(Content::Bytes(bytes))) => Box::new(&bytes[..]),
            Some(Ok(Content::Open(file))) => Box::new(Rows(Reader::new(&**file, 0), 0)),
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                bail!("{}: {error}", self.read_error_message(name))
            }
            _ => bail!("{} is missing; {}", self.display_path(name), self.repair_command(name)),
        };
        let mut digest_reader = DigestReader(content, blake3::Hasher::new());
        let result = read(&mut digest_reader);
        // After a damaged row the rest is unread.
        let digest = digest_reader.finish().with_context(|| self.read_error_message(name))?;
        if self.manifest.file_digest(name) != Some(digest.to_hex().as_str()) {
            bail!(
                "{} does not match its digest in the manifest; {}",
                self.display_path(name),
                self.repair_command(name)
            );
        }
        result
    }

    fn display_path(&self, name: &str) -> String {
        display_path(&self.folder.join(name)).to_string()
    }

    fn read_error_message(&self, name: &str) -> String {
        format!("cannot read {}", self.display_path(name))
    }

    /// Returns the command that makes a file again. Verdicts are made from existing games; other
    /// files are made from the journal, or by playing.
    fn repair_command(&self, name: &str) -> String {
        let default_advice = "recreate it with `gauntlet run --replace` and the file of the experiment";
        let Some(shell_command) = self.manifest.command.to_shell_command() else {
            return default_advice.to_owned();
        };
        let (command, file) = (shell_command.to_text(), &shell_command.file);
        let is_run = ["run", "merge"].contains(&shell_command.subcommand);
        // Other commands do not see changes by a run's command line.
        let is_in_file = is_run && shell_command.options.is_empty();
        let is_verdict = name.strip_suffix(".csv").is_some_and(|name| VERDICT_TABLES.contains(&name));
        if is_in_file && is_verdict && self.can_be_judged() {
            format!("recreate it with `gauntlet judge {file}`")
        } else if is_in_file && name == EXPERIMENT && self.can_be_judged() {
            format!(
                "recreate it with `gauntlet judge {file}` if that file is unchanged, or with `gauntlet run {file} --replace`"
            )
        } else if is_run && name != GAMES_CSV {
            // The journal may be gone.
            format!("recreate it with `{command} --replace`")
        } else {
            // Without the journal that made them, games go to a subfolder.
            format!("recreate it with `{command}`")
        }
    }

    /// Returns true if verdicts can be made from existing games.
    fn can_be_judged(&self) -> bool {
        self.has_file(GAMES_CSV) && self.stream(GAMES_CSV, |_| Ok(())).is_ok()
    }
}

/// Parses the experiment in a file.
pub fn parse_experiment(catalog: Catalog, path: &Path, bytes: Vec<u8>) -> anyhow::Result<Experiment> {
    config::from_bytes(catalog, path, bytes, None).map_err(explain_load_error)
}

/// Explains why an experiment cannot be loaded.
pub fn explain_load_error(error: LoadError) -> anyhow::Error {
    match error {
        LoadError::Unreadable(error) => error,
        LoadError::Mistaken(mistakes) => anyhow!(mistakes),
        LoadError::Refused(reason) => anyhow!(reason),
    }
}

/// Returns true if a file has the digest in the manifest.
pub(super) fn has_listed_digest(manifest: &Manifest, name: &str, file: &dyn DiskFile) -> io::Result<bool> {
    Ok(manifest.file_digest(name) == Some(compute_digest(file)?.to_hex().as_str()))
}

/// Computes the digest of a file.
pub(super) fn compute_digest(file: &dyn DiskFile) -> io::Result<blake3::Hash> {
    DigestReader(Reader::new(file, 0), blake3::Hasher::new()).finish()
}

/// Opens a file of a manifest, which may not have its final name yet.
fn open(disk: &dyn Disk, folder: &Path, manifest: &Manifest, name: &str) -> io::Result<Arc<dyn DiskFile>> {
    match disk.open(&folder.join(format!("{NEW_PREFIX}{name}"))) {
        Ok(file) if has_listed_digest(manifest, name, &*file)? => Ok(file),
        _ => disk.open(&folder.join(name)),
    }
}

/// Returns true if a folder has tables, of any version of the experiment.
pub fn has_tables(disk: &dyn Disk, folder: &Path) -> bool {
    let is_missing =
        |error: io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    !disk.open(&folder.join(MANIFEST)).is_err_and(is_missing)
}

/// Reads the manifest of a folder; `None` if there is none, or it is damaged.
pub fn read_manifest(disk: &dyn Disk, folder: &Path) -> anyhow::Result<Option<Manifest>> {
    if !has_tables(disk, folder) {
        return Ok(None);
    }
    let path = folder.join(MANIFEST);
    Manifest::read(&read(disk, &path)?, &path)
}

/// Reads a whole file, up to the largest size of a manifest or experiment.
pub(super) fn read(disk: &dyn Disk, path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = disk.open(path).and_then(|file| read_whole(&*file, MAX_FILE_BYTES));
    bytes.with_context(|| format!("cannot read {}", display_path(path)))
}

fn read_whole(file: &dyn DiskFile, max_bytes: usize) -> io::Result<Vec<u8>> {
    // If the file is known to be too long, nothing is read.
    if file.length()? > max_bytes as u64 {
        Err(too_long_error(max_bytes))
    } else {
        read_all(Reader::new(file, 0), max_bytes)
    }
}

/// Reads rows one by one and counts the bytes of the last one. No row is longer than a line may be.
struct Rows<From>(From, usize);

impl<From: Read> Read for Rows<From> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(bytes)?;
        let end = bytes[..count].iter().rposition(|&byte| byte == b'\n');
        self.1 = end.map_or(self.1 + count, |end| count - end - 1);
        if self.1 > MAX_LINE_LENGTH {
            let message = format!("a row is longer than {} MiB", MAX_LINE_LENGTH >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok(count)
    }
}

/// A reader that computes the digest of everything read.
struct DigestReader<From>(From, blake3::Hasher);

/// Bytes that are read at once for a digest. Digests of small parts take longer.
const DIGEST_BYTES: usize = 1 << 17;

impl<From: Read> DigestReader<From> {
    /// Reads the rest, and returns the digest.
    fn finish(mut self) -> io::Result<blake3::Hash> {
        let mut bytes = vec![0; DIGEST_BYTES];
        while self.read(&mut bytes)? > 0 {}
        Ok(self.1.finalize())
    }
}

impl<From: Read> Read for DigestReader<From> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(bytes)?;
        self.1.update(&bytes[..count]);
        Ok(count)
    }
}
