//! Consecutive blocks in a line of a journal.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Context;

/// Consecutive blocks whose records are adjacent in one line.
#[derive(Clone, Copy, Debug)]
pub struct BlockSpan {
    pub first: u64,
    /// Number of blocks.
    pub blocks: u64,
    /// Index of the line in the journal.
    pub line: usize,
    /// Number of blocks before it in the line.
    pub skip: u64,
    /// True if this is the first stretch of its line. Values of the whole line, such as times, are
    /// counted with this stretch.
    pub is_first_in_line: bool,
}

impl BlockSpan {
    /// Returns the entries of the stretch in a column of its line; fails if the line has fewer.
    pub fn entries<'r, T>(&self, records: &'r [T], legs: u64) -> anyhow::Result<&'r [T]> {
        let range = (legs * self.skip) as usize..(legs * (self.skip + self.blocks)) as usize;
        records.get(range).context("a line of the journal has fewer games than its header states")
    }

    pub fn range(&self) -> Range<u64> {
        self.first..self.first + self.blocks
    }

    /// Returns the part of it within these blocks, which overlap it.
    #[must_use]
    pub fn clip(self, blocks: &Range<u64>) -> Self {
        let first = self.first.max(blocks.start);
        let end = self.range().end.min(blocks.end);
        BlockSpan { first, blocks: end - first, skip: self.skip + (first - self.first), ..self }
    }
}

/// Groups stretches by line, in the order of the journal. If seeds are listed in a new order, every
/// game is a stretch, and a line must not be read once for each.
pub fn group_by_line(spans: &[BlockSpan]) -> BTreeMap<usize, Vec<BlockSpan>> {
    let mut lines: BTreeMap<usize, Vec<BlockSpan>> = BTreeMap::new();
    spans.iter().for_each(|&span| lines.entry(span.line).or_default().push(span));
    lines
}

/// Sorts stretches by block, cuts off blocks that an earlier stretch has, and joins neighbours.
/// Returns the parts cut off.
pub(super) fn merge_spans(spans: &mut Vec<BlockSpan>) -> Vec<BlockSpan> {
    // The sort is stable: of two stretches with the same first block, the one written first stays
    // first.
    spans.sort_by_key(|span| span.first);
    let mut merged: Vec<BlockSpan> = Vec::with_capacity(spans.len());
    let mut duplicates = Vec::new();
    for mut span in spans.drain(..) {
        if let Some(last) = merged.last_mut() {
            let end = last.first + last.blocks;
            let overlap = end.saturating_sub(span.first).min(span.blocks);
            if overlap > 0 {
                duplicates.push(BlockSpan { blocks: overlap, ..span });
            }
            span.first += overlap;
            span.skip += overlap;
            span.blocks -= overlap;
            let is_adjacent = span.first == end && span.skip == last.skip + last.blocks;
            if is_adjacent && span.line == last.line {
                last.blocks += span.blocks;
                continue;
            }
        }
        if span.blocks > 0 {
            merged.push(span);
        }
    }
    mark_first_in_line(&mut merged);
    *spans = merged;
    duplicates
}

/// Marks the first stretch of each line.
pub fn mark_first_in_line(spans: &mut [BlockSpan]) {
    let mut lines = BTreeSet::new();
    for span in spans {
        span.is_first_in_line = lines.insert(span.line);
    }
}
