//! Coverage of a plan by a journal: which games are played, and which are left.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::{Context, anyhow};
use gauntlet_core::game::Shape;
use gauntlet_core::record::GameRecord;
use gauntlet_core::text::quote;

use super::block_span::{BlockSpan, group_by_line, mark_leads, tidy};
use super::journal::{GamesEntry, Journal, JournalLine};
use super::keyed::KeyedPlan;
use super::played::GameSums;
use super::validate;
use crate::blocks::BlockSeeds;

/// Largest number of games in a window. Records and rows of two windows of a duel take some nine
/// megabytes. Windows should be few: if listed seeds are in another order than in the journal, each
/// line is read once per window.
const WINDOW: u64 = 1 << 15;

/// For each line-up of a plan, where the journal has the records of its blocks.
#[derive(Debug)]
pub struct Coverage<'a> {
    pub journal: &'a Journal,
    /// Stretches of each line-up, in the order of the plan and of blocks. They do not overlap.
    pub stretches: Vec<Vec<BlockSpan>>,
    /// Index of the first line that was read; earlier lines are ignored.
    from: usize,
    /// Games of a block.
    legs: u64,
    /// Number of games in the journal that belong to the plan, including games in lines that do not
    /// count.
    known: u64,
    /// Lines with impossible games, which are in no stretch.
    pub flawed: Vec<usize>,
    /// Lines that contain different games of a block, which are in no stretch.
    pub disputed: Option<BlockConflict>,
    /// Parts that were cut off each line-up's stretches because other stretches of this journal
    /// have them too.
    doubled: Vec<Vec<BlockSpan>>,
}

/// Lines of one journal with different games of a block. None of them counts, because it is unknown
/// which is right.
#[derive(Debug)]
pub struct BlockConflict {
    /// All lines with such a block.
    pub lines: Vec<usize>,
    /// All blocks of these lines, for each line-up.
    spans: Vec<Vec<BlockSpan>>,
    /// Describes the first two different games, in words that continue a sentence.
    pub told: String,
}

impl<'a> Coverage<'a> {
    /// Finds the games of a plan in a journal and ignores others. If the journal has a block twice,
    /// the first one counts. If both must be equal and are not, none of their lines counts.
    pub fn from_journal(plan: &KeyedPlan, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        Coverage::from_lines(plan, journal, 0)
    }

    /// Finds the games of a plan in the lines of a journal from this index on, as if there were no
    /// others.
    pub(super) fn from_lines(plan: &KeyedPlan, journal: &'a Journal, from: usize) -> anyhow::Result<Self> {
        validate::examine(plan, journal, from, &lineups_by_key(plan))?;
        let coverage = Coverage::without_lines(&[], plan, journal, from)?;
        let Some(dispute) = coverage.find_conflict(plan)? else { return Ok(coverage) };
        let coverage = Coverage::without_lines(&dispute.lines, plan, journal, from)?;
        Ok(Coverage { disputed: Some(dispute), ..coverage })
    }

    /// Finds the games of a plan by the heads of lines, without examining games.
    pub(super) fn without_validation(plan: &KeyedPlan, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        Coverage::without_lines(&[], plan, journal, 0)
    }

    /// Finds the games of a plan by the heads of lines from an index on, except in some lines,
    /// given in order.
    fn without_lines(
        out: &[usize],
        plan: &KeyedPlan,
        journal: &'a Journal,
        from: usize,
    ) -> anyhow::Result<Self> {
        let mut stretches = vec![Vec::new(); plan.lineups.len()];
        let by_seed = blocks_by_seed(plan);
        let lineups = lineups_by_key(plan);
        let legs = plan.legs();
        let mut known = 0;
        let mut flawed = Vec::new();
        // For other lines, only the number of games is needed: a tuning reads a journal of a
        // million lines at each step.
        let lines = lineups.iter().flat_map(|(key, of)| {
            journal.lines_of(key).skip_while(move |&line| line < from).map(move |line| (line, of))
        });
        for (line, lineups) in lines {
            let games = u64::from(journal.line(line).games);
            let is_flawed = journal.line(line).is_sound() == Some(false);
            if is_flawed || out.binary_search(&line).is_ok() {
                known += games;
                flawed.extend(is_flawed.then_some(line));
                continue;
            }
            let found = find_spans(plan, &by_seed, journal, line)?;
            known += games.min(legs * found.iter().map(|stretch| stretch.blocks).sum::<u64>());
            // Line-ups with equal keys share their games.
            for &lineup in lineups {
                stretches[lineup].extend(&found);
            }
        }
        let doubled = stretches.iter_mut().map(tidy).collect();
        Ok(Coverage { journal, stretches, from, legs, known, flawed, disputed: None, doubled })
    }

