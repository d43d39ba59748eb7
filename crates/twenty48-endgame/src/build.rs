//! Building of tables on disk, which can be killed at any time and resumed.
//!
//! The unfinished file is the checkpoint: it contains whole layers. A resumed build checks them,
//! cuts off the rest, and continues from the last two. The bytes depend neither on the number of
//! threads nor on how often the build was killed. A build never changes a file that does not begin
//! as a table of this kind, a link, or a file with a second name.

use std::collections::VecDeque;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use gauntlet_core::disk::{Disk, DiskFile};
use gauntlet_core::text::{Bytes, display_path};

use crate::board_set::ReachableLayer;
use crate::exact_rule::Shape;
use crate::format::{self, ENTRY_LENGTH, Entry};
use crate::kind::{Coverage, Kind};
use crate::macroxue::MacroxueShape;
use crate::reach::find_reachable;
use crate::rule::{Rule, Values};
use crate::table::{AnyRule, Table};
use crate::values::{compute_means, compute_values};

/// Sets of tables, by name. Each contains the tables of the one before.
pub const SETS: [(&str, &[Kind]); 3] =
    [("small", LARGE.split_at(3).0), ("medium", LARGE.split_at(4).0), ("large", LARGE)];

/// The first three tables are the set `small`, the first four the set `medium`.
const LARGE: &[Kind] = &[
    Kind::Macroxue(MacroxueShape::Eleven),
    Kind::Macroxue(MacroxueShape::Ten),
    Kind::Exact(Shape::Block, 9),
    Kind::Exact(Shape::BlockOfFive, 9),
    Kind::Exact(Shape::Hook, 9),
    Kind::Exact(Shape::Hook, 8),
];

/// Progress of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildProgress {
    /// Layers done. If only reachable boards are built, each layer is done twice: first, its
    /// reachable boards are found.
    pub layers: usize,
    /// All layers.
    pub all_layers: usize,
    /// Boards done, as often as their layers.
    pub boards: u64,
    /// All boards.
    pub all_boards: u64,
    /// Boards that an earlier command had done.
    pub resumed_boards: u64,
}

/// End of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildEnd {
    /// The table is complete.
    Built(PathBuf),
    /// The table was complete before. Its layers are not checked.
    Present(PathBuf),
}

/// Building of one table.
#[derive(Debug)]
pub struct Builder {
    /// File system.
    pub disk: Arc<dyn Disk>,
    /// Folder of the tables.
    pub folder: PathBuf,
    /// Kind of the table.
    pub kind: Kind,
    /// Boards that the table will contain.
    pub coverage: Coverage,
    /// Largest number of bytes of memory.
    pub memory: u64,
}

/// Layers computed last.
#[derive(Default)]
struct LastLayers {
    twos: Values,
    fours: Values,
}

impl LastLayers {
    fn push(&mut self, values: Values) {
        self.fours = std::mem::replace(&mut self.twos, values);
    }
}

impl Builder {
    /// Builds the table with rayon's threads, or resumes its build. `show` receives the progress
    /// after each layer.
    pub fn build(&self, show: &mut dyn FnMut(BuildProgress)) -> anyhow::Result<BuildEnd> {
        match AnyRule::new(self.kind) {
            AnyRule::Exact(rule) => self.build_with_rule(&rule, show),
            AnyRule::Macroxue(rule) => self.build_with_rule(&rule, show),
        }
    }

    /// Fails if the table is not there and its build would need too much memory.
    pub fn check_memory(&self) -> anyhow::Result<()> {
        if self.is_present(&self.path())? {
            return Ok(());
        }
        match AnyRule::new(self.kind) {
            AnyRule::Exact(rule) => self.check_memory_with_rule(&rule),
            AnyRule::Macroxue(rule) => self.check_memory_with_rule(&rule),
        }
    }

    fn check_memory_with_rule<R: Rule>(&self, rule: &R) -> anyhow::Result<()> {
        let index = rule.index();
        let max_boards = (0..index.layers()).map(|layer| index.boards(layer)).max().unwrap_or(0);
        // A bit for each board before a move, and one after it.
        let reachable_memory = if self.coverage == Coverage::All { 0 } else { index.count_boards() / 4 };
        // Means, three lists of values, and a layer's bytes twice.
        let layer_memory = max_boards as u64 * (size_of::<R::Mean>() as u64 + 12);
        let needed_memory = layer_memory + reachable_memory + (64 << 20);
        ensure!(
            needed_memory <= self.memory,
            "{} needs {} of memory, but the limit is {}",
            self.kind,
            Bytes(needed_memory),
            Bytes(self.memory)
        );
        Ok(())
    }

    fn path(&self) -> PathBuf {
        self.folder.join(self.kind.file_name())
    }

