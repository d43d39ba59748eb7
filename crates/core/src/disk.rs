//! The operations on files that must survive accidents: a kill, a power cut, a full disk. They
//! stand behind two traits, so that a test can let each of them fail.
//!
//! A file's content is safe from a power cut when the file was synced; its name, when its folder
//! was.

use std::fmt::Debug;
use std::fs::{self, File, FileType, OpenOptions, TryLockError};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::text::shown;

/// A file system.
pub trait Disk: Debug + Send + Sync {
    /// Opens a file that must exist, to be read.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Opens a file to be read and appended to; makes it if there is none.
    fn open_to_append(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Makes an empty file, in place of what has the name.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// Gives a file another name, in place of the file that has it. The mode of what is replaced
    /// stays.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a folder and those around it, where they are not there.
    fn make_folder(&self, path: &Path) -> io::Result<()>;

    /// Waits until the names in a folder are on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Fails if a file cannot take this name, because something has it that is neither a file nor a
    /// link.
    fn check_replaceable(&self, path: &Path) -> io::Result<()>;

    /// Waits until no other process holds the lock that this empty file stands for; makes the file
    /// if there is none. The lock is held until what this returns is dropped, or the process dies.
    fn wait_for_lock(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>>;

    /// The names in a folder, in no order.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
}

/// An open file.
pub trait DiskFile: Debug + Send + Sync {
    /// Length in bytes.
    fn length(&self) -> io::Result<u64>;

    /// Reads from a place, and says how much; nothing at the end.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize>;

    /// Writes at the end. After a failure some of the bytes may be there.
    fn append(&self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts off what lies behind a length.
    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Waits until what was written is on the disk.
    fn sync(&self) -> io::Result<()>;

    /// Locks it for this process, until it is closed.
    fn lock(&self) -> Result<(), TryLockError>;
}

#[derive(Debug)]
struct System;

/// The file system of the operating system.
pub fn system() -> Arc<dyn Disk> {
    Arc::new(System)
}

impl Disk for System {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(open_regular(path, File::options().read(true))?))
    }

    fn open_to_append(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(Arc::new(open_regular(path, File::options().read(true).append(true).create(true))?))
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        // The name may be that of a link, whose target is not ours.
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let made = File::options().read(true).append(true).create_new(true).open(path);
        Ok(Arc::new(made.map_err(hinted)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        // A link is replaced itself, and what it leads to has nothing to do with the file.
        if let Ok(replaced) = fs::symlink_metadata(to)
            && replaced.is_file()
        {
            fs::set_permissions(from, usual(replaced.permissions()))?;
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
        let around = folder_of(path);
        self.make_folder(around)?;
        match fs::create_dir(path) {
            Err(_) if path.is_dir() => {}
            made => made?,
        }
        self.sync_folder(around)
    }

    #[cfg(unix)]
    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        match File::open(path).map_err(hinted)?.sync_all() {
            // Some file systems cannot; then nothing can be done.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
            {
                Ok(())
            }
            done => done,
        }
    }

    #[cfg(not(unix))]
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn check_replaceable(&self, path: &Path) -> io::Result<()> {
        match fs::symlink_metadata(path) {
            Ok(there) if !there.is_file() && !there.is_symlink() => Err(no_file(kind(there.file_type()))),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn wait_for_lock(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let file = open_regular(path, File::options().read(true).append(true).create(true))?;
        loop {
            match file.lock() {
                // By a signal that does not end the process.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                locked => {
                    locked?;
                    return Ok(Arc::new(file));
                }
            }
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let names =
            fs::read_dir(folder).map_err(hinted)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
        names.filter_map(Result::transpose).collect()
    }
}

impl DiskFile for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, bytes, offset)
    }

    /// One thread at a time, for there the place belongs to the file.
    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        use std::io::{Seek, SeekFrom};
        let mut file = self;
        file.seek(SeekFrom::Start(offset))?;
        file.read(bytes)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = self;
        file.write_all(bytes)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn lock(&self) -> Result<(), TryLockError> {
        self.try_lock()
    }
}

/// Permissions to read, to write and to execute; a file of data runs as no other user.
fn usual(permissions: fs::Permissions) -> fs::Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::Permissions::from_mode(permissions.mode() & 0o777)
    }
    #[cfg(not(unix))]
    permissions
}

/// Opens a file that must be one, if it is there: to open a pipe waits for a writer, a device may
/// never end, and through a link that leads nowhere a file would be made where the link says.
pub fn open_regular(path: &Path, how: &OpenOptions) -> io::Result<File> {
    let refused = |what| Err(no_file(what));
    match fs::metadata(path) {
        Ok(there) if !there.is_file() => return refused(kind(there.file_type())),
        // A file that another process has made meanwhile is none.
        Err(_) if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) => {
            return refused("a link that leads to no file");
        }
        _ => {}
    }
    let file = how.open(path).map_err(hinted)?;
    // Something else may have taken the name meanwhile.
    let opened = file.metadata()?.file_type();
    if opened.is_file() { Ok(file) } else { refused(kind(opened)) }
}

/// The error of a file that cannot be opened, or of a program that cannot be started, with a remedy
/// where a process has too many files open.
pub fn hinted(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        // EMFILE, of this process, on all systems that have it.
        Some(24) if cfg!(unix) => {
            io::Error::new(error.kind(), format!("{error}; `ulimit -n` sets how many may be"))
        }
        _ => error,
    }
}