    /// Finds games that lines of the journal disagree about.
    fn find_conflict(&self, plan: &KeyedPlan) -> anyhow::Result<Option<BlockConflict>> {
        let mut lines = Vec::new();
        let mut first = None;
        for lineup in lineups_with_distinct_keys(plan) {
            let mut blocks = BTreeSet::new();
            for window in windows(&self.doubled[lineup], self.legs) {
                let found = self.disagreements(plan, lineup, window, self.journal)?;
                blocks.extend(found.iter().map(|[held, _]| held.block));
                first =
                    first.or_else(|| Some(conflict_message(plan, lineup, [self.journal; 2], found.first()?)));
            }
            let held = self.stretches[lineup].iter().chain(&self.doubled[lineup]);
            let disputed = held.filter(|stretch| blocks.range(stretch.range()).next().is_some());
            lines.extend(disputed.map(|stretch| stretch.line));
        }
        lines.sort_unstable();
        lines.dedup();
        let is_disputed = |span: &&BlockSpan| lines.binary_search(&span.line).is_ok();
        let spans = self.stretches.iter().zip(&self.doubled);
        let spans =
            spans.map(|(held, doubled)| held.iter().chain(doubled).filter(is_disputed).copied().collect());
        let spans = spans.collect();
        Ok(first.map(|told| BlockConflict { lines, spans, told }))
    }

