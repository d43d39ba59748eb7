//! The transposition table.

/// A table of fixed size, in which a newer position replaces an older one.
pub(super) struct Table(Box<[Entry]>);

/// Entry of one position.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    key: u64,
    pub(super) value: i32,
    pub(super) best: u16,
    pub(super) depth: i8,
    pub(super) bound: Bound,
}

/// Meaning of a value, by the window that it was found in.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Bound {
    /// The position is worth this or less.
    #[default]
    Most,
    /// The position is worth this or more.
    Least,
    /// The position is worth this.
    Exact,
}

/// 2 MB: what fits into a cache of a core.
const ENTRIES: usize = 1 << 17;

impl Table {
    pub(super) fn new() -> Table {
        Table(vec![Entry::default(); ENTRIES].into_boxed_slice())
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        self.0.fill(Entry::default());
    }

    /// Entry of the position of this key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        Some(self.0[key as usize % ENTRIES]).filter(|entry| entry.key == key)
    }

    #[inline]
    pub(super) fn set(&mut self, key: u64, value: i32, bound: Bound, depth: i32, best: usize) {
        let entry = Entry { key, value, best: best as u16, depth: depth as i8, bound };
        self.0[key as usize % ENTRIES] = entry;
    }
}
