//! The files of a folder that belong together: those that its manifest names, each by its digest.
//!
//! They change at once. New ones are written beside the old ones, under names that begin with
//! `.new-`; the new manifest takes the place of the old one; then each takes its own name
//! (`replacement` does this). So what a manifest names lies under its own name or under its new
//! one, and its digest says which.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};

pub use super::manifest::EXPERIMENT;
use gauntlet_core::arena::Arenas;
use gauntlet_core::disk::{Disk, DiskFile, LONGEST_LINE, Reader, read_all, too_long};
use gauntlet_core::text::shown;

use super::manifest::Manifest;
use crate::compare::VERDICTS;
use crate::config::{self, Experiment, LoadError};

/// The file of single games.
pub const GAMES_CSV: &str = "games.csv";

/// Written with the tables: where it is not, there are none.
pub const MANIFEST: &str = "manifest.toml";

/// Beginning of the names of files that have not taken their own names yet.
pub(super) const NEW: &str = ".new-";

/// The files that a manifest names, as they were at one moment: what replaces them afterwards is
/// not seen.
#[derive(Debug)]
pub struct Set {
    arenas: Arenas,
    folder: PathBuf,
    manifest: Manifest,
    /// Those that can be read.
    files: BTreeMap<String, io::Result<Content>>,
    partial: Option<Partial>,
    /// Warnings that a reader must know before all else, in sentences.
    pub(in crate::results) warnings: Vec<String>,
}

/// Part of an experiment in tables that were made of a journal, before the run had written its own.
#[derive(Clone, Debug)]
pub struct Partial {
    /// Number of blocks, from the first on, that are complete for all players.
    pub blocks: u64,
    /// Number of blocks that the run has, or may have at most.
    pub of: u64,
    /// True if these are all blocks of the run, which may have ended early.
    pub is_whole: bool,
}

/// Content that is held of a file. A replaced file has another name or none, and its content stays.
#[derive(Debug)]
enum Content {
    Bytes(Vec<u8>),
    /// Single games may be too many for the memory.
    Open(Arc<dyn DiskFile>),
}

/// The most bytes of all files together that are held of a folder; single games are not held. The
/// tables of 10,000 players have a few.
const MOST: usize = 256 << 20;

/// The most bytes of a manifest, or of an experiment beside no tables.
const MOST_ALONE: usize = 64 << 20;

/// Times that the files of a folder may be replaced while they are read.
const REPLACED: usize = 20;

impl Set {
    /// Reads the manifest of a folder and what it names. Every file must be there and fit; single
    /// games need not be there: often they are not kept.
    pub fn read(arenas: Arenas, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Set> {
        let set = Set::to_be_mended(arenas, disk, folder)?;
        let names = set.manifest.digests.keys().map(String::as_str).chain([EXPERIMENT]);
        // What makes a table again makes the games as well, but not the other way round.
        for name in names.filter(|&name| name != GAMES_CSV).chain(set.holds(GAMES_CSV).then_some(GAMES_CSV)) {
            set.stream(name, |_| Ok(()))?;
        }
        Ok(set)
    }

    /// The same for commands that make files again: those need not be there, and are checked only
    /// when they are read.
    pub(super) fn to_be_mended(arenas: Arenas, disk: &Arc<dyn Disk>, folder: &Path) -> anyhow::Result<Set> {
        let read = || read(&**disk, &folder.join(MANIFEST));
        let mut bytes = read()?;
        for _ in 0..REPLACED {
            let set = Set::named_by(arenas, &**disk, folder, &bytes)?;
            // No file takes its own name before the manifest does. So where this is the same, the
            // files are of one time.
            let after = read()?;
            if after == bytes {
                return Ok(set);
            }
            bytes = after;
        }
        bail!("the files in {} are replaced again and again; try again when that has ended", shown(folder))
    }

    fn named_by(arenas: Arenas, disk: &dyn Disk, folder: &Path, bytes: &[u8]) -> anyhow::Result<Set> {
        let path = folder.join(MANIFEST);
        let manifest = Manifest::read(bytes, &path)?.ok_or_else(|| {
            anyhow!(
                "{} is damaged, so that nothing vouches for the tables beside it; `gauntlet run` with the \
                 experiment's own file makes them again",
                shown(&path)
            )
        })?;
        // A manifest may be forged, and name what lies elsewhere.
        let names = manifest.digests.keys().map(String::as_str).filter(|name| !name.contains(['/', '\\']));
        let mut room = MOST;
        let files = names.chain([EXPERIMENT]).map(|name| {
            let content = open(disk, folder, &manifest, name).and_then(|file| match name {
                GAMES_CSV => Ok(Content::Open(file)),
                _ => {
                    let bytes = whole(&*file, room).map_err(|error| match error.kind() {
                        io::ErrorKind::FileTooLarge => {
                            let most =
                                format!("the files of a folder have at most {} MiB together", MOST >> 20);
                            io::Error::new(error.kind(), most)
                        }
                        _ => error,
                    })?;
                    room -= bytes.len();
                    Ok(Content::Bytes(bytes))
                }
            });
            (name.to_owned(), content)
        });
        let files = files.collect();
        Ok(Set { arenas, folder: folder.to_owned(), manifest, files, partial: None, warnings: Vec::new() })
    }

    /// Files that lie in no folder: those that a run into this folder would have written of a part
    /// of its games.
    pub(super) fn unwritten(
        arenas: Arenas,
        folder: &Path,
        manifest: Manifest,
        files: BTreeMap<String, Vec<u8>>,
        rows: Arc<dyn DiskFile>,
        partial: Partial,
        warnings: Vec<String>,
    ) -> Set {
        let mut files: BTreeMap<_, _> =
            files.into_iter().map(|(name, bytes)| (name, Ok(Content::Bytes(bytes)))).collect();
        files.insert(GAMES_CSV.to_owned(), Ok(Content::Open(rows)));
        Set { arenas, folder: folder.to_owned(), manifest, files, partial: Some(partial), warnings }
    }

    /// Adds a warning.
    pub fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }

