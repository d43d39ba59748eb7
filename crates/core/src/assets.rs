//! Large constant files that players are built from, such as networks and endgame tables, and
//! permission to start programs that are players. Each file is read and decoded once, shared by all
//! workers and identified by its digest.
//!
//! Files are read, not memory-mapped. If another program truncated a mapped file, the process would
//! be killed. If it wrote to the file, players would change in the middle of a run. Endgame tables
//! are an exception, because they have gigabytes ([`AssetFiles::open`]).

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use anyhow::{Context, bail};

use crate::memory::reserve;
use crate::text::{Bytes, display_path};

/// Asset files of one experiment, by their paths as the experiment writes them.
#[derive(Debug)]
pub struct AssetFiles {
    /// Folder of the experiment's file, which relative paths start from.
    folder: PathBuf,
    /// Limit on the total bytes of all decoded files.
    most: u64,
    known: Mutex<DecodedFiles>,
    programs: OnceLock<ProgramPermission>,
    host: OnceLock<Arc<dyn Any + Send + Sync>>,
}

/// Permission to start the programs that are players of an experiment. Without it, no program is
/// started.
#[derive(Debug, Default)]
pub struct ProgramPermission {
    /// Program gauntlet, which supervises the players' programs; `None` means this program itself.
    pub supervisor: Option<PathBuf>,
    /// Folder for their standard error; `None` discards it.
    pub errors: Option<PathBuf>,
    /// File names in that folder that are in use.
    taken: Mutex<BTreeSet<String>>,
}

impl ProgramPermission {
    /// Creates a permission with a folder for the programs' standard error.
    pub fn with_errors(folder: PathBuf) -> ProgramPermission {
        ProgramPermission { errors: Some(folder), ..ProgramPermission::default() }
    }

    /// Reserves the first free name for a file of standard error: `name-1.txt`, `name-2.txt` and so
    /// on.
    pub fn take(&self, name: &str) -> String {
        let mut taken = self.lock_names();
        let names = (1..).map(|number| format!("{name}-{number}.txt"));
        let free = names.into_iter().find(|name| !taken.contains(name)).expect("there are enough numbers");
        taken.insert(free.clone());
        free
    }

    /// Releases a name reserved by [`ProgramPermission::take`].
    pub fn give_back(&self, name: &str) {
        self.lock_names().remove(name);
    }

    fn lock_names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Digests and decoded values of files that were read. File contents are not kept.
#[derive(Debug, Default)]
struct DecodedFiles {
    files: BTreeMap<PathBuf, Asset>,
    /// Decoded values, by file and type.
    values: BTreeMap<(PathBuf, TypeId), Arc<dyn Any + Send + Sync>>,
    /// Files that are used without decoding them.
    watched: BTreeMap<PathBuf, Stamp>,
}

impl DecodedFiles {
    /// Returns a decoded value.
    fn value<T: Any + Send + Sync>(&self, key: &(PathBuf, TypeId)) -> Option<Arc<T>> {
        let value = Arc::clone(self.values.get(key)?);
        Some(value.downcast().expect("the value has the type of its key"))
    }

    /// Returns the total size of the files of all decoded values, in bytes.
    fn decoded_bytes(&self) -> u64 {
        self.values.keys().filter_map(|(path, _)| Some(self.files.get(path)?.stamp.0)).sum()
    }
}

/// State of a file when it was read.
#[derive(Clone, Debug)]
struct Asset {
    /// BLAKE3 digest of the content, in hexadecimal.
    digest: String,
    /// Digest without the digest at the file's end, if the file has one
    /// ([`DigestReader::declare_trailing_digest`]).
    identity: Option<String>,
    stamp: Stamp,
}

/// Size and modification time. While both are unchanged, the content counts as unchanged.
type Stamp = (u64, Option<SystemTime>);

impl Default for AssetFiles {
    fn default() -> AssetFiles {
        let (known, programs, host) = Default::default();
        AssetFiles { folder: PathBuf::new(), most: machine_memory(), known, programs, host }
    }
}

impl AssetFiles {
    /// Returns the assets of an experiment whose file is in `folder`. Together, decoded files may
    /// have at most as many bytes as the machine has memory.
    pub fn new(folder: &Path) -> AssetFiles {
        AssetFiles { folder: folder.to_owned(), ..AssetFiles::default() }
    }