    /// Limits it to these blocks, which get new numbers ([`Plan::limit_to_blocks`](crate::plan::Plan::limit_to_blocks)).
    #[must_use]
    pub fn limit_to_blocks(&self, parts: &[Range<u64>]) -> Coverage<'a> {
        let of_lineup = |lineup: usize| {
            let (mut stretches, mut before) = (Vec::new(), 0);
            for part in parts {
                let within = self.find_overlaps(lineup, part).iter().map(|stretch| stretch.clip(part));
                let moved =
                    |stretch: BlockSpan| BlockSpan { first: before + stretch.first - part.start, ..stretch };
                stretches.extend(within.map(moved));
                before += part.end - part.start;
            }
            mark_leads(&mut stretches);
            stretches
        };
        let stretches = (0..self.stretches.len()).map(of_lineup).collect();
        Coverage { stretches, flawed: Vec::new(), disputed: None, doubled: Vec::new(), ..*self }
    }

    /// Returns the blocks of a line-up in lines that do not count because they disagree.
    pub(super) fn disputed_spans(&self, lineup: usize) -> &[BlockSpan] {
        self.disputed.as_ref().map_or(&[], |dispute| &dispute.spans[lineup])
    }

    /// Checks that games in both journals are equal, unless a line-up is not reproducible.
    pub(super) fn compare(&self, plan: &KeyedPlan, offered: &Coverage) -> anyhow::Result<()> {
        for lineup in lineups_with_distinct_keys(plan) {
            for window in offered.windows(lineup) {
                if let Some(found) = self.disagreements(plan, lineup, window, offered.journal)?.first() {
                    return Err(anyhow!(
                        "{}. Check with `gauntlet show RESULTS --player {} --block {} --last`, and remove the wrong journal",
                        conflict_message(plan, lineup, [self.journal, offered.journal], found),
                        format_players(plan, lineup),
                        found[0].block
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns the games of a window that differ from this coverage, each after this coverage's
    /// game. Empty if the line-up is not reproducible.
    fn disagreements(
        &self,
        plan: &KeyedPlan,
        lineup: usize,
        window: &[BlockSpan],
        theirs: &Journal,
    ) -> anyhow::Result<Vec<[LocatedRecord; 2]>> {
        if !plan.is_lineup_reproducible(lineup) {
            return Ok(Vec::new());
        }
        // Only blocks in both journals: between two stretches of one, the other may have millions
        // of games.
        let mut both_mine = Vec::new();
        let mut both_theirs = Vec::new();
        for stretch in window {
            for held in self.find_overlaps(lineup, &stretch.range()) {
                both_mine.push(held.clip(&stretch.range()));
                both_theirs.push(stretch.clip(&held.range()));
            }
        }
        let mine = read_records(plan.legs(), self.journal, &both_mine)?;
        let theirs = read_records(plan.legs(), theirs, &both_theirs)?;
        let both = mine.into_iter().zip(theirs).map(|(mine, theirs)| [mine, theirs]);
        Ok(both.filter(|[mine, theirs]| mine.record != theirs.record).collect())
    }

    /// Returns the number of games that do not belong to the plan, such as games of another version
    /// of the experiment.
    pub fn foreign_games(&self) -> u64 {
        let all: u64 = self.journal.lines()[self.from..].iter().map(|line| u64::from(line.games)).sum();
        all - self.known
    }

    /// Returns how many of these blocks a line-up has played.
    pub fn count_blocks(&self, lineup: usize, among: &Range<u64>) -> u64 {
        let missing: u64 =
            self.missing_blocks(lineup, among).iter().map(|range| range.end - range.start).sum();
        among.end - among.start - missing
    }

    /// Returns how many blocks of these ranges a line-up has played.
    pub fn count_blocks_in(&self, lineup: usize, parts: &[Range<u64>]) -> u64 {
        parts.iter().map(|part| self.count_blocks(lineup, part)).sum()
    }

    /// Sums a line-up's games in these ranges.
    pub(super) fn sum_games(
        &self,
        plan: &KeyedPlan,
        lineup: usize,
        parts: &[Range<u64>],
    ) -> anyhow::Result<GameSums> {
        let (legs, shape) = (plan.legs(), plan.arena.shape);
        let touching = |part| self.find_overlaps(lineup, part).iter().map(move |stretch| stretch.clip(part));
        let within: Vec<BlockSpan> = parts.iter().flat_map(touching).collect();
        let mut played = GameSums::default();
        let mut unknown = Vec::new();
        for (line, stretches) in group_by_line(&within) {
            let line = self.journal.line(line);
            // A line that counts as a whole is already summed, and is not read again.
            let blocks = stretches.iter().map(|stretch| stretch.blocks).sum::<u64>();
            match line.played.get() {
                Some(&known) if legs * blocks == u64::from(line.games) => played += known,
                _ => unknown.extend(stretches),
            }
        }
        read_all(self.journal, legs, &unknown, |_, _, records| played += GameSums::new(shape, records))?;
        Ok(played)
    }

    /// Returns the indices of the sessions that played these games.
    pub fn sessions(&self) -> BTreeSet<usize> {
        let lines: BTreeSet<usize> = self.stretches.iter().flatten().map(|stretch| stretch.line).collect();
        lines.into_iter().map(|line| self.journal.line(line).session).collect()
    }

    /// Returns which of these blocks a line-up has not played.
    pub fn missing_blocks(&self, lineup: usize, among: &Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut next = among.start;
        for stretch in self.find_overlaps(lineup, among) {
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

    /// Returns which blocks of these ranges a line-up has not played.
    pub fn missing_blocks_in(&self, lineup: usize, parts: &[Range<u64>]) -> Vec<Range<u64>> {
        parts.iter().flat_map(|part| self.missing_blocks(lineup, part)).collect()
    }

    /// Reads a game from the journal: its record, and its moves if they are stored.
    pub fn read_game(
        &self,
        plan: &KeyedPlan,
        lineup: usize,
        block: u64,
        leg: usize,
    ) -> anyhow::Result<Option<(GameRecord, Option<String>)>> {
        let Some(stretch) = self.find_overlaps(lineup, &(block..block + 1)).first() else { return Ok(None) };
        let stretch = stretch.clip(&(block..block + 1));
        let mut kept = None;
        read_all(self.journal, plan.legs(), &[stretch], |_, games, records| {
            let moves = stretch.entries(&games.played, plan.legs()).ok();
            kept = Some((records[leg], moves.map(|moves| moves[leg].clone())));
        })?;
        Ok(kept)
    }

    /// Returns the stretches of a line-up that overlap these blocks.
    pub fn find_overlaps(&self, lineup: usize, among: &Range<u64>) -> &[BlockSpan] {
        let stretches = &self.stretches[lineup];
        let from = stretches.partition_point(|stretch| stretch.first + stretch.blocks <= among.start);
        let to = stretches.partition_point(|stretch| stretch.first < among.end);
        &stretches[from..to.max(from)]
    }

    /// Groups the stretches of a line-up into windows that fit in memory, in order.
    pub fn windows(&self, lineup: usize) -> impl Iterator<Item = &[BlockSpan]> {
        windows(&self.stretches[lineup], self.legs)
    }

    /// Returns true if all games of the plan are in the journal.
    pub fn is_complete(&self, plan: &KeyedPlan) -> bool {
        (0..plan.lineups.len()).all(|lineup| self.missing_blocks(lineup, &(0..plan.blocks.len())).is_empty())
    }
}

/// Describes two different games of a block, in words that continue a sentence.
fn conflict_message(
    plan: &KeyedPlan,
    lineup: usize,
    journals: [&Journal; 2],
    [one, other]: &[LocatedRecord; 2],
) -> String {
    let points = match plan.arena.shape {
        Shape::Solo => {
            format!(", with {} and {} points", one.record.score(), other.record.score())
        }
        Shape::Duel => String::new(),
    };
    format!(
        "{} and {} have different games of {} on block {}{points}; one game is wrong",
        journals[0].describe_place(one.line),
        journals[1].describe_place(other.line),
        plan.title(lineup),
        one.block
    )
}

/// Maps seeds to the blocks of a plan, if seeds are listed.
pub(super) fn blocks_by_seed(plan: &KeyedPlan) -> BTreeMap<u64, u64> {
    match &*plan.blocks {
        BlockSeeds::Derived { .. } => BTreeMap::new(),
        BlockSeeds::Listed(seeds) => seeds.iter().copied().zip(0..).collect(),
    }
}

/// Finds the blocks of a plan in a line of games.
pub(super) fn find_spans(
    plan: &KeyedPlan,
    by_seed: &BTreeMap<u64, u64>,
    journal: &Journal,
    line: usize,
) -> anyhow::Result<Vec<BlockSpan>> {
    let of_line = |first, blocks, skip| BlockSpan { first, blocks, line, skip, leads: false };
    let JournalLine { first, games, seeds, .. } = journal.line(line);
    if let &Some(first) = first {
        let blocks = plan.blocks.len().saturating_sub(first).min(u64::from(*games) / plan.legs());
        return Ok(vec![of_line(first, blocks, 0)]);
    }
    // Seeds are read once while the journal is open.
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

/// Formats the players of a line-up as values of `--player` for `gauntlet show`.
fn format_players(plan: &KeyedPlan, lineup: usize) -> String {
    let members: Vec<_> = plan.members(lineup).map(|player| quote(player.name)).collect();
    members.join(" --against ")
}

/// Groups the line-ups of a plan by key.
fn lineups_by_key<'p>(plan: &'p KeyedPlan) -> BTreeMap<&'p str, Vec<usize>> {
    let mut lineups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for lineup in 0..plan.lineups.len() {
        lineups.entry(plan.key(lineup)).or_default().push(lineup);
    }
    lineups
}

/// Returns the first line-up of each key; line-ups with equal keys share their games.
pub(super) fn lineups_with_distinct_keys(plan: &KeyedPlan) -> impl Iterator<Item = usize> {
    let mut seen = BTreeSet::new();
    (0..plan.lineups.len()).filter(move |&lineup| seen.insert(plan.key(lineup)))
}

pub(super) struct LocatedRecord {
    pub(super) block: u64,
    pub(super) line: usize,
    pub(super) record: GameRecord,
}

/// Reads the games of some stretches, by block.
pub(super) fn read_records(
    legs: u64,
    journal: &Journal,
    stretches: &[BlockSpan],
) -> anyhow::Result<Vec<LocatedRecord>> {
    let mut found = Vec::new();
    read_all(journal, legs, stretches, |stretch, _, records| {
        let blocks = (stretch.first..).flat_map(|block| (0..legs).map(move |_| block));
        let held = |(block, &record)| LocatedRecord { block, line: stretch.line, record };
        found.extend(blocks.zip(records).map(held));
    })?;
    found.sort_by_key(|held| held.block);
    Ok(found)
}

/// Reads some stretches, each line once, and passes each stretch with its line's games and its own
/// records.
pub fn read_all(
    journal: &Journal,
    legs: u64,
    stretches: &[BlockSpan],
    mut hear: impl FnMut(&BlockSpan, &GamesEntry, &[GameRecord]),
) -> anyhow::Result<()> {
    for (line, stretches) in group_by_line(stretches) {
        let games = journal.read(line)?;
        let records = games.records().context("a line of the journal is inconsistent")?;
        for stretch in &stretches {
            hear(stretch, &games, stretch.entries(&records, legs)?);
        }
    }
    Ok(())
}

/// Groups stretches into windows that fit in memory, in order.
fn windows(mut rest: &[BlockSpan], legs: u64) -> impl Iterator<Item = &[BlockSpan]> {
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
