//! Coverage of a plan by a journal: which games are played, and which are left.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::{Context, anyhow};
use gauntlet_core::game::Shape;
use gauntlet_core::record::GameRecord;
use gauntlet_core::text::quote;

use super::block_span::{BlockSpan, group_by_line, mark_first_in_line, merge_spans};
use super::game_sums::GameSums;
use super::journal::{GamesEntry, Journal, JournalLine};
use super::keyed_plan::KeyedPlan;
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
    pub spans: Vec<Vec<BlockSpan>>,
    /// Index of the first line that was read; earlier lines are ignored.
    first_line: usize,
    /// Games of a block.
    legs: u64,
    /// Number of games in the journal that belong to the plan, including games in lines that do not
    /// count.
    plan_games: u64,
    /// Lines with impossible games, which are in no stretch.
    pub flawed_lines: Vec<usize>,
    /// Lines that contain different games of a block, which are in no stretch.
    pub conflict: Option<BlockConflict>,
    /// Parts that were cut off each line-up's stretches because other stretches of this journal
    /// have them too.
    duplicates: Vec<Vec<BlockSpan>>,
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
    pub description: String,
}

impl<'a> Coverage<'a> {
    /// Finds the games of a plan in a journal and ignores others. If the journal has a block twice,
    /// the first one counts. If both must be equal and are not, none of their lines counts.
    pub fn from_journal(plan: &KeyedPlan, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        Coverage::from_lines(plan, journal, 0)
    }

    /// Finds the games of a plan in the lines of a journal from this index on, as if there were no
    /// others.
    pub(super) fn from_lines(
        plan: &KeyedPlan,
        journal: &'a Journal,
        first_line: usize,
    ) -> anyhow::Result<Self> {
        validate::examine(plan, journal, first_line, &lineups_by_key(plan))?;
        let coverage = Coverage::without_lines(&[], plan, journal, first_line)?;
        let Some(conflict) = coverage.find_conflict(plan)? else { return Ok(coverage) };
        let coverage = Coverage::without_lines(&conflict.lines, plan, journal, first_line)?;
        Ok(Coverage { conflict: Some(conflict), ..coverage })
    }

    /// Finds the games of a plan by the heads of lines, without examining games.
    pub(super) fn without_validation(plan: &KeyedPlan, journal: &'a Journal) -> anyhow::Result<Coverage<'a>> {
        Coverage::without_lines(&[], plan, journal, 0)
    }

    /// Finds the games of a plan by the heads of lines from an index on, except in some lines,
    /// given in order.
    fn without_lines(
        excluded: &[usize],
        plan: &KeyedPlan,
        journal: &'a Journal,
        first_line: usize,
    ) -> anyhow::Result<Self> {
        let mut spans = vec![Vec::new(); plan.lineups.len()];
        let by_seed = blocks_by_seed(plan);
        let lineups = lineups_by_key(plan);
        let legs = plan.legs();
        let mut plan_games = 0;
        let mut flawed_lines = Vec::new();
        // For other lines, only the number of games is needed: a tuning reads a journal of a
        // million lines at each step.
        let lines = lineups.iter().flat_map(|(key, indices)| {
            journal.lines_of(key).skip_while(move |&line| line < first_line).map(move |line| (line, indices))
        });
        for (line, lineups) in lines {
            let games = u64::from(journal.line(line).games);
            let is_flawed = journal.line(line).is_valid() == Some(false);
            if is_flawed || excluded.binary_search(&line).is_ok() {
                plan_games += games;
                flawed_lines.extend(is_flawed.then_some(line));
                continue;
            }
            let line_spans = find_spans(plan, &by_seed, journal, line)?;
            plan_games += games.min(legs * line_spans.iter().map(|span| span.blocks).sum::<u64>());
            // Line-ups with equal keys share their games.
            for &lineup in lineups {
                spans[lineup].extend(&line_spans);
            }
        }
        let duplicates = spans.iter_mut().map(merge_spans).collect();
        Ok(Coverage {
            journal,
            spans,
            first_line,
            legs,
            plan_games,
            flawed_lines,
            conflict: None,
            duplicates,
        })
    }

    /// Finds games that lines of the journal disagree about.
    fn find_conflict(&self, plan: &KeyedPlan) -> anyhow::Result<Option<BlockConflict>> {
        let mut lines = Vec::new();
        let mut description = None;
        for lineup in lineups_with_distinct_keys(plan) {
            let mut blocks = BTreeSet::new();
            for window in windows(&self.duplicates[lineup], self.legs) {
                let differences = self.disagreements(plan, lineup, window, self.journal)?;
                blocks.extend(differences.iter().map(|[record, _]| record.block));
                description = description.or_else(|| {
                    Some(conflict_message(plan, lineup, [self.journal; 2], differences.first()?))
                });
            }
            let lineup_spans = self.spans[lineup].iter().chain(&self.duplicates[lineup]);
            let disputed_spans = lineup_spans.filter(|span| blocks.range(span.range()).next().is_some());
            lines.extend(disputed_spans.map(|span| span.line));
        }
        lines.sort_unstable();
        lines.dedup();
        let is_disputed = |span: &&BlockSpan| lines.binary_search(&span.line).is_ok();
        let pairs = self.spans.iter().zip(&self.duplicates);
        let spans = pairs.map(|(counted, duplicates)| {
            counted.iter().chain(duplicates).filter(is_disputed).copied().collect()
        });
        let spans = spans.collect();
        Ok(description.map(|description| BlockConflict { lines, spans, description }))
    }

    /// Limits it to these blocks, which get new numbers
    /// ([`Plan::limit_to_blocks`](crate::plan::Plan::limit_to_blocks)).
    #[must_use]
    pub fn limit_to_blocks(&self, parts: &[Range<u64>]) -> Coverage<'a> {
        let renumber_lineup = |lineup: usize| {
            let (mut spans, mut offset) = (Vec::new(), 0);
            for part in parts {
                let clipped = self.find_overlaps(lineup, part).iter().map(|span| span.clip(part));
                let renumber =
                    |span: BlockSpan| BlockSpan { first: offset + span.first - part.start, ..span };
                spans.extend(clipped.map(renumber));
                offset += part.end - part.start;
            }
            mark_first_in_line(&mut spans);
            spans
        };
        let spans = (0..self.spans.len()).map(renumber_lineup).collect();
        Coverage { spans, flawed_lines: Vec::new(), conflict: None, duplicates: Vec::new(), ..*self }
    }

