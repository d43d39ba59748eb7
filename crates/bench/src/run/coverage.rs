//! Coverage of a plan by a journal, and so the games that are left to play.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::{Context, anyhow};

use super::journal::{Journal, JournalLine};
use super::keyed::Keyed;
use super::played::Played;
use super::sound;
use crate::config::Blocks;
use crate::game::Shape;
use crate::record::GameRecord;
use crate::text::quoted;

/// The most games of a window. Of a duel, records and rows of two windows take some nine megabytes. Seeds that are listed in another order
/// than that of the journal make each line be read once for each window, so there should be few.
const WINDOW: u64 = 1 << 15;

/// For each line-up of a plan, where the records of its blocks are.
#[derive(Debug)]
pub struct Coverage<'a> {
    /// The journal.
    pub journal: &'a Journal,
    /// For each line-up, in the order of the plan, its stretches in the order of blocks; none overlaps another.
    pub stretches: Vec<Vec<Stretch<'a>>>,
    /// Games of a block.
    legs: u64,
    /// Games in the journal that the plan asks for, or that are in lines of its keys which do not count.
    known: u64,
    /// Lines with games that cannot have been played; none of theirs is in a stretch.
    pub flawed: Vec<&'a JournalLine>,
    /// Lines that hold different games of a block; none of theirs is in a stretch.
    pub disputed: Option<Dispute<'a>>,
    /// For each line-up, what was cut off its stretches because others of the same journal hold it too.
    doubled: Vec<Vec<Stretch<'a>>>,
}

/// Lines of one journal that hold different games of a block. Which is right cannot be known, so none counts.
#[derive(Debug)]
pub struct Dispute<'a> {
    /// All lines that hold such a block.
    pub lines: Vec<&'a JournalLine>,
    /// The first two of them in words that can go on.
    pub told: String,
}

/// A block of which two lines hold different games.
struct Disagreement<'a> {
    block: u64,
    lines: [&'a JournalLine; 2],
    records: [GameRecord; 2],
}

/// Consecutive blocks whose records stand one after the other in one line.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a> {
    /// The first block.
    pub first: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// The line.
    pub line: &'a JournalLine,
    /// Number of blocks of the line that come before.
    pub skip: u64,
    /// True if this is the first stretch of its line, which stands for the line where that counts once.
    pub leads: bool,
}

impl Stretch<'_> {
    /// The entries of the stretch in a column of its line, if the line has that many.
    pub fn of<'r, T>(&self, records: &'r [T], legs: u64) -> anyhow::Result<&'r [T]> {
        let asked = (legs * self.skip) as usize..(legs * (self.skip + self.blocks)) as usize;
        records.get(asked).context("a line of the journal has fewer games than it says")
    }

    /// The blocks.
    pub fn range(&self) -> Range<u64> {
        self.first..self.first + self.blocks
    }

    /// The part of it that lies within these blocks, which touch it.
    #[must_use]
    pub fn within(self, blocks: &Range<u64>) -> Self {
        let first = self.first.max(blocks.start);
        let end = self.range().end.min(blocks.end);
        Stretch { first, blocks: end - first, skip: self.skip + (first - self.first), ..self }
    }
}

impl<'a> Coverage<'a> {
    /// Finds the games of a plan in a journal. Games that the plan does not ask for are passed over. Of a block that stands in
    /// it twice the first counts; where both must be the same game and are not, none of their lines does.
    pub fn of(plan: &Keyed, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        sound::examine(plan, journal, &lineups_of(plan))?;
        let coverage = Coverage::unexamined(plan, journal)?;
        let Some(dispute) = coverage.dispute(plan)? else { return Ok(coverage) };
        let out = dispute.lines.iter().map(|&line| std::ptr::from_ref(line)).collect();
        Ok(Coverage { disputed: Some(dispute), ..Coverage::but_for(&out, plan, journal)? })
    }

