//! Training by many threads with the result of one: games are played in rounds with frozen weights,
//! while the games of the previous round are learned from, one after another.
//!
//! Some rounds make a lap. At its end all of its games have been learned from, so that a training
//! can be tested, stopped and resumed there. The first games, from which a network learns most, are
//! learned from one by one.
//!
//! With two threads, training of 4x6 by `tc` from 10,000 to 40,000 games takes 1/1.9 and 1/1.8 of
//! the wall time with one thread. One thread takes as long as a training without rounds (whole
//! commands, including checkpoints, two alternating runs on a quiet machine).

use std::io::{self, Read, Write};
use std::sync::{Mutex, MutexGuard};

use gauntlet_core::learning::{Episode, Learner, NetworkOrigin, ParallelFor};
use gauntlet_core::rng::Seed;

use super::initial_positions::InitialPosition;
use super::learner::{NetworkLearner, VisitedBoard};
use super::turns::play_frozen;
use crate::network::Network;

/// Games per round: enough that copying the weights of 4x6 takes a small part of its time.
const ROUND: u64 = 500;

/// Approximate number of moves per game of a strong player.
const MOVES: u64 = 10_000;

/// Games per lap.
const PAUSE_INTERVAL: u64 = 20 * ROUND;

/// Games of a round that one thread plays before it takes others.
const GAMES_PER_TASK: usize = 10;

/// Number of weights copied at once.
const CHUNK_LENGTH: usize = 1 << 20;

/// Played game that is to be learned from.
struct PlayedGame {
    path: Vec<VisitedBoard>,
    episode: Episode,
}

/// Returns the number of games of the lap that begins after these games; `None` if games are
/// learned from one by one.
fn games_until_pause(games: u64) -> Option<u64> {
    (games >= PAUSE_INTERVAL).then(|| PAUSE_INTERVAL - games % PAUSE_INTERVAL)
}

/// Returns why the training cannot pause after these games, if so.
pub(super) fn pause_after(games: u64) -> Result<(), String> {
    if games < PAUSE_INTERVAL || games.is_multiple_of(PAUSE_INTERVAL) {
        return Ok(());
    }
    Err(format!("with `rounds` must be less than {PAUSE_INTERVAL}, or a multiple of {PAUSE_INTERVAL}"))
}

/// Bytes of the boards of two rounds: one that is played, and one that is learned from.
pub(super) const MEMORY: u64 = 2 * ROUND * MOVES * size_of::<VisitedBoard>() as u64;

/// Network that learns in rounds.
pub(super) struct RoundLearner {
    learner: NetworkLearner,
    /// Memory for the frozen weights.
    frozen_network: Network,
}

impl RoundLearner {
    pub(super) fn new(learner: NetworkLearner) -> Result<RoundLearner, String> {
        let frozen_network = learner.weights.network.with_zero_weights()?;
        Ok(RoundLearner { learner, frozen_network })
    }
}

impl Learner for RoundLearner {
    fn learn(&mut self, parallel_for: ParallelFor) -> Vec<Episode> {
        match games_until_pause(self.learner.games) {
            None => self.learner.learn(parallel_for),
            Some(game_count) => learn(&mut self.learner, game_count, &mut self.frozen_network, parallel_for),
        }
    }

    fn test(&mut self, seeds: &[Seed]) -> Vec<Episode> {
        self.learner.test(seeds)
    }

    fn games(&self) -> u64 {
        self.learner.games
    }

    fn write_network(&self, origin: &NetworkOrigin, out: &mut dyn Write) -> io::Result<String> {
        self.learner.write_network(origin, out)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        self.learner.write_state(out)
    }

    fn read_state(&mut self, games: u64, reader: &mut dyn Read) -> io::Result<()> {
        self.learner.read_state(games, reader)
    }
}

/// Plays a lap of this number of games, and learns from them. `frozen_network` is memory for the
/// frozen weights.
fn learn(
    learner: &mut NetworkLearner,
    game_count: u64,
    frozen_network: &mut Network,
    parallel_for: ParallelFor,
) -> Vec<Episode> {
    let seeds: Vec<Seed> =
        (learner.games..learner.games + game_count).map(|game| learner.game_seeds.get(game)).collect();
    let mut episodes = Vec::with_capacity(seeds.len());
    let mut previous_games: Vec<PlayedGame> = Vec::new();
    for round in seeds.chunks(ROUND as usize) {
        copy(learner.weights.network.weights(), frozen_network.weights_mut(), parallel_for);
        let frozen_network = &*frozen_network;
        let learner_and_games = Mutex::new((&mut *learner, previous_games));
        let tasks: Vec<(&[Seed], Mutex<Vec<PlayedGame>>)> =
            round.chunks(GAMES_PER_TASK).map(|seeds| (seeds, Mutex::new(Vec::new()))).collect();
        // Learning from the previous round takes longest, so it starts first.
        parallel_for(1 + tasks.len(), &|number| match number.checked_sub(1) {
            None => {
                let (learner, previous_games) = &mut *lock(&learner_and_games);
                for game in previous_games.iter() {
                    learner.learn_from_next(&game.path);
                }
            }
            Some(index) => {
                let (seeds, games) = &tasks[index];
                *lock(games) = play_round_games(frozen_network, seeds);
            }
        });
        previous_games = tasks.iter().flat_map(|(_, games)| std::mem::take(&mut *lock(games))).collect();
        episodes.extend(previous_games.iter().map(|game| game.episode));
    }
    for game in &previous_games {
        learner.learn_from_next(&game.path);
    }
    episodes
}

/// Plays a game for each seed with frozen weights.
fn play_round_games(network: &Network, seeds: &[Seed]) -> Vec<PlayedGame> {
    let mut paths = vec![Vec::new(); seeds.len()];
    let episodes = play_frozen(network, seeds, InitialPosition::Fresh, |number, _, legal_move| {
        paths[number].push(VisitedBoard::new(legal_move))
    });
    paths.into_iter().zip(episodes).map(|(path, episode)| PlayedGame { path, episode }).collect()
}

/// Copies weights in parts.
fn copy(source: &[f32], target: &mut [f32], parallel_for: ParallelFor) {
    let chunks = source.chunks(CHUNK_LENGTH).zip(target.chunks_mut(CHUNK_LENGTH));
    let chunks: Vec<Mutex<(&[f32], &mut [f32])>> = chunks.map(Mutex::new).collect();
    parallel_for(chunks.len(), &|number| {
        let (source, target) = &mut *lock(&chunks[number]);
        target.copy_from_slice(source);
    });
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("a failed worker ends the training")
}
