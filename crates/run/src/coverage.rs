//! Coverage of a plan by a journal, and so the games that are left to play.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::{Context, anyhow};
use gauntlet_core::game::Shape;
use gauntlet_core::record::GameRecord;
use gauntlet_core::text::quoted;

use super::journal::{GamesEntry, Journal, JournalLine};
use super::keyed::KeyedPlan;
use super::played::Played;
use super::validate;
use crate::blocks::Blocks;

/// The most games of a window. Of a duel, records and rows of two windows take some nine megabytes.
/// Seeds that are listed in another order than that of the journal make each line be read once for
/// each window, so there should be few.
const WINDOW: u64 = 1 << 15;

/// For each line-up of a plan, where the records of its blocks are.
#[derive(Debug)]
pub struct Coverage<'a> {
    /// The journal.
    pub journal: &'a Journal,
    /// For each line-up, in the order of the plan, its stretches in the order of blocks; none
    /// overlaps another.
    pub stretches: Vec<Vec<Stretch>>,
    /// Games of a block.
    legs: u64,
    /// Games in the journal that the plan asks for, or that are in lines of its keys which do not
    /// count.
    known: u64,
    /// Lines with games that cannot have been played; none of theirs is in a stretch.
    pub flawed: Vec<usize>,
    /// Lines that hold different games of a block; none of theirs is in a stretch.
    pub disputed: Option<Dispute>,
    /// For each line-up, what was cut off its stretches because others of the same journal hold it
    /// too.
    doubled: Vec<Vec<Stretch>>,
}

/// Lines of one journal that hold different games of a block. Which is right cannot be known, so
/// none counts.
#[derive(Debug)]
pub struct Dispute {
    /// All lines that hold such a block.
    pub lines: Vec<usize>,
    /// The first two of them in words that can go on.
    pub told: String,
}

/// Consecutive blocks whose records stand one after the other in one line.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// The first block.
    pub first: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// The line, by its place among those of the journal.
    pub line: usize,
    /// Number of blocks of the line that come before.
    pub skip: u64,
    /// True if this is the first stretch of its line, which stands for the line where that counts
    /// once.
    pub leads: bool,
}

impl Stretch {
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
    /// Finds the games of a plan in a journal. Games that the plan does not ask for are passed
    /// over. Of a block that stands in it twice the first counts; where both must be the same game
    /// and are not, none of their lines does.
    pub fn of(plan: &KeyedPlan, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        validate::examine(plan, journal, &lineups_of(plan))?;
        let coverage = Coverage::unexamined(plan, journal)?;
        let Some(dispute) = coverage.dispute(plan)? else { return Ok(coverage) };
        let coverage = Coverage::but_for(&dispute.lines, plan, journal)?;
        Ok(Coverage { disputed: Some(dispute), ..coverage })
    }

    /// The same by the heads of lines alone: no game is looked at.
    pub(super) fn unexamined(plan: &KeyedPlan, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        Coverage::but_for(&[], plan, journal)
    }

    /// The same, but for some lines, in their order.
    fn but_for(out: &[usize], plan: &KeyedPlan, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        let mut stretches = vec![Vec::new(); plan.lineups.len()];
        let by_seed = by_seed(plan);
        let lineups = lineups_of(plan);
        let legs = plan.legs();
        let mut known = 0;
        let mut flawed = Vec::new();
        // Of other lines only the number of games is known: a tuning looks at a journal of a
        // million lines at each of its steps.
        let lines =
            lineups.iter().flat_map(|(key, lineups)| journal.lines_of(key).map(move |line| (line, lineups)));
        for (line, lineups) in lines {
            let games = u64::from(journal.line(line).games);
            let is_flawed = journal.line(line).is_sound() == Some(false);
            if is_flawed || out.binary_search(&line).is_ok() {
                known += games;
                flawed.extend(is_flawed.then_some(line));
                continue;
            }
            let found = stretches_of(plan, &by_seed, journal, line)?;
            known += games.min(legs * found.iter().map(|stretch| stretch.blocks).sum::<u64>());
            // Line-ups with the same key share their games.
            for &lineup in lineups {
                stretches[lineup].extend(&found);
            }
        }
        let doubled = stretches.iter_mut().map(tidy).collect();
        Ok(Coverage { journal, stretches, legs, known, flawed, disputed: None, doubled })
    }

    /// Games that lines of the journal disagree about.
    fn dispute(&self, plan: &KeyedPlan) -> anyhow::Result<Option<Dispute>> {
        let mut lines = Vec::new();
        let mut first = None;
        for lineup in firsts(plan) {
            let mut blocks = BTreeSet::new();
            for window in windows(&self.doubled[lineup], self.legs) {
                let found = self.disagreements(plan, lineup, window, self.journal)?;
                blocks.extend(found.iter().map(|[held, _]| held.block));
                first = first.or_else(|| Some(told(plan, lineup, [self.journal; 2], found.first()?)));
            }
            let held = self.stretches[lineup].iter().chain(&self.doubled[lineup]);
            let disputed = held.filter(|stretch| blocks.range(stretch.range()).next().is_some());
            lines.extend(disputed.map(|stretch| stretch.line));
        }
        lines.sort_unstable();
        lines.dedup();
        Ok(first.map(|told| Dispute { lines, told }))
    }