fn no_file(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a file"))
}

/// Kind of something that is no file, in words.
fn kind(of: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if of.is_fifo() {
            return "a pipe";
        } else if of.is_socket() {
            return "a socket";
        } else if of.is_block_device() || of.is_char_device() {
            return "a device";
        }
    }
    if of.is_dir() { "a folder" } else { "something else" }
}

/// The folder that a file lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Reads a file from a place on.
#[derive(Debug)]
pub struct Reader<'a> {
    file: &'a dyn DiskFile,
    offset: u64,
}

impl<'a> Reader<'a> {
    /// Reads a file from a place on.
    pub fn at(file: &'a dyn DiskFile, offset: u64) -> Reader<'a> {
        Reader { file, offset }
    }
}

impl Read for Reader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(self.offset, bytes)?;
        self.offset += read as u64;
        Ok(read)
    }
}

/// Reads an input that has at most this number of bytes. One that is longer, or has no end, is read
/// no further than it takes to see that.
pub fn read_all(input: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(too_long(most)) } else { Ok(bytes) }
}

/// Reads a regular file that has at most this number of bytes. A pipe or a device is refused, not
/// waited for.
pub fn read_regular(path: &Path, most: usize) -> io::Result<Vec<u8>> {
    read_all(open_regular(path, File::options().read(true))?, most)
}

/// The most bytes of a line.
pub const LONGEST_LINE: usize = 16 << 20;

/// Reads the next line, with its end, in place of what `line` holds; nothing at the end of the
/// input.
pub fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    input.take(LONGEST_LINE as u64 + 1).read_until(b'\n', line)?;
    if line.len() > LONGEST_LINE { Err(too_long(LONGEST_LINE)) } else { Ok(()) }
}

/// The error of what has more bytes than it may have.
pub fn too_long(most: usize) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {} MiB", most >> 20))
}

/// An empty file that has no name and is gone when it is closed: for what is made to be read once.
/// It is held in memory while it is small, and lies in the folder for temporary files when it is
/// not.
pub fn scratch() -> Arc<dyn DiskFile> {
    Arc::new(Scratch(Mutex::new(Held::Memory(Vec::new()))))
}

#[derive(Debug)]
struct Scratch(Mutex<Held>);

#[derive(Debug)]
enum Held {
    Memory(Vec<u8>),
    File(File),
}

/// The most bytes that are held in memory.
const SMALL: usize = 16 << 20;

impl Scratch {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DiskFile for Scratch {
    fn length(&self) -> io::Result<u64> {
        match &*self.held() {
            Held::Memory(bytes) => Ok(bytes.len() as u64),
            Held::File(file) => file.length(),
        }
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        match &*self.held() {
            Held::Memory(held) => held.get(offset as usize..).unwrap_or_default().read(bytes),
            Held::File(file) => file.read_at(offset, bytes),
        }
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut held = self.held();
        match &mut *held {
            Held::File(file) => return file.append(bytes),
            Held::Memory(small) if small.len() + bytes.len() <= SMALL => small.extend_from_slice(bytes),
            Held::Memory(small) => {
                let file = nameless()?;
                file.append(small)?;
                file.append(bytes)?;
                *held = Held::File(file);
            }
        }
        Ok(())
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        match &mut *self.held() {
            Held::Memory(bytes) => bytes.truncate(length as usize),
            Held::File(file) => file.truncate(length)?,
        }
        Ok(())
    }

    /// Nothing of it is to outlive the process.
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// No other process can open it.
    fn lock(&self) -> Result<(), TryLockError> {
        Ok(())
    }
}

/// Makes a file in the folder for temporary files, and takes its name away.
fn nameless() -> io::Result<File> {
    let folder = std::env::temp_dir();
    let make = |number: u32| {
        let path = folder.join(format!("gauntlet-{}-{number}.tmp", std::process::id()));
        let file = File::options().read(true).append(true).create_new(true).open(&path)?;
        fs::remove_file(&path)?;
        Ok(file)
    };
    // A process that died between these two steps has left its file, and a later one may have the
    // same number.
    let is_free = |made: &io::Result<File>| {
        !made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    };
    let made = (0..1000).map(make).find(is_free).unwrap_or_else(|| make(1000));
    made.map_err(|error| {
        let place = shown(&folder);
        io::Error::new(error.kind(), format!("cannot make a temporary file in {place} (TMPDIR): {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_for_a_while_is_held_to_the_letter() {
        let scratch = scratch();
        let part: Vec<u8> = (0..1 << 20).map(|i: u32| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        // The last four parts no longer fit in the memory.
        let parts = (SMALL >> 20) + 4;
        for number in 1..=parts {
            scratch.append(&part).unwrap();
            assert_eq!(scratch.length().unwrap(), (number * part.len()) as u64);
        }
        let mut all = Vec::new();
        Reader::at(&*scratch, 0).read_to_end(&mut all).unwrap();
        assert!(all == part.repeat(parts));
        let mut end = Vec::new();
        Reader::at(&*scratch, all.len() as u64 - 5).read_to_end(&mut end).unwrap();
        assert_eq!(end, part[part.len() - 5..]);
        assert_eq!(scratch.read_at(all.len() as u64 + 9, &mut [0]).unwrap(), 0);
    }
}
