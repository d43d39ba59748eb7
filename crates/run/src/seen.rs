//! What the journals of a run in shards hold together, for a task that looks at them from time to
//! time. A look reads what was added since the last one, but for the cases below.
//!
//! What it answers is what a look at all bytes would
//! ([`heard_together`](super::judge::heard_together)). Of a block that two lines hold one counts,
//! and which one may change with a line that comes later. So all games are heard anew where a line
//! comes for a block that was heard, where lines count no more, and where a journal was replaced,
//! cut or removed. Until then what was read stays known, also where its bytes are damaged later.

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

/// The most bytes of the mark by which a journal is known again.
const MARK: u64 = 256;

/// What was seen of the journals in a folder.
#[derive(Debug)]
pub struct Seen<'a> {
    plan: &'a KeyedPlan<'a>,
    folder: &'a Path,
    /// First that of an undivided run, then those of shards: of a block that two hold the first
    /// counts.
    journals: BTreeMap<Option<Shard>, Read>,
    heard: Heard,
}

/// What a look has found.
#[derive(Debug, Default)]
pub struct Look {
    /// Number of blocks that are complete.
    pub blocks: u64,
    /// After how many blocks the run is over, if that is known.
    pub end: Option<u64>,
    /// The first reason why something was passed over that could not be read.
    pub unread: Option<anyhow::Error>,
}

/// A journal, as far as it was read.
#[derive(Debug)]
struct Read {
    journal: Journal,
    /// The last bytes that were read. Where they stand there no more the journal is another one.
    mark: Vec<u8>,
    /// Lines that begin before this place were heard, as far as they were to be.
    place: u64,
    /// Lines that disagree, and blocks that stand in several lines.
    doubled: (usize, u64),
}

/// What a judge has heard.
#[derive(Debug)]
struct Heard {
    judge: Option<Judge>,
    /// For each line-up that the judge listens to the blocks that it has heard.
    blocks: Vec<Holders>,
    /// The first block of those that are heard now. Blocks that come far behind them wait until all
    /// of these are complete, and take no memory.
    first: u64,
}

impl<'a> Seen<'a> {
    /// Nothing was seen so far of the journals in a folder.
    pub fn nothing(plan: &'a KeyedPlan<'a>, folder: &'a Path) -> Seen<'a> {
        Seen { plan, folder, journals: BTreeMap::new(), heard: Heard::nothing(plan) }
    }

    /// Reads what was added. A journal that cannot be read counts as far as it was read before.
    /// `is_over` tells that the answer is not needed any more.
    pub fn look(&mut self, is_over: impl Fn() -> bool) -> Look {
        let mut look = Look::default();
        match self.read(&is_over, &mut look) {
            Ok(true) => {}
            Ok(false) => self.forget(),
            Err(why) => _ = look.unread.get_or_insert(why),
        }
        if is_over() {
            return look;
        }
        let heard = match self.hear(&is_over, &mut look) {
            // A line has come for a block that was heard.
            Ok(false) => {
                self.forget();
                self.hear(&is_over, &mut look)
            }
            done => done,
        };
        if let Err(why) = heard {
            // It may have heard a part.
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

    /// Reads what was added to journals, and those that are new. False if something that was read
    /// is there no more.
    fn read(&mut self, is_over: &impl Fn() -> bool, look: &mut Look) -> anyhow::Result<bool> {
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

    /// Hears the lines that are new. False if what was heard of some block may count no more.
    fn hear(&mut self, is_over: &impl Fn() -> bool, look: &mut Look) -> anyhow::Result<bool> {
        let Seen { plan, journals, heard, .. } = self;
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

    /// Reads what was added. False if the file is another one than before, which is read from its
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

    /// True if all lines that were heard count as they did, where the lines of the journal are
    /// doubled as this says.
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

    /// True if one of these blocks, of the lines of a journal from this place on, was heard before.
    fn has_any_of(&self, coverage: &Coverage, place: u64) -> bool {
        let lineups = self.judge.iter().flat_map(|judge| judge.lineups());
        self.blocks.iter().zip(lineups).any(|(blocks, &lineup)| {
            let is_new = |line: usize| coverage.journal.line(line).offset >= place;
            let mut new = coverage.stretches[lineup].iter().filter(|stretch| is_new(stretch.line));
            new.any(|stretch| blocks.touches(&stretch.range()))
        })
    }

    /// Hears the lines of these journals, each from a place of its own on.
    fn hear(&mut self, held: &[(Coverage, u64)]) -> anyhow::Result<()> {
        let Heard { judge: Some(judge), blocks, first } = self else { return Ok(()) };
        let held: Vec<_> = held.iter().map(|(coverage, place)| (coverage, *place)).collect();
        *first = judge.hear_windows(&held, *first, true, |side, range| _ = blocks[side].add(&range, 0))?;
        Ok(())
    }
}

/// The bytes that its file holds now before the place up to which a journal was read. They tell one
/// journal from another, for they hold a checksum or times.
fn mark(journal: &Journal) -> anyhow::Result<Vec<u8>> {
    let in_vain = || format!("cannot read the journal {}", shown(journal.path()));
    let file = system().open(journal.path()).with_context(in_vain)?;
    let first = journal.length().saturating_sub(MARK);
    let mut mark = Vec::new();
    let mut bytes = Reader::at(&*file, first).take(journal.length() - first);
    bytes.read_to_end(&mut mark).with_context(in_vain)?;
    Ok(mark)
}
