//! Reads the journals of a run in shards as they grow, for a task that checks them from time to
//! time. Each look reads only what was added since the last one, with the exceptions below.
//!
//! The result equals that of reading all bytes ([`heard_together`](super::judge::heard_together)).
//! If two lines have a block, one of them counts, and a later line may change which one. So all
//! games are judged again if a line arrives for a block already judged, if lines are invalidated,
//! or if a journal is replaced, cut or removed. Otherwise results are kept, even if bytes already
//! read are damaged later.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use gauntlet_core::disk::{Reader, system};
use gauntlet_core::text::shown;

use super::block_set::Holders;
use super::coverage::Coverage;
use super::journal::Journal;
use super::judge::Judge;
use super::keyed::KeyedPlan;
use super::paths;
use crate::plan::Shard;

/// Largest length of the mark that identifies a journal, in bytes.
const MARK: u64 = 256;

/// Contents of the journals in a folder, as far as they were read.
#[derive(Debug)]
pub struct FolderJournals<'a> {
    plan: &'a KeyedPlan<'a>,
    folder: &'a Path,
    /// The journal of an undivided run first, then those of shards: if two have a block, the first
    /// one counts.
    journals: BTreeMap<Option<Shard>, Read>,
    heard: Heard,
}

/// Result of a look.
#[derive(Debug, Default)]
pub struct ScanResult {
    /// Number of complete blocks.
    pub blocks: u64,
    /// Number of blocks after which the run ends, if decided.
    pub end: Option<u64>,
    /// Error of the first journal that could not be read.
    pub unread: Option<anyhow::Error>,
}

/// A journal and how far it was read.
#[derive(Debug)]
struct Read {
    journal: Journal,
    /// Last bytes that were read. If the file no longer has them there, it is another journal.
    mark: Vec<u8>,
    /// Offset before which all lines were passed to the judge, as far as needed.
    place: u64,
    /// Number of lines that disagree, and of blocks that are in several lines.
    doubled: (usize, u64),
}

/// A judge and the blocks passed to it.
#[derive(Debug)]
struct Heard {
    judge: Option<Judge>,
    /// Blocks passed to the judge, for each line-up that it needs.
    blocks: Vec<Holders>,
    /// First block of the current window. Blocks far after the window wait until it is complete, so
    /// that they take no memory.
    first: u64,
}

impl<'a> FolderJournals<'a> {
    /// Creates a reader of the journals in a folder that has read nothing.
    pub fn nothing(plan: &'a KeyedPlan<'a>, folder: &'a Path) -> FolderJournals<'a> {
        FolderJournals { plan, folder, journals: BTreeMap::new(), heard: Heard::nothing(plan) }
    }

    /// Reads what was added. A journal that cannot be read counts as far as it was read before.
    /// `is_over` returns true if the result is no longer needed.
    pub fn look(&mut self, is_over: impl Fn() -> bool) -> ScanResult {
        let mut look = ScanResult::default();
        match self.read(&is_over, &mut look) {
            Ok(true) => {}
            Ok(false) => self.forget(),
            Err(why) => _ = look.unread.get_or_insert(why),
        }
        if is_over() {
            return look;
        }
        let heard = match self.hear(&is_over, &mut look) {
            // A line arrived for a block already judged.
            Ok(false) => {
                self.forget();
                self.hear(&is_over, &mut look)
            }
            done => done,
        };
        if let Err(why) = heard {
            // The judge may have got a part.
            self.forget();
            look.unread.get_or_insert(why);
        }
        if let Some(judge) = &self.heard.judge {
            (look.blocks, look.end) = (judge.taken(), judge.end());
        }
        look
    }

    fn forget(&mut self) {
        self.heard = Heard::nothing(self.plan);
        self.journals.values_mut().for_each(|read| read.place = 0);
    }

    /// Reads additions to journals, and new journals. Returns false if something that was read no
    /// longer exists.
    fn read(&mut self, is_over: &impl Fn() -> bool, look: &mut ScanResult) -> anyhow::Result<bool> {
        let main = Some((None, paths::path_in(self.folder, None))).filter(|(_, main)| main.exists());
        let shards = paths::shards_in(self.folder)?.into_iter().map(|(shard, path)| (Some(shard), path));
        let there: BTreeMap<Option<Shard>, PathBuf> = main.into_iter().chain(shards).collect();
        let before = self.journals.len();
        self.journals.retain(|shard, _| there.contains_key(shard));
        let mut is_same = self.journals.len() == before;
        for (shard, path) in there {
            if is_over() {
                break;
            }
            let read = match self.journals.get_mut(&shard) {
                Some(read) => read.read_on().map(|goes_on| is_same &= goes_on),
                None => Read::begin(&path).map(|read| _ = self.journals.insert(shard, read)),
            };
            if let Err(why) = read {
                look.unread.get_or_insert(why);
            }
        }
        Ok(is_same)
    }

    /// Passes new lines to the judge. Returns false if games passed before may no longer count.
    fn hear(&mut self, is_over: &impl Fn() -> bool, look: &mut ScanResult) -> anyhow::Result<bool> {
        let FolderJournals { plan, journals, heard, .. } = self;
        let mut held = Vec::new();
        let mut known = Vec::new();
        for read in journals.values() {
            if is_over() {
                return Ok(true);
            }
            match Coverage::of(plan, &read.journal) {
                Ok(coverage) => {
                    let doubled = coverage.doubled();
                    known.push((read.journal.length(), doubled));
                    if !read.goes_on(doubled) || heard.has_any_of(&coverage, read.place) {
                        return Ok(false);
                    }
                    held.push((coverage, read.place));
                }
                Err(why) => {
                    look.unread.get_or_insert(why);
                    known.push((0, (0, 0)));
                }
            }
        }
        heard.hear(&held)?;
        drop(held);
        for (read, known) in journals.values_mut().zip(known) {
            (read.place, read.doubled) = known;
        }
        Ok(true)
    }
}

impl Read {
    fn begin(path: &Path) -> anyhow::Result<Read> {
        let journal = Journal::peek(path)?;
        let mark = mark(&journal)?;
        Ok(Read { journal, mark, place: 0, doubled: (0, 0) })
    }