    pub(crate) fn build_with_rule<R: Rule>(
        &self,
        rule: &R,
        show: &mut dyn FnMut(BuildProgress),
    ) -> anyhow::Result<BuildEnd> {
        let path = self.path();
        if self.is_present(&path)? {
            return Ok(BuildEnd::Present(path));
        }
        self.check_memory_with_rule(rule)?;
        let (index, all_boards) = (rule.index(), rule.index().count_boards());
        self.disk.make_folder(&self.folder).with_context(|| self.failure_message("create", &self.folder))?;
        let part_path = self.folder.join(format!("{}.part", self.kind.file_name()));
        let file = self
            .disk
            .open_to_append(&part_path)
            .with_context(|| format!("cannot open {}", display_path(&part_path)))?;
        match file.lock() {
            Ok(()) => (),
            Err(TryLockError::WouldBlock) => bail!("another process builds {}", display_path(&part_path)),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| self.failure_message("lock", &part_path));
            }
        }
        // Another process may have finished the table before the lock.
        if self.is_present(&path)? {
            return Ok(BuildEnd::Present(path));
        }
        let header = format::encode_header(self.kind, self.coverage, index);
        self.check_own(&*file, &part_path, &header)?;
        let mut progress =
            BuildProgress { all_layers: index.layers(), all_boards, ..BuildProgress::default() };
        let reachable = match self.coverage {
            Coverage::All => None,
            Coverage::ReachableFrom(seed_sum) => {
                (progress.all_layers, progress.all_boards) = (2 * index.layers(), 2 * all_boards);
                Some(find_reachable(rule, seed_sum, &mut |layer| {
                    progress.layers += 1;
                    progress.boards += index.boards(layer) as u64;
                    show(progress);
                }))
            }
        };
        let mut state = BuildState::resume(rule, header, reachable, progress, &*file)
            .with_context(|| self.failure_message("read", &part_path))?;
        show(state.progress);
        while state.next_layer.is_some() {
            state.step().with_context(|| self.failure_message("write", &part_path))?;
            check_name(&*file, &part_path)?;
            show(state.progress);
        }
        state.finish().with_context(|| self.failure_message("write", &part_path))?;
        // If the name were that of another build's file, that file would be published.
        check_name(&*file, &part_path)?;
        self.disk.rename(&part_path, &path).with_context(|| self.failure_message("write", &part_path))?;
        check_name(&*file, &path)?;
        self.disk.sync_folder(&self.folder).with_context(|| self.failure_message("write", &self.folder))?;
        Ok(BuildEnd::Built(path))
    }

    /// Returns true if the table is there, and fails if something else has its name.
    fn is_present(&self, path: &Path) -> anyhow::Result<bool> {
        if path.symlink_metadata().is_err() {
            return Ok(false);
        }
        let table = Table::open(path)?;
        let (name, kind) = (display_path(path), table.kind());
        ensure!(kind == self.kind, "{name} contains the table {kind}, not {}; move it away", self.kind);
        ensure!(
            table.coverage().includes(self.coverage),
            "{name} contains {}, not {}; move it away, or use another --folder",
            table.coverage(),
            self.coverage
        );
        Ok(true)
    }

    /// Fails if an unfinished file is not one of this table, because a build cuts off its end.
    fn check_own(&self, file: &dyn DiskFile, part_path: &Path, header: &[u8]) -> anyhow::Result<()> {
        let name = display_path(part_path);
        let failure = || self.failure_message("read", part_path);
        ensure!(
            file.count_links(part_path).with_context(failure)? == 1,
            "{name} is a link or has a second name; remove it and repeat the command"
        );
        let length = file.length().with_context(failure)?;
        let mut start = vec![0; header.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
        read_exact_at(file, 0, &mut start).with_context(failure)?;
        // A kill may leave a part of the head, and a power cut zeros.
        let is_blank = length <= header.len() as u64 && start.iter().all(|&byte| byte == 0);
        ensure!(
            is_blank || header.starts_with(&start),
            "{name} is no unfinished table {} of {}; move it away and repeat the command",
            self.kind,
            self.coverage
        );
        Ok(())
    }

    fn failure_message(&self, action: &str, path: &Path) -> String {
        format!("cannot {action} {}; repeat the command to resume", display_path(path))
    }
}

/// Table while it is built.
struct BuildState<'a, R: Rule> {
    rule: &'a R,
    /// First lines of the file.
    header: Vec<u8>,
    /// Reachable boards of each layer, if the table does not have all.
    reachable: Option<Vec<ReachableLayer>>,
    file: &'a dyn DiskFile,
    /// Entries of the layers done, from the last layer down.
    entries: Vec<Entry>,
    last_layers: LastLayers,
    /// Next layer; `None` after the last.
    next_layer: Option<usize>,
    /// Length of the file.
    end: u64,
    progress: BuildProgress,
}

