//! How fast games grow in number, as seen from outside: from look to look.

use std::collections::VecDeque;
use std::time::Instant;

use super::picture::Progress;
use super::words;

/// Looks by which the rate is found.
const LOOKS: usize = 20;

/// Games that were there when a look found more of them than before, and when that was; the last of them at the end.
#[derive(Default)]
pub(super) struct Rate(VecDeque<(Instant, u64)>);

impl Rate {
    /// Games that are there now, and how fast they grow in number.
    pub(super) fn progress(&mut self, done: u64, all: u64) -> Progress {
        if self.0.back().is_none_or(|&(_, before)| before != done) {
            self.0.push_back((Instant::now(), done));
        }
        if self.0.len() > LOOKS {
            self.0.pop_front();
        }
        let mut pace = Vec::new();
        if let (Some(&(begun, first)), Some(&(last, newest))) = (self.0.front(), self.0.back())
            && done < all
        {
            pace = words::pace(newest.saturating_sub(first), last - begun, all - done);
        }
        Progress { pace, ..Progress::of(done, all) }
    }
}