    /// Reads what was added. Returns false if the file was replaced; then it is read from its
    /// beginning.
    fn read_on(&mut self) -> anyhow::Result<bool> {
        let goes_on = mark(&self.journal)? == self.mark;
        if goes_on {
            self.journal.read_on()?;
            self.mark = mark(&self.journal)?;
        } else {
            *self = Read::begin(self.journal.path())?;
        }
        Ok(goes_on)
    }

    /// Returns true if all lines passed to the judge still count, given the present number of
    /// doubled lines and blocks.
    fn goes_on(&self, doubled: (usize, u64)) -> bool {
        self.place == 0 || (doubled == self.doubled && !self.journal.drops_behind(self.place))
    }
}

impl Heard {
    fn nothing(plan: &KeyedPlan) -> Heard {
        let judge = Judge::of(plan);
        let sides = judge.as_ref().map_or(0, |judge| judge.lineups().len());
        Heard { judge, blocks: (0..sides).map(|_| Holders::default()).collect(), first: 0 }
    }

    /// Returns true if a line from this offset on has a block that was already judged.
    fn has_any_of(&self, coverage: &Coverage, place: u64) -> bool {
        let lineups = self.judge.iter().flat_map(|judge| judge.lineups());
        self.blocks.iter().zip(lineups).any(|(blocks, &lineup)| {
            let is_new = |line: usize| coverage.journal.line(line).offset >= place;
            let mut new = coverage.stretches[lineup].iter().filter(|stretch| is_new(stretch.line));
            new.any(|stretch| blocks.touches(&stretch.range()))
        })
    }

    /// Passes the lines of these journals from their offsets on to the judge.
    fn hear(&mut self, held: &[(Coverage, u64)]) -> anyhow::Result<()> {
        let Heard { judge: Some(judge), blocks, first } = self else { return Ok(()) };
        let held: Vec<_> = held.iter().map(|(coverage, place)| (coverage, *place)).collect();
        *first = judge.hear_windows(&held, *first, true, |side, range| _ = blocks[side].add(&range, 0))?;
        Ok(())
    }
}

/// Returns the file's bytes before the offset up to which a journal was read. They identify the
/// journal, because they contain a checksum or times.
fn mark(journal: &Journal) -> anyhow::Result<Vec<u8>> {
    let in_vain = || format!("cannot read the journal {}", shown(journal.path()));
    let file = system().open(journal.path()).with_context(in_vain)?;
    let first = journal.length().saturating_sub(MARK);
    let mut mark = Vec::new();
    let mut bytes = Reader::at(&*file, first).take(journal.length() - first);
    bytes.read_to_end(&mut mark).with_context(in_vain)?;
    Ok(mark)
}
