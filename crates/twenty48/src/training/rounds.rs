//! Training by many threads with the bytes of one: games are played in rounds, against weights that stand still, while the games of the
//! round before are learned from, one after the other.
//!
//! Some rounds make a lap. At its end all of its games have been learned from, so that a training can be tested there, stopped, and taken
//! up again. The first games, from which a network learns most, are learned from one by one.
//!
//! With two threads 4x6 by `tc` makes 1.94 times as many moves a second as with one, and one thread as many as without rounds (10,000 to
//! 30,000 games, other processes of the machine standing still).

use std::io::{self, Read, Write};
use std::sync::{Mutex, MutexGuard};

use super::student::{Student, Visited};
use crate::learning::{Learner, Lesson, Origin, Together};
use crate::network::Network;
use crate::network::options::Options;
use crate::rng::Seed;
use crate::rules::Board;

/// Games of a round: it takes some 25 times as long as to copy the weights of 4x6.
pub(super) const ROUND: u64 = 500;

/// Games of a lap.
const LAP: u64 = 20 * ROUND;

/// Weights that are copied in one piece.
const PART: usize = 1 << 20;

/// A game that was played, and is to be learned from.
struct Played {
    path: Vec<Visited>,
    lesson: Lesson,
}

/// Plays the game of a seed by weights that stand still.
fn played(network: &Network, seed: Seed) -> Played {
    let mut world = seed.rng();
    let mut board = Board::start(&mut world).0;
    let mut options = Options::default();
    let mut played = Played { path: Vec::new(), lesson: Lesson { score: 0, moves: 0 } };
    loop {
        options.look(board, network);
        let Some((at, _)) = options.best(network) else { return played };
        let turn = options.turn(at);
        played.lesson.score += turn.gain;
        played.lesson.moves += 1;
        played.path.push(Visited::of(turn));
        board = turn.after.spawn(&mut world).0;
    }
}

/// Number of games of the lap that begins after these games; none where games are learned from one by one.
fn lap_after(games: u64) -> Option<u64> {
    (games >= LAP).then(|| LAP - games % LAP)
}

/// True if a training can pause after these games.
pub(super) fn is_lap_end(games: u64) -> bool {
    games < LAP || games.is_multiple_of(LAP)
}

/// A network that learns in rounds.
pub(super) struct InRounds {
    student: Student,
    /// Room for the weights that stand still.
    still: Network,
}

impl InRounds {
    pub(super) fn new(student: Student) -> Result<InRounds, String> {
        let still = student.network.twin()?;
        Ok(InRounds { student, still })
    }
}

impl Learner for InRounds {
    fn learn(&mut self, together: Together) -> Vec<Lesson> {
        match lap_after(self.student.games) {
            None => self.student.learn(together),
            Some(lap) => learn(&mut self.student, lap, &mut self.still, together),
        }
    }

    fn test(&mut self, seed: Seed) -> Lesson {
        self.student.test(seed)
    }

    fn games(&self) -> u64 {
        self.student.games
    }

    fn write_network(&self, origin: &Origin, out: &mut dyn Write) -> io::Result<String> {
        self.student.write_network(origin, out)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        self.student.write_state(out)
    }

    fn read_state(&mut self, games: u64, from: &mut dyn Read) -> io::Result<()> {
        self.student.read_state(games, from)
    }
}

/// Plays a lap of this number of games, and learns from them. `still` has room for the weights that stand still.
fn learn(student: &mut Student, lap: u64, still: &mut Network, together: Together) -> Vec<Lesson> {
    let seeds: Vec<Seed> =
        (student.games..student.games + lap).map(|game| student.worlds.numbered(game)).collect();
    let mut lessons = Vec::with_capacity(seeds.len());
    let mut last: Vec<Played> = Vec::new();
    for round in seeds.chunks(ROUND as usize) {
        copy(student.network.weights(), still.weights_mut(), together);
        let still = &*still;
        let learning = Mutex::new((&mut *student, last));
        let games: Vec<Mutex<Option<Played>>> = round.iter().map(|_| Mutex::new(None)).collect();
        // To learn from the last round takes longest, so it is begun first.
        together(1 + round.len(), &|number| match number.checked_sub(1) {
            None => {
                let (student, last) = &mut *locked(&learning);
                last.iter().for_each(|game| student.learn_from_next(&game.path));
            }
            Some(at) => *locked(&games[at]) = Some(played(still, round[at])),
        });
        last = games.iter().filter_map(|game| locked(game).take()).collect();
        lessons.extend(last.iter().map(|game| game.lesson));
    }
    last.iter().for_each(|game| student.learn_from_next(&game.path));
    lessons
}

/// Copies weights, part by part.
fn copy(from: &[f32], to: &mut [f32], together: Together) {
    let parts = from.chunks(PART).zip(to.chunks_mut(PART));
    let parts: Vec<Mutex<(&[f32], &mut [f32])>> = parts.map(Mutex::new).collect();
    together(parts.len(), &|number| {
        let (from, to) = &mut *locked(&parts[number]);
        to.copy_from_slice(from);
    });
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().expect("work that has failed ends all")
}
