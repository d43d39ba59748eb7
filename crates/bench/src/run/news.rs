//! What a run tells those who look on while it plays.

use std::fmt;

use super::coverage::Coverage;
use super::keyed::Keyed;
use super::screen::Moment;
use crate::player::Sight;
use crate::record::Slice;

/// Something that happened in a run.
pub enum News<'a> {
    /// It begins, with these games in its journal.
    Begins(&'a Coverage<'a>),
    /// Some games were played.
    Played {
        /// Their line-up.
        lineup: usize,
        /// The first of their blocks, which follow each other.
        first: u64,
        /// The games.
        slice: &'a Slice,
    },
    /// Its state, now and then; and at its end, when no more games come.
    Now {
        /// The state.
        moment: &'a Moment,
        /// Positions of games in play, each with its line-up.
        sights: Vec<(usize, Sight)>,
        /// True if it is at its end.
        is_last: bool,
    },
}

/// Hears news of the run of a plan.
pub type Hear<'a> = dyn Fn(&Keyed, &News) + Sync + 'a;

/// Someone who is told. The threads of a run tell as they play, so to hear must cost little.
#[derive(Clone, Copy)]
pub struct Listener<'a> {
    hear: &'a Hear<'a>,
    is_watched: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Listener<'a> {
    /// One who hears everything by `hear`, but the state of the run only while `is_watched` says so.
    pub fn of(hear: &'a Hear<'a>, is_watched: &'a (dyn Fn() -> bool + Sync)) -> Listener<'a> {
        Listener { hear, is_watched }
    }

    pub(super) fn hear(self, plan: &Keyed, news: &News) {
        (self.hear)(plan, news);
    }

    pub(super) fn is_watched(self) -> bool {
        (self.is_watched)()
    }
}

impl fmt::Debug for Listener<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Listener")
    }
}
