//! A file system in memory whose operations can fail, and which simulates power cuts.
//!
//! The content of a file survives a power cut up to its last sync, and the names in a folder up to
//! the folder's last sync. Later changes survive or not, depending on the file system: [`Cut`]
//! selects this.

use std::collections::BTreeMap;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gauntlet::disk::{Disk, DiskFile};

/// Operations that fail. They are counted from 1; reads are counted separately.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Fault {
    #[default]
    None,
    /// This operation.
    At(usize),
    /// This operation and all that follow, as if the process was killed or the power was cut.
    From(usize),
    /// This opening or reading of a file.
    Reading(usize),
}

/// Syncs that do nothing, so that a test can check that they are needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IgnoredSync {
    #[default]
    None,
    Files,
    Folders,
}

/// Which names survive a power cut, of those changed since their folder was synced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Names {
    Synced,
    FirstHalf,
    LastChange,
    All,
}

/// Which content survives a power cut, of that written since the file was synced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Contents {
    Synced,
    Zeros,
    FirstHalf,
    All,
}

/// State after a power cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut(pub(crate) Names, pub(crate) Contents);

impl Cut {
    pub(crate) fn all() -> impl Iterator<Item = Cut> {
        let names = [Names::Synced, Names::FirstHalf, Names::LastChange, Names::All];
        let contents = [Contents::Synced, Contents::Zeros, Contents::FirstHalf, Contents::All];
        names.into_iter().flat_map(move |names| contents.map(|contents| Cut(names, contents)))
    }
}

/// A file, independent of its names.
type Node = Arc<Mutex<Content>>;

#[derive(Debug, Default)]
struct Content {
    bytes: Vec<u8>,
    synced_bytes: Vec<u8>,
    /// Changes since the last sync.
    unsynced_changes: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Append(Vec<u8>),
    Truncate(usize),
}

impl Content {
    fn change(&mut self, change: Change) {
        apply(&mut self.bytes, &change, 1, 1);
        self.unsynced_changes.push(change);
    }

    fn after_cut(&self, contents: Contents) -> Vec<u8> {
        match contents {
            Contents::Synced => self.synced_bytes.clone(),
            Contents::All => self.bytes.clone(),
            Contents::Zeros => {
                let lengths = self.unsynced_changes.iter().filter_map(|change| match change {
                    Change::Truncate(length) => Some(*length),
                    Change::Append(_) => None,
                });
                let intact_length = lengths.min().unwrap_or(usize::MAX).min(self.synced_bytes.len());
                let mut bytes = self.synced_bytes[..intact_length].to_vec();
                bytes.resize(self.bytes.len(), 0);
                bytes
            }
            Contents::FirstHalf => {
                let mut bytes = self.synced_bytes.clone();
                let half = self.unsynced_changes.len() / 2;
                self.unsynced_changes[..half].iter().for_each(|change| apply(&mut bytes, change, 1, 1));
                self.unsynced_changes
                    .get(half)
                    .into_iter()
                    .for_each(|change| apply(&mut bytes, change, 1, 2));
                bytes
            }
        }
    }
}

/// Applies `numerator / of` of a change.
fn apply(bytes: &mut Vec<u8>, change: &Change, numerator: usize, denominator: usize) {
    match change {
        Change::Append(new_bytes) => {
            bytes.extend_from_slice(&new_bytes[..new_bytes.len() * numerator / denominator])
        }
        Change::Truncate(length) => bytes.truncate(*length),
    }
}

type Directory = BTreeMap<PathBuf, Node>;

#[derive(Debug, Default)]
struct DiskState {
    names: Directory,
    synced_names: Directory,
    /// Changes of names since their folder was synced. Each change lists its names with their new
    /// files.
    unsynced_changes: Vec<Vec<(PathBuf, Option<Node>)>>,
    operations: usize,
    /// Number of files opened and parts read.
    reads: usize,
    fault: Fault,
    ignored_sync: IgnoredSync,
}

