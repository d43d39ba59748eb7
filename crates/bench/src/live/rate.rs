//! How fast games grow in number, as seen from outside: from look to look.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::picture::Progress;
use crate::run::screen::{clock, pace};
use crate::text::{games, grouped};

/// Looks by which the rate is found.
const LOOKS: usize = 20;

/// Games that were there when a look found more of them than before, and when that was; the last of them at the end.
#[derive(Default)]
pub(super) struct Rate(VecDeque<(Instant, u64)>);

impl Rate {
    /// True before the first look.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Games that are there now, and how fast they grow in number.
    pub(super) fn progress(&mut self, done: u64, all: u64) -> Progress {
        if self.0.back().is_none_or(|&(_, before)| before != done) {
            self.0.push_back((Instant::now(), done));
        }
        if self.0.len() > LOOKS {
            self.0.pop_front();
        }
        let mut paces = Vec::new();
        if let (Some(&(begun, first)), Some(&(last, newest))) = (self.0.front(), self.0.back())
            && newest > first
            && done < all
        {
            let rate = (newest - first) as f64 / (last - begun).as_secs_f64().max(1e-3);
            let left = Duration::from_secs_f64(((all - done) as f64 / rate).min(1e9));
            paces.extend([format!("{} games/s", pace(rate)), format!("{} left", clock(left))]);
        }
        Progress { done, all, words: vec![format!("{} of {}", grouped(done), games(all))], pace: paces }
    }
}