    /// The same by the heads of lines alone: no game is looked at.
    pub(super) fn unexamined(plan: &Keyed, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        Coverage::but_for(&BTreeSet::new(), plan, journal)
    }

    /// The same, but for some lines.
    fn but_for(
        out: &BTreeSet<*const JournalLine>,
        plan: &Keyed,
        journal: &'a Journal,
    ) -> anyhow::Result<Coverage<'a>> {
        let mut stretches = vec![Vec::new(); plan.lineups.len()];
        let by_seed: BTreeMap<u64, u64> = match &*plan.blocks {
            Blocks::Derived { .. } => BTreeMap::new(),
            Blocks::Listed(seeds) => seeds.iter().copied().zip(0..).collect(),
        };
        let lineups = lineups_of(plan);
        let legs = plan.legs();
        let mut known = 0;
        let mut flawed = Vec::new();
        // Of other lines only the number of games is known: a tuning looks at a journal of a million lines at each of its steps.
        let lines =
            lineups.iter().flat_map(|(key, lineups)| journal.lines_of(key).map(move |line| (line, lineups)));
        for (line, lineups) in lines {
            if line.is_sound() == Some(false) {
                known += u64::from(line.games);
                flawed.push(line);
                continue;
            }
            if out.contains(&std::ptr::from_ref(line)) {
                known += u64::from(line.games);
                continue;
            }
            let of_line = |first, blocks, skip| Stretch { first, blocks, line, skip, leads: false };
            let found = match line.first {
                Some(first) => {
                    let blocks = plan.blocks.len().saturating_sub(first).min(u64::from(line.games) / legs);
                    vec![of_line(first, blocks, 0)]
                }
                None => {
                    let seeds = (0..).zip(seeds(journal, line)?);
                    let found = seeds.filter_map(|(skip, seed)| Some(of_line(*by_seed.get(seed)?, 1, skip)));
                    found.collect()
                }
            };
            let asked = legs * found.iter().map(|stretch| stretch.blocks).sum::<u64>();
            known += asked.min(u64::from(line.games));
            // Line-ups with the same key share their games.
            for &lineup in lineups {
                stretches[lineup].extend(&found);
            }
        }
        let doubled = stretches.iter_mut().map(tidy).collect();
        Ok(Coverage { journal, stretches, legs, known, flawed, disputed: None, doubled })
    }

    /// Games that lines of the journal disagree about.
    fn dispute(&self, plan: &Keyed) -> anyhow::Result<Option<Dispute<'a>>> {
        let mut lines = Vec::new();
        let mut first = None;
        for lineup in firsts(plan) {
            let mut blocks = BTreeSet::new();
            for window in windows(&self.doubled[lineup], self.legs) {
                let found = self.disagreements(plan, lineup, window, self.journal)?;
                blocks.extend(found.iter().map(|found| found.block));
                first = first.or_else(|| Some(found.first()?.told(plan, lineup, [self.journal; 2])));
            }
            let held = self.stretches[lineup].iter().chain(&self.doubled[lineup]);
            let disputed = held.filter(|stretch| blocks.range(stretch.range()).next().is_some());
            lines.extend(disputed.map(|stretch| stretch.line));
        }
        lines.sort_by_key(|&line| std::ptr::from_ref(line));
        lines.dedup_by_key(|line| std::ptr::from_ref(*line));
        Ok(first.map(|told| Dispute { lines, told }))
    }

    /// Number of lines that disagree, and of blocks that stand in several lines which count.
    pub(super) fn doubled(&self) -> (usize, u64) {
        let disputed = self.disputed.as_ref().map_or(0, |dispute| dispute.lines.len());
        (disputed, self.doubled.iter().flatten().map(|stretch| stretch.blocks).sum())
    }

    /// Finds out whether the games that this journal and another hold are the same in both, but for line-ups that may play
    /// otherwise the next time.
    pub(super) fn compare(&self, plan: &Keyed, offered: &Coverage) -> anyhow::Result<()> {
        for lineup in firsts(plan) {
            for window in offered.windows(lineup) {
                if let Some(found) = self.disagreements(plan, lineup, window, offered.journal)?.first() {
                    return Err(anyhow!(
                        "{}. `gauntlet show RESULTS --player {} --block {} --last` tells which: remove the other journal",
                        found.told(plan, lineup, [self.journal, offered.journal]),
                        players(plan, lineup),
                        found.block
                    ));
                }
            }
        }
        Ok(())
    }

    /// The blocks of a window of which this coverage has another game, if the line-up is reproducible.
    fn disagreements<'s>(
        &'s self,
        plan: &Keyed,
        lineup: usize,
        window: &[Stretch<'s>],
        theirs: &Journal,
    ) -> anyhow::Result<Vec<Disagreement<'s>>> {
        if !plan.is_lineup_reproducible(lineup) {
            return Ok(Vec::new());
        }
        // Only what both hold: between two stretches of the one there may be millions of games of the other.
        let mut both_mine = Vec::new();
        let mut both_theirs = Vec::new();
        for stretch in window {
            for held in self.touching(lineup, &stretch.range()) {
                both_mine.push(held.within(&stretch.range()));
                both_theirs.push(stretch.within(&held.range()));
            }
        }
        let mine = records(plan.legs(), self.journal, &both_mine)?;
        let theirs = records(plan.legs(), theirs, &both_theirs)?;
        let differ = mine.iter().zip(&theirs).filter(|(mine, theirs)| mine.record != theirs.record);
        let differ = differ.map(|(mine, theirs)| Disagreement {
            block: mine.block,
            lines: [mine.line, theirs.line],
            records: [mine.record, theirs.record],
        });
        Ok(differ.collect())
    }

    /// Games in the journal that the plan does not ask for: of another version of the experiment.
    pub fn others(&self) -> u64 {
        let all: u64 = self.journal.lines().iter().map(|line| u64::from(line.games)).sum();
        all - self.known
    }

    /// Number of these blocks that one line-up has played.
    pub fn blocks(&self, lineup: usize, among: &Range<u64>) -> u64 {
        let missing: u64 = self.missing(lineup, among).iter().map(|range| range.end - range.start).sum();
        among.end - among.start - missing
    }

    /// Number of blocks of these parts that one line-up has played.
    pub fn blocks_in(&self, lineup: usize, parts: &[Range<u64>]) -> u64 {
        parts.iter().map(|part| self.blocks(lineup, part)).sum()
    }

    /// What the games of one line-up in these parts add up to.
    pub(super) fn played(&self, plan: &Keyed, lineup: usize, parts: &[Range<u64>]) -> anyhow::Result<Played> {
        let (legs, shape) = (plan.legs(), plan.arena.shape);
        let touching = |part| self.touching(lineup, part).iter().map(move |stretch| stretch.within(part));
        let within: Vec<Stretch> = parts.iter().flat_map(touching).collect();
        let mut played = Played::default();
        for (line, stretches) in by_line(&within) {
            let known = line.played().filter(|_| {
                // Of a line of which all counts this is known without reading it again.
                legs * stretches.iter().map(|stretch| stretch.blocks).sum::<u64>() == u64::from(line.games)
            });
            if let Some(known) = known {
                played += known;
                continue;
            }
            let records =
                self.journal.read(line)?.records().context("a line of a journal contradicts itself")?;
            for stretch in stretches {
                played += Played::of(shape, stretch.of(&records, legs)?);
            }
        }
        Ok(played)
    }

    /// The sessions that have played the games, by their places in the journal.
    pub fn sessions(&self) -> BTreeSet<usize> {
        self.stretches.iter().flatten().map(|stretch| stretch.line.session).collect()
    }

    /// The blocks of one line-up that are missing among these.
    pub fn missing(&self, lineup: usize, among: &Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut next = among.start;
        for stretch in self.touching(lineup, among) {
            if stretch.first > next {
                missing.push(next..stretch.first);
            }
            next = next.max(stretch.first + stretch.blocks);
        }
        if next < among.end {
            missing.push(next..among.end);
        }
        missing
    }

    /// The blocks of one line-up that are missing in these parts.
    pub fn missing_in(&self, lineup: usize, parts: &[Range<u64>]) -> Vec<Range<u64>> {
        parts.iter().flat_map(|part| self.missing(lineup, part)).collect()
    }

    /// A game that is in the journal: its record, and its moves where they are kept.
    pub fn kept(
        &self,
        plan: &Keyed,
        lineup: usize,
        block: u64,
        leg: usize,
    ) -> anyhow::Result<Option<(GameRecord, Option<String>)>> {
        let Some(stretch) = self.touching(lineup, &(block..block + 1)).first() else { return Ok(None) };
        let stretch = stretch.within(&(block..block + 1));
        let games = self.journal.read(stretch.line)?;
        let records = games.records().context("a line of a journal contradicts itself")?;
        let record = stretch.of(&records, plan.legs())?[leg];
        let moves = stretch.of(&games.played, plan.legs()).ok().map(|moves| moves[leg].clone());
        Ok(Some((record, moves)))
    }

    /// The stretches of one line-up that touch these blocks.
    pub fn touching(&self, lineup: usize, among: &Range<u64>) -> &[Stretch<'a>] {
        let stretches = &self.stretches[lineup];
        let from = stretches.partition_point(|stretch| stretch.first + stretch.blocks <= among.start);
        let to = stretches.partition_point(|stretch| stretch.first < among.end);
        &stretches[from..to.max(from)]
    }

    /// The stretches of one line-up in order, in windows that fit in memory.
    pub fn windows(&self, lineup: usize) -> impl Iterator<Item = &[Stretch<'a>]> {
        windows(&self.stretches[lineup], self.legs)
    }

    /// True if all games of the plan are there.
    pub fn is_complete(&self, plan: &Keyed) -> bool {
        (0..plan.lineups.len()).all(|lineup| self.missing(lineup, &(0..plan.blocks.len())).is_empty())
    }
}