impl DiskState {
    fn count_operation(&mut self) -> io::Result<()> {
        self.operations += 1;
        let fails = match self.fault {
            Fault::None | Fault::Reading(_) => false,
            Fault::At(number) => self.operations == number,
            Fault::From(number) => self.operations >= number,
        };
        if fails { Err(io::Error::other("a planted fault")) } else { Ok(()) }
    }

    fn count_read(&mut self) -> io::Result<()> {
        self.reads += 1;
        match self.fault {
            Fault::Reading(number) if number == self.reads => Err(io::Error::other("a planted fault")),
            _ => Ok(()),
        }
    }

    fn rename(&mut self, changes: Vec<(PathBuf, Option<Node>)>) {
        rename_nodes(&mut self.names, &changes);
        self.unsynced_changes.push(changes);
    }

    fn find(&self, path: &Path) -> io::Result<Node> {
        self.names.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn rename_nodes(names: &mut Directory, changes: &[(PathBuf, Option<Node>)]) {
    for (path, node) in changes {
        match node {
            Some(node) => names.insert(path.clone(), Arc::clone(node)),
            None => names.remove(path),
        };
    }
}

/// The file system.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryDisk(Arc<Mutex<DiskState>>);

impl MemoryDisk {
    /// Returns the files after a power cut. All of them are synced then, and nothing fails.
    pub(crate) fn after_power_cut(&self, Cut(names, contents): Cut) -> MemoryDisk {
        let state = self.0.lock().unwrap();
        let mut surviving_names = state.synced_names.clone();
        let unsynced_changes = &state.unsynced_changes;
        let surviving_changes = match names {
            Names::Synced => &[],
            Names::FirstHalf => &unsynced_changes[..unsynced_changes.len() / 2],
            Names::LastChange => &unsynced_changes[unsynced_changes.len().saturating_sub(1)..],
            Names::All => &unsynced_changes[..],
        };
        surviving_changes.iter().for_each(|changes| rename_nodes(&mut surviving_names, changes));
        let copies = surviving_names.iter().map(|(path, node)| {
            let bytes = node.lock().unwrap().after_cut(contents);
            let content = Content { synced_bytes: bytes.clone(), bytes, unsynced_changes: Vec::new() };
            (path.clone(), Arc::new(Mutex::new(content)))
        });
        let names: Directory = copies.collect();
        let synced_names = names.clone();
        MemoryDisk(Arc::new(Mutex::new(DiskState { names, synced_names, ..DiskState::default() })))
    }

    /// Returns a copy of the files as processes see them.
    pub(crate) fn copy(&self) -> MemoryDisk {
        self.after_power_cut(Cut(Names::All, Contents::All))
    }

    /// Returns a copy of the files in which some operations will fail.
    pub(crate) fn with_fault(&self, fault: Fault, ignored_sync: IgnoredSync) -> MemoryDisk {
        let copy = self.copy();
        let mut state = copy.0.lock().unwrap();
        state.fault = fault;
        state.ignored_sync = ignored_sync;
        drop(state);
        copy
    }

    /// Returns a copy of the files in which one has another content.
    pub(crate) fn with_content(&self, path: &Path, bytes: Vec<u8>) -> MemoryDisk {
        let copy = self.copy();
        let content = Content { synced_bytes: bytes.clone(), bytes, unsynced_changes: Vec::new() };
        *copy.0.lock().unwrap().names[path].lock().unwrap() = content;
        copy
    }

    /// Returns all files.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.0.lock().unwrap();
        state.names.iter().map(|(path, node)| (path.clone(), node.lock().unwrap().bytes.clone())).collect()
    }

    /// Returns the number of attempted openings and reads.
    pub(crate) fn read_count(&self) -> usize {
        self.0.lock().unwrap().reads
    }

    /// Returns the number of attempted operations.
    pub(crate) fn operation_count(&self) -> usize {
        self.0.lock().unwrap().operations
    }

    pub(crate) fn disk(&self) -> Arc<dyn Disk> {
        Arc::new(self.clone())
    }

    fn file(&self, node: Node) -> Arc<dyn DiskFile> {
        Arc::new(OpenFile { state: Arc::clone(&self.0), node })
    }
}

impl Disk for MemoryDisk {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.0.lock().unwrap();
        state.count_read()?;
        let node = state.find(path)?;
        Ok(self.file(node))
    }

