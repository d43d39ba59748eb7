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
use std::sync::atomic::{AtomicBool, Ordering};
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
    max_bytes: u64,
    cache: Mutex<DecodedFiles>,
    verifies_all: AtomicBool,
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
    used_names: Mutex<BTreeSet<String>>,
}

impl ProgramPermission {
    /// Creates a permission with a folder for the programs' standard error.
    pub fn with_errors(folder: PathBuf) -> ProgramPermission {
        ProgramPermission { errors: Some(folder), ..ProgramPermission::default() }
    }

    /// Reserves the first free name for a file of standard error: `name-1.txt`, `name-2.txt` and so
    /// on.
    pub fn take(&self, name: &str) -> String {
        let mut used_names = self.lock_names();
        let names = (1..).map(|number| format!("{name}-{number}.txt"));
        let free_name =
            names.into_iter().find(|name| !used_names.contains(name)).expect("there are enough numbers");
        used_names.insert(free_name.clone());
        free_name
    }

    /// Releases a name reserved by [`ProgramPermission::take`].
    pub fn give_back(&self, name: &str) {
        self.lock_names().remove(name);
    }

    fn lock_names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.used_names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Digests and decoded values of files that were read. File contents are not kept.
#[derive(Debug, Default)]
struct DecodedFiles {
    files: BTreeMap<PathBuf, Asset>,
    /// Decoded values, by file and type.
    values: BTreeMap<(PathBuf, TypeId), Arc<dyn Any + Send + Sync>>,
    /// Files that are used without decoding them.
    watched_files: BTreeMap<PathBuf, Stamp>,
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
        let (cache, verifies_all, programs, host) = Default::default();
        AssetFiles {
            folder: PathBuf::new(),
            max_bytes: machine_memory(),
            cache,
            verifies_all,
            programs,
            host,
        }
    }
}

impl AssetFiles {
    /// Returns the assets of an experiment whose file is in `folder`. Together, decoded files may
    /// have at most as many bytes as the machine has memory.
    pub fn new(folder: &Path) -> AssetFiles {
        AssetFiles { folder: folder.to_owned(), ..AssetFiles::default() }
    }

    /// Limits the total bytes of decoded files to `max_bytes`.
    pub fn with_limit(self, max_bytes: u64) -> AssetFiles {
        AssetFiles { max_bytes, ..self }
    }

    /// Has all bytes of mapped files checked when they are opened. By default, a part of such a
    /// file is checked before its first use.
    pub fn verify_all(&self) {
        self.verifies_all.store(true, Ordering::Relaxed);
    }

    /// Returns true if all bytes of mapped files are checked when they are opened.
    pub fn verifies_all(&self) -> bool {
        self.verifies_all.load(Ordering::Relaxed)
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
        let mut cache = self.lock_files();
        let key = (path.to_owned(), TypeId::of::<T>());
        if let Some(value) = cache.value(&key) {
            return Ok(value);
        }
        let decoded_bytes = cache.decoded_bytes();
        let (value, asset) = self.read(path, |content| {
            if decoded_bytes.saturating_add(content.length) > self.max_bytes {
                let (length, limit) = (Bytes(content.length), Bytes(self.max_bytes));
                let others = match decoded_bytes {
                    0 => String::new(),
                    decoded_bytes => format!(", of which other files use {}", Bytes(decoded_bytes)),
                };
                let message = format!("the file needs {length}, but the memory limit is {limit}{others}");
                return Err(io::Error::other(message).into());
            }
            decode(content)
        })?;
        let previous = cache.files.entry(path.to_owned()).or_insert_with(|| asset.clone());
        if previous.digest != asset.digest {
            bail!("{}", change_message(path));
        }
        previous.identity = asset.identity.or(previous.identity.take());
        let value = Arc::new(value);
        cache.values.insert(key, Arc::clone(&value) as _);
        Ok(value)
    }

    /// Returns the value that `open` makes of a path which is not read as one file, such as a
    /// folder of mapped files. It is made on first use only, and its bytes do not count as decoded.
    pub fn open<T: Any + Send + Sync>(
        &self,
        path: &Path,
        open: impl FnOnce(&Path) -> anyhow::Result<T>,
    ) -> anyhow::Result<Arc<T>> {
        let mut cache = self.lock_files();
        let key = (path.to_owned(), TypeId::of::<T>());
        if let Some(value) = cache.value(&key) {
            return Ok(value);
        }
        let value = Arc::new(open(&self.folder.join(path))?);
        cache.values.insert(key, Arc::clone(&value) as _);
        Ok(value)
    }

