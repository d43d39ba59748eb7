//! Parts of players that lie outside of them. Large constant files, such as networks and endgame
//! tables: each is read and decoded once, shared by all workers and known by its digest. And
//! programs, which are started where that is permitted.
//!
//! A file is read, not memory-mapped: a map of a file that another program shortens kills the
//! process, and one that is written to would change players in the middle of a run.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use anyhow::bail;

use crate::memory::reserve;
use crate::text::{Bytes, shown};

/// The files of one experiment, by their paths as the experiment writes them.
#[derive(Debug)]
pub struct Assets {
    /// The folder that relative paths begin at: that of the experiment's file.
    folder: PathBuf,
    /// The most bytes of all files that are decoded.
    most: u64,
    known: Mutex<Known>,
    programs: OnceLock<Programs>,
}

/// Permission to start the programs in which players of an experiment think. Without it none is
/// started.
#[derive(Debug, Default)]
pub struct Programs {
    /// The program that supervises them; without one, this very program.
    pub supervisor: Option<PathBuf>,
    /// Folder that keeps what they write to standard error, if it is kept.
    pub errors: Option<PathBuf>,
    /// Names of the files in it that are in use.
    taken: Mutex<BTreeSet<String>>,
}

impl Programs {
    /// Permission, with a folder for what the programs write to standard error.
    pub fn with_errors(folder: PathBuf) -> Programs {
        Programs { errors: Some(folder), ..Programs::default() }
    }

    /// The first name of a file of standard error that none who runs now uses: `name-1.txt`,
    /// `name-2.txt` and so on.
    pub fn take(&self, name: &str) -> String {
        let mut taken = self.taken();
        let names = (1..).map(|number| format!("{name}-{number}.txt"));
        let free = names.into_iter().find(|name| !taken.contains(name)).expect("there are enough numbers");
        taken.insert(free.clone());
        free
    }

    /// Gives such a name back.
    pub fn give_back(&self, name: &str) {
        self.taken().remove(name);
    }

