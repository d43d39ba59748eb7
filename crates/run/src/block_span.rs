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
    pub leads: bool,
}

impl BlockSpan {
    /// Returns the entries of the stretch in a column of its line; fails if the line has fewer.
    pub fn entries<'r, T>(&self, records: &'r [T], legs: u64) -> anyhow::Result<&'r [T]> {
        let asked = (legs * self.skip) as usize..(legs * (self.skip + self.blocks)) as usize;
        records.get(asked).context("a line of the journal has fewer games than its header states")
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
pub fn group_by_line(stretches: &[BlockSpan]) -> BTreeMap<usize, Vec<BlockSpan>> {
    let mut lines: BTreeMap<usize, Vec<BlockSpan>> = BTreeMap::new();
    stretches.iter().for_each(|&stretch| lines.entry(stretch.line).or_default().push(stretch));
    lines
}

/// Sorts stretches by block, cuts off blocks that an earlier stretch has, and joins neighbours.
/// Returns the parts cut off.
pub(super) fn tidy(stretches: &mut Vec<BlockSpan>) -> Vec<BlockSpan> {
    // The sort is stable: of two stretches with the same first block, the one written first stays
    // first.
    stretches.sort_by_key(|stretch| stretch.first);
    let mut tidied: Vec<BlockSpan> = Vec::with_capacity(stretches.len());
    let mut doubled = Vec::new();
    for mut stretch in stretches.drain(..) {
        if let Some(last) = tidied.last_mut() {
            let end = last.first + last.blocks;
            let known = end.saturating_sub(stretch.first).min(stretch.blocks);
            if known > 0 {
                doubled.push(BlockSpan { blocks: known, ..stretch });
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
    mark_leads(&mut tidied);
    *stretches = tidied;
    doubled
}

/// Marks the first stretch of each line.
pub fn mark_leads(stretches: &mut [BlockSpan]) {
    let mut lines = BTreeSet::new();
    for stretch in stretches {
        stretch.leads = lines.insert(stretch.line);
    }
}