impl Disagreement<'_> {
    /// The disagreement in words that can go on.
    fn told(&self, plan: &Keyed, lineup: usize, journals: [&Journal; 2]) -> String {
        let Disagreement { block, lines: [one, other], records } = self;
        let places = [journals[0].place(one), journals[1].place(other)];
        let points = match plan.arena.shape {
            Shape::Solo => format!(", of {} and of {} points", records[0].score(), records[1].score()),
            Shape::Duel => String::new(),
        };
        format!(
            "{} and {} hold different games of {} on block {block}{points}: one of them is not what this experiment plays",
            places[0],
            places[1],
            plan.title(lineup)
        )
    }
}

/// The seeds that a line lists. They are read once for as long as the journal is open.
fn seeds<'a>(journal: &Journal, line: &'a JournalLine) -> anyhow::Result<&'a [u64]> {
    if let Some(seeds) = line.seeds.get() {
        return Ok(seeds);
    }
    let seeds = journal.read(line)?.seeds.into();
    Ok(line.seeds.get_or_init(|| seeds))
}

/// The players of a line-up as `gauntlet show` takes them behind `--player`.
fn players(plan: &Keyed, lineup: usize) -> String {
    let members: Vec<_> = plan.members(lineup).map(|player| quoted(player.name)).collect();
    members.join(" --against ")
}