    fn taken(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Knowledge of files that were read. No bytes are kept.
#[derive(Debug, Default)]
struct Known {
    files: BTreeMap<PathBuf, Asset>,
    /// Values that were decoded, by file and type.
    values: BTreeMap<(PathBuf, TypeId), Arc<dyn Any + Send + Sync>>,
}

impl Known {
    /// Bytes of the files of all values.
    fn held(&self) -> u64 {
        self.values.keys().map(|(path, _)| self.files[path].stamp.0).sum()
    }
}

/// A file as it was when it was read.
#[derive(Clone, Debug)]
struct Asset {
    /// The BLAKE3 digest of its content, in hexadecimal digits.
    digest: String,
    /// The same without a digest at its end, if the file has one ([`Content::ends_in_digest`]).
    identity: Option<String>,
    stamp: Stamp,
}

/// Size and time of change: while they stay, the content is taken to be the same.
type Stamp = (u64, Option<SystemTime>);

impl Default for Assets {
    fn default() -> Assets {
        let (known, programs) = Default::default();
        Assets { folder: PathBuf::new(), most: memory(), known, programs }
    }
}

impl Assets {
    /// The files of an experiment whose own file lies in this folder. All that are decoded have
    /// together no more bytes than the machine has memory.
    pub fn beside(folder: &Path) -> Assets {
        Assets { folder: folder.to_owned(), ..Assets::default() }
    }

    /// The same, and those that are decoded have no more bytes than this.
    pub fn within(self, most: u64) -> Assets {
        Assets { most, ..self }
    }

    /// Permits that programs of players are started. What was permitted stays.
    pub fn permit(&self, programs: Programs) {
        let _ = self.programs.set(programs);
    }

    /// Permission to start programs of players, if there is one.
    pub fn programs(&self) -> Option<&Programs> {
        self.programs.get()
    }

    /// The folder that relative paths begin at.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Bytes of the files that are decoded, which is about what their values take.
    pub fn held(&self) -> u64 {
        self.known().held()
    }

    /// The value that a file holds. It is read and decoded when it is asked for the first time, and
    /// never again; a message of `decode` says what is wrong with the content.
    pub fn get<T: Any + Send + Sync>(
        &self,
        path: &Path,
        decode: impl FnOnce(&[u8]) -> Result<T, String>,
    ) -> anyhow::Result<Arc<T>> {
        self.load(path, |content| {
            let mut bytes = Vec::new();
            let length = usize::try_from(content.length()).unwrap_or(usize::MAX);
            reserve(&mut bytes, length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            content.read_to_end(&mut bytes)?;
            decode(&bytes).map_err(anyhow::Error::msg)
        })
    }

    /// As `get`, for large files: `decode` reads the content part by part, so that it needs no
    /// memory for the whole of it beside the value.
    pub fn load<T: Any + Send + Sync>(
        &self,
        path: &Path,
        decode: impl FnOnce(&mut Content) -> anyhow::Result<T>,
    ) -> anyhow::Result<Arc<T>> {
        // Workers that need the same file at the same time wait for the first of them.
        let mut known = self.known();
        let key = (path.to_owned(), TypeId::of::<T>());
        if let Some(value) = known.values.get(&key) {
            return Ok(Arc::clone(value).downcast().expect("a value of the type that it is kept by"));
        }
        let held = known.held();
        let (value, asset) = self.read(path, |content| {
            if held.saturating_add(content.length) > self.most {
                let (length, most) = (Bytes(content.length), Bytes(self.most));
                let others = match held {
                    0 => String::new(),
                    held => format!(", of which other files take {}", Bytes(held)),
                };
                let why = format!("it has {length}, and there are {most} of memory{others}");
                return Err(io::Error::other(why).into());
            }
            decode(content)
        })?;
        let earlier = known.files.entry(path.to_owned()).or_insert_with(|| asset.clone());
        if earlier.digest != asset.digest {
            bail!("{}", changed(path));
        }
        earlier.identity = asset.identity.or(earlier.identity.take());
        let value = Arc::new(value);
        known.values.insert(key, Arc::clone(&value) as _);
        Ok(value)
    }

    /// The digest of a file, as it was when it was read first.
    pub fn digest(&self, path: &Path) -> anyhow::Result<String> {
        Ok(self.asset(path)?.digest)
    }

    /// The digest that identifies players built from this file. If the file ends with its own
    /// digest ([`Content::ends_in_digest`]), those bytes are not included.
    pub fn identity(&self, path: &Path) -> anyhow::Result<String> {
        let Asset { digest, identity, .. } = self.asset(path)?;
        Ok(identity.unwrap_or(digest))
    }

    fn asset(&self, path: &Path) -> anyhow::Result<Asset> {
        let mut known = self.known();
        if let Some(asset) = known.files.get(path) {
            return Ok(asset.clone());
        }
        let ((), asset) = self.read(path, |_| Ok(()))?;
        Ok(known.files.entry(path.to_owned()).or_insert(asset).clone())
    }

    /// Fails if a file holds something else by now than when it was read: then no digest tells what
    /// games were played with. A file whose size and time of change are as they were is not read
    /// again.
    pub fn check(&self) -> anyhow::Result<()> {
        for (path, asset) in &mut self.known().files {
            let now = self.folder.join(path).metadata().map(|file| stamp(&file));
            if now.is_ok_and(|now| now.1.is_some() && now == asset.stamp) {
                continue;
            }
            let ((), now) = self.read(path, |_| Ok(()))?;
            if now.digest != asset.digest {
                bail!("{}", changed(path));
            }
            asset.stamp = now.stamp;
        }
        Ok(())
    }

    /// Opens a file, hands its content to `first`, and digests all that it has when it is opened.
    /// What `first` refuses is not read to its end.
    fn read<T>(
        &self,
        path: &Path,
        first: impl FnOnce(&mut Content) -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Asset)> {
        let read = || {
            let path = self.folder.join(path);
            // To open a pipe would wait for its other end, and a device may have none.
            if !path.metadata()?.is_file() {
                bail!(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
            }
            let file = File::open(path)?;
            let opened = stamp(&file.metadata()?);
            let mut all = Content::of(file, opened.0);
            let read = first(&mut all).and_then(|value| {
                all.finish()?;
                Ok(value)
            });
            // A file that changes meanwhile is blamed for that, and not for what was found in it.
            if stamp(&all.file.get_ref().metadata()?) != opened {
                bail!(io::Error::other("it was written to while it was read"));
            }
            let digest = all.hasher.finalize().to_hex().to_string();
            Ok((read?, Asset { digest, identity: all.identity, stamp: opened }))
        };
        read().map_err(|wrong: anyhow::Error| match wrong.is::<io::Error>() {
            true => wrong.context(format!("cannot read {}", shown(path))),
            false => wrong,
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file while it is decoded. What was read of it is digested.
#[derive(Debug)]
pub struct Content {
    file: io::Take<File>,
    length: u64,
    hasher: blake3::Hasher,
    /// Bytes left to be read before the digest at its end.
    left: u64,
    /// The digest of the bytes before that digest.
    identity: Option<String>,
}

impl Content {
    fn of(file: File, length: u64) -> Content {
        let hasher = blake3::Hasher::new();
        Content { file: file.take(length), length, hasher, left: u64::MAX, identity: None }
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Says, before anything is read, that the last bytes are a digest, which does not belong to
    /// the identity of players that are built from the file.
    pub fn ends_in_digest(&mut self, bytes: u64) {
        self.left = self.length.saturating_sub(bytes);
    }

    /// Reads what is left, in parts that are large enough for the digest to be quick.
    fn finish(&mut self) -> io::Result<()> {
        let mut part = vec![0; 1 << 16];
        while self.read(&mut part)? > 0 {}
        Ok(())
    }
}

impl Read for Content {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        let before = self.left.min(read as u64);
        let (before, behind) = bytes[..read].split_at(before as usize);
        self.hasher.update(before);
        self.left -= before.len() as u64;
        if self.left == 0 && self.identity.is_none() {
            self.identity = Some(self.hasher.finalize().to_hex().to_string());
        }
        self.hasher.update(behind);
        Ok(read)
    }
}

/// Bytes of memory, or of the part that the system leaves to the program; without limit where it
/// does not say.
pub fn memory() -> u64 {
    let info = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = info
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse().ok());
    let limit =
        fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|limit| limit.trim().parse().ok());
    let total = total.map_or(u64::MAX, |kib: u64| kib.saturating_mul(1 << 10));
    total.min(limit.unwrap_or(u64::MAX))
}

fn stamp(metadata: &fs::Metadata) -> Stamp {
    (metadata.len(), metadata.modified().ok())
}

fn changed(path: &Path) -> String {
    format!(
        "{} was changed while players that are built from it played; with the file as it was, the same command goes on",
        shown(path)
    )
}
