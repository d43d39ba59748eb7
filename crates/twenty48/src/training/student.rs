//! A network that learns.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::learning::{Learner, Lesson, Origin};
use crate::network::file::write_floats;
use crate::network::pattern::Patterns;
use crate::network::places::{MOST_PLACES, Places, fetch};
use crate::network::turns::{Turn, turns};
use crate::network::{Network, filled};
use crate::rng::{Children, Seed};
use crate::rules::{Board, Cells};

/// Rates at which weights learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// One rate for all.
    Td,
    /// For each its own: temporal coherence.
    Tc,
}

/// Order in which boards learn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Update {
    /// Each after the next move.
    #[default]
    Forward,
    /// After the game, from the last to the first.
    Backward,
}

/// Manner of learning.
pub(super) struct Manner {
    pub(super) patterns: Patterns,
    pub(super) method: Method,
    /// Part of an error that is learned at once.
    pub(super) rate: f32,
    pub(super) update: Update,
    /// Part of what the next board learned from, in place of its value.
    pub(super) lambda: f32,
}

/// A network that learns, and the chance of its games.
pub(super) struct Student {
    manner: Manner,
    network: Network,
    rates: Rates,
    /// Part of an error that each weight of a board learns.
    part: f32,
    worlds: Children,
    games: u64,
    path: Vec<Visited>,
}

/// Rates of the weights.
enum Rates {
    One,
    /// For each weight the sum of its errors, and of their sizes.
    Coherence(Vec<[f32; 2]>),
}

/// A board that a move left.
#[derive(Clone, Copy)]
struct Visited {
    board: Cells,
    /// Points of the move.
    gain: f32,
}

/// The legal moves of a board, each with the places of its weights.
struct Options {
    turns: [Option<Turn>; 4],
    places: [Places; 4],
}

impl Options {
    fn new() -> Options {
        Options { turns: [None; 4], places: [[0; MOST_PLACES]; 4] }
    }

    /// Looks at a board. The weights of all moves are fetched before the first is read.
    #[inline]
    fn look(&mut self, board: Board, network: &Network) {
        let mut all = turns(board);
        for (turn, places) in self.turns.iter_mut().zip(&mut self.places) {
            *turn = all.next();
            let Some(turn) = turn else { break };
            network.places(turn.after.cells(), places);
            network.fetch(places);
        }
    }

    /// The best move, with its points and the value of the board after it together; of equals the first.
    #[inline]
    fn best(&self, network: &Network) -> Option<(usize, f32)> {
        let mut best = None;
        for (at, turn) in self.turns.iter().enumerate() {
            let Some(turn) = turn else { break };
            let worth = turn.gain as f32 + network.sum(&self.places[at]);
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((at, worth));
            }
        }
        best
    }
}

impl Student {
    pub(super) fn new(manner: Manner, network: Network, seed: Seed) -> Result<Student, String> {
        let rates = match manner.method {
            Method::Td => Rates::One,
            Method::Tc => Rates::Coherence(filled(network.weights().len(), [0.0; 2])?),
        };
        Ok(Student {
            part: manner.rate / network.layout().active() as f32,
            manner,
            network,
            rates,
            worlds: seed.children("game"),
            games: 0,
            path: Vec::new(),
        })
    }

    /// Lets the weights of a board learn from its error.
    #[inline]
    fn correct(&mut self, places: &Places, error: f32) {
        let step = self.part * error;
        let places = &places[..self.network.layout().active()];
        let weights = self.network.weights_mut();
        match &mut self.rates {
            Rates::One => places.iter().for_each(|&place| weights[place as usize] += step),
            Rates::Coherence(sums) => {
                let size = error.abs();
                for &place in places {
                    let [sum, sizes] = &mut sums[place as usize];
                    let rate = if *sizes > 0.0 { sum.abs() / *sizes } else { 1.0 };
                    weights[place as usize] += rate * step;
                    *sum += error;
                    *sizes += size;
                }
            }
        }
    }

