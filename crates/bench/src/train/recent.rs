//! How a training goes: how fast, and how well it played of late.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::checkpoint::State;
use crate::config::train::Length;
use crate::learning::Lesson;
use crate::text::grouped;

/// The most games of a mean.
const LAST: usize = 1000;

/// Sums of the games of this session.
#[derive(Debug)]
pub struct Recent {
    started: Instant,
    /// Length of the training.
    pub length: Length,
    /// Games learned from by now.
    pub games: u64,
    /// Their moves.
    pub all_moves: u64,
    /// Games or moves, whichever the length is made of, before this session.
    before: u64,
    moves: u64,
    /// Scores of the last games, and their sum.
    last: VecDeque<u64>,
    sum: u64,
}

impl Recent {
    pub(super) fn of(length: Length, state: &State) -> Recent {
        let last = VecDeque::with_capacity(LAST);
        let (games, all_moves) = (state.games, state.moves);
        let (before, _) = length.progress(games, all_moves);
        Recent { started: Instant::now(), length, games, all_moves, before, moves: 0, last, sum: 0 }
    }

    pub(super) fn add(&mut self, state: &State, lesson: Lesson) {
        (self.games, self.all_moves) = (state.games, state.moves);
        self.moves += lesson.moves;
        if self.last.len() == LAST {
            self.sum -= self.last.pop_front().unwrap_or(0);
        }
        self.last.push_back(lesson.score);
        self.sum += lesson.score;
    }

    /// Games of the mean, and the mean of their scores.
    pub fn mean(&self) -> Option<(usize, u64)> {
        (!self.last.is_empty()).then(|| (self.last.len(), self.sum / self.last.len() as u64))
    }

    /// Moves a second.
    pub fn moves_per_second(&self) -> f64 {
        self.moves as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    /// Games or moves that were learned from, and all of them.
    pub fn progress(&self) -> (u64, u64) {
        self.length.progress(self.games, self.all_moves)
    }

    /// True if there is nothing left to learn from.
    pub fn is_last(&self) -> bool {
        self.length.is_reached(self.games, self.all_moves)
    }

    /// Both in words.
    pub fn words(&self) -> String {
        format!("{} of {}", grouped(self.progress().0), self.length)
    }

    /// Time left, if the games that are left take as long as those of this session did.
    pub fn left(&self) -> Duration {
        let (done, all) = self.progress();
        let each = self.started.elapsed().as_secs_f64() / (done - self.before).max(1) as f64;
        Duration::from_secs_f64((each * all.saturating_sub(done) as f64).min(1e9))
    }
}