    /// Number of lines that disagree, and of blocks that stand in several lines which count.
    pub(super) fn doubled(&self) -> (usize, u64) {
        let disputed = self.disputed.as_ref().map_or(0, |dispute| dispute.lines.len());
        (disputed, self.doubled.iter().flatten().map(|stretch| stretch.blocks).sum())
    }

    /// Finds out whether the games that this journal and another hold are the same in both, but for
    /// line-ups that may play otherwise the next time.
    pub(super) fn compare(&self, plan: &KeyedPlan, offered: &Coverage) -> anyhow::Result<()> {
        for lineup in firsts(plan) {
            for window in offered.windows(lineup) {
                if let Some(found) = self.disagreements(plan, lineup, window, offered.journal)?.first() {
                    return Err(anyhow!(
                        "{}. `gauntlet show RESULTS --player {} --block {} --last` tells which: remove the other journal",
                        told(plan, lineup, [self.journal, offered.journal], found),
                        players(plan, lineup),
                        found[0].block
                    ));
                }
            }
        }
        Ok(())
    }

    /// The games of a window of which this coverage has another game, with that before them, if the
    /// line-up is reproducible.
    fn disagreements(
        &self,
        plan: &KeyedPlan,
        lineup: usize,
        window: &[Stretch],
        theirs: &Journal,
    ) -> anyhow::Result<Vec<[Held; 2]>> {
        if !plan.is_lineup_reproducible(lineup) {
            return Ok(Vec::new());
        }
        // Only what both hold: between two stretches of the one there may be millions of games of
        // the other.
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
        let both = mine.into_iter().zip(theirs).map(|(mine, theirs)| [mine, theirs]);
        Ok(both.filter(|[mine, theirs]| mine.record != theirs.record).collect())
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
    pub(super) fn played(
        &self,
        plan: &KeyedPlan,
        lineup: usize,
        parts: &[Range<u64>],
    ) -> anyhow::Result<Played> {
        let (legs, shape) = (plan.legs(), plan.arena.shape);
        let touching = |part| self.touching(lineup, part).iter().map(move |stretch| stretch.within(part));
        let within: Vec<Stretch> = parts.iter().flat_map(touching).collect();
        let mut played = Played::default();
        let mut unknown = Vec::new();
        for (line, stretches) in by_line(&within) {
            let line = self.journal.line(line);
            // Of a line of which all counts this is known without reading it again.
            let blocks = stretches.iter().map(|stretch| stretch.blocks).sum::<u64>();
            match line.played.get() {
                Some(&known) if legs * blocks == u64::from(line.games) => played += known,
                _ => unknown.extend(stretches),
            }
        }
        read_all(self.journal, legs, &unknown, |_, _, records| played += Played::of(shape, records))?;
        Ok(played)
    }

    /// The sessions that have played the games, by their places in the journal.
    pub fn sessions(&self) -> BTreeSet<usize> {
        let lines: BTreeSet<usize> = self.stretches.iter().flatten().map(|stretch| stretch.line).collect();
        lines.into_iter().map(|line| self.journal.line(line).session).collect()
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
        plan: &KeyedPlan,
        lineup: usize,
        block: u64,
        leg: usize,
    ) -> anyhow::Result<Option<(GameRecord, Option<String>)>> {
        let Some(stretch) = self.touching(lineup, &(block..block + 1)).first() else { return Ok(None) };
        let stretch = stretch.within(&(block..block + 1));
        let mut kept = None;
        read_all(self.journal, plan.legs(), &[stretch], |_, games, records| {
            let moves = stretch.of(&games.played, plan.legs()).ok();
            kept = Some((records[leg], moves.map(|moves| moves[leg].clone())));
        })?;
        Ok(kept)
    }

    /// The stretches of one line-up that touch these blocks.
    pub fn touching(&self, lineup: usize, among: &Range<u64>) -> &[Stretch] {
        let stretches = &self.stretches[lineup];
        let from = stretches.partition_point(|stretch| stretch.first + stretch.blocks <= among.start);
        let to = stretches.partition_point(|stretch| stretch.first < among.end);
        &stretches[from..to.max(from)]
    }

    /// The stretches of one line-up in order, in windows that fit in memory.
    pub fn windows(&self, lineup: usize) -> impl Iterator<Item = &[Stretch]> {
        windows(&self.stretches[lineup], self.legs)
    }

    /// True if all games of the plan are there.
    pub fn is_complete(&self, plan: &KeyedPlan) -> bool {
        (0..plan.lineups.len()).all(|lineup| self.missing(lineup, &(0..plan.blocks.len())).is_empty())
    }
}

/// Two games of a block that disagree, in words that can go on.
fn told(plan: &KeyedPlan, lineup: usize, journals: [&Journal; 2], [one, other]: &[Held; 2]) -> String {
    let points = match plan.arena.shape {
        Shape::Solo => {
            format!(", of {} and of {} points", one.record.score(), other.record.score())
        }
        Shape::Duel => String::new(),
    };
    format!(
        "{} and {} hold different games of {} on block {}{points}: one of them is not what this experiment plays",
        journals[0].place(one.line),
        journals[1].place(other.line),
        plan.title(lineup),
        one.block
    )
}

/// The blocks of a plan by their seeds, if these are listed.
pub(super) fn by_seed(plan: &KeyedPlan) -> BTreeMap<u64, u64> {
    match &*plan.blocks {
        Blocks::Derived { .. } => BTreeMap::new(),
        Blocks::Listed(seeds) => seeds.iter().copied().zip(0..).collect(),
    }
}

/// Where the blocks of a plan are in a line that holds games of one of its line-ups.
pub(super) fn stretches_of(
    plan: &KeyedPlan,
    by_seed: &BTreeMap<u64, u64>,
    journal: &Journal,
    line: usize,
) -> anyhow::Result<Vec<Stretch>> {
    let of_line = |first, blocks, skip| Stretch { first, blocks, line, skip, leads: false };
    let JournalLine { first, games, seeds, .. } = journal.line(line);
    if let &Some(first) = first {
        let blocks = plan.blocks.len().saturating_sub(first).min(u64::from(*games) / plan.legs());
        return Ok(vec![of_line(first, blocks, 0)]);
    }
    // They are read once for as long as the journal is open.
    let seeds = match seeds.get() {
        Some(seeds) => seeds,
        None => {
            let read = journal.read(line)?.seeds.into();
            seeds.get_or_init(|| read)
        }
    };
    let found = (0..).zip(seeds).filter_map(|(skip, seed)| Some(of_line(*by_seed.get(seed)?, 1, skip)));
    Ok(found.collect())
}

/// The players of a line-up as `gauntlet show` takes them behind `--player`.
fn players(plan: &KeyedPlan, lineup: usize) -> String {
    let members: Vec<_> = plan.members(lineup).map(|player| quoted(player.name)).collect();
    members.join(" --against ")
}

/// The line-ups of a plan by their keys.
fn lineups_of<'p>(plan: &'p KeyedPlan) -> BTreeMap<&'p str, Vec<usize>> {
    let mut lineups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for lineup in 0..plan.lineups.len() {
        lineups.entry(plan.key(lineup)).or_default().push(lineup);
    }
    lineups
}