    /// Warnings that a reader must know before all else, in sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Part of the experiment that they are of; none if they are the tables that the run has
    /// written.
    pub fn partial(&self) -> Option<&Partial> {
        self.partial.as_ref()
    }

    /// The games that its experiment may name.
    pub fn arenas(&self) -> Arenas {
        self.arenas
    }

    /// Their folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Manifest of their origin.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The copy of the experiment.
    pub fn experiment(&self) -> anyhow::Result<Experiment> {
        experiment_at(self.arenas, &self.folder.join(EXPERIMENT), self.bytes(EXPERIMENT)?)
    }

    /// True if the manifest names this file.
    pub fn names(&self, name: &str) -> bool {
        self.manifest.digest_of(name).is_some()
    }

    /// True if the manifest names this file and something is there, fitting or not.
    pub fn holds(&self, name: &str) -> bool {
        match self.files.get(name) {
            Some(Err(error)) => error.kind() != io::ErrorKind::NotFound,
            content => content.is_some(),
        }
    }

    /// Reads a file.
    pub fn bytes(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        self.stream(name, |file| {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).with_context(|| self.unreadable(name))?;
            Ok(bytes)
        })
    }

    /// Reads a file as a stream. What `read` makes of it counts only if all that was read is what
    /// the manifest names.
    pub fn stream<T>(
        &self,
        name: &str,
        read: impl FnOnce(&mut dyn Read) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let content: Box<dyn Read> = match self.files.get(name) {
            Some(Ok(Content::Bytes(bytes))) => Box::new(&bytes[..]),
            Some(Ok(Content::Open(file))) => Box::new(Rows(Reader::at(&**file, 0), 0)),
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => {
                bail!("{}: {error}", self.unreadable(name))
            }
            _ => bail!("{} is not there; {}", self.shown(name), self.remedy(name)),
        };
        let mut digested = Digested(content, blake3::Hasher::new());
        let found = read(&mut digested);
        // Where a row is damaged, the rest is not read yet.
        io::copy(&mut digested, &mut io::sink()).with_context(|| self.unreadable(name))?;
        if self.manifest.digest_of(name) != Some(digested.1.finalize().to_hex().as_str()) {
            bail!(
                "{} is not the one that the manifest beside it tells of: it was changed or cut; {}",
                self.shown(name),
                self.remedy(name)
            );
        }
        found
    }

    fn shown(&self, name: &str) -> String {
        shown(&self.folder.join(name)).to_string()
    }

    fn unreadable(&self, name: &str) -> String {
        format!("cannot read {}", self.shown(name))
    }

    /// Command that makes a file again. Verdicts are made of the games that are there; all else is
    /// made of the journal, or played.
    fn remedy(&self, name: &str) -> String {
        let own = "`gauntlet run --replace` with the experiment's own file makes it again";
        let Some(offered) = self.manifest.command.offered() else { return own.to_owned() };
        let (command, file) = (offered.typed(), &offered.file);
        let makes = ["run", "merge"].contains(&offered.verb);
        // What a run changes on its command line, no other command does.
        let is_in_file = makes && offered.options.is_empty();
        let is_verdict = name.strip_suffix(".csv").is_some_and(|name| VERDICTS.contains(&name));
        if is_in_file && is_verdict && self.can_be_judged() {
            format!("`gauntlet judge {file}` makes it again")
        } else if is_in_file && name == EXPERIMENT && self.can_be_judged() {
            format!(
                "`gauntlet judge {file}` makes it again if that file is unchanged, and `gauntlet run {file} --replace` in any case"
            )
        } else if makes && name != GAMES_CSV {
            // The journal may be gone.
            format!("`{command} --replace` makes it again")
        } else {
            // Without the journal that made them, games are made in a folder beside the other
            // tables.
            format!("`{command}` makes it again")
        }
    }

    /// True if verdicts can be made of the games that are there.
    fn can_be_judged(&self) -> bool {
        self.holds(GAMES_CSV) && self.stream(GAMES_CSV, |_| Ok(())).is_ok()
    }
}