    fn open_to_append(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        if let Ok(file) = self.open(path) {
            return Ok(file);
        }
        self.create(path)
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.0.lock().unwrap();
        state.count_operation()?;
        let node = Node::default();
        state.rename(vec![(path.to_owned(), Some(Arc::clone(&node)))]);
        Ok(self.file(node))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count_operation()?;
        let node = state.find(from)?;
        state.rename(vec![(from.to_owned(), None), (to.to_owned(), Some(node))]);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count_operation()?;
        state.find(path)?;
        state.rename(vec![(path.to_owned(), None)]);
        Ok(())
    }

    fn make_folder(&self, _: &Path) -> io::Result<()> {
        self.0.lock().unwrap().count_operation()
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.count_operation()?;
        if state.ignored_sync == IgnoredSync::Folders {
            return Ok(());
        }
        let is_in_folder = |changes: &Vec<(PathBuf, Option<Node>)>| changes[0].0.parent() == Some(path);
        let (folder_changes, other_changes) =
            std::mem::take(&mut state.unsynced_changes).into_iter().partition(is_in_folder);
        state.unsynced_changes = other_changes;
        let folder_changes: Vec<_> = folder_changes;
        folder_changes.iter().for_each(|changes| rename_nodes(&mut state.synced_names, changes));
        Ok(())
    }

    fn check_replaceable(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Locks immediately, because there are no other processes.
    fn wait_for_lock(&self, _: &Path) -> io::Result<Arc<dyn DiskFile>> {
        Ok(self.file(Node::default()))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let state = self.0.lock().unwrap();
        let paths = state.names.keys().filter(|path| path.parent() == Some(folder));
        Ok(paths.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect())
    }
}

/// An open file.
#[derive(Debug)]
struct OpenFile {
    state: Arc<Mutex<DiskState>>,
    node: Node,
}

impl DiskFile for OpenFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.node.lock().unwrap().bytes.len() as u64)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        self.state.lock().unwrap().count_read()?;
        let content = self.node.lock().unwrap();
        let rest = content.bytes.get(offset as usize..).unwrap_or_default();
        let length = rest.len().min(bytes.len());
        bytes[..length].copy_from_slice(&rest[..length]);
        Ok(length)
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        let mut content = self.node.lock().unwrap();
        let result = state.count_operation();
        // The first operation that fails does half of its work. After that, a dead process does
        // nothing.
        let written = match state.fault {
            _ if result.is_ok() => bytes,
            Fault::At(number) | Fault::From(number) if state.operations == number => {
                &bytes[..bytes.len() / 2]
            }
            _ => &[],
        };
        content.change(Change::Append(written.to_vec()));
        result
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.state.lock().unwrap().count_operation()?;
        self.node.lock().unwrap().change(Change::Truncate(length as usize));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state.lock().unwrap();
        state.count_operation()?;
        if state.ignored_sync != IgnoredSync::Files {
            let mut content = self.node.lock().unwrap();
            content.synced_bytes = content.bytes.clone();
            content.unsynced_changes.clear();
        }
        Ok(())
    }

    fn lock(&self) -> Result<(), TryLockError> {
        Ok(())
    }

    fn count_links(&self, path: &Path) -> io::Result<u64> {
        let state = self.state.lock().unwrap();
        let is_named = state.names.get(path).is_some_and(|node| Arc::ptr_eq(node, &self.node));
        Ok(u64::from(is_named))
    }
}