/// The line-ups of a plan, of those with the same key only the first: they share their games.
pub(super) fn firsts(plan: &KeyedPlan) -> impl Iterator<Item = usize> {
    let mut seen = BTreeSet::new();
    (0..plan.lineups.len()).filter(move |&lineup| seen.insert(plan.key(lineup)))
}

/// A game of a journal.
pub(super) struct Held {
    pub(super) block: u64,
    pub(super) line: usize,
    pub(super) record: GameRecord,
}

/// The games of some stretches, by block.
pub(super) fn records(legs: u64, journal: &Journal, stretches: &[Stretch]) -> anyhow::Result<Vec<Held>> {
    let mut found = Vec::new();
    read_all(journal, legs, stretches, |stretch, _, records| {
        let blocks = (stretch.first..).flat_map(|block| (0..legs).map(move |_| block));
        let held = |(block, &record)| Held { block, line: stretch.line, record };
        found.extend(blocks.zip(records).map(held));
    })?;
    found.sort_by_key(|held| held.block);
    Ok(found)
}

/// Reads some stretches, each line once, and hands each over with the games of its line and its own
/// records.
pub fn read_all(
    journal: &Journal,
    legs: u64,
    stretches: &[Stretch],
    mut hear: impl FnMut(&Stretch, &GamesEntry, &[GameRecord]),
) -> anyhow::Result<()> {
    for (line, stretches) in by_line(stretches) {
        let games = journal.read(line)?;
        let records = games.records().context("a line of the journal contradicts itself")?;
        for stretch in &stretches {
            hear(stretch, &games, stretch.of(&records, legs)?);
        }
    }
    Ok(())
}

/// Stretches in their order, in windows that fit in memory.
fn windows(mut rest: &[Stretch], legs: u64) -> impl Iterator<Item = &[Stretch]> {
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

/// Stretches sorted by the lines they lie in, in the order of the journal: seeds that are listed in
/// another order than before leave every game a stretch by itself, and a line must not be read once
/// for each.
pub fn by_line(stretches: &[Stretch]) -> BTreeMap<usize, Vec<Stretch>> {
    let mut lines: BTreeMap<usize, Vec<Stretch>> = BTreeMap::new();
    stretches.iter().for_each(|&stretch| lines.entry(stretch.line).or_default().push(stretch));
    lines
}

/// Sorts stretches by block, cuts off what an earlier one holds too, and joins neighbours. Returns
/// what was cut off.
fn tidy(stretches: &mut Vec<Stretch>) -> Vec<Stretch> {
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
            if follows && stretch.line == last.line {
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
        stretch.leads = lines.insert(stretch.line);
    }
}