    /// Returns the blocks of a line-up in lines that do not count because they disagree.
    pub(super) fn disputed_spans(&self, lineup: usize) -> &[BlockSpan] {
        self.conflict.as_ref().map_or(&[], |conflict| &conflict.spans[lineup])
    }

    /// Checks that games in both journals are equal, unless a line-up is not reproducible.
    pub(super) fn compare(&self, plan: &KeyedPlan, other: &Coverage) -> anyhow::Result<()> {
        for lineup in lineups_with_distinct_keys(plan) {
            for window in other.windows(lineup) {
                if let Some(difference) = self.disagreements(plan, lineup, window, other.journal)?.first() {
                    return Err(anyhow!(
                        "{}. Check with `gauntlet show RESULTS --player {} --block {} --last`, and remove the wrong journal",
                        conflict_message(plan, lineup, [self.journal, other.journal], difference),
                        format_players(plan, lineup),
                        difference[0].block
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
        their_journal: &Journal,
    ) -> anyhow::Result<Vec<[LocatedRecord; 2]>> {
        if !plan.is_lineup_reproducible(lineup) {
            return Ok(Vec::new());
        }
        // Only blocks in both journals: between two stretches of one, the other may have millions
        // of games.
        let mut my_spans = Vec::new();
        let mut their_spans = Vec::new();
        for span in window {
            for overlap in self.find_overlaps(lineup, &span.range()) {
                my_spans.push(overlap.clip(&span.range()));
                their_spans.push(span.clip(&overlap.range()));
            }
        }
        let mine = read_records(plan.legs(), self.journal, &my_spans)?;
        let theirs = read_records(plan.legs(), their_journal, &their_spans)?;
        let pairs = mine.into_iter().zip(theirs).map(|(mine, theirs)| [mine, theirs]);
        Ok(pairs.filter(|[mine, theirs]| mine.record != theirs.record).collect())
    }

    /// Returns the number of games that do not belong to the plan, such as games of another version
    /// of the experiment.
    pub fn foreign_games(&self) -> u64 {
        let all: u64 = self.journal.lines()[self.first_line..].iter().map(|line| u64::from(line.games)).sum();
        all - self.plan_games
    }

    /// Returns how many of these blocks a line-up has played.
    pub fn count_blocks(&self, lineup: usize, block_range: &Range<u64>) -> u64 {
        let missing: u64 =
            self.missing_blocks(lineup, block_range).iter().map(|range| range.end - range.start).sum();
        block_range.end - block_range.start - missing
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
        let clip_overlaps = |part| self.find_overlaps(lineup, part).iter().map(move |span| span.clip(part));
        let spans: Vec<BlockSpan> = parts.iter().flat_map(clip_overlaps).collect();
        let mut sums = GameSums::default();
        let mut unsummed = Vec::new();
        for (line, line_spans) in group_by_line(&spans) {
            let line = self.journal.line(line);
            // A line that counts as a whole is already summed, and is not read again.
            let blocks = line_spans.iter().map(|span| span.blocks).sum::<u64>();
            match line.sums.get() {
                Some(&line_sums) if legs * blocks == u64::from(line.games) => sums += line_sums,
                _ => unsummed.extend(line_spans),
            }
        }
        read_all(self.journal, legs, &unsummed, |_, _, records| sums += GameSums::new(shape, records))?;
        Ok(sums)
    }

    /// Returns the indices of the sessions that played these games.
    pub fn sessions(&self) -> BTreeSet<usize> {
        let lines: BTreeSet<usize> = self.spans.iter().flatten().map(|span| span.line).collect();
        lines.into_iter().map(|line| self.journal.line(line).session).collect()
    }

    /// Returns which of these blocks a line-up has not played.
    pub fn missing_blocks(&self, lineup: usize, block_range: &Range<u64>) -> Vec<Range<u64>> {
        let mut missing = Vec::new();
        let mut next = block_range.start;
        for span in self.find_overlaps(lineup, block_range) {
            if span.first > next {
                missing.push(next..span.first);
            }
            next = next.max(span.first + span.blocks);
        }
        if next < block_range.end {
            missing.push(next..block_range.end);
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
        let Some(span) = self.find_overlaps(lineup, &(block..block + 1)).first() else { return Ok(None) };
        let span = span.clip(&(block..block + 1));
        let mut game = None;
        read_all(self.journal, plan.legs(), &[span], |_, games, records| {
            let moves = span.entries(&games.played, plan.legs()).ok();
            game = Some((records[leg], moves.map(|moves| moves[leg].clone())));
        })?;
        Ok(game)
    }

    /// Returns the stretches of a line-up that overlap these blocks.
    pub fn find_overlaps(&self, lineup: usize, block_range: &Range<u64>) -> &[BlockSpan] {
        let spans = &self.spans[lineup];
        let start = spans.partition_point(|span| span.first + span.blocks <= block_range.start);
        let end = spans.partition_point(|span| span.first < block_range.end);
        &spans[start..end.max(start)]
    }

    /// Groups the stretches of a line-up into windows that fit in memory, in order.
    pub fn windows(&self, lineup: usize) -> impl Iterator<Item = &[BlockSpan]> {
        windows(&self.spans[lineup], self.legs)
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
    let new_span = |first, blocks, skip| BlockSpan { first, blocks, line, skip, is_first_in_line: false };
    let JournalLine { first, games, seeds, .. } = journal.line(line);
    if let &Some(first) = first {
        let blocks = plan.blocks.len().saturating_sub(first).min(u64::from(*games) / plan.legs());
        return Ok(vec![new_span(first, blocks, 0)]);
    }
    // Seeds are read once while the journal is open.
    let seeds = match seeds.get() {
        Some(seeds) => seeds,
        None => {
            let line_seeds = journal.read(line)?.seeds.into();
            seeds.get_or_init(|| line_seeds)
        }
    };
    let spans = (0..).zip(seeds).filter_map(|(skip, seed)| Some(new_span(*by_seed.get(seed)?, 1, skip)));
    Ok(spans.collect())
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
    let mut seen_keys = BTreeSet::new();
    (0..plan.lineups.len()).filter(move |&lineup| seen_keys.insert(plan.key(lineup)))
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
    spans: &[BlockSpan],
) -> anyhow::Result<Vec<LocatedRecord>> {
    let mut located_records = Vec::new();
    read_all(journal, legs, spans, |span, _, records| {
        let blocks = (span.first..).flat_map(|block| (0..legs).map(move |_| block));
        let locate = |(block, &record)| LocatedRecord { block, line: span.line, record };
        located_records.extend(blocks.zip(records).map(locate));
    })?;
    located_records.sort_by_key(|record| record.block);
    Ok(located_records)
}

/// Reads some stretches, each line once, and passes each stretch with its line's games and its own
/// records.
pub fn read_all(
    journal: &Journal,
    legs: u64,
    spans: &[BlockSpan],
    mut on_span: impl FnMut(&BlockSpan, &GamesEntry, &[GameRecord]),
) -> anyhow::Result<()> {
    for (line, line_spans) in group_by_line(spans) {
        let games = journal.read(line)?;
        let records = games.records().context("a line of the journal is inconsistent")?;
        for span in &line_spans {
            on_span(span, &games, span.entries(&records, legs)?);
        }
    }
    Ok(())
}

/// Groups stretches into windows that fit in memory, in order.
fn windows(mut rest: &[BlockSpan], legs: u64) -> impl Iterator<Item = &[BlockSpan]> {
    std::iter::from_fn(move || {
        let mut games = 0;
        let fitting = rest.iter().take_while(|span| {
            games += legs * span.blocks;
            games <= WINDOW || games == legs * span.blocks
        });
        let (window, remaining) = rest.split_at(fitting.count());
        rest = remaining;
        (!window.is_empty()).then_some(window)
    })
}
