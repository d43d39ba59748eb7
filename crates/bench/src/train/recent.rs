//! How a training goes: how fast, and how well it played of late.

use std::time::{Duration, Instant};

use super::state::State;
use crate::config::train::Length;
use crate::text::grouped;

/// What a process does of a training.
#[derive(Debug)]
pub(super) struct Session {
    started: Instant,
    length: Length,
    /// Games and moves learned from before.
    before: [u64; 2],
}

impl Session {
    pub(super) fn of(length: Length, state: &State) -> Session {
        Session { started: Instant::now(), length, before: [state.games, state.moves] }
    }

    pub(super) fn recent<'a>(&'a self, state: &'a State) -> Recent<'a> {
        Recent { session: self, state }
    }
}

/// A training in the course of a session.
#[derive(Clone, Copy, Debug)]
pub struct Recent<'a> {
    session: &'a Session,
    state: &'a State,
}

impl Recent<'_> {
    /// Games learned from by now.
    pub fn games(self) -> u64 {
        self.state.games
    }

    /// Games or moves that were learned from, whichever the length is made of, and all of them.
    pub fn progress(self) -> (u64, u64) {
        self.session.length.progress(self.state.games, self.state.moves)
    }

    /// Both in words.
    pub fn words(self) -> String {
        format!("{} of {}", grouped(self.progress().0), self.session.length)
    }

    /// Games of the mean, and the mean of their scores.
    pub fn mean(self) -> Option<(u64, u64)> {
        self.state.mean()
    }

    /// Moves a second.
    pub fn moves_per_second(self) -> f64 {
        let moves = self.state.moves - self.session.before[1];
        moves as f64 / self.session.started.elapsed().as_secs_f64().max(1e-9)
    }

    /// Time left, if the games that are left take as long as those of this session did.
    pub fn left(self) -> Duration {
        let Session { started, length, before: [games, moves] } = self.session;
        let (before, _) = length.progress(*games, *moves);
        let (done, all) = self.progress();
        let each = started.elapsed().as_secs_f64() / (done - before).max(1) as f64;
        Duration::from_secs_f64((each * all.saturating_sub(done) as f64).min(1e9))
    }
}
