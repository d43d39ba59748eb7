//! How a training goes: how fast, and how well it played of late.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::learning::Lesson;

/// The most games of a mean.
const LAST: usize = 1000;

/// Sums of the games of this session.
#[derive(Debug)]
pub struct Recent {
    started: Instant,
    /// Games learned from before this session, and by now.
    before: u64,
    /// Games learned from by now.
    pub games: u64,
    /// Games to learn from.
    pub all: u64,
    moves: u64,
    /// Scores of the last games, and their sum.
    last: VecDeque<u64>,
    sum: u64,
}

impl Recent {
    pub(super) fn of(before: u64, all: u64) -> Recent {
        let last = VecDeque::with_capacity(LAST);
        Recent { started: Instant::now(), before, games: before, all, moves: 0, last, sum: 0 }
    }

    pub(super) fn add(&mut self, games: u64, lesson: Lesson) {
        (self.games, self.moves) = (games, self.moves + lesson.moves);
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

    /// Time left, if the games that are left take as long as those of this session did.
    pub fn left(&self) -> Duration {
        let each = self.started.elapsed().as_secs_f64() / (self.games - self.before).max(1) as f64;
        Duration::from_secs_f64((each * self.all.saturating_sub(self.games) as f64).min(1e9))
    }
}
