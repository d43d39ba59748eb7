//! Reads the journals of a run as they grow. It serves tasks of a run in shards, which check
//! whether the run ends, and the live page. Each look reads only what was added since the last one,
//! with the exceptions below. Its cost depends on the added games, not on the games before.
//!
//! The judge and the sums equal those of reading all bytes
//! ([`judge_folder`](super::judge::judge_folder)). If two lines have a block, one of them
//! counts, and a later line may change which one. So everything is read again if a line arrives for
//! a block that another line has, or if lines are invalidated. The same happens if a player is
//! skipped, or if a journal is replaced, cut or removed. Otherwise results are kept, even if bytes
//! already read are damaged later.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use gauntlet_core::disk::{Disk, Reader};
use gauntlet_core::text::display_path;

use super::block_set::Holders;
use super::complete_blocks::CompleteBlocks;
use super::coverage::Coverage;
use super::failing_players::find_failing;
use super::journal::Journal;
use super::judge::Judge;
use super::keyed_plan::KeyedPlan;
use super::programs;
use super::progress::Progress;
use super::tally::running_sums::RunningSums;
use super::{machine, paths, threads};
use crate::plan::Shard;

/// Largest length of the mark that identifies a journal, in bytes.
const LAST_BYTES: u64 = 256;

/// A look stops summing games after this time and continues in the next one. This happens only if a
/// long run was not read from its start.
const MAX_SUMMING_TIME: Duration = Duration::from_secs(2);

/// Contents of the journals in a folder, as far as they were read.
#[derive(Debug)]
pub struct FolderJournals {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    purpose: ReadPurpose,
    /// The journal of an undivided run first, then those of shards: if two have a block, the first
    /// one counts.
    journals: BTreeMap<Option<Shard>, JournalReader>,
    /// Results from the lines; `None` before the first look.
    games: Option<GameResults>,
}

/// Purpose of reading journals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadPurpose {
    /// To decide whether a run in shards ends early. Only the line-ups of its rule count, and a
    /// block that broke a program is not complete.
    End,
    /// To show the progress and the sums of a run, in shards or not. A block that broke a program
    /// is complete, as in the tables.
    Sums {
        /// False if shards in the folder belong to another run.
        with_shards: bool,
    },
}

/// Result of a look.
#[derive(Debug, Default)]
pub struct ScanResult {
    /// Number of complete blocks.
    pub blocks: u64,
    /// Number of blocks after which the run ends, if decided.
    pub end: Option<u64>,
    /// Error of the first journal that could not be read.
    pub read_error: Option<anyhow::Error>,
}

/// A journal, how far it was read, and what is in its lines.
#[derive(Debug)]
pub struct JournalReader {
    journal: Journal,
    /// Last bytes that were read. If the file no longer has them there, it is another journal.
    last_bytes: Vec<u8>,
    /// Number of its lines that were passed on, and the offset after them.
    line_count: usize,
    offset: u64,
    /// Blocks that each line-up has played.
    played_blocks: Vec<Holders>,
    /// Number of lines with impossible games.
    flawed_lines: usize,
    /// Describes lines with different games of a block.
    conflict: Option<String>,
    /// Number of games that do not belong to the plan.
    foreign_games: u64,
}

/// Results from the games in the lines.
#[derive(Debug)]
struct GameResults {
    /// The judge, if the run may end early, and the blocks of its line-ups.
    judge: Option<(Judge, CompleteBlocks)>,
    /// The sums, if they are asked for, and the blocks of all line-ups.
    sums: Option<(RunningSums, CompleteBlocks)>,
    /// True if more blocks are complete than the sums have.
    is_behind: bool,
    /// Why the sums do not continue: two journals have different games of a block.
    conflict: Option<String>,
    /// Players that the plan lacks, by index.
    skipped: Vec<usize>,
}

impl FolderJournals {
    /// Creates a reader of the journals in a folder that has read nothing.
    pub fn new(disk: Arc<dyn Disk>, folder: &Path, purpose: ReadPurpose) -> FolderJournals {
        FolderJournals { disk, folder: folder.to_owned(), purpose, journals: BTreeMap::new(), games: None }
    }