    /// Makes [`AssetFiles::check`] fail if the size or the modification time of this file changes.
    /// It is meant for files of [`AssetFiles::open`]; the path does not depend on the experiment's
    /// folder.
    pub fn watch(&self, path: &Path) -> anyhow::Result<()> {
        let mut cache = self.lock_files();
        if !cache.watched_files.contains_key(path) {
            let file = path.metadata().with_context(|| format!("cannot read {}", display_path(path)))?;
            cache.watched_files.insert(path.to_owned(), stamp(&file));
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
        let mut cache = self.lock_files();
        if let Some(asset) = cache.files.get(path) {
            return Ok(asset.clone());
        }
        let ((), asset) = self.read(path, |_| Ok(()))?;
        Ok(cache.files.entry(path.to_owned()).or_insert(asset).clone())
    }

    /// Fails if a file has changed since it was read, because then no digest identifies what the
    /// games were played with. A file with unchanged size and modification time is not read again.
    /// A watched file is not read at all.
    pub fn check(&self) -> anyhow::Result<()> {
        let mut cache = self.lock_files();
        let is_same =
            |path: &Path, old_stamp: &Stamp| path.metadata().is_ok_and(|file| stamp(&file) == *old_stamp);
        if let Some((path, _)) =
            cache.watched_files.iter().find(|(path, old_stamp)| !is_same(path, old_stamp))
        {
            bail!("{}", change_message(path));
        }
        for (path, asset) in &mut cache.files {
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

    /// Opens a file, passes its content to `decode`, and digests all of it. If `decode` fails, the
    /// rest is not read.
    fn read<T>(
        &self,
        path: &Path,
        decode: impl FnOnce(&mut DigestReader) -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Asset)> {
        let read_file = || {
            let path = self.folder.join(path);
            // Opening a pipe would wait for its other end, and a device may have none.
            if !path.metadata()?.is_file() {
                bail!(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
            }
            let file = File::open(path)?;
            let stamp_before = stamp(&file.metadata()?);
            let mut reader = DigestReader::new(file, stamp_before.0);
            let result = decode(&mut reader).and_then(|value| {
                reader.finish()?;
                Ok(value)
            });
            // If the file changed meanwhile, report that change rather than what was found in the
            // content.
            if stamp(&reader.file.get_ref().metadata()?) != stamp_before {
                bail!(io::Error::other("it changed while reading"));
            }
            let digest = reader.hasher.finalize().to_hex().to_string();
            Ok((result?, Asset { digest, identity: reader.identity, stamp: stamp_before }))
        };
        read_file().map_err(|error: anyhow::Error| match error.is::<io::Error>() {
            true => error.context(format!("cannot read {}", display_path(path))),
            false => error,
        })
    }

    fn lock_files(&self) -> MutexGuard<'_, DecodedFiles> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Content of a file while it is decoded. All bytes read are digested.
#[derive(Debug)]
pub struct DigestReader {
    file: io::Take<File>,
    length: u64,
    hasher: blake3::Hasher,
    /// Bytes left to read before the digest at the end of the file.
    bytes_left: u64,
    /// Digest of the bytes before the digest at the end of the file.
    identity: Option<String>,
}

impl DigestReader {
    fn new(file: File, length: u64) -> DigestReader {
        let hasher = blake3::Hasher::new();
        DigestReader { file: file.take(length), length, hasher, bytes_left: u64::MAX, identity: None }
    }

    /// Returns the length of the file in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Declares that the file ends with a digest of `bytes` bytes, to be left out of the players'
    /// identity. Must be called before anything is read.
    pub fn declare_trailing_digest(&mut self, bytes: u64) {
        self.bytes_left = self.length.saturating_sub(bytes);
    }

    /// Returns the digest that identifies players built from this file, once everything before the
    /// digest at its end is read ([`DigestReader::declare_trailing_digest`]).
    pub fn identity(&self) -> Option<&str> {
        self.identity.as_deref()
    }

    /// Reads the rest, in parts large enough for fast digesting.
    fn finish(&mut self) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        while self.read(&mut buffer)? > 0 {}
        Ok(())
    }
}

impl Read for DigestReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(bytes)?;
        let split_index = self.bytes_left.min(count as u64);
        let (content, trailing_digest) = bytes[..count].split_at(split_index as usize);
        self.hasher.update(content);
        self.bytes_left -= content.len() as u64;
        if self.bytes_left == 0 && self.identity.is_none() {
            self.identity = Some(self.hasher.finalize().to_hex().to_string());
        }
        self.hasher.update(trailing_digest);
        Ok(count)
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
