//! File operations that must survive a kill, a power cut or a full disk. They are behind two
//! traits, so that tests can make each operation fail.
//!
//! A file's content survives a power cut once the file is synced. Its name survives once its folder
//! is synced.

use std::fmt::Debug;
use std::fs::{self, File, FileType, OpenOptions, TryLockError};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::text::display_path;

/// File system, as far as runs need it.
pub trait Disk: Debug + Send + Sync {
    /// Opens an existing file for reading.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Opens a file for reading and appending, and creates it if it is missing.
    fn open_to_append(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Creates an empty file, replacing any file of this name.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Renames a file, replacing any file of the new name. The mode of the replaced file is kept.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Creates a folder and its missing parents.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Syncs the names in a folder to the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Fails if something that is neither a file nor a link has this name, so that a file cannot
    /// replace it.
    fn check_replaceable(&self, path: &Path) -> io::Result<()>;

    /// Waits until no other process holds the lock on this empty lock file, and creates the file if
    /// it is missing. The lock is held until the returned value is dropped or the process ends.
    fn wait_for_lock(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Returns the names in a folder, in no particular order.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
}

/// Open file of a [`Disk`].
pub trait DiskFile: Debug + Send + Sync {
    /// Returns the length in bytes.
    fn length(&self) -> io::Result<u64>;

    /// Reads from an offset and returns the number of bytes read; 0 at the end.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize>;

    /// Appends bytes. After a failure, some of the bytes may have been written.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file to a length.
    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Syncs the written bytes to the disk.
    fn sync(&self) -> io::Result<()>;

    /// Locks the file for this process until it is closed.
    fn lock(&self) -> Result<(), TryLockError>;

    /// Returns the number of names of this file, or 0 if this path is a link or names another file.
    fn count_links(&self, path: &Path) -> io::Result<u64>;
}

#[derive(Debug)]
struct System;

/// Returns the file system of the operating system.
pub fn system_disk() -> Arc<dyn Disk> {
    Arc::new(System)
}

impl Disk for System {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(SystemFile(open_regular(path, File::options().read(true))?)))
    }

    fn open_to_append(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let file = open_regular(path, File::options().read(true).append(true).create(true))?;
        Ok(Arc::new(SystemFile(file)))
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        // The name may belong to a link; its target must stay.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = File::options().read(true).append(true).create_new(true).open(path);
        Ok(Arc::new(SystemFile(file.map_err(add_hint)?)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        // A link is replaced itself; the file it points to is unrelated.
        if let Ok(replaced) = fs::symlink_metadata(to)
            && replaced.is_file()
        {
            fs::set_permissions(from, drop_special_bits(replaced.permissions()))?;
        }
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            return Ok(());
        }
        let parent = folder_of(path);
        self.make_folder(parent)?;
        match fs::create_dir(path) {
            Err(_) if path.is_dir() => {}
            result => result?,
        }
        self.sync_folder(parent)
    }

    #[cfg(unix)]
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        match File::open(path).map_err(add_hint)?.sync_all() {
            // Some file systems do not support this; nothing can be done then.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
            {
                Ok(())
            }
            result => result,
        }
    }

    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn check_replaceable(&self, path: &Path) -> io::Result<()> {
        match fs::symlink_metadata(path) {
            Ok(metadata) if !metadata.is_file() && !metadata.is_symlink() => {
                Err(wrong_kind_error(kind(metadata.file_type())))
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn wait_for_lock(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let file = open_regular(path, File::options().read(true).append(true).create(true))?;
        loop {
            match file.lock() {
                // Interrupted by a signal that does not end the process.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => {
                    result?;
                    return Ok(Arc::new(SystemFile(file)));
                }
            }
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let names =
            fs::read_dir(folder).map_err(add_hint)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect()
    }
}

/// Open file of the operating system.
#[derive(Debug)]
struct SystemFile(File);

/// Unlocks the file. Closing is not enough if a forked child still has it open.
impl Drop for SystemFile {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

impl DiskFile for SystemFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.0, bytes, offset)
    }

    /// One thread may read at a time, because on this system a read moves the shared file position.
    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        use std::io::{Seek, SeekFrom};
        let mut file = &self.0;
        file.seek(SeekFrom::Start(offset))?;
        file.read(bytes)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.0;
        file.write_all(bytes)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn lock(&self) -> Result<(), TryLockError> {
        self.0.try_lock()
    }

    fn count_links(&self, path: &Path) -> io::Result<u64> {
        match fs::symlink_metadata(path) {
            Ok(metadata) => {
                Ok(if is_same(&metadata, &self.0.metadata()?) { link_count(&metadata) } else { 0 })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error),
        }
    }
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(unix)]
fn link_count(file: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(file)
}

/// The standard library does not identify files on this system, so only links are recognized.
#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, _: &fs::Metadata) -> bool {
    one.is_file()
}

