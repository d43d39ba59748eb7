//! Transposition table.

/// Table of fixed size, in which a newer position replaces an older one.
pub(super) struct Table(Box<[Entry]>);

/// Entry of one position.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    key: u64,
    pub(super) value: i32,
    pub(super) best_cell: u16,
    pub(super) depth: i8,
    pub(super) bound: Bound,
}

/// Meaning of a value, given the window in which it was found.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Bound {
    /// Upper bound.
    #[default]
    Upper,
    /// Lower bound.
    Lower,
    /// Exact value.
    Exact,
}

/// 2 MB, which fits into a core's cache.
const ENTRIES: usize = 1 << 17;

impl Table {
    pub(super) fn new() -> Table {
        Table(vec![Entry::default(); ENTRIES].into_boxed_slice())
    }

    /// Clears all entries.
    pub(super) fn clear(&mut self) {
        self.0.fill(Entry::default());
    }

    /// Returns the entry of the position with this key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        Some(self.0[key as usize % ENTRIES]).filter(|entry| entry.key == key)
    }

    #[inline]
    pub(super) fn set(&mut self, key: u64, value: i32, bound: Bound, depth: i32, best_cell: usize) {
        let entry = Entry { key, value, best_cell: best_cell as u16, depth: depth as i8, bound };
        self.0[key as usize % ENTRIES] = entry;
    }
}