    /// Fetches what is needed to correct the weights of a board soon.
    #[inline]
    fn fetch(&self, places: &Places) {
        if let Rates::Coherence(sums) = &self.rates {
            fetch(sums, &places[..self.network.layout().active()]);
        }
    }

    /// Plays the game of a seed; `chosen` sees each choice, and that there is none at the end.
    #[inline]
    fn play(
        &mut self,
        seed: Seed,
        mut chosen: impl FnMut(&mut Student, &Options, Option<(usize, f32)>),
    ) -> Lesson {
        let mut world = seed.rng();
        let (mut board, _) = Board::start(&mut world);
        let mut options = Options::new();
        let mut lesson = Lesson { score: 0, moves: 0 };
        loop {
            options.look(board, &self.network);
            let best = options.best(&self.network);
            chosen(self, &options, best);
            let Some((at, _)) = best else { return lesson };
            let turn = options.turns[at].expect("the best of the moves");
            lesson.score += turn.gain;
            lesson.moves += 1;
            board = turn.after.spawn(&mut world).0;
        }
    }

    fn learn_forward(&mut self, seed: Seed) -> Lesson {
        let mut last = [0; MOST_PLACES];
        let mut is_first = true;
        self.play(seed, |student, options, best| {
            let target = best.map_or(0.0, |(_, worth)| worth);
            if !is_first {
                let error = target - student.network.sum(&last);
                student.correct(&last, error);
            }
            is_first = false;
            if let Some((at, _)) = best {
                last = options.places[at];
                student.fetch(&last);
            }
        })
    }

    fn learn_backward(&mut self, seed: Seed) -> Lesson {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let lesson = self.play(seed, |_, options, best| {
            let Some((at, _)) = best else { return };
            let turn = options.turns[at].expect("the best of the moves");
            path.push(Visited { board: turn.after.cells(), gain: turn.gain as f32 });
        });
        let mut target = 0.0;
        let mut places = [0; MOST_PLACES];
        for &Visited { board, gain } in path.iter().rev() {
            self.network.places(board, &mut places);
            let error = target - self.network.sum(&places);
            self.correct(&places, error);
            target =
                gain + self.manner.lambda * target + (1.0 - self.manner.lambda) * self.network.sum(&places);
        }
        self.path = path;
        lesson
    }
}

impl Learner for Student {
    fn learn(&mut self) -> Lesson {
        let seed = self.worlds.numbered(self.games);
        self.games += 1;
        match self.manner.update {
            Update::Forward => self.learn_forward(seed),
            Update::Backward => self.learn_backward(seed),
        }
    }

    fn test(&mut self, seed: Seed) -> Lesson {
        self.play(seed, |_, _, _| {})
    }

    fn games(&self) -> u64 {
        self.games
    }

    fn write_network(&self, origin: &Origin, out: &mut dyn Write) -> io::Result<String> {
        self.network.write(&self.manner.patterns, origin, out)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        write_floats(self.network.weights(), out)?;
        match &self.rates {
            Rates::One => Ok(()),
            Rates::Coherence(sums) => write_floats(sums.as_flattened(), out),
        }
    }

    fn read_state(&mut self, games: u64, from: &mut dyn Read) -> io::Result<()> {
        self.games = games;
        read_floats(self.network.weights_mut(), from)?;
        match &mut self.rates {
            Rates::One => Ok(()),
            Rates::Coherence(sums) => read_floats(sums.as_flattened_mut(), from),
        }
    }
}

/// Reads floats, the lowest byte first.
fn read_floats(floats: &mut [f32], from: &mut dyn Read) -> io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    for part in floats.chunks_mut(1 << 14) {
        let bytes = &mut bytes[..4 * part.len()];
        from.read_exact(bytes)?;
        for (float, bytes) in part.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *float = f32::from_le_bytes(*bytes);
        }
    }
    Ok(())
}
