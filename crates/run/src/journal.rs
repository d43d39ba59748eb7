//! The journal: what happened, in order of finishing. It is only ever appended to, and it survives
//! everything.
//!
//! A journal is lines of text. Each is the checksum of the rest, a blank, and one JSON object:
//!
//! ```text
//! 77d2…  {"journal":{…}}      the version of this format
//! 5f0c…  {"session":{…}}      a run began: when, where, with which build
//! 81aa…  {"games":{…}}        some consecutive blocks of one line-up, in columns
//! c04d…  {"panic":{…}}        a block that broke a player's program
//! 1b7e…  {"dropped":{…}}      checksums of lines that disagree about a block: they no longer count
//! 9e13…  {"end":{…}}          the session ended in good order
//! 40b2…  {"answer":{…}}       tables were made of so many blocks of these line-ups
//! e2a7…  {"losses":{…}}       of a tuning: what the games of a step before it came to
//! ```
//!
//! A journal without a version is of version 1, and is read like the others: what came since is
//! optional. A run that goes on with one writes the version before its own lines.
//!
//! A death in the middle of a write leaves a torn last line, which the next opening cuts off; a
//! line damaged in any other way is passed over, and its games are played again. The file itself is
//! locked while it is open, by the operating system, so a lock cannot outlive its process.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::discovery::begins_like_a_journal;
pub use super::entry::{
    AnswerEntry, Counted, Framed, GamesEntry, PanicEntry, Session, are_of_several_machines, parse,
};
use super::entry::{CHECKSUM, Head, JournalEntry, StepLosses, checked, framed, shorten, sum_of};
use super::head::head_of;
pub use super::journal_line::JournalLine;
use super::line_reader::{Found, LONGEST, Lines};
use super::lock::{is_locked, lock, lock_if_possible};
pub use super::not_journal::NotJournal;
use anyhow::{Context, bail};
use gauntlet_core::disk::{Disk, DiskFile, Reader, folder_of, scratch, system};
use gauntlet_core::text::shown;

/// The version of the format that this program writes: of how lines are written. It reads every
/// version up to this one. Games are identified by keys: of those of a build that made other keys,
/// as some did for tunings before the first release, none is found.
pub const FORMAT: u32 = 2;

/// The most bytes that are kept of what a program said when it broke.
const LONGEST_MESSAGE: usize = 1 << 16;

/// The most bytes that are kept of all such messages. Of those that come later nothing is kept in
/// memory.
const MESSAGES: usize = 16 << 20;

/// The most sessions.
const MOST_SESSIONS: usize = 1 << 18;

/// The most bytes of lines about sessions of which is kept what their programs play with each
/// algorithm. Where it is not, it is found out again.
const SIGNATURES: usize = 16 << 20;

/// An open, locked journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    disk: Arc<dyn Disk>,
    file: Arc<dyn DiskFile>,
    /// Offset of the next line.
    end: u64,
    /// True if a part of a line may lie behind the end, left by a write that failed.
    is_torn: bool,
    /// True unless it is written without a lock.
    is_locked: bool,
    lines: Vec<JournalLine>,
    /// The lines of each key, by their places among them.
    by_key: BTreeMap<Arc<str>, Vec<usize>>,
    /// Broken blocks, by key and seed; of each the last time that it broke.
    pub(super) panics: BTreeMap<String, BTreeMap<u64, PanicEntry>>,
    /// Checksums of lines that count no more, and up to where in the file.
    dropped: BTreeMap<u64, u64>,
    /// Bytes of their messages.
    message_bytes: usize,
    sessions: Vec<Session>,
    pub(super) answers: Vec<AnswerEntry>,
    /// Losses of the steps of a tuning, as [`StepLosses`] has them.
    pub(super) losses: BTreeMap<String, Vec<Option<Vec<u64>>>>,
    signature_bytes: usize,
    damaged: usize,
    /// True if a line tells the version.
    has_format: bool,
}

impl Journal {
    /// Opens a journal, or begins one, and locks it.
    pub fn open(path: &Path) -> anyhow::Result<Journal> {
        Journal::open_on(system(), path)
    }

