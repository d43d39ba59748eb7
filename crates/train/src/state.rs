//! State of a training besides what was learned.

use std::collections::VecDeque;

use gauntlet_analysis::config::train::Length;
use gauntlet_analysis::results::tables::curve::Tested;
use gauntlet_run::progress::{self, Progress};
use serde::{Deserialize, Serialize};

/// How far a training is that has learned from so many games and moves, among all of them if that
/// is known.
pub(super) fn progress_of(
    length: Option<Length>,
    games: u64,
    moves: u64,
    state: progress::RunState,
) -> Progress {
    let (done, all) = length.map_or((games, 0), |length| length.progress(games, moves));
    let is_of_moves = matches!(length, Some(Length::Moves(_)));
    Progress { is_of_moves, ..Progress::of_games(done, all, state) }
}

/// State of a training besides what was learned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// The digest of the settings.
    pub(super) key: String,
    /// Games that were learned from.
    pub(super) games: u64,
    /// Their moves.
    pub(super) moves: u64,
    /// Moves of the games after which it had not paused.
    pub(super) last_moves: u64,
    /// Scores of the last games.
    pub(super) last: Last,
    /// The tests so far.
    pub(super) curve: Vec<Tested>,
}

impl State {
    /// The state of a training that has not begun.
    pub(super) fn new(key: String) -> State {
        State { key, games: 0, moves: 0, last_moves: 0, last: Last::default(), curve: Vec::new() }
    }

    /// True if a training of this length is at its end.
    pub(super) fn has_ended(&self, length: Length) -> bool {
        length.is_reached(self.games, self.moves)
    }

    /// Games of the mean, and the mean of their scores.
    pub(super) fn mean(&self) -> Option<(u64, u64)> {
        Some((self.last.games(), self.last.score().checked_div(self.last.games())?))
    }

    /// True if a training of this length would have ended with an earlier game.
    pub(super) fn is_longer_than(&self, length: Length) -> bool {
        self.games > 0 && length.is_reached(self.games - 1, self.moves - self.last_moves)
    }
}

/// Scores of the last games that were learned from. They are a part of the state, so their mean
/// depends on no kill.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Last(VecDeque<u64>);

impl Last {
    /// The most games of a mean.
    const MOST: usize = 1000;

    pub(super) fn add(&mut self, score: u64) {
        if self.0.len() >= Last::MOST {
            self.0.pop_front();
        }
        self.0.push_back(score);
    }

    /// How many they are.
    pub(super) fn games(&self) -> u64 {
        self.0.len() as u64
    }

    /// Their sum.
    pub(super) fn score(&self) -> u64 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_of_the_last_thousand_games() {
        let mut last = Last::default();
        (1..=700).for_each(|score| last.add(score));
        assert_eq!((last.games(), last.score()), (700, 700 * 701 / 2));
        let text = serde_json::to_string(&last).expect("scores");
        let mut last: Last = serde_json::from_str(&text).expect("scores");
        (701..=1200).for_each(|score| last.add(score));
        assert_eq!((last.games(), last.score()), (1000, 1200 * 1201 / 2 - 200 * 201 / 2));
    }
}