    /// Reads what was added. A journal that cannot be read counts as far as it was read before.
    /// `is_over` returns true if the result is no longer needed.
    pub fn scan(&mut self, plan: &KeyedPlan, is_over: impl Fn() -> bool) -> ScanResult {
        let mut result = ScanResult { read_error: self.read(&is_over), ..ScanResult::default() };
        if is_over() {
            return result;
        }
        let outcome = match self.take_new_lines(plan, &is_over, &mut result) {
            // A line arrived for a block that another line has.
            Ok(false) => {
                self.forget();
                self.take_new_lines(plan, &is_over, &mut result)
            }
            other => other,
        };
        if let Err(error) = outcome {
            // A part may have been added.
            self.forget();
            result.read_error.get_or_insert(error);
        }
        if let Some((judge, _)) = self.games.as_ref().and_then(|games| games.judge.as_ref()) {
            (result.blocks, result.end) = (judge.judged_blocks(), judge.end());
        }
        result
    }

    /// Reads the additions to journals without using them, so that the plan can be made with their
    /// sessions. Returns the error of the first journal that could not be read.
    pub fn read(&mut self, is_over: impl Fn() -> bool) -> Option<anyhow::Error> {
        let mut read_error = None;
        match self.read_all(&is_over, &mut read_error) {
            Ok(true) => {}
            Ok(false) => self.forget(),
            Err(error) => _ = read_error.get_or_insert(error),
        }
        read_error
    }

    fn forget(&mut self) {
        self.games = None;
        self.journals.values_mut().for_each(JournalReader::forget);
    }

    /// Reads additions to journals, and new journals. Returns false if something that was read no
    /// longer exists.
    fn read_all(
        &mut self,
        is_over: &impl Fn() -> bool,
        read_error: &mut Option<anyhow::Error>,
    ) -> anyhow::Result<bool> {
        let main = Some((None, paths::journal_path(&self.folder, None))).filter(|(_, main)| main.exists());
        let shards = match self.purpose {
            ReadPurpose::Sums { with_shards: false } => Vec::new(),
            _ => paths::find_shards(&self.folder)?,
        };
        let shards = shards.into_iter().map(|(shard, path)| (Some(shard), path));
        let journal_paths: BTreeMap<Option<Shard>, PathBuf> = main.into_iter().chain(shards).collect();
        let old_count = self.journals.len();
        self.journals.retain(|shard, _| journal_paths.contains_key(shard));
        let mut is_same = self.journals.len() == old_count;
        for (shard, path) in journal_paths {
            if is_over() {
                break;
            }
            let result = match self.journals.get_mut(&shard) {
                Some(reader) => reader.read_appended(&self.disk).map(|is_continued| is_same &= is_continued),
                None => {
                    let reader = JournalReader::open(&self.disk, &path);
                    reader.map(|reader| _ = self.journals.insert(shard, reader))
                }
            };
            if let Err(error) = result {
                read_error.get_or_insert(error);
            }
        }
        Ok(is_same)
    }

    /// Passes new lines to the judge and to the sums. Returns false if lines passed on before may
    /// no longer count.
    fn take_new_lines(
        &mut self,
        plan: &KeyedPlan,
        is_over: &impl Fn() -> bool,
        result: &mut ScanResult,
    ) -> anyhow::Result<bool> {
        // If a player was skipped since the last look, line-ups have other indices.
        if self.games.as_ref().is_some_and(|games| !games.skipped.iter().eq(plan.skipped.keys())) {
            return Ok(false);
        }
        let games = self.games.get_or_insert_with(|| GameResults::new(plan, self.purpose));
        let mut coverages = Vec::new();
        for (&shard, reader) in &self.journals {
            if is_over() {
                return Ok(true);
            }
            if reader.line_count > 0 && reader.journal.has_drops_after(reader.offset) {
                return Ok(false);
            }
            match Coverage::from_lines(plan, &reader.journal, reader.line_count) {
                Ok(coverage) if games.overlaps(&coverage) => return Ok(false),
                Ok(coverage) => coverages.push((shard, coverage)),
                Err(error) => _ = result.read_error.get_or_insert(error),
            }
        }
        games.add(plan, &coverages)?;
        let counts: Vec<_> =
            coverages.iter().map(|(shard, coverage)| (*shard, LineCounts::new(coverage))).collect();
        drop(coverages);
        for (shard, counts) in counts {
            self.journals.get_mut(&shard).expect("it was read").count_lines(plan, counts);
        }
        let journals = &self.journals;
        let journal_of = |shard: Option<Shard>| &journals[&shard].journal;
        let counts_failures = matches!(self.purpose, ReadPurpose::Sums { .. });
        let has_failed = |lineup: usize, block: u64| {
            let (key, mut readers) = (plan.key(lineup), journals.values());
            counts_failures
                && readers.any(|reader| {
                    let journal = &reader.journal;
                    journal.count_panics(key) > 0 && journal.panic(key, plan.blocks.seed(block)).is_some()
                })
        };
        let block_count = plan.blocks.len();
        if let Some((judge, blocks)) = &mut games.judge {
            while judge.end().is_none()
                && let Some(window) = blocks.take(block_count, has_failed)
            {
                judge.add_complete(&window, journal_of)?;
            }
        }
        // Games after the end do not count.
        let end = games.judge.as_ref().and_then(|(judge, _)| judge.end()).unwrap_or(block_count);
        if let Some((sums, blocks)) = games.sums.as_mut().filter(|_| games.conflict.is_none()) {
            let start = Instant::now();
            games.is_behind = false;
            if let Some(first) = blocks.take(end, has_failed) {
                games.is_behind = threads::build_pool(machine::cores())?.install(|| {
                    sums.add(plan, &first, journal_of)?;
                    while start.elapsed() < MAX_SUMMING_TIME {
                        let Some(window) = blocks.take(end, has_failed) else { return Ok(false) };
                        sums.add(plan, &window, journal_of)?;
                    }
                    anyhow::Ok(true)
                })?;
            }
            let sessions = journals.values().flat_map(|reader| reader.journal.sessions());
            sums.note_sessions(&sessions.cloned().collect::<Vec<_>>());
        }
        Ok(true)
    }