/// The line-ups of a plan by their keys.
fn lineups_of<'p>(plan: &'p Keyed) -> BTreeMap<&'p str, Vec<usize>> {
    let mut lineups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for lineup in 0..plan.lineups.len() {
        lineups.entry(plan.key(lineup)).or_default().push(lineup);
    }
    lineups
}

/// The line-ups of a plan, of those with the same key only the first: they share their games.
pub(super) fn firsts(plan: &Keyed) -> impl Iterator<Item = usize> {
    let mut seen = BTreeSet::new();
    (0..plan.lineups.len()).filter(move |&lineup| seen.insert(plan.key(lineup)))
}

/// A game of a journal.
pub(super) struct Held<'a> {
    pub(super) block: u64,
    pub(super) line: &'a JournalLine,
    pub(super) record: GameRecord,
}

/// The games of some stretches, by block.
pub(super) fn records<'a>(
    legs: u64,
    journal: &Journal,
    stretches: &[Stretch<'a>],
) -> anyhow::Result<Vec<Held<'a>>> {
    let mut found = Vec::new();
    for (line, stretches) in by_line(stretches) {
        let records = journal.read(line)?.records().context("a line of a journal contradicts itself")?;
        for stretch in stretches {
            let records = stretch.of(&records, legs)?;
            let blocks = (stretch.first..).flat_map(|block| (0..legs).map(move |_| block));
            found.extend(blocks.zip(records).map(|(block, &record)| Held { block, line, record }));
        }
    }
    found.sort_by_key(|held| held.block);
    Ok(found)
}

