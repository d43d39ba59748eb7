//! The journal: everything that happened in runs, in order of completion. It is append-only and
//! survives kills and power cuts.
//!
//! A journal consists of lines of text. Each has a checksum of the rest, a blank, and a JSON
//! object:
//!
//! ```text
//! 77d2…  {"journal":{…}}      the version of this format
//! 5f0c…  {"session":{…}}      a run began: when, where, with which build
//! 81aa…  {"games":{…}}        some consecutive blocks of one line-up, in columns
//! c04d…  {"panic":{…}}        a block that broke a player's program
//! 7ac6…  {"failure":{…}}      a player whose program failed in game after game
//! 1b7e…  {"dropped":{…}}      checksums of lines that disagree about a block: they no longer count
//! 9e13…  {"end":{…}}          the session ended in good order
//! 40b2…  {"answer":{…}}       tables were made from a number of blocks of these line-ups
//! e2a7…  {"losses":{…}}       the losses of an earlier step of a tuning
//! ```
//!
//! A process killed during a write leaves a torn last line, which is cut off at the next opening.
//! Lines damaged otherwise are skipped, and their games are played again. The operating system
//! locks the file while it is open, so that a lock cannot outlive its process.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::discovery::begins_like_a_journal;
pub use super::entry::{
    AnsweredClaim, FailureEntry, FramedLine, GamesEntry, LookEntry, PanicEntry, SessionEntry, SessionSums,
    are_of_several_machines,
};
use super::entry::{CHECKSUM, Head, JournalEntry, StepLosses, format_line, line_checksum, verify_line};
pub use super::games_parser::parse;
use super::games_parser::parse_head;
pub use super::journal_line::JournalLine;
use super::line_reader::{CompleteLine, Lines, MAX_LINE_LENGTH};
use super::lock::{is_locked, lock, lock_if_possible};
pub use super::not_journal::NotJournal;
use anyhow::{Context, bail};
use gauntlet_core::disk::{Disk, DiskFile, Reader, folder_of, scratch_file, system_disk};
use gauntlet_core::text::display_path;

/// Version of the line format. Newer versions are refused.
pub const FORMAT: u32 = 1;

/// Largest number of sessions.
const MAX_SESSIONS: usize = 1 << 18;

/// Largest number of bytes of session lines whose signatures of algorithms are kept. Signatures
/// that are not kept are computed again.
const MAX_SIGNATURE_BYTES: usize = 16 << 20;

/// An open, locked journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    pub(super) file: Arc<dyn DiskFile>,
    /// The file that this one has replaced. It stays locked for programs that have opened it.
    pub(super) replaced_file: Option<Arc<dyn DiskFile>>,
    /// Offset of the next line.
    end: u64,
    /// True if a failed write may have left part of a line after the end.
    is_torn: bool,
    /// True unless it is written without a lock.
    is_locked: bool,
    lines: Vec<JournalLine>,
    /// Indices of the lines of each key.
    lines_by_key: BTreeMap<Arc<str>, Vec<usize>>,
    /// The last failure of each broken block, by key and seed.
    pub(super) panics: BTreeMap<String, BTreeMap<u64, PanicEntry>>,
    /// Players that failed in game after game, by key and index in the line-up, each with the last
    /// session before the record.
    pub(super) failures: BTreeMap<(String, usize), (usize, FailureEntry)>,
    /// Checksums of lines that no longer count, each with the offset up to which this holds.
    dropped_lines: BTreeMap<u64, u64>,
    /// Bytes of the messages in `panics` and `failures`.
    pub(super) message_bytes: usize,
    sessions: Vec<SessionEntry>,
    pub(super) answers: Vec<LookEntry>,
    /// Losses of the steps of a tuning, as in [`StepLosses`].
    pub(super) losses: BTreeMap<String, Vec<Option<Vec<u64>>>>,
    signature_bytes: usize,
    /// Number of lines that could not be parsed.
    pub(super) unparsed_lines: usize,
    /// True if a line has the version.
    has_format: bool,
}

impl Journal {
    /// Opens or creates a journal, and locks it.
    pub fn open(path: &Path) -> anyhow::Result<Journal> {
        Journal::open_on(system_disk(), path)
    }

