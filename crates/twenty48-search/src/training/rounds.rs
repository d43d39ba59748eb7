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

use super::beginnings::Beginning;
use super::learner::{NetworkLearner, VisitedBoard, play};
use crate::network::Network;

/// Games per round: enough that copying the weights of 4x6 takes a small part of its time.
const ROUND: u64 = 500;

/// Approximate number of moves per game of a strong player.
const MOVES: u64 = 10_000;

/// Games per lap.
const LAP: u64 = 20 * ROUND;

/// Number of weights copied at once.
const PART: usize = 1 << 20;

/// Played game that is to be learned from.
struct PlayedGame {
    path: Vec<VisitedBoard>,
    episode: Episode,
}

/// Returns the number of games of the lap that begins after these games; `None` if games are
/// learned from one by one.
fn lap_after(games: u64) -> Option<u64> {
    (games >= LAP).then(|| LAP - games % LAP)
}

/// Returns why the training cannot pause after these games, if so.
pub(super) fn pause_after(games: u64) -> Result<(), String> {
    if games < LAP || games.is_multiple_of(LAP) {
        return Ok(());
    }
    Err(format!("with `rounds` must be less than {LAP}, or a multiple of {LAP}"))
}

/// Bytes of the boards of two rounds: one that is played, and one that is learned from.
pub(super) const MEMORY: u64 = 2 * ROUND * MOVES * size_of::<VisitedBoard>() as u64;

/// Network that learns in rounds.
pub(super) struct RoundLearner {
    student: NetworkLearner,
    /// Memory for the frozen weights.
    still: Network,
}

impl RoundLearner {
    pub(super) fn new(student: NetworkLearner) -> Result<RoundLearner, String> {
        let still = student.weights.network.with_zero_weights()?;
        Ok(RoundLearner { student, still })
    }
}

impl Learner for RoundLearner {
    fn learn(&mut self, together: ParallelFor) -> Vec<Episode> {
        match lap_after(self.student.games) {
            None => self.student.learn(together),
            Some(lap) => learn(&mut self.student, lap, &mut self.still, together),
        }
    }

    fn test(&mut self, seed: Seed) -> Episode {
        self.student.test(seed)
    }

    fn games(&self) -> u64 {
        self.student.games
    }

    fn write_network(&self, origin: &NetworkOrigin, out: &mut dyn Write) -> io::Result<String> {
        self.student.write_network(origin, out)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        self.student.write_state(out)
    }

    fn read_state(&mut self, games: u64, from: &mut dyn Read) -> io::Result<()> {
        self.student.read_state(games, from)
    }
}

/// Plays a lap of this number of games, and learns from them. `still` is memory for the frozen
/// weights.
fn learn(student: &mut NetworkLearner, lap: u64, still: &mut Network, together: ParallelFor) -> Vec<Episode> {
    let seeds: Vec<Seed> =
        (student.games..student.games + lap).map(|game| student.worlds.get(game)).collect();
    let mut lessons = Vec::with_capacity(seeds.len());
    let mut last: Vec<PlayedGame> = Vec::new();
    for round in seeds.chunks(ROUND as usize) {
        copy(student.weights.network.weights(), still.weights_mut(), together);
        let still = &*still;
        let learning = Mutex::new((&mut *student, last));
        let games: Vec<Mutex<Option<PlayedGame>>> = round.iter().map(|_| Mutex::new(None)).collect();
        // Learning from the previous round takes longest, so it starts first.
        together(1 + round.len(), &|number| match number.checked_sub(1) {
            None => {
                let (student, last) = &mut *lock(&learning);
                for game in last.iter() {
                    student.learn_from_next(&game.path);
                }
            }
            Some(at) => {
                let mut path = Vec::new();
                let episode =
                    play(still, round[at], Beginning::Fresh, |_, turn| path.push(VisitedBoard::new(turn)));
                *lock(&games[at]) = Some(PlayedGame { path, episode });
            }
        });
        last = games.iter().filter_map(|game| lock(game).take()).collect();
        lessons.extend(last.iter().map(|game| game.episode));
    }
    for game in &last {
        student.learn_from_next(&game.path);
    }
    lessons
}

/// Copies weights in parts.
fn copy(from: &[f32], to: &mut [f32], together: ParallelFor) {
    let parts = from.chunks(PART).zip(to.chunks_mut(PART));
    let parts: Vec<Mutex<(&[f32], &mut [f32])>> = parts.map(Mutex::new).collect();
    together(parts.len(), &|number| {
        let (from, to) = &mut *lock(&parts[number]);
        to.copy_from_slice(from);
    });
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().expect("a failed worker ends the training")
}
