//! Sets of blocks, and who of several holds each block first.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A set of blocks: the end of each stretch of them, by its first one.
#[derive(Debug, Default)]
pub(super) struct BlockSet(BTreeMap<u64, u64>);

impl BlockSet {
    /// True if one of these blocks is among them.
    pub(super) fn touches(&self, range: &Range<u64>) -> bool {
        self.0.range(..range.end).next_back().is_some_and(|(_, &end)| end > range.start)
    }

    pub(super) fn add(&mut self, range: Range<u64>) {
        let Range { mut start, mut end } = range;
        while let Some((&first, &last)) = self.0.range(..=end).next_back().filter(|(_, last)| **last >= start)
        {
            (start, end) = (start.min(first), end.max(last));
            self.0.remove(&first);
        }
        self.0.insert(start, end);
    }

    /// Those of these blocks that are not among them.
    pub(super) fn missing(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let before = self.0.range(..=range.start).next_back();
        let mut missing = Vec::new();
        let mut next = range.start;
        for (&first, &end) in before.into_iter().chain(self.0.range(range.start + 1..range.end)) {
            if first > next {
                missing.push(next..first);
            }
            next = next.max(end);
        }
        if next < range.end {
            missing.push(next..range.end);
        }
        missing
    }
}

/// Of several that come one after the other, which holds each block first: the end of each stretch, and who holds it, by its first
/// block.
#[derive(Debug, Default)]
pub(super) struct Holders(BTreeMap<u64, (u64, usize)>);

impl Holders {
    /// Adds blocks of the next one, and tells who of those before holds some of them.
    pub(super) fn add(&mut self, range: &Range<u64>, holder: usize, before: &mut BTreeSet<usize>) {
        let known = self.0.range(..=range.start).next_back();
        let known = known.into_iter().chain(self.0.range(range.start + 1..range.end));
        let touching = known.filter(|(_, (end, _))| *end > range.start);
        let touching: Vec<(u64, u64, usize)> =
            touching.map(|(&first, &(end, who))| (first, end, who)).collect();
        let mut next = range.start;
        for (first, end, who) in touching {
            before.insert(who);
            if first > next {
                self.0.insert(next, (first, holder));
            }
            next = next.max(end);
        }
        if next < range.end {
            self.0.insert(next, (range.end, holder));
        }
        before.remove(&holder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    /// Both against a list of all blocks.
    #[test]
    fn sets_of_blocks_are_what_a_list_is() {
        for seed in 0..200 {
            let mut rng = Seed::root(seed).rng();
            let (mut set, mut holders) = (BlockSet::default(), Holders::default());
            let mut list: Vec<Option<usize>> = vec![None; 60];
            for holder in 0..12 {
                let start = rng.below(50);
                let range = start..start + 1 + rng.below(9);
                let of = || list[range.start as usize..range.end as usize].iter();
                let missing: Vec<u64> =
                    range.clone().filter(|&block| list[block as usize].is_none()).collect();
                let found: Vec<u64> = set.missing(&range).into_iter().flatten().collect();
                assert_eq!((found, set.touches(&range)), (missing, of().any(Option::is_some)), "{seed}");
                let known: BTreeSet<usize> = of().flatten().copied().collect();
                let mut before = BTreeSet::new();
                holders.add(&range, holder, &mut before);
                assert_eq!(before, known, "{seed}");
                set.add(range.clone());
                range.for_each(|block| _ = list[block as usize].get_or_insert(holder));
            }
        }
    }
}