#[cfg(not(unix))]
fn link_count(_: &fs::Metadata) -> u64 {
    1
}

/// Keeps the read, write and execute bits and drops setuid, setgid and sticky.
fn drop_special_bits(permissions: fs::Permissions) -> fs::Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::Permissions::from_mode(permissions.mode() & 0o777)
    }
    #[cfg(not(unix))]
    permissions
}

/// Opens a path only if it is a regular file or does not exist. Opening a pipe would wait for a
/// writer, and a device may never end. A dangling link would create a file at its target.
pub fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let refuse = |description| Err(wrong_kind_error(description));
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return refuse(kind(metadata.file_type())),
        // A file that another process has created meanwhile is not a link.
        Err(_) if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) => {
            return refuse("a broken link");
        }
        _ => {}
    }
    let file = options.open(path).map_err(add_hint)?;
    // Something else may have taken the name meanwhile.
    let file_type = file.metadata()?.file_type();
    if file_type.is_file() { Ok(file) } else { refuse(kind(file_type)) }
}

/// Adds a remedy to an error if the process has too many files open. The error is of a file that
/// cannot be opened, or of a program that cannot be started.
pub fn add_hint(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        // EMFILE: too many open files in this process. It is 24 on all Unix systems.
        Some(24) if cfg!(unix) => {
            io::Error::new(error.kind(), format!("{error}; raise the limit with `ulimit -n`"))
        }
        _ => error,
    }
}

fn wrong_kind_error(description: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("is {description}, not a file"))
}

/// Names the kind of something that is not a regular file.
fn kind(file_type: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if file_type.is_fifo() {
            return "a pipe";
        } else if file_type.is_socket() {
            return "a socket";
        } else if file_type.is_block_device() || file_type.is_char_device() {
            return "a device";
        }
    }
    if file_type.is_dir() { "a folder" } else { "something else" }
}

/// Returns the folder that contains a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Buffered reader of a file from an offset.
#[derive(Debug)]
pub struct Reader<'a> {
    file: &'a dyn DiskFile,
    offset: u64,
}