    /// Opens the journal of a shard, or begins one, and locks it if the file system has locks. Also
    /// returns why it is not locked.
    pub fn open_of_shard(path: &Path) -> anyhow::Result<(Journal, Option<String>)> {
        let mut unlocked = None;
        let journal = Journal::open_by(system(), path, &mut |path, file| {
            unlocked = lock_if_possible(path, file)?;
            Ok(unlocked.is_none())
        })?;
        Ok((journal, unlocked))
    }

    /// Opens a journal on some file system, or begins one, and locks it.
    pub fn open_on(disk: Arc<dyn Disk>, path: &Path) -> anyhow::Result<Journal> {
        Journal::open_by(disk, path, &mut |path, file| lock(path, file).map(|()| true))
    }

    fn open_by(
        disk: Arc<dyn Disk>,
        path: &Path,
        lock: &mut dyn FnMut(&Path, &dyn DiskFile) -> anyhow::Result<bool>,
    ) -> anyhow::Result<Journal> {
        let folder = folder_of(path);
        disk.make_folder(folder).with_context(|| format!("cannot make the folder {}", shown(folder)))?;
        let shown = shown(path);
        let file = disk.open_to_append(path).with_context(|| format!("cannot open the journal {shown}"))?;
        let is_locked = lock(path, &*file)?;
        let mut journal = Journal { is_locked, ..Journal::scan(disk, path, file)? };
        if journal.is_none() && !begins_like_a_journal(&*journal.file) {
            bail!(NotJournal::at(path));
        }
        let in_vain = || format!("cannot write to the journal {shown}");
        let length = journal.file.length().with_context(in_vain)?;
        if length == 0 {
            // It may be new, and then its name is not on the disk.
            journal.disk.sync_folder(folder).with_context(in_vain)?;
        }
        if length > journal.end {
            journal.end_torn()?;
        }
        Ok(journal)
    }

    /// Opens a journal that must exist, and locks it. Changes nothing.
    pub fn open_existing(path: &Path) -> anyhow::Result<Journal> {
        let file = system().open(path).with_context(|| format!("cannot open the journal {}", shown(path)))?;
        lock(path, &*file)?;
        Journal::scan(system(), path, file)
    }

    /// Reads what a journal holds by now, though another process may be writing to it.
    pub fn peek(path: &Path) -> anyhow::Result<Journal> {
        let file = system().open(path).with_context(|| format!("cannot open the journal {}", shown(path)))?;
        Journal::scan(system(), path, file)
    }

    /// A journal that is kept nowhere, to put the games of several together. Messages call it by
    /// this path.
    pub fn scratch(path: &Path) -> anyhow::Result<Journal> {
        Journal::scan(system(), path, scratch())
    }

    /// True if a process is playing into this journal now.
    pub fn is_in_use(path: &Path) -> bool {
        is_locked(path)
    }

