//! Blocks in their order, collected from results in any order.

use std::collections::BTreeMap;

/// Prefix of complete blocks. `W` is the result of a side in a block.
#[derive(Debug)]
pub(super) struct Prefix<W> {
    sides: usize,
    /// Results of each side in blocks after the first incomplete one.
    waiting: BTreeMap<u64, Box<[Option<W>]>>,
    /// Number of blocks taken.
    next_block: u64,
    /// True if no more blocks will be taken.
    is_closed: bool,
}

impl<W: Copy> Prefix<W> {
    pub(super) fn new(sides: usize) -> Prefix<W> {
        Prefix { sides, waiting: BTreeMap::new(), next_block: 0, is_closed: false }
    }

    /// Adds the result of a side in a block. If a result is added twice, the first one counts.
    pub(super) fn note(&mut self, side: usize, block: u64, result: W) {
        if block >= self.next_block && !self.is_closed {
            let sides = self.sides;
            let waiting = self.waiting.entry(block).or_insert_with(|| vec![None; sides].into());
            waiting[side].get_or_insert(result);
        }
    }

    /// Returns the next block with the results of all sides, if it is complete.
    pub(super) fn take(&mut self) -> Option<(u64, Vec<W>)> {
        let entry = self.waiting.first_entry().filter(|entry| *entry.key() == self.next_block)?;
        let results = entry.get().iter().copied().collect::<Option<Vec<W>>>()?;
        entry.remove();
        self.next_block += 1;
        Some((self.next_block - 1, results))
    }

    /// Returns the number of blocks taken.
    pub(super) fn blocks_taken(&self) -> u64 {
        self.next_block
    }

    /// If the run is over, drops the waiting blocks and takes no more.
    pub(super) fn close_if(&mut self, is_over: bool) {
        if is_over {
            self.is_closed = true;
            self.waiting.clear();
        }
    }
}
