//! State of a training, except what was learned.

use std::collections::VecDeque;
use std::time::Instant;

use gauntlet_analysis::results::tables::curve::TrainingTest;
use gauntlet_core::text::{group_decimal, group_digits};
use gauntlet_run::progress::{Progress, ProgressUnit, RunState};
use gauntlet_run::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

use crate::section::TrainingLength;

/// Returns the progress of a training after these games and moves, relative to its length if it is
/// known.
pub(super) fn training_progress(
    length: Option<TrainingLength>,
    games: u64,
    moves: u64,
    state: RunState,
) -> Progress {
    let (done, total) = length.map_or((games, 0), |length| length.progress(games, moves));
    let counts_moves = matches!(length, Some(TrainingLength::Moves(_)));
    let unit = if counts_moves { ProgressUnit::Move } else { ProgressUnit::Game };
    Progress { unit, ..Progress::from_games(done, total, state) }
}

/// State of a training, except what was learned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// The digest of the settings.
    pub(super) key: String,
    /// Games learned from.
    pub(super) games: u64,
    /// Moves of these games.
    pub(super) moves: u64,
    /// Moves of the last games, which the learner played without a pause.
    pub(super) last_moves: u64,
    /// Scores of the last games.
    pub(super) last: RecentScores,
    /// The tests so far.
    pub(super) curve: Vec<TrainingTest>,
}

impl State {
    /// Returns the state of a training that has not begun.
    pub(super) fn new(key: String) -> State {
        State { key, games: 0, moves: 0, last_moves: 0, last: RecentScores::default(), curve: Vec::new() }
    }

    /// Returns true if a training of this length has ended.
    pub(super) fn has_ended(&self, length: TrainingLength) -> bool {
        length.is_reached(self.games, self.moves)
    }

    /// Returns the number of last games and their mean score.
    pub(super) fn mean(&self) -> Option<(u64, u64)> {
        Some((self.last.games(), self.last.sum().checked_div(self.last.games())?))
    }

    /// Returns the snapshot of a session, which has started at a time, after `earlier` games and
    /// moves.
    pub(super) fn snapshot(&self, length: TrainingLength, started: Instant, earlier: [u64; 2]) -> Snapshot {
        let seconds = started.elapsed().as_secs_f64().max(1e-9);
        let (earlier_done, _) = length.progress(earlier[0], earlier[1]);
        let progress = training_progress(Some(length), self.games, self.moves, RunState::Plays);
        let pace = Some((progress.done - earlier_done) as f64 / seconds).filter(|pace| *pace > 0.0);
        let moves_per_second = group_decimal((self.moves - earlier[1]) as f64 / seconds / 1e6, 2);
        let (last, mean) = self.mean().unwrap_or_default();
        let mean = format!("mean of the last {} training games {}", group_digits(last), group_digits(mean));
        let remarks = vec![format!("{moves_per_second} M moves/s, {mean}")];
        Snapshot { remarks, ..Snapshot::from_progress("training", progress.with_pace(pace)) }
    }

    /// Returns true if a training of this length would have ended at an earlier game.
    pub(super) fn is_longer_than(&self, length: TrainingLength) -> bool {
        self.games > 0 && length.is_reached(self.games - 1, self.moves - self.last_moves)
    }
}

/// Scores of the last games learned from. They are part of the state, so their mean does not depend
/// on kills.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct RecentScores(VecDeque<u64>);

impl RecentScores {
    /// The maximum number of scores.
    const MAX_SCORES: usize = 1000;

    pub(super) fn add(&mut self, score: u64) {
        if self.0.len() >= RecentScores::MAX_SCORES {
            self.0.pop_front();
        }
        self.0.push_back(score);
    }

    /// Returns the number of scores.
    pub(super) fn games(&self) -> u64 {
        self.0.len() as u64
    }

    /// Returns the sum of the scores.
    pub(super) fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_of_the_last_thousand_games() {
        let mut last = RecentScores::default();
        (1..=700).for_each(|score| last.add(score));
        assert_eq!((last.games(), last.sum()), (700, 700 * 701 / 2));
        let text = serde_json::to_string(&last).expect("scores");
        let mut last: RecentScores = serde_json::from_str(&text).expect("scores");
        (701..=1200).for_each(|score| last.add(score));
        assert_eq!((last.games(), last.sum()), (1000, 1200 * 1201 / 2 - 200 * 201 / 2));
    }
}
