//! Tests of what was learned: the points of the learning curve.

pub use gauntlet_analysis::results::tables::curve::{CURVE, CurveRow, TrainingTest};

use gauntlet_core::learning::Learner;
use gauntlet_core::player::Stop;
use gauntlet_core::rng::Seed;

use super::state::State;
use crate::section::TrainSection;

/// Games after which a test can be stopped: a learner plays several in turn.
const GAMES_PER_CALL: usize = 20;

/// Plays the games of a test in this state of the training; `None` if stopped.
pub(super) fn test(
    learner: &mut dyn Learner,
    state: &State,
    train: &TrainSection,
    stop: &Stop,
) -> Option<TrainingTest> {
    let seeds = Seed::root(train.seed).children("test");
    let mut result = TrainingTest {
        games: state.games,
        moves: state.moves,
        scores: Vec::new(),
        test_moves: 0,
        training_games: state.last.games(),
        training_score: state.last.sum(),
    };
    let seeds: Vec<Seed> = (0..train.test_games).map(|number| seeds.get(number)).collect();
    for seeds in seeds.chunks(GAMES_PER_CALL) {
        if stop.is_requested() {
            return None;
        }
        for episode in learner.test(seeds) {
            result.scores.push(episode.score);
            result.test_moves += episode.moves;
        }
    }
    Some(result)
}