    /// Limits the total bytes of decoded files to `most`.
    pub fn with_limit(self, most: u64) -> AssetFiles {
        AssetFiles { most, ..self }
    }

    /// Permits starting programs of players. An earlier permission is kept.
    pub fn permit(&self, programs: ProgramPermission) {
        let _ = self.programs.set(programs);
    }

    /// Returns the permission to start programs of players, if there is one.
    pub fn programs(&self) -> Option<&ProgramPermission> {
        self.programs.get()
    }

    /// Gives players access to a value of the host program, such as its functions. An earlier value
    /// is kept.
    pub fn lend(&self, host: Arc<dyn Any + Send + Sync>) {
        let _ = self.host.set(host);
    }

    /// Returns the host program's value, if there is one of this type.
    pub fn host<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(self.host.get()?).downcast().ok()
    }

    /// Returns the folder that relative paths start from.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the total bytes of the decoded files, which is about the memory of their values.
    pub fn decoded_bytes(&self) -> u64 {
        self.lock_files().decoded_bytes()
    }

    /// Returns the decoded value of a file. The file is read and decoded on first use only. An
    /// error from `decode` describes what is wrong with the content.
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

    /// Like [`AssetFiles::get`], for large files: `decode` reads the content in parts, so it never
    /// needs the whole file in memory next to the value.
    pub fn load<T: Any + Send + Sync>(
        &self,
        path: &Path,
        decode: impl FnOnce(&mut DigestReader) -> anyhow::Result<T>,
    ) -> anyhow::Result<Arc<T>> {
        // Workers that need the same file wait for the first of them to decode it.
        let mut known = self.lock_files();
        let key = (path.to_owned(), TypeId::of::<T>());
        if let Some(value) = known.value(&key) {
            return Ok(value);
        }
        let held = known.decoded_bytes();
        let (value, asset) = self.read(path, |content| {
            if held.saturating_add(content.length) > self.most {
                let (length, most) = (Bytes(content.length), Bytes(self.most));
                let others = match held {
                    0 => String::new(),
                    held => format!(", of which other files use {}", Bytes(held)),
                };
                let why = format!("the file needs {length}, but the memory limit is {most}{others}");
                return Err(io::Error::other(why).into());
            }
            decode(content)
        })?;
        let earlier = known.files.entry(path.to_owned()).or_insert_with(|| asset.clone());
        if earlier.digest != asset.digest {
            bail!("{}", change_message(path));
        }
        earlier.identity = asset.identity.or(earlier.identity.take());
        let value = Arc::new(value);
        known.values.insert(key, Arc::clone(&value) as _);
        Ok(value)
    }

    /// Returns the value that `open` makes of a path which is not read as one file, such as a
    /// folder of mapped files. It is made on first use only, and its bytes do not count as decoded.
    pub fn open<T: Any + Send + Sync>(
        &self,
        path: &Path,
        open: impl FnOnce(&Path) -> anyhow::Result<T>,
    ) -> anyhow::Result<Arc<T>> {
        let mut known = self.lock_files();
        let key = (path.to_owned(), TypeId::of::<T>());
        if let Some(value) = known.value(&key) {
            return Ok(value);
        }
        let value = Arc::new(open(&self.folder.join(path))?);
        known.values.insert(key, Arc::clone(&value) as _);
        Ok(value)
    }

    /// Makes [`AssetFiles::check`] fail if the size or the modification time of this file changes.
    /// It is meant for files of [`AssetFiles::open`]; the path does not depend on the experiment's
    /// folder.
    pub fn watch(&self, path: &Path) -> anyhow::Result<()> {
        let mut known = self.lock_files();
        if !known.watched.contains_key(path) {
            let file = path.metadata().with_context(|| format!("cannot read {}", display_path(path)))?;
            known.watched.insert(path.to_owned(), stamp(&file));
        }
        Ok(())
    }

    /// Returns the digest of a file when it was first read.
    pub fn digest(&self, path: &Path) -> anyhow::Result<String> {
        Ok(self.asset(path)?.digest)
    }