    /// Keeps others from playing into a journal as long as what this returns is there; none if
    /// there is no journal.
    pub fn hold(disk: &dyn Disk, path: &Path) -> anyhow::Result<Option<Arc<dyn DiskFile>>> {
        match disk.open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            file => {
                let file = file.with_context(|| format!("cannot open the journal {}", shown(path)))?;
                lock(path, &*file)?;
                Ok(Some(file))
            }
        }
    }

    fn scan(disk: Arc<dyn Disk>, path: &Path, file: Arc<dyn DiskFile>) -> anyhow::Result<Journal> {
        let mut journal = Journal {
            path: path.to_owned(),
            disk,
            file,
            end: 0,
            is_torn: false,
            is_locked: true,
            lines: Vec::new(),
            by_key: BTreeMap::new(),
            panics: BTreeMap::new(),
            dropped: BTreeMap::new(),
            message_bytes: 0,
            sessions: Vec::new(),
            answers: Vec::new(),
            losses: BTreeMap::new(),
            signature_bytes: 0,
            damaged: 0,
            has_format: false,
        };
        journal.scan_on()?;
        Ok(journal)
    }

    /// Reads what another process has written to it since.
    pub fn read_on(&mut self) -> anyhow::Result<()> {
        // A file that is opened anew shows what other machines wrote.
        let in_vain = || format!("cannot open the journal {}", shown(&self.path));
        self.file = self.disk.open(&self.path).with_context(in_vain)?;
        self.scan_on()
    }

    fn scan_on(&mut self) -> anyhow::Result<()> {
        let (file, path) = (Arc::clone(&self.file), self.path.clone());
        let mut lines = Lines::of(BufReader::with_capacity(1 << 20, Reader::at(&*file, self.end)));
        let in_vain = || format!("cannot read the journal {}", shown(&path));
        // The rest behind the last whole line is a torn one, or zeros that a power cut left.
        while let Some(Found { length, line }) = lines.next().with_context(in_vain)? {
            match line {
                Some(line) => self.note(line)?,
                None => self.damaged += 1,
            }
            self.end += length;
        }
        self.forget_dropped();
        Ok(())
    }

    /// Takes note of a whole line that begins where the last one ended.
    fn note(&mut self, line: &[u8]) -> anyhow::Result<()> {
        let Some((sum, json)) = checked(line) else {
            self.damaged += 1;
            return Ok(());
        };
        match head_of(json).map(JournalEntry::GamesEntry).or_else(|| serde_json::from_slice(json).ok()) {
            Some(JournalEntry::Journal { format }) if format > FORMAT => bail!(
                "{} was written by a newer gauntlet (format {format}; this one reads up to {FORMAT}): use that one, or \
                 another --results folder",
                shown(&self.path)
            ),
            Some(JournalEntry::Journal { .. }) => self.has_format = true,
            Some(JournalEntry::GamesEntry(head)) => {
                self.list(head, self.end, line.len() as u32, sum, OnceLock::new());
            }
            Some(JournalEntry::Dropped { lines }) => {
                let sums = lines.iter().map(|sum| sum_of(sum.as_bytes()));
                self.dropped.extend(sums.map(|sum| (sum, self.end)));
                self.losses.clear();
            }
            Some(JournalEntry::Losses(StepLosses { step, losses })) => _ = self.losses.insert(step, losses),
            Some(JournalEntry::PanicEntry(panic)) => self.note_panic(panic),
            Some(JournalEntry::Session(session)) => self.note_session(*session, line.len())?,
            Some(JournalEntry::Answer(answer)) => self.note_answer(answer),
            Some(JournalEntry::End { seconds }) => {
                self.sessions.last_mut().into_iter().for_each(|session| session.seconds = Some(seconds));
            }
            None => self.damaged += 1,
        }
        Ok(())
    }

    fn list(&mut self, head: Head, offset: u64, length: u32, sum: u64, sound: OnceLock<bool>) {
        let Head { key, first, games, session, times, rival_times } = head;
        let key =
            self.by_key.get_key_value(&*key).map_or_else(|| Arc::from(&*key), |(key, _)| Arc::clone(key));
        self.by_key.entry(Arc::clone(&key)).or_default().push(self.lines.len());
        // A run writes its lines behind its session.
        let session = session.unwrap_or(self.sessions.len().saturating_sub(1));
        if let Some(session) = self.sessions.get_mut(session) {
            session.counted.games += u64::from(games);
            // Both players of a game play on one thread, whose time is told twice.
            session.counted.cpu_ns = session.counted.cpu_ns.saturating_add(times.cpu_ns);
            for times in std::iter::once(times).chain(rival_times) {
                session.counted.yardsticks += times.yardsticks;
            }
        }
        let (played, seeds) = (OnceLock::new(), OnceLock::new());
        self.lines.push(JournalLine {
            key,
            first,
            games,
            session,
            offset,
            length,
            sum,
            sound,
            played,
            seeds,
        });
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file system that it lies on.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Lines of games.
    pub fn lines(&self) -> &[JournalLine] {
        &self.lines
    }

    /// Number of games; a line that stands there twice counts once.
    pub fn games(&self) -> u64 {
        let of: BTreeMap<u64, u32> = self.lines.iter().map(|line| (line.sum, line.games)).collect();
        of.into_values().map(u64::from).sum()
    }

    /// A line of games, by its place among them.
    pub fn line(&self, line: usize) -> &JournalLine {
        &self.lines[line]
    }

    /// Lines of games of a key, by their places, in their order.
    pub fn lines_of<'a>(&'a self, key: &str) -> impl Iterator<Item = usize> + use<'a> {
        self.by_key.get(key).into_iter().flatten().copied()
    }

    /// Length of the file, in bytes, as far as it holds whole lines.
    pub fn length(&self) -> u64 {
        self.end
    }

    /// True if a line behind this place lets other lines count no more.
    pub(super) fn drops_behind(&self, place: u64) -> bool {
        self.dropped.values().any(|&end| end >= place)
    }

    /// The runs that played into it.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// True if the file, which holds something, holds not one line of a journal.
    pub fn is_none(&self) -> bool {
        let lines = self.lines.len() + self.sessions.len() + self.panics.len();
        lines == 0 && !self.has_format && self.file.length().is_ok_and(|length| length > 0)
    }

    /// Number of lines that are passed over: they could not be understood, or hold games that
    /// cannot be.
    pub fn damaged(&self) -> usize {
        self.damaged + self.lines.iter().filter(|line| line.is_sound() == Some(false)).count()
    }

    /// Place of a line, for a person.
    pub fn place(&self, line: usize) -> String {
        let before = BufReader::with_capacity(1 << 20, Reader::at(&*self.file, 0));
        let before = before.take(self.lines[line].offset);
        // Only a message needs it: it is counted then.
        let number = before.bytes().map_while(Result::ok).filter(|&byte| byte == b'\n').count() + 1;
        format!("{}, line {number}", shown(&self.path))
    }

    /// Reads the games of a line.
    pub fn read(&self, line: usize) -> anyhow::Result<GamesEntry> {
        parse(&self.read_raw(line)?)
            .with_context(|| format!("{} changed while it was read", shown(&self.path)))
    }

    /// Reads a line as it is; [`parse`] makes games of it, on whichever thread.
    pub fn read_raw(&self, line: usize) -> anyhow::Result<Vec<u8>> {
        let mut bytes = vec![0; self.lines[line].bytes()];
        Reader::at(&*self.file, self.lines[line].offset)
            .read_exact(&mut bytes)
            .with_context(|| format!("cannot read the journal {}", shown(&self.path)))?;
        Ok(bytes)
    }

    /// Appends games that were framed before, which is the work in it and needs no journal.
    pub fn append_games(&mut self, framed: Framed) -> anyhow::Result<()> {
        let Framed { head, bytes } = framed;
        self.append(&bytes)?;
        // Games that this program has played are games that can be played.
        let offset = self.end - bytes.len() as u64;
        self.list(head, offset, bytes.len() as u32, sum_of(&bytes), OnceLock::from(true));
        Ok(())
    }

    /// Lets lines count no more, now and whenever the journal is read.
    pub(super) fn drop_lines(&mut self, lines: &[usize]) -> anyhow::Result<()> {
        let sums: Vec<u64> = lines.iter().map(|&line| self.lines[line].sum).collect();
        // A line has room for ten times as many.
        for sums in sums.chunks(1 << 16) {
            let lines = sums.iter().map(|sum| format!("{sum:0CHECKSUM$x}")).collect();
            self.append(&framed(&JournalEntry::<()>::Dropped { lines }))?;
        }
        self.dropped.extend(sums.iter().map(|&sum| (sum, self.end)));
        self.losses.clear();
        self.forget_dropped();
        Ok(())
    }

    fn forget_dropped(&mut self) {
        if !self.dropped.is_empty() {
            let dropped = &self.dropped;
            self.lines.retain(|line| dropped.get(&line.sum).is_none_or(|&end| end < line.offset));
            self.by_key.clear();
            for (place, line) in self.lines.iter().enumerate() {
                self.by_key.entry(Arc::clone(&line.key)).or_default().push(place);
            }
        }
    }

    /// Appends a block that broke a player's program, unless that is what the journal says already:
    /// such blocks are tried again by every run.
    pub fn append_panic(&mut self, mut panic: PanicEntry) -> anyhow::Result<()> {
        shorten(&mut panic.message, LONGEST_MESSAGE);
        if self.panic(&panic.key, panic.seed) != Some(&panic) {
            self.append(&framed(&JournalEntry::<()>::PanicEntry(panic.clone())))?;
            self.note_panic(panic);
        }
        Ok(())
    }

    fn note_panic(&mut self, mut panic: PanicEntry) {
        shorten(&mut panic.message, LONGEST_MESSAGE.min(MESSAGES.saturating_sub(self.message_bytes)));
        self.message_bytes += panic.message.len();
        let before = self.panics.entry(panic.key.clone()).or_default().insert(panic.seed, panic);
        self.message_bytes -= before.map_or(0, |before| before.message.len());
    }

    /// Takes note of a session that takes this many bytes as a line.
    fn note_session(&mut self, mut session: Session, bytes: usize) -> anyhow::Result<()> {
        if self.sessions.len() == MOST_SESSIONS {
            bail!("{} tells of more than {MOST_SESSIONS} sessions: remove it", shown(&self.path));
        }
        self.signature_bytes += if session.signatures.is_empty() { 0 } else { bytes };
        if self.signature_bytes > SIGNATURES {
            session.signatures.clear();
        }
        self.sessions.push(session);
        Ok(())
    }

    /// A run begins.
    pub fn begin(&mut self, session: Session) -> anyhow::Result<()> {
        let mut line = framed(&JournalEntry::<()>::Session(Box::new(session.clone())));
        if line.len() > LONGEST {
            // Of a hundred thousand players that are built from files, what each plays is found out
            // again.
            let short = Session { signatures: BTreeMap::new(), ..session.clone() };
            line = framed(&JournalEntry::<()>::Session(Box::new(short)));
        }
        self.append(&line)?;
        self.note_session(session, line.len())
    }

    /// The session ends in good order.
    pub fn finish(&mut self, seconds: f64) -> anyhow::Result<()> {
        self.append(&framed(&JournalEntry::<()>::End { seconds }))?;
        self.sessions.last_mut().into_iter().for_each(|session| session.seconds = Some(seconds));
        Ok(())
    }

    /// Brings everything to the disk.
    pub fn sync(&self) -> anyhow::Result<()> {
        let done = self.file.sync();
        done.with_context(|| format!("cannot bring the journal {} to the disk", shown(&self.path)))
    }

    /// A second handle, by which another thread can bring to the disk what was written.
    pub fn handle(&self) -> Arc<dyn DiskFile> {
        Arc::clone(&self.file)
    }

    /// Cuts a torn last line off. Without a lock it may be one that another process is writing:
    /// there it becomes a damaged line.
    fn end_torn(&mut self) -> anyhow::Result<()> {
        let in_vain = || format!("cannot write to the journal {}", shown(&self.path));
        if self.is_locked {
            return self.file.truncate(self.end).with_context(in_vain);
        }
        self.end = self.file.append(b"\n").and_then(|()| self.file.length()).with_context(in_vain)?;
        self.damaged += 1;
        Ok(())
    }

    pub(super) fn append(&mut self, line: &[u8]) -> anyhow::Result<()> {
        if !self.has_format {
            self.write_line(&framed(&JournalEntry::<()>::Journal { format: FORMAT }))?;
            self.has_format = true;
        }
        self.write_line(line)
    }

    fn write_line(&mut self, line: &[u8]) -> anyhow::Result<()> {
        if self.is_torn {
            self.end_torn()?;
            self.is_torn = false;
        }
        if let Err(error) = self.file.append(line) {
            // A half-written line is taken back now, or by the next write, or by the next opening.
            self.is_torn = !self.is_locked || self.file.truncate(self.end).is_err();
            return Err(error).with_context(|| format!("cannot write to the journal {}", shown(&self.path)));
        }
        self.end += line.len() as u64;
        Ok(())
    }
}