impl<'a> Reader<'a> {
    /// Creates a reader that starts at an offset.
    pub fn new(file: &'a dyn DiskFile, offset: u64) -> Reader<'a> {
        Reader { file, offset }
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(self.offset, bytes)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// Reads an input of at most `max_bytes` bytes. Longer or endless inputs fail after `max_bytes`
/// bytes.
pub fn read_all(input: impl Read, max_bytes: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(max_bytes as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > max_bytes { Err(too_long_error(max_bytes)) } else { Ok(bytes) }
}

/// Reads a regular file of at most `max_bytes` bytes. Pipes and devices are refused, without
/// waiting for them.
pub fn read_regular(path: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
    read_all(open_regular(path, File::options().read(true))?, max_bytes)
}

/// Maximum length of a line in bytes.
pub const MAX_LINE_LENGTH: usize = 16 << 20;

/// Reads the next line, including its end, into `line`, replacing its content. At the end of the
/// input, `line` is empty.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    input.take(MAX_LINE_LENGTH as u64 + 1).read_until(b'\n', line)?;
    if line.len() > MAX_LINE_LENGTH { Err(too_long_error(MAX_LINE_LENGTH)) } else { Ok(()) }
}

/// Returns the error for an input of more than `max_bytes` bytes.
pub fn too_long_error(max_bytes: usize) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {} MiB", max_bytes >> 20))
}

/// Returns an empty unnamed file that is deleted when it is closed. It is kept in memory while
/// small, and moves to the folder for temporary files when it grows.
pub fn scratch_file() -> Arc<dyn DiskFile> {
    Arc::new(Scratch(Mutex::new(ScratchContent::Memory(Vec::new()))))
}

#[derive(Debug)]
struct Scratch(Mutex<ScratchContent>);

#[derive(Debug)]
enum ScratchContent {
    Memory(Vec<u8>),
    File(SystemFile),
}

/// Maximum number of bytes kept in memory.
const MAX_IN_MEMORY: usize = 16 << 20;

impl Scratch {
    fn lock_content(&self) -> MutexGuard<'_, ScratchContent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DiskFile for Scratch {
    fn length(&self) -> io::Result<u64> {
        match &*self.lock_content() {
            ScratchContent::Memory(bytes) => Ok(bytes.len() as u64),
            ScratchContent::File(file) => file.length(),
        }
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        match &*self.lock_content() {
            ScratchContent::Memory(buffer) => buffer.get(offset as usize..).unwrap_or_default().read(bytes),
            ScratchContent::File(file) => file.read_at(offset, bytes),
        }
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut content = self.lock_content();
        match &mut *content {
            ScratchContent::File(file) => return file.append(bytes),
            ScratchContent::Memory(buffer) if buffer.len() + bytes.len() <= MAX_IN_MEMORY => {
                buffer.extend_from_slice(bytes)
            }
            ScratchContent::Memory(buffer) => {
                let file = create_unnamed()?;
                file.append(buffer)?;
                file.append(bytes)?;
                *content = ScratchContent::File(file);
            }
        }
        Ok(())
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        match &mut *self.lock_content() {
            ScratchContent::Memory(bytes) => bytes.truncate(length as usize),
            ScratchContent::File(file) => file.truncate(length)?,
        }
        Ok(())
    }

    /// Does nothing, because the file is deleted with the process.
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Does nothing, because no other process can open the file.
    fn lock(&self) -> Result<(), TryLockError> {
        Ok(())
    }

    fn count_links(&self, _: &Path) -> io::Result<u64> {
        Ok(0)
    }
}

/// Creates a file in the folder for temporary files and removes its name.
fn create_unnamed() -> io::Result<SystemFile> {
    let folder = std::env::temp_dir();
    let create = |number: u32| {
        let path = folder.join(format!("gauntlet-{}-{number}.tmp", std::process::id()));
        let file = File::options().read(true).append(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        Ok(SystemFile(file))
    };
    // A process that died between these two steps has left its file, and a later process may have
    // the same number.
    let is_free = |result: &io::Result<SystemFile>| {
        !result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    };
    let file = (0..1000).map(create).find(is_free).unwrap_or_else(|| create(1000));
    file.map_err(|error| {
        let folder_name = display_path(&folder);
        io::Error::new(
            error.kind(),
            format!("cannot create a temporary file in {folder_name} (TMPDIR): {error}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_file_is_unlocked_even_if_a_child_has_it_open() {
        let path = std::env::temp_dir().join(format!("gauntlet-lock-{}", std::process::id()));
        let other = system_disk().open_to_append(&path).unwrap();
        let file = SystemFile(File::open(&path).unwrap());
        fs::remove_file(&path).unwrap();
        // Shares the lock, like the file of a forked child.
        let _child = file.0.try_clone().unwrap();
        file.lock().unwrap();
        assert!(matches!(other.lock(), Err(TryLockError::WouldBlock)));
        drop(file);
        other.lock().unwrap();
    }

    #[test]
    fn what_is_held_for_a_while_is_held_to_the_letter() {
        let scratch = scratch_file();
        let part: Vec<u8> = (0..1 << 20).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        // The last four parts exceed the memory limit.
        let parts = (MAX_IN_MEMORY >> 20) + 4;
        for number in 1..=parts {
            scratch.append(&part).unwrap();
            assert_eq!(scratch.length().unwrap(), (number * part.len()) as u64);
        }
        let mut all = Vec::new();
        Reader::new(&*scratch, 0).read_to_end(&mut all).unwrap();
        assert!(all == part.repeat(parts));
        let mut end = Vec::new();
        Reader::new(&*scratch, all.len() as u64 - 5).read_to_end(&mut end).unwrap();
        assert_eq!(end, part[part.len() - 5..]);
        assert_eq!(scratch.read_at(all.len() as u64 + 9, &mut [0]).unwrap(), 0);
    }
}