    /// Opens or creates the journal of a shard, and locks it if the file system supports locks.
    /// Also returns why it is not locked.
    pub fn open_shard(path: &Path) -> anyhow::Result<(Journal, Option<String>)> {
        let mut unlocked_reason = None;
        let journal = Journal::open_with_lock(system_disk(), path, &mut |path, file| {
            unlocked_reason = lock_if_possible(path, file)?;
            Ok(unlocked_reason.is_none())
        })?;
        Ok((journal, unlocked_reason))
    }

    /// Opens or creates a journal on a file system, and locks it.
    pub fn open_on(disk: Arc<dyn Disk>, path: &Path) -> anyhow::Result<Journal> {
        Journal::open_with_lock(disk, path, &mut |path, file| lock(path, file).map(|()| true))
    }

    fn open_with_lock(
        disk: Arc<dyn Disk>,
        path: &Path,
        lock: &mut dyn FnMut(&Path, &dyn DiskFile) -> anyhow::Result<bool>,
    ) -> anyhow::Result<Journal> {
        let folder = folder_of(path);
        disk.make_folder(folder)
            .with_context(|| format!("cannot create the folder {}", display_path(folder)))?;
        let path_text = display_path(path);
        let open =
            || disk.open_to_append(path).with_context(|| format!("cannot open the journal {path_text}"));
        let mut file = open()?;
        let mut is_locked = lock(path, &*file)?;
        if matches!(file.count_links(path), Ok(0)) {
            // The journal was replaced before the lock.
            file = open()?;
            is_locked = lock(path, &*file)?;
        }
        let mut journal = Journal { is_locked, ..Journal::scan(disk, path, file)? };
        if journal.is_foreign() && !begins_like_a_journal(&*journal.file) {
            bail!(NotJournal::new(path));
        }
        let write_error = || format!("cannot write to the journal {path_text}");
        let length = journal.file.length().with_context(write_error)?;
        if length == 0 {
            // A new file also needs its folder synced.
            journal.disk.sync_folder(folder).with_context(write_error)?;
        }
        if length > journal.end {
            journal.cut_torn_line()?;
        }
        Ok(journal)
    }

    /// Opens an existing journal and locks it, without changing it.
    pub fn open_existing(path: &Path) -> anyhow::Result<Journal> {
        let file = system_disk()
            .open(path)
            .with_context(|| format!("cannot open the journal {}", display_path(path)))?;
        lock(path, &*file)?;
        Journal::scan(system_disk(), path, file)
    }

    /// Reads the present contents of a journal to which another process may be writing.
    pub fn peek(path: &Path) -> anyhow::Result<Journal> {
        let file = system_disk()
            .open(path)
            .with_context(|| format!("cannot open the journal {}", display_path(path)))?;
        Journal::scan(system_disk(), path, file)
    }

    /// Creates a journal in memory, to collect the games of several. Messages name it by this path.
    pub fn in_memory(path: &Path) -> anyhow::Result<Journal> {
        Journal::scan(system_disk(), path, scratch_file())
    }

    /// Returns true if a process is writing to this journal now.
    pub fn is_in_use(path: &Path) -> bool {
        is_locked(path)
    }

