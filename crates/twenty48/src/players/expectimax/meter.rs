//! Work of a search, and its end.

use std::time::Instant;

use gauntlet_core::player::Stop;

/// Counts what a search looks at, and ends it.
pub(super) struct Meter {
    /// Boards just after a move: those that were searched, and those that were evaluated.
    pub(super) nodes: u64,
    /// Boards of which the table knew the value.
    pub(super) known: u64,
    /// The most nodes.
    pub(super) most: u64,
    /// The last moment.
    pub(super) deadline: Option<Instant>,
    /// True once the search is to end: whatever it finds from then on is worth nothing.
    pub(super) is_over: bool,
    pub(super) stop: Stop,
    looks: u32,
}

impl Meter {
    pub(super) fn new(stop: Stop) -> Meter {
        Meter { nodes: 0, known: 0, most: u64::MAX, deadline: None, is_over: false, stop, looks: 0 }
    }

    /// Begins anew with these limits.
    pub(super) fn begin(&mut self, most: u64, deadline: Option<Instant>) {
        let stop = std::mem::take(&mut self.stop);
        *self = Meter { most, deadline, ..Meter::new(stop) };
    }

    /// True if the search must end. To be asked before each board that is searched.
    #[inline(always)]
    pub(super) fn must_end(&mut self) -> bool {
        self.nodes += 1;
        self.looks += 1;
        let is_time = self.looks.is_multiple_of(16);
        self.is_over |= self.nodes > self.most
            || self.stop.is_asked()
            || is_time && self.deadline.is_some_and(|end| Instant::now() >= end);
        self.is_over
    }
}
