//! Blocks one after the other in their order, made of what is heard of them in any order.

use std::collections::BTreeMap;

/// The blocks that are complete, from the first one on. `W` is what is heard of a side in a block.
#[derive(Debug)]
pub(super) struct Prefix<W> {
    sides: usize,
    /// The news of each side in blocks behind one that is not complete.
    waiting: BTreeMap<u64, Box<[Option<W>]>>,
    /// The number of blocks that were taken.
    taken: u64,
    /// True if no more will be taken.
    is_closed: bool,
}

impl<W: Copy> Prefix<W> {
    pub(super) fn of(sides: usize) -> Prefix<W> {
        Prefix { sides, waiting: BTreeMap::new(), taken: 0, is_closed: false }
    }

    /// Notes the result of a side in a block. What was noted first of them stays.
    pub(super) fn note(&mut self, side: usize, block: u64, word: W) {
        if block >= self.taken && !self.is_closed {
            let sides = self.sides;
            let waiting = self.waiting.entry(block).or_insert_with(|| vec![None; sides].into());
            waiting[side].get_or_insert(word);
        }
    }

    /// The results of all sides in the next block, once it is complete.
    pub(super) fn take(&mut self) -> Option<Vec<W>> {
        let entry = self.waiting.first_entry().filter(|entry| *entry.key() == self.taken)?;
        let words = entry.get().iter().copied().collect::<Option<Vec<W>>>()?;
        entry.remove();
        self.taken += 1;
        Some(words)
    }

    /// The number of blocks that were taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Forgets the blocks that wait, and takes no more.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.waiting.clear();
    }
}