/// The experiment that a file holds.
pub fn experiment_at(arenas: Arenas, path: &Path, bytes: Vec<u8>) -> anyhow::Result<Experiment> {
    config::from_bytes(arenas, path, bytes, None).map_err(told)
}

/// Reason why there is no experiment.
pub fn told(error: LoadError) -> anyhow::Error {
    match error {
        LoadError::Unreadable(error) => error,
        LoadError::Mistaken(mistakes) => anyhow!(mistakes),
        LoadError::Refused(why) => anyhow!(why),
    }
}

/// True if a file has the content that a manifest names.
pub(super) fn fits(manifest: &Manifest, name: &str, file: &dyn DiskFile) -> io::Result<bool> {
    Ok(manifest.digest_of(name) == Some(&digest_of(file)?))
}

/// The digest of what a file holds.
pub(super) fn digest_of(file: &dyn DiskFile) -> io::Result<String> {
    let mut digested = Digested(Reader::at(file, 0), blake3::Hasher::new());
    io::copy(&mut digested, &mut io::sink())?;
    Ok(digested.1.finalize().to_hex().to_string())
}

/// Opens a file that a manifest names, which may not have taken its own name yet.
fn open(disk: &dyn Disk, folder: &Path, manifest: &Manifest, name: &str) -> io::Result<Arc<dyn DiskFile>> {
    match disk.open(&folder.join(format!("{NEW}{name}"))) {
        Ok(file) if fits(manifest, name, &*file)? => Ok(file),
        _ => disk.open(&folder.join(name)),
    }
}

/// True if tables lie in a folder, of whatever version of the experiment.
pub fn has_tables(disk: &dyn Disk, folder: &Path) -> bool {
    let none =
        |error: io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    !disk.open(&folder.join(MANIFEST)).is_err_and(none)
}

/// The manifest of a folder; none if it is damaged.
pub fn manifest_of(disk: &dyn Disk, folder: &Path) -> anyhow::Result<Option<Manifest>> {
    let path = folder.join(MANIFEST);
    Manifest::read(&read(disk, &path)?, &path)
}

/// Reads a whole file, which must not be longer than any manifest or experiment.
pub(super) fn read(disk: &dyn Disk, path: &Path) -> anyhow::Result<Vec<u8>> {
    let bytes = disk.open(path).and_then(|file| whole(&*file, MOST_ALONE));
    bytes.with_context(|| format!("cannot read {}", shown(path)))
}

fn whole(file: &dyn DiskFile, most: usize) -> io::Result<Vec<u8>> {
    // Where it is known to be too long, nothing is read.
    if file.length()? > most as u64 { Err(too_long(most)) } else { read_all(Reader::at(file, 0), most) }
}

/// Rows that are read one by one, and how much of the last one was read. None is longer than any
/// line.
struct Rows<From>(From, usize);

impl<From: Read> Read for Rows<From> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(bytes)?;
        let end = bytes[..read].iter().rposition(|&byte| byte == b'\n');
        self.1 = end.map_or(self.1 + read, |end| read - end - 1);
        if self.1 > LONGEST_LINE {
            let why = format!("a row of it is longer than {} MiB", LONGEST_LINE >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        Ok(read)
    }
}

/// Something that is read, and the digest of what was read of it.
struct Digested<From>(From, blake3::Hasher);

impl<From: Read> Read for Digested<From> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(bytes)?;
        self.1.update(&bytes[..read]);
        Ok(read)
    }
}