    /// Locks a journal until the returned handle is dropped; `None` if there is no journal.
    pub fn lock(disk: &dyn Disk, path: &Path) -> anyhow::Result<Option<Arc<dyn DiskFile>>> {
        match disk.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            file => {
                let file = file.with_context(|| format!("cannot open the journal {}", display_path(path)))?;
                lock(path, &*file)?;
                Ok(Some(file))
            }
        }
    }

    /// Reads the present contents of an open file on a file system.
    pub(super) fn scan(disk: Arc<dyn Disk>, path: &Path, file: Arc<dyn DiskFile>) -> anyhow::Result<Journal> {
        let mut journal = Journal {
            path: path.to_owned(),
            disk,
            file,
            replaced_file: None,
            end: 0,
            is_torn: false,
            is_locked: true,
            lines: Vec::new(),
            lines_by_key: BTreeMap::new(),
            panics: BTreeMap::new(),
            failures: BTreeMap::new(),
            dropped_lines: BTreeMap::new(),
            message_bytes: 0,
            sessions: Vec::new(),
            answers: Vec::new(),
            losses: BTreeMap::new(),
            signature_bytes: 0,
            unparsed_lines: 0,
            has_format: false,
        };
        journal.scan_appended()?;
        Ok(journal)
    }

    /// Reads what another process has appended since the last read.
    pub fn read_appended(&mut self) -> anyhow::Result<()> {
        // A file opened again shows what other machines wrote.
        let open_error = || format!("cannot open the journal {}", display_path(&self.path));
        self.file = self.disk.open(&self.path).with_context(open_error)?;
        self.scan_appended()
    }

    fn scan_appended(&mut self) -> anyhow::Result<()> {
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        let mut lines = Lines::new(BufReader::with_capacity(1 << 20, Reader::new(&*file, self.end)));
        let read_error = || format!("cannot read the journal {}", display_path(&path));
        // A rest after the last whole line is torn, or zeros that a power cut left.
        while let Some(CompleteLine { length, line }) = lines.next().with_context(read_error)? {
            match line {
                Some(line) => self.note_line(line)?,
                None => self.unparsed_lines += 1,
            }
            self.end += length;
        }
        self.forget_dropped_lines();
        Ok(())
    }

    /// Adds a whole line that begins at the end of the previous one.
    fn note_line(&mut self, line: &[u8]) -> anyhow::Result<()> {
        let Some((checksum, json)) = verify_line(line) else {
            self.unparsed_lines += 1;
            return Ok(());
        };
        match parse_head(json).map(JournalEntry::Games).or_else(|| serde_json::from_slice(json).ok()) {
            Some(JournalEntry::Journal { format }) if format > FORMAT => bail!(
                "{} was written by a newer gauntlet (format {format}; this version reads format {FORMAT}): use the newer version, or another --results folder",
                display_path(&self.path)
            ),
            Some(JournalEntry::Journal { .. }) => self.has_format = true,
            Some(JournalEntry::Games(head)) => {
                self.index_line(head, self.end, line.len() as u32, checksum, OnceLock::new());
            }
            Some(JournalEntry::Dropped { lines }) => {
                let checksums = lines.iter().map(|checksum| line_checksum(checksum.as_bytes()));
                self.dropped_lines.extend(checksums.map(|checksum| (checksum, self.end)));
                self.losses.clear();
            }
            Some(JournalEntry::Losses(StepLosses { step, losses })) => _ = self.losses.insert(step, losses),
            Some(JournalEntry::Panic(panic)) => self.note_panic(panic),
            Some(JournalEntry::Failure(failure)) => self.note_failure(failure),
            Some(JournalEntry::Session(session)) => self.note_session(*session, line.len())?,
            Some(JournalEntry::Answer(answer)) => self.note_answer(answer),
            Some(JournalEntry::End { seconds }) => {
                self.sessions.last_mut().into_iter().for_each(|session| session.seconds = Some(seconds));
            }
            None => self.unparsed_lines += 1,
        }
        Ok(())
    }

    fn index_line(&mut self, head: Head, offset: u64, length: u32, checksum: u64, validity: OnceLock<bool>) {
        let Head { key, first, games, session, times, rival_times } = head;
        let key = self
            .lines_by_key
            .get_key_value(&*key)
            .map_or_else(|| Arc::from(&*key), |(key, _)| Arc::clone(key));
        self.lines_by_key.entry(Arc::clone(&key)).or_default().push(self.lines.len());
        // A run writes its lines after its session.
        let session = session.unwrap_or(self.sessions.len().saturating_sub(1));
        if let Some(session) = self.sessions.get_mut(session) {
            session.sums.games += u64::from(games);
            // Both players of a duel play on one thread, whose time is recorded twice.
            session.sums.cpu_ns = session.sums.cpu_ns.saturating_add(times.cpu_ns);
            for times in std::iter::once(times).chain(rival_times) {
                session.sums.calibration_runs += times.yardsticks;
            }
        }
        let (sums, seeds) = (OnceLock::new(), OnceLock::new());
        self.lines.push(JournalLine {
            key,
            first,
            games,
            session,
            offset,
            length,
            checksum,
            validity,
            sums,
            seeds,
        });
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file system of the journal.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Returns the lines of games.
    pub fn lines(&self) -> &[JournalLine] {
        &self.lines
    }

    /// Returns the number of games; a repeated line counts once.
    pub fn games(&self) -> u64 {
        let game_counts: BTreeMap<u64, u32> =
            self.lines.iter().map(|line| (line.checksum, line.games)).collect();
        game_counts.into_values().map(u64::from).sum()
    }

    /// Returns a line of games by its index.
    pub fn line(&self, line: usize) -> &JournalLine {
        &self.lines[line]
    }

    /// Returns the indices of the lines of games with a key, in order.
    pub fn lines_of<'a>(&'a self, key: &str) -> impl Iterator<Item = usize> + use<'a> {
        self.lines_by_key.get(key).into_iter().flatten().copied()
    }

    /// Returns the length of the file in bytes, up to the last whole line.
    pub fn length(&self) -> u64 {
        self.end
    }

    /// Returns true if a line from this offset on invalidates other lines.
    pub(super) fn has_drops_after(&self, offset: u64) -> bool {
        self.dropped_lines.values().any(|&end| end >= offset)
    }

    /// Returns the runs that wrote to the journal.
    pub fn sessions(&self) -> &[SessionEntry] {
        &self.sessions
    }

    /// Returns true if the file is not empty but has no line of a journal.
    pub fn is_foreign(&self) -> bool {
        let lines = self.lines.len() + self.sessions.len() + self.panics.len();
        lines == 0 && !self.has_format && self.file.length().is_ok_and(|length| length > 0)
    }

    /// Returns the number of lines that are skipped, because they could not be parsed or contain
    /// impossible games.
    pub fn damaged_lines(&self) -> usize {
        self.unparsed_lines + self.lines.iter().filter(|line| line.is_valid() == Some(false)).count()
    }

    /// Describes the position of a line for a message.
    pub fn describe_place(&self, line: usize) -> String {
        let before = BufReader::with_capacity(1 << 20, Reader::new(&*self.file, 0));
        let before = before.take(self.lines[line].offset);
        // Only messages need the line number, so it is counted here.
        let number = before.bytes().map_while(Result::ok).filter(|&byte| byte == b'\n').count() + 1;
        format!("{}, line {number}", display_path(&self.path))
    }

    /// Reads the games of a line.
    pub fn read(&self, line: usize) -> anyhow::Result<GamesEntry> {
        parse(&self.read_raw(line)?)
            .with_context(|| format!("{} changed while reading", display_path(&self.path)))
    }

    /// Reads the bytes of a line, which [`parse`] converts to games on any thread.
    pub fn read_raw(&self, line: usize) -> anyhow::Result<Vec<u8>> {
        let mut bytes = vec![0; self.lines[line].bytes()];
        Reader::new(&*self.file, self.lines[line].offset)
            .read_exact(&mut bytes)
            .with_context(|| format!("cannot read the journal {}", display_path(&self.path)))?;
        Ok(bytes)
    }

    /// Appends games already formatted as a line. Formatting is most of the work and needs no
    /// journal.
    pub fn append_games(&mut self, line: FramedLine) -> anyhow::Result<()> {
        let FramedLine { head, bytes } = line;
        self.append(&bytes)?;
        // Games that this program has played need no validation.
        let offset = self.end - bytes.len() as u64;
        self.index_line(head, offset, bytes.len() as u32, line_checksum(&bytes), OnceLock::from(true));
        Ok(())
    }

    /// Invalidates lines, now and for all later readers.
    pub(super) fn drop_lines(&mut self, lines: &[usize]) -> anyhow::Result<()> {
        let checksums: Vec<u64> = lines.iter().map(|&line| self.lines[line].checksum).collect();
        // A line has room for ten times as many.
        for sums in checksums.chunks(1 << 16) {
            let lines = sums.iter().map(|sum| format!("{sum:0CHECKSUM$x}")).collect();
            self.append(&format_line(&JournalEntry::<()>::Dropped { lines }))?;
        }
        self.dropped_lines.extend(checksums.iter().map(|&sum| (sum, self.end)));
        self.losses.clear();
        self.forget_dropped_lines();
        Ok(())
    }

    fn forget_dropped_lines(&mut self) {
        if !self.dropped_lines.is_empty() {
            let dropped_lines = &self.dropped_lines;
            self.lines.retain(|line| dropped_lines.get(&line.checksum).is_none_or(|&end| end < line.offset));
            self.lines_by_key.clear();
            for (index, line) in self.lines.iter().enumerate() {
                self.lines_by_key.entry(Arc::clone(&line.key)).or_default().push(index);
            }
        }
    }

    /// Adds a session whose line has this many bytes.
    fn note_session(&mut self, mut session: SessionEntry, bytes: usize) -> anyhow::Result<()> {
        if self.sessions.len() == MAX_SESSIONS {
            bail!("{} has more than {MAX_SESSIONS} sessions: remove it", display_path(&self.path));
        }
        self.signature_bytes += if session.signatures.is_empty() { 0 } else { bytes };
        if self.signature_bytes > MAX_SIGNATURE_BYTES {
            session.signatures.clear();
        }
        self.sessions.push(session);
        Ok(())
    }

    /// Starts a session.
    pub fn begin(&mut self, session: SessionEntry) -> anyhow::Result<()> {
        let mut line = format_line(&JournalEntry::<()>::Session(Box::new(session.clone())));
        if line.len() > MAX_LINE_LENGTH {
            // With a hundred thousand players built from files the line would be too long; their
            // signatures are computed again.
            let shortened = SessionEntry { signatures: BTreeMap::new(), ..session.clone() };
            line = format_line(&JournalEntry::<()>::Session(Box::new(shortened)));
        }
        self.append(&line)?;
        self.note_session(session, line.len())
    }

    /// Appends the end of the session, which lasted `seconds`.
    pub fn finish(&mut self, seconds: f64) -> anyhow::Result<()> {
        self.append(&format_line(&JournalEntry::<()>::End { seconds }))?;
        self.sessions.last_mut().into_iter().for_each(|session| session.seconds = Some(seconds));
        Ok(())
    }

    /// Syncs the journal to disk.
    pub fn sync(&self) -> anyhow::Result<()> {
        let result = self.file.sync();
        result.with_context(|| format!("cannot sync the journal {} to disk", display_path(&self.path)))
    }

    /// Returns a second handle, with which another thread can sync the journal.
    pub fn handle(&self) -> Arc<dyn DiskFile> {
        Arc::clone(&self.file)
    }

    /// Cuts a torn last line off. Without a lock another process may be writing that line; then it
    /// becomes a damaged line.
    fn cut_torn_line(&mut self) -> anyhow::Result<()> {
        let write_error = || format!("cannot write to the journal {}", display_path(&self.path));
        if self.is_locked {
            return self.file.truncate(self.end).with_context(write_error);
        }
        self.end = self.file.append(b"\n").and_then(|()| self.file.length()).with_context(write_error)?;
        self.unparsed_lines += 1;
        Ok(())
    }

    pub(super) fn append(&mut self, line: &[u8]) -> anyhow::Result<()> {
        if !self.has_format {
            self.write_line(&format_line(&JournalEntry::<()>::Journal { format: FORMAT }))?;
            self.has_format = true;
        }
        self.write_line(line)
    }

    fn write_line(&mut self, line: &[u8]) -> anyhow::Result<()> {
        if self.is_torn {
            self.cut_torn_line()?;
            self.is_torn = false;
        }
        if let Err(error) = self.file.append(line) {
            // A partly written line is removed now, by the next write, or when the journal is next
            // opened.
            self.is_torn = !self.is_locked || self.file.truncate(self.end).is_err();
            return Err(error)
                .with_context(|| format!("cannot write to the journal {}", display_path(&self.path)));
        }
        self.end += line.len() as u64;
        Ok(())
    }
}