    /// Returns the journals, the one of an undivided run first.
    pub fn journals(&self) -> impl Iterator<Item = (Option<Shard>, &JournalReader)> {
        self.journals.iter().map(|(shard, reader)| (*shard, reader))
    }

    /// Returns the judge, if the run may end early.
    pub fn judge(&self) -> Option<&Judge> {
        Some(&self.games.as_ref()?.judge.as_ref()?.0)
    }

    /// Returns the plan without the players that failed in game after game.
    pub fn without_failing<'p>(&self, plan: &KeyedPlan<'p>) -> KeyedPlan<'p> {
        let journals = self.journals.values().map(|reader| &reader.journal);
        plan.without_players(journals.flat_map(|journal| find_failing(plan, journal)).collect())
    }

    /// Returns true if the sums lack blocks that are complete, which the next look adds.
    pub fn is_behind(&self) -> bool {
        self.games.as_ref().is_some_and(|games| games.is_behind)
    }

    /// Returns the sums of the complete blocks, or why two journals contradict each other. `None`
    /// if nothing was read.
    pub fn sums(&self) -> Option<Result<&RunningSums, &str>> {
        let games = self.games.as_ref()?;
        match &games.conflict {
            Some(conflict) => Some(Err(conflict)),
            None => games.sums.as_ref().map(|(sums, _)| Ok(sums)),
        }
    }
}

impl GameResults {
    fn new(plan: &KeyedPlan, purpose: ReadPurpose) -> GameResults {
        let judge = Judge::new(plan).map(|judge| {
            let blocks = CompleteBlocks::new(judge.lineups().iter().copied());
            (judge, blocks)
        });
        let sums = matches!(purpose, ReadPurpose::Sums { .. })
            .then(|| (RunningSums::new(plan), CompleteBlocks::new(0..plan.lineups.len())));
        let skipped = plan.skipped.keys().copied().collect();
        GameResults { judge, sums, is_behind: false, conflict: None, skipped }
    }

    fn blocks(&self) -> impl Iterator<Item = &CompleteBlocks> {
        let judge_blocks = self.judge.as_ref().map(|(_, blocks)| blocks);
        judge_blocks.into_iter().chain(self.sums.as_ref().map(|(_, blocks)| blocks))
    }

    /// Returns true if new lines have a block that an earlier line has.
    fn overlaps(&self, coverage: &Coverage) -> bool {
        self.blocks().any(|blocks| blocks.overlaps(coverage))
    }

    /// Adds the blocks of new lines. If journals share blocks, their games must be equal.
    fn add(&mut self, plan: &KeyedPlan, coverages: &[(Option<Shard>, Coverage)]) -> anyhow::Result<()> {
        for (index, (shard, coverage)) in coverages.iter().enumerate() {
            if let Some((_, blocks)) = &mut self.judge {
                blocks.add((index, *shard), coverage, |_| ());
            }
            let Some((_, blocks)) = &mut self.sums else { continue };
            let mut earlier = BTreeSet::new();
            blocks.add((index, *shard), coverage, |other| _ = earlier.insert(other));
            for other in earlier {
                if let Err(conflict) = coverages[other].1.compare(plan, coverage) {
                    self.conflict.get_or_insert(format!("{conflict:#}"));
                }
            }
        }
        if self.sums.is_some() && coverages.len() > 1 {
            let journals = coverages.iter().map(|(_, coverage)| coverage.journal);
            if let Err(conflict) = programs::check_same_programs(plan, journals) {
                self.conflict.get_or_insert(format!("{conflict:#}"));
            }
        }
        Ok(())
    }
}