    /// Returns the digest that identifies players built from this file. If the file ends with its
    /// own digest ([`DigestReader::declare_trailing_digest`]), those bytes are excluded.
    pub fn identity(&self, path: &Path) -> anyhow::Result<String> {
        let Asset { digest, identity, .. } = self.asset(path)?;
        Ok(identity.unwrap_or(digest))
    }

    fn asset(&self, path: &Path) -> anyhow::Result<Asset> {
        let mut known = self.lock_files();
        if let Some(asset) = known.files.get(path) {
            return Ok(asset.clone());
        }
        let ((), asset) = self.read(path, |_| Ok(()))?;
        Ok(known.files.entry(path.to_owned()).or_insert(asset).clone())
    }

    /// Fails if a file has changed since it was read, because then no digest identifies what the
    /// games were played with. A file with unchanged size and modification time is not read again.
    /// A watched file is not read at all.
    pub fn check(&self) -> anyhow::Result<()> {
        let mut known = self.lock_files();
        let is_same = |path: &Path, used: &Stamp| path.metadata().is_ok_and(|file| stamp(&file) == *used);
        if let Some((path, _)) = known.watched.iter().find(|(path, used)| !is_same(path, used)) {
            bail!("{}", change_message(path));
        }
        for (path, asset) in &mut known.files {
            let now = self.folder.join(path).metadata().map(|file| stamp(&file));
            if now.is_ok_and(|now| now.1.is_some() && now == asset.stamp) {
                continue;
            }
            let ((), now) = self.read(path, |_| Ok(()))?;
            if now.digest != asset.digest {
                bail!("{}", change_message(path));
            }
            asset.stamp = now.stamp;
        }
        Ok(())
    }

    /// Opens a file, passes its content to `first`, and digests all of it. If `first` fails, the
    /// rest is not read.
    fn read<T>(
        &self,
        path: &Path,
        first: impl FnOnce(&mut DigestReader) -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Asset)> {
        let read = || {
            let path = self.folder.join(path);
            // Opening a pipe would wait for its other end, and a device may have none.
            if !path.metadata()?.is_file() {
                bail!(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
            }
            let file = File::open(path)?;
            let opened = stamp(&file.metadata()?);
            let mut all = DigestReader::new(file, opened.0);
            let read = first(&mut all).and_then(|value| {
                all.finish()?;
                Ok(value)
            });
            // If the file changed meanwhile, report that change rather than what was found in the
            // content.
            if stamp(&all.file.get_ref().metadata()?) != opened {
                bail!(io::Error::other("it changed while reading"));
            }
            let digest = all.hasher.finalize().to_hex().to_string();
            Ok((read?, Asset { digest, identity: all.identity, stamp: opened }))
        };
        read().map_err(|wrong: anyhow::Error| match wrong.is::<io::Error>() {
            true => wrong.context(format!("cannot read {}", display_path(path))),
            false => wrong,
        })
    }

    fn lock_files(&self) -> MutexGuard<'_, DecodedFiles> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Content of a file while it is decoded. All bytes read are digested.
#[derive(Debug)]
pub struct DigestReader {
    file: io::Take<File>,
    length: u64,
    hasher: blake3::Hasher,
    /// Bytes left to read before the digest at the end of the file.
    left: u64,
    /// Digest of the bytes before the digest at the end of the file.
    identity: Option<String>,
}

impl DigestReader {
    fn new(file: File, length: u64) -> DigestReader {
        let hasher = blake3::Hasher::new();
        DigestReader { file: file.take(length), length, hasher, left: u64::MAX, identity: None }
    }

    /// Returns the length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Declares that the file ends with a digest of `bytes` bytes, to be left out of the players'
    /// identity. Must be called before anything is read.
    pub fn declare_trailing_digest(&mut self, bytes: u64) {
        self.left = self.length.saturating_sub(bytes);
    }

    /// Reads the rest, in parts large enough for fast digesting.
    fn finish(&mut self) -> io::Result<()> {
        let mut part = vec![0; 1 << 16];
        while self.read(&mut part)? > 0 {}
        Ok(())
    }
}

impl Read for DigestReader {
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

/// Returns the machine's memory in bytes, or the part that the system grants this program. Returns
/// `u64::MAX` if the system does not report it.
pub fn machine_memory() -> u64 {
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

fn change_message(path: &Path) -> String {
    format!(
        "{} changed during the run; restore the file and repeat the command to resume",
        display_path(path)
    )
}
