//! Finds which of several journals, read one after another, is the first with each block.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Ranges of blocks by their first block, each with its end and the first journal that has it.
#[derive(Debug, Default)]
pub(super) struct Holders(BTreeMap<u64, (u64, usize)>);

impl Holders {
    /// Returns true if one of these blocks is held.
    pub(super) fn overlaps(&self, range: &Range<u64>) -> bool {
        self.0.range(..range.end).next_back().is_some_and(|(_, &(end, _))| end > range.start)
    }

    /// Returns the ranges that overlap these blocks, as first block, end and holder.
    fn find_overlaps(&self, range: &Range<u64>) -> Vec<(u64, u64, usize)> {
        let before = self.0.range(..=range.start).next_back();
        let all = before.into_iter().chain(self.0.range(range.start + 1..range.end.max(range.start + 1)));
        let overlaps = all.filter(|(_, (end, _))| *end > range.start);
        overlaps.map(|(&first, &(end, holder))| (first, end, holder)).collect()
    }

    /// Adds blocks of a holder. Returns earlier holders of some of them.
    pub(super) fn add(&mut self, range: &Range<u64>, holder: usize) -> BTreeSet<usize> {
        let overlaps = self.find_overlaps(range);
        let mut next = range.start;
        for &(first, end, _) in &overlaps {
            if first > next {
                self.insert(next..first, holder);
            }
            next = next.max(end);
        }
        if next < range.end {
            self.insert(next..range.end, holder);
        }
        overlaps.into_iter().map(|(_, _, who)| who).filter(|&who| who != holder).collect()
    }

    /// Adds blocks without a holder, and joins them to neighbours of the same holder. So a journal
    /// of millions of lines has few ranges.
    fn insert(&mut self, range: Range<u64>, holder: usize) {
        let Range { mut start, mut end } = range;
        if let Some((&first, _)) =
            self.0.range(..start).next_back().filter(|(_, value)| **value == (start, holder))
        {
            start = first;
        }
        if let Some(&(last, _)) = self.0.get(&end).filter(|(_, who)| *who == holder) {
            self.0.remove(&end);
            end = last;
        }
        self.0.insert(start, (end, holder));
    }

    /// Returns the first block without a holder, from this one on.
    pub(super) fn next_free(&self, block: u64) -> u64 {
        let mut next = block;
        while let Some((_, &(end, _))) = self.0.range(..=next).next_back().filter(|(_, value)| value.0 > next)
        {
            next = end;
        }
        next
    }

    /// Marks all blocks before this one as held, in one range.
    pub(super) fn fill(&mut self, end: u64) {
        let rest = self.0.split_off(&end);
        let last = self.0.pop_last().filter(|(_, (last, _))| *last > end);
        self.0 = rest;
        self.0.insert(0, (end, 0));
        self.0.extend(last.map(|(_, (last, holder))| (end, (last, holder))));
    }

    /// Returns how many of these blocks are held.
    pub(super) fn count(&self, range: &Range<u64>) -> u64 {
        let length = |(first, end, _): (u64, u64, usize)| end.min(range.end) - first.max(range.start);
        self.find_overlaps(range).into_iter().map(length).sum()
    }

    /// Returns the parts of these blocks that this holder has first.
    pub(super) fn own_parts(&self, holder: usize, range: &Range<u64>) -> Vec<Range<u64>> {
        let own_ranges = self.find_overlaps(range).into_iter().filter(|&(.., who)| who == holder);
        own_ranges.map(|(first, end, _)| first.max(range.start)..end.min(range.end)).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Seed;

    use super::*;

    /// Compares with a plain list of all blocks.
    #[test]
    fn holders_of_blocks_are_what_a_list_is() {
        for seed in 0..200 {
            let mut rng = Seed::root(seed).rng();
            let mut block_holders = Holders::default();
            let mut list: Vec<Option<usize>> = vec![None; 60];
            for holder in 0..12 {
                let start = rng.below(50);
                let range = start..start + 1 + rng.below(9);
                let slots = || list[range.start as usize..range.end as usize].iter();
                let new_blocks: Vec<u64> =
                    range.clone().filter(|&block| list[block as usize].is_none()).collect();
                let earlier_holders: BTreeSet<usize> = slots().flatten().copied().collect();
                assert_eq!(block_holders.overlaps(&range), !earlier_holders.is_empty(), "{seed}");
                assert_eq!(block_holders.add(&range, holder), earlier_holders, "{seed}");
                let own_blocks: Vec<u64> =
                    block_holders.own_parts(holder, &range).into_iter().flatten().collect();
                assert_eq!(own_blocks, new_blocks, "{seed}");
                range.for_each(|block| _ = list[block as usize].get_or_insert(holder));
                let tail = 1 + rng.below(50)..60;
                let held_count = tail.clone().filter(|&block| list[block as usize].is_some()).count();
                assert_eq!(block_holders.count(&tail), held_count as u64, "{seed}");
                let gap = tail.clone().find(|&block| list[block as usize].is_none());
                assert_eq!(block_holders.next_free(tail.start), gap.unwrap_or(60), "{seed}");
                if rng.below(4) == 0 {
                    block_holders.fill(tail.start);
                    list[..tail.start as usize].fill(Some(0));
                }
            }
        }
    }
}