/// What is counted of the lines of a journal.
struct LineCounts {
    blocks: Vec<Vec<Range<u64>>>,
    flawed_lines: usize,
    conflict: Option<String>,
    foreign_games: u64,
}

impl LineCounts {
    fn new(coverage: &Coverage) -> LineCounts {
        let ranges = |spans: &Vec<_>| spans.iter().map(super::block_span::BlockSpan::range).collect();
        LineCounts {
            blocks: coverage.spans.iter().map(ranges).collect(),
            flawed_lines: coverage.flawed_lines.len(),
            conflict: coverage.conflict.as_ref().map(|conflict| conflict.description.clone()),
            foreign_games: coverage.foreign_games(),
        }
    }
}

impl JournalReader {
    fn open(disk: &Arc<dyn Disk>, path: &Path) -> anyhow::Result<JournalReader> {
        let file =
            disk.open(path).with_context(|| format!("cannot open the journal {}", display_path(path)))?;
        let journal = Journal::scan(Arc::clone(disk), path, file)?;
        let last_bytes = read_last_bytes(&**disk, &journal)?;
        Ok(JournalReader {
            journal,
            last_bytes,
            line_count: 0,
            offset: 0,
            played_blocks: Vec::new(),
            flawed_lines: 0,
            conflict: None,
            foreign_games: 0,
        })
    }

    /// Reads what was added. Returns false if the file was replaced; then it is read from its
    /// beginning.
    fn read_appended(&mut self, disk: &Arc<dyn Disk>) -> anyhow::Result<bool> {
        let is_continued = read_last_bytes(&**disk, &self.journal)? == self.last_bytes;
        if is_continued {
            self.journal.read_appended()?;
            self.last_bytes = read_last_bytes(&**disk, &self.journal)?;
        } else {
            *self = JournalReader::open(disk, self.journal.path())?;
        }
        Ok(is_continued)
    }

    fn forget(&mut self) {
        (self.line_count, self.offset) = (0, 0);
        (self.played_blocks, self.flawed_lines, self.conflict, self.foreign_games) = (Vec::new(), 0, None, 0);
    }

    /// Counts lines that were passed on, which are all up to the end of the journal.
    fn count_lines(&mut self, plan: &KeyedPlan, counts: LineCounts) {
        (self.line_count, self.offset) = (self.journal.lines().len(), self.journal.length());
        self.played_blocks.resize_with(plan.lineups.len(), Holders::default);
        for (blocks, ranges) in self.played_blocks.iter_mut().zip(&counts.blocks) {
            ranges.iter().for_each(|range| _ = blocks.add(range, 0));
        }
        self.flawed_lines += counts.flawed_lines;
        self.conflict = self.conflict.take().or(counts.conflict);
        self.foreign_games += counts.foreign_games;
    }

    /// Returns the journal.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the number of lines that are skipped.
    pub fn damaged_lines(&self) -> usize {
        self.journal.unparsed_lines + self.flawed_lines
    }

    /// Describes lines with different games of a block, which do not count.
    pub fn conflict_message(&self) -> Option<&str> {
        self.conflict.as_deref()
    }

    /// Returns the number of games that do not belong to the plan.
    pub fn foreign_games(&self) -> u64 {
        self.foreign_games
    }

    /// Measures the run, or the shard of this journal. The run ends before the block `end`.
    pub fn progress(&self, plan: &KeyedPlan, shard: Option<Shard>, end: u64) -> Progress {
        Progress::from_blocks(plan, &self.journal, shard, end, |lineup, parts| {
            let blocks = self.played_blocks.get(lineup);
            blocks.map_or(0, |blocks| parts.iter().map(|part| blocks.count(part)).sum())
        })
    }
}

/// Returns the file's bytes before the offset up to which a journal was read. They identify the
/// journal, because they contain a checksum or times.
fn read_last_bytes(disk: &dyn Disk, journal: &Journal) -> anyhow::Result<Vec<u8>> {
    let read_error = || format!("cannot read the journal {}", display_path(journal.path()));
    let file = disk.open(journal.path()).with_context(read_error)?;
    let start = journal.length().saturating_sub(LAST_BYTES);
    let mut last_bytes = Vec::new();
    let mut bytes = Reader::new(&*file, start).take(journal.length() - start);
    bytes.read_to_end(&mut last_bytes).with_context(read_error)?;
    Ok(last_bytes)
}
