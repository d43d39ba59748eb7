//! Sets of cells, by index.

use super::cell::MAX_CELLS;

/// Set of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellSet([u64; MAX_CELLS.div_ceil(64)]);

impl CellSet {
    /// Creates a set of one cell.
    pub fn from_cell(cell: usize) -> CellSet {
        let mut set = CellSet::default();
        set.set(cell, true);
        set
    }

    /// Adds a cell to the set, or removes it.
    #[inline]
    pub fn set(&mut self, cell: usize, is_in: bool) {
        let bit = 1 << (cell % 64);
        let word = &mut self.0[cell / 64];
        *word = if is_in { *word | bit } else { *word & !bit };
    }

    /// Returns true if the cell is in the set.
    #[inline]
    pub fn has(&self, cell: usize) -> bool {
        (self.0[cell / 64] >> (cell % 64)) & 1 != 0
    }

    /// Returns true if the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Returns the first cell, row by row.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// Returns the number of cells, at most 2, which distinguishes one cell from several.
    #[inline]
    pub fn count_to_two(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum::<u32>().min(2)
    }

    /// Returns the union of both sets.
    #[inline]
    #[must_use]
    pub fn union(mut self, other: &CellSet) -> CellSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
        self
    }

    /// Returns the intersection of both sets.
    #[inline]
    #[must_use]
    pub fn intersection(mut self, other: &CellSet) -> CellSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
        self
    }

    /// Iterates over the cells, row by row.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        words.into_iter().enumerate().flat_map(|(index, mut word)| {
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let cell = 64 * index + word.trailing_zeros() as usize;
                    word &= word - 1;
                    cell
                })
            })
        })
    }
}
