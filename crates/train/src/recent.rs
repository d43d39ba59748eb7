//! Speed of a training, and scores of its last games.

use std::time::Instant;

use gauntlet_run::progress::{self, Progress};

use super::state::{State, progress_of};
use crate::section::TrainingLength;

/// A training during a session.
#[derive(Clone, Copy, Debug)]
pub struct TrainingSession<'a> {
    pub(super) state: &'a State,
    pub(super) length: TrainingLength,
    pub(super) started: Instant,
    /// Games and moves learned from before this session.
    pub(super) before: [u64; 2],
}

impl TrainingSession<'_> {
    /// Returns the number of games learned from so far.
    pub fn games(self) -> u64 {
        self.state.games
    }

    /// Returns the progress of the training.
    pub fn progress(self) -> Progress {
        let TrainingSession { state, length, started, before: [games, moves] } = self;
        let (before, _) = length.progress(games, moves);
        let progress = progress_of(Some(length), state.games, state.moves, progress::RunState::Plays);
        let pace = (progress.done - before) as f64 / started.elapsed().as_secs_f64().max(1e-9);
        progress.at_pace(Some(pace).filter(|pace| *pace > 0.0))
    }

    /// Returns the number of last games and their mean score.
    pub fn mean(self) -> Option<(u64, u64)> {
        self.state.mean()
    }

    /// Returns the moves per second of this session.
    pub fn moves_per_second(self) -> f64 {
        let moves = self.state.moves - self.before[1];
        moves as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }
}
