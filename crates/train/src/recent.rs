//! How a training goes: how fast, and how well it played of late.

use std::time::Instant;

use gauntlet_analysis::config::train::Length;
use gauntlet_run::progress::{self, Progress};

use super::state::{State, progress_of};

/// A training in the course of a session.
#[derive(Clone, Copy, Debug)]
pub struct Recent<'a> {
    pub(super) state: &'a State,
    pub(super) length: Length,
    pub(super) started: Instant,
    /// Games and moves learned from before.
    pub(super) before: [u64; 2],
}

impl Recent<'_> {
    /// Games learned from by now.
    pub fn games(self) -> u64 {
        self.state.games
    }

    /// How far the training is.
    pub fn progress(self) -> Progress {
        let Recent { state, length, started, before: [games, moves] } = self;
        let (before, _) = length.progress(games, moves);
        let progress = progress_of(Some(length), state.games, state.moves, progress::RunState::Plays);
        let pace = (progress.done - before) as f64 / started.elapsed().as_secs_f64().max(1e-9);
        progress.at_pace(Some(pace).filter(|pace| *pace > 0.0))
    }

    /// Games of the mean, and the mean of their scores.
    pub fn mean(self) -> Option<(u64, u64)> {
        self.state.mean()
    }

    /// Moves a second.
    pub fn moves_per_second(self) -> f64 {
        let moves = self.state.moves - self.before[1];
        moves as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }
}
