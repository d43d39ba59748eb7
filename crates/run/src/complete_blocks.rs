//! Blocks of some line-ups, added as journals grow. A block is passed on once, in order, as soon as
//! every line-up has played it or failed in it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::block_set::Holders;
use super::block_span::{BlockSpan, mark_first_in_line};
use super::coverage::Coverage;
use crate::plan::Shard;

/// Blocks of some line-ups, and how many of them were passed on.
#[derive(Debug)]
pub(super) struct CompleteBlocks {
    sides: Vec<Side>,
    next_block: u64,
}

/// Blocks of one line-up.
#[derive(Debug)]
struct Side {
    lineup: usize,
    /// Blocks that were added, and all blocks that were passed on.
    held_blocks: Holders,
    /// Blocks of lines that do not count because they disagree.
    disputed_blocks: Holders,
    /// Spans that were not passed on yet, by their first block.
    waiting: BTreeMap<u64, (Option<Shard>, BlockSpan)>,
}

/// Consecutive blocks that every line-up has played or failed in.
#[derive(Debug)]
pub(super) struct BlockWindow {
    /// The block after the last one.
    pub(super) end: u64,
    /// For each line-up, in the order of [`CompleteBlocks::new`].
    pub(super) sides: Vec<WindowSide>,
}

/// Blocks of one line-up in a window.
#[derive(Debug)]
pub(super) struct WindowSide {
    pub(super) lineup: usize,
    /// The spans in each journal.
    pub(super) spans: BTreeMap<Option<Shard>, Vec<BlockSpan>>,
    /// Blocks in which it failed.
    pub(super) failed_blocks: Vec<u64>,
}

/// Largest number of blocks in a window, which limits the games in memory.
const WINDOW: u64 = 1 << 15;

impl CompleteBlocks {
    /// Creates an empty set of these line-ups.
    pub(super) fn new(lineups: impl IntoIterator<Item = usize>) -> CompleteBlocks {
        let side = |lineup| Side {
            lineup,
            held_blocks: Holders::default(),
            disputed_blocks: Holders::default(),
            waiting: BTreeMap::new(),
        };
        CompleteBlocks { sides: lineups.into_iter().map(side).collect(), next_block: 0 }
    }

    /// Returns true if new lines have a block that was added or passed on, or one that earlier
    /// lines disagree about.
    pub(super) fn overlaps(&self, coverage: &Coverage) -> bool {
        self.sides.iter().any(|side| {
            let is_known = |span: &BlockSpan| {
                side.held_blocks.overlaps(&span.range()) || side.disputed_blocks.overlaps(&span.range())
            };
            coverage.spans[side.lineup].iter().any(is_known)
                || coverage.disputed_spans(side.lineup).iter().any(is_known)
        })
    }

    /// Adds the blocks of new lines of a journal, except those that another journal has already.
    /// `journal_index` is the number of the journal in this read. Calls `on_overlap` with the
    /// number of each journal that has some of the blocks.
    pub(super) fn add(
        &mut self,
        (journal_index, shard): (usize, Option<Shard>),
        coverage: &Coverage,
        mut on_overlap: impl FnMut(usize),
    ) {
        for side in &mut self.sides {
            let mut spans = Vec::new();
            for span in &coverage.spans[side.lineup] {
                side.held_blocks.add(&span.range(), journal_index).into_iter().for_each(&mut on_overlap);
                let own_ranges = side.held_blocks.own_parts(journal_index, &span.range());
                spans.extend(own_ranges.iter().map(|range| span.clip(range)));
            }
            // The times of a line belong to the first part that is taken from it.
            mark_first_in_line(&mut spans);
            side.waiting.extend(spans.into_iter().map(|span| (span.first, (shard, span))));
            for span in coverage.disputed_spans(side.lineup) {
                side.disputed_blocks.add(&span.range(), 0);
            }
        }
    }

    /// Passes on the next blocks before `end`; `None` if the next one is not complete. `has_failed`
    /// returns true for a line-up and a block that broke a program.
    pub(super) fn take(&mut self, end: u64, has_failed: impl Fn(usize, u64) -> bool) -> Option<BlockWindow> {
        let end = end.min(self.next_block + WINDOW);
        let complete_end = |side: &Side| {
            let mut next = self.next_block;
            loop {
                next = side.held_blocks.next_free(next);
                if next >= end || !has_failed(side.lineup, next) {
                    return next.min(end);
                }
                next += 1;
            }
        };
        let window_end =
            self.sides.iter().map(complete_end).min().filter(|&until| until > self.next_block)?;
        let range = self.next_block..window_end;
        self.next_block = window_end;
        let sides = self.sides.iter_mut().map(|side| side.take(&range)).collect();
        Some(BlockWindow { end: window_end, sides })
    }
}

impl Side {
    /// Removes these blocks, which are the next ones.
    fn take(&mut self, range: &Range<u64>) -> WindowSide {
        let mut spans: BTreeMap<Option<Shard>, Vec<BlockSpan>> = BTreeMap::new();
        let mut failed_blocks = Vec::new();
        let mut next = range.start;
        while let Some(entry) = self.waiting.first_entry().filter(|first| *first.key() < range.end) {
            let (shard, span) = entry.remove();
            failed_blocks.extend(next..span.first);
            next = span.range().end.min(range.end);
            spans.entry(shard).or_default().push(span.clip(range));
            if span.range().end > range.end {
                let rest = span.clip(&(range.end..span.range().end));
                self.waiting.insert(range.end, (shard, BlockSpan { is_first_in_line: false, ..rest }));
            }
        }
        failed_blocks.extend(next..range.end);
        self.held_blocks.fill(range.end);
        WindowSide { lineup: self.lineup, spans, failed_blocks }
    }
}