/// Stretches in their order, in windows that fit in memory.
fn windows<'s, 'a>(mut rest: &'s [Stretch<'a>], legs: u64) -> impl Iterator<Item = &'s [Stretch<'a>]> {
    std::iter::from_fn(move || {
        let mut games = 0;
        let fits = rest.iter().take_while(|stretch| {
            games += legs * stretch.blocks;
            games <= WINDOW || games == legs * stretch.blocks
        });
        let (window, left) = rest.split_at(fits.count());
        rest = left;
        (!window.is_empty()).then_some(window)
    })
}

/// Stretches sorted by the lines they lie in, in the order of the journal: seeds that are listed in another order than
/// before leave every game a stretch by itself, and a line must not be read once for each.
pub fn by_line<'a>(stretches: &[Stretch<'a>]) -> Vec<(&'a JournalLine, Vec<Stretch<'a>>)> {
    let mut lines: BTreeMap<*const JournalLine, (&JournalLine, Vec<Stretch>)> = BTreeMap::new();
    for &stretch in stretches {
        let line = lines.entry(stretch.line).or_insert_with(|| (stretch.line, Vec::new()));
        line.1.push(stretch);
    }
    lines.into_values().collect()
}

/// Sorts stretches by block, cuts off what an earlier one holds too, and joins neighbours. Returns what was cut off.
fn tidy<'a>(stretches: &mut Vec<Stretch<'a>>) -> Vec<Stretch<'a>> {
    // Stable: of two that begin with the same block, the one that was written first stays.
    stretches.sort_by_key(|stretch| stretch.first);
    let mut tidied: Vec<Stretch> = Vec::with_capacity(stretches.len());
    let mut doubled = Vec::new();
    for mut stretch in stretches.drain(..) {
        if let Some(last) = tidied.last_mut() {
            let end = last.first + last.blocks;
            let known = end.saturating_sub(stretch.first).min(stretch.blocks);
            if known > 0 {
                doubled.push(Stretch { blocks: known, ..stretch });
            }
            stretch.first += known;
            stretch.skip += known;
            stretch.blocks -= known;
            let follows = stretch.first == end && stretch.skip == last.skip + last.blocks;
            if follows && std::ptr::eq(stretch.line, last.line) {
                last.blocks += stretch.blocks;
                continue;
            }
        }
        if stretch.blocks > 0 {
            tidied.push(stretch);
        }
    }
    lead(&mut tidied);
    *stretches = tidied;
    doubled
}

/// Marks the first stretch of each line.
pub fn lead(stretches: &mut [Stretch]) {
    let mut lines = BTreeSet::new();
    for stretch in stretches {
        stretch.leads = lines.insert(std::ptr::from_ref(stretch.line));
    }
}
