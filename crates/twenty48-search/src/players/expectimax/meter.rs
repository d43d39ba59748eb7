//! Node counters and limits of a search.

use std::time::Instant;

use gauntlet_core::player::Stop;

/// Node counter of a search, which ends it at a limit.
pub(super) struct Meter {
    /// Boards just after a move that were searched or evaluated.
    pub(super) nodes: u64,
    /// Boards whose value was in the transposition table.
    pub(super) table_hits: u64,
    /// Maximum number of nodes.
    pub(super) max_nodes: u64,
    /// Time at which the search ends.
    pub(super) deadline: Option<Instant>,
    /// True once the search must end: results found after that are meaningless.
    pub(super) is_over: bool,
    pub(super) stop: Stop,
    checks: u32,
}

impl Meter {
    pub(super) fn new(stop: Stop) -> Meter {
        Meter {
            nodes: 0,
            table_hits: 0,
            max_nodes: u64::MAX,
            deadline: None,
            is_over: false,
            stop,
            checks: 0,
        }
    }

    /// Resets the counters and sets these limits.
    pub(super) fn begin(&mut self, max_nodes: u64, deadline: Option<Instant>) {
        let stop = std::mem::take(&mut self.stop);
        *self = Meter { max_nodes, deadline, ..Meter::new(stop) };
    }

    /// Returns true if the search must end. It must be called before each board that is searched.
    #[inline(always)]
    pub(super) fn must_end(&mut self) -> bool {
        self.nodes += 1;
        self.checks += 1;
        let is_time = self.checks.is_multiple_of(16);
        self.is_over |= self.nodes > self.max_nodes
            || self.stop.is_requested()
            || is_time && self.deadline.is_some_and(|end| Instant::now() >= end);
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_ends_at_its_limits() {
        let mut meter = Meter::new(Stop::default());
        meter.begin(u64::MAX, None);
        assert!(!(0..64).any(|_| meter.must_end()));
        meter.begin(u64::MAX, Some(Instant::now()));
        assert!((0..16).any(|_| meter.must_end()), "the clock is read every 16 boards");
        meter.begin(3, None);
        assert_eq!([(); 4].map(|()| meter.must_end()), [false, false, false, true]);
    }
}