impl<'a, R: Rule> BuildState<'a, R> {
    /// Begins a file, or continues after its last whole layer.
    fn resume(
        rule: &'a R,
        header: Vec<u8>,
        reachable: Option<Vec<ReachableLayer>>,
        progress: BuildProgress,
        file: &'a dyn DiskFile,
    ) -> io::Result<BuildState<'a, R>> {
        let index = rule.index();
        let next_layer = index.layers().checked_sub(1);
        let (entries, last_layers) = (Vec::new(), LastLayers::default());
        let (end, boards_before) = (header.len() as u64, progress.boards);
        let mut state =
            BuildState { rule, header, reachable, file, entries, last_layers, next_layer, end, progress };
        let mut file_header = vec![0; state.header.len()];
        let length = file.length()?;
        if length >= state.end {
            read_exact_at(file, 0, &mut file_header)?;
        }
        if file_header != state.header {
            file.truncate(0)?;
            file.append(&state.header)?;
            // After a power cut, the head shows whose file it is.
            file.sync()?;
            return Ok(state);
        }
        let mut contents = VecDeque::new();
        while let Some(layer) = state.next_layer {
            let Some((entry, content)) = state.read_layer(layer, length)? else { break };
            state.push(entry);
            contents.push_back((layer, content));
            // The next layer needs the values of the last two only.
            if contents.len() > 2 {
                contents.pop_front();
            }
        }
        for (layer, content) in contents {
            let numbers = format::decode_numbers(&content, index.boards(layer));
            state.last_layers.push(rule.decode(layer, numbers, state.reachable_layer(layer)));
        }
        state.progress.resumed_boards = state.progress.boards - boards_before;
        if state.end < length {
            file.truncate(state.end)?;
        }
        Ok(state)
    }

    /// Reads the next layer of the file, if it is there as a whole.
    fn read_layer(&self, layer: usize, length: u64) -> io::Result<Option<(Entry, Vec<u8>)>> {
        let boards = self.rule.index().boards(layer);
        if length < self.end + ENTRY_LENGTH as u64 {
            return Ok(None);
        }
        let mut bytes = [0; ENTRY_LENGTH];
        read_exact_at(self.file, self.end, &mut bytes)?;
        let entry = Entry::from_bytes(&bytes);
        let is_next = entry.layer == layer as u64 && entry.offset == self.end;
        if !is_next || entry.number_count > boards as u64 || entry.end_offset(boards) > length {
            return Ok(None);
        }
        let mut content = vec![0; (entry.end_offset(boards) - entry.content()) as usize];
        read_exact_at(self.file, entry.content(), &mut content)?;
        let padding = content.split_off(entry.content_length(boards) as usize);
        let is_whole = entry.is_digest_of(&content) && padding.iter().all(|&byte| byte == 0);
        Ok(is_whole.then_some((entry, content)))
    }

    fn push(&mut self, entry: Entry) {
        let layer = entry.layer as usize;
        let boards = self.rule.index().boards(layer);
        self.end = entry.end_offset(boards);
        self.progress.layers += 1;
        self.progress.boards += boards as u64;
        self.entries.push(entry);
        self.next_layer = layer.checked_sub(1);
    }

    /// Returns the reachable boards of a layer, if the table does not have all.
    fn reachable_layer(&self, layer: usize) -> Option<&ReachableLayer> {
        self.reachable.as_ref().map(|layers| &layers[layer])
    }

    /// Computes and writes a layer.
    fn step(&mut self) -> io::Result<()> {
        let Some(layer) = self.next_layer else { return Ok(()) };
        let LastLayers { twos, fours } = &self.last_layers;
        let reachable = self.reachable_layer(layer);
        let means = compute_means(self.rule, layer, [twos, fours], reachable.map(|boards| &boards.moved));
        let values = compute_values(self.rule, layer, &means, reachable.map(|boards| &boards.to_move));
        let kept_boards = reachable.map(R::numbered_boards);
        let (entry, bytes) = format::encode_layer(layer, self.end, &R::encode(means, &values), kept_boards);
        self.file.append(&bytes)?;
        self.push(entry);
        self.last_layers.push(values);
        Ok(())
    }

    /// Writes the directory and the digest.
    fn finish(&mut self) -> io::Result<()> {
        let directory: Vec<u8> = self.entries.iter().rev().flat_map(|entry| entry.to_bytes()).collect();
        let digest = blake3::Hasher::new().update(&self.header).update(&directory).finalize();
        self.file.append(&[&directory[..], digest.as_bytes()].concat())?;
        self.file.sync()
    }
}

/// Fails if a path no longer names the file of this build.
fn check_name(file: &dyn DiskFile, path: &Path) -> anyhow::Result<()> {
    let name = display_path(path);
    let names = file.count_links(path).with_context(|| format!("cannot read {name}"))?;
    ensure!(names > 0, "{name} was removed or replaced during the build; repeat the command");
    Ok(())
}

/// Fills `bytes` from an offset.
fn read_exact_at(file: &dyn DiskFile, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(offset + filled as u64, &mut bytes[filled..])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => filled += count,
        }
    }
    Ok(())
}
