//! A network that learns.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::learning::{Learner, Lesson, Origin, Together};
use crate::network::file::write_floats;
use crate::network::options::Options;
use crate::network::pages::filled;
use crate::network::pattern::Patterns;
use crate::network::places::{MOST_PLACES, Places, fetch};
use crate::network::turns::Turn;
use crate::network::{Network, promoted};
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
    /// One rate for all, from a network that takes every board for good.
    Otd,
    /// The same, and temporal coherence after it.
    #[serde(rename = "otd+tc")]
    OtdTc,
}

impl Method {
    /// True if weights have rates of their own at any time.
    pub(super) fn is_ever_coherent(self) -> bool {
        matches!(self, Method::Tc | Method::OtdTc)
    }
}

/// Where games begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Restarts {
    /// At the beginning.
    #[default]
    None,
    /// In the middle of the last one, where that had some moves.
    Half,
}

impl Restarts {
    pub(super) fn is_none(&self) -> bool {
        *self == Restarts::None
    }
}

/// Boards whose weights are on their way while one learns, where boards learn after the game.
const AHEAD: usize = 2;

/// The least moves of a game in whose middle another one begins.
const LEAST_MOVES: usize = 10;

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
    /// Games after which rates are those of temporal coherence, if they ever are.
    pub(super) tc_after: u64,
    pub(super) restarts: Restarts,
}

/// A network that learns, and the chance of its games.
pub(super) struct Student {
    manner: Manner,
    pub(super) network: Network,
    rates: Rates,
    /// Part of an error that each weight of a board learns.
    part: f32,
    /// True if the weights have rates of their own by now.
    is_coherent: bool,
    pub(super) worlds: Children,
    pub(super) games: u64,
    path: Vec<Visited>,
    /// The boards of the game, where another one may begin in its middle.
    boards: Vec<Board>,
    /// The board that the next game begins with, if it is no fresh one.
    middle: Option<Board>,
}

/// Rates of the weights.
enum Rates {
    One,
    /// For each weight the sum of its errors, and of their sizes.
    Coherence(Vec<[f32; 2]>),
}

/// A board that a move left.
#[derive(Clone, Copy)]
pub(super) struct Visited {
    board: Cells,
    /// Points of the move.
    gain: f32,
}

impl Visited {
    pub(super) fn of(turn: Turn) -> Visited {
        Visited { board: turn.after.cells(), gain: turn.gain as f32 }
    }
}

impl Student {
    pub(super) fn new(manner: Manner, network: Network, seed: Seed) -> Result<Student, String> {
        let rates = if manner.method.is_ever_coherent() {
            Rates::Coherence(filled(network.weights().len(), [0.0; 2])?)
        } else {
            Rates::One
        };
        Ok(Student {
            part: 0.0,
            is_coherent: false,
            manner,
            network,
            rates,
            worlds: seed.children("game"),
            games: 0,
            path: Vec::new(),
            boards: Vec::new(),
            middle: None,
        })
    }

    /// Lets the weights of a board learn from its error.
    #[inline]
    fn correct(&mut self, places: &Places, error: f32) {
        let step = self.part * error;
        let places = &places[..self.network.layout().active()];
        let has_stages = !self.network.layout().stages().is_one();
        let of_stage = self.network.layout().of_stage();
        let weights = self.network.weights_mut();
        if has_stages {
            places.iter().for_each(|&place| weights[place as usize] = promoted(weights, of_stage, place));
        }
        match &mut self.rates {
            Rates::Coherence(sums) if self.is_coherent => {
                let size = error.abs();
                for &place in places {
                    let [sum, sizes] = &mut sums[place as usize];
                    let rate = if *sizes > 0.0 { sum.abs() / *sizes } else { 1.0 };
                    weights[place as usize] += rate * step;
                    *sum += error;
                    *sizes += size;
                }
            }
            _ => places.iter().for_each(|&place| weights[place as usize] += step),
        }
    }

    /// Fetches what is needed to correct the weights of a board soon.
    #[inline]
    fn fetch(&self, places: &Places) {
        if let Rates::Coherence(sums) = &self.rates
            && self.is_coherent
        {
            places[..self.network.layout().active()].iter().for_each(|&place| fetch(sums, place));
        }
    }

    /// Finds the places of a board, and fetches all that is needed to correct its weights.
    #[inline]
    fn prepare(&self, board: Cells, places: &mut Places) {
        self.network.places_fetched(board, places);
        self.fetch(places);
    }

    /// Plays the game of a seed, from a board of another game if there is one; `chosen` sees each choice, and that there is none at the end.
    #[inline]
    fn play(
        &mut self,
        seed: Seed,
        from: Option<Board>,
        mut chosen: impl FnMut(&mut Student, &Options, Option<(usize, f32)>),
    ) -> Lesson {
        let mut world = seed.rng();
        let mut board = from.unwrap_or_else(|| Board::start(&mut world).0);
        let mut options = Options::default();
        let mut lesson = Lesson { score: 0, moves: 0 };
        loop {
            options.look(board, &self.network);
            let best = options.best(&self.network);
            chosen(self, &options, best);
            let Some((at, _)) = best else { return lesson };
            let turn = options.turn(at);
            lesson.score += turn.gain;
            lesson.moves += 1;
            if self.manner.restarts == Restarts::Half {
                self.boards.push(board);
            }
            board = turn.after.spawn(&mut world).0;
        }
    }

    fn learn_forward(&mut self, seed: Seed, from: Option<Board>) -> Lesson {
        let mut last = [0; MOST_PLACES];
        let mut is_first = true;
        self.play(seed, from, |student, options, best| {
            let target = best.map_or(0.0, |(_, worth)| worth);
            if !is_first {
                let error = target - student.network.sum(&last);
                student.correct(&last, error);
            }
            is_first = false;
            if let Some((at, _)) = best {
                last = *options.places(at);
                student.fetch(&last);
            }
        })
    }

    fn learn_backward(&mut self, seed: Seed, from: Option<Board>) -> Lesson {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let lesson = self.play(seed, from, |_, options, best| {
            let Some((at, _)) = best else { return };
            path.push(Visited::of(options.turn(at)));
        });
        self.learn_from(&path);
        self.path = path;
        lesson
    }

    /// Learns from the boards of a game, from the last to the first.
    fn learn_from(&mut self, path: &[Visited]) {
        // The weights of a board are fetched some boards before it learns: its places do not depend on what is learned meanwhile.
        let mut ahead = [[0; MOST_PLACES]; AHEAD];
        let mut to_come = path.iter().rev();
        for places in &mut ahead {
            to_come.next().inspect(|visited| self.prepare(visited.board, places));
        }
        let mut target = 0.0;
        for (number, &Visited { gain, .. }) in path.iter().rev().enumerate() {
            let places = &mut ahead[number % AHEAD];
            let error = target - self.network.sum(places);
            self.correct(places, error);
            target =
                gain + self.manner.lambda * target + (1.0 - self.manner.lambda) * self.network.sum(places);
            to_come.next().inspect(|visited| self.prepare(visited.board, places));
        }
    }

    /// Learns from the next game, which was played to its end.
    pub(super) fn learn_from_next(&mut self, path: &[Visited]) {
        self.choose_rates();
        self.games += 1;
        self.learn_from(path);
    }

    /// Chooses the rates of the next game.
    fn choose_rates(&mut self) {
        let Manner { method, rate, tc_after, .. } = self.manner;
        self.is_coherent = method.is_ever_coherent() && self.games >= tc_after;
        let rate = if self.is_coherent && method == Method::OtdTc { 1.0 } else { rate };
        self.part = rate / self.network.layout().active() as f32;
    }
}

impl Learner for Student {
    fn learn(&mut self, _: Together) -> Vec<Lesson> {
        self.choose_rates();
        let seed = self.worlds.numbered(self.games);
        self.games += 1;
        let from = self.middle.take();
        self.boards.clear();
        let lesson = match self.manner.update {
            Update::Forward => self.learn_forward(seed, from),
            Update::Backward => self.learn_backward(seed, from),
        };
        if self.boards.len() >= LEAST_MOVES {
            self.middle = Some(self.boards[self.boards.len() / 2]);
        }
        vec![lesson]
    }

    fn test(&mut self, seed: Seed) -> Lesson {
        let lesson = self.play(seed, None, |_, _, _| {});
        self.boards.clear();
        lesson
    }

    fn games(&self) -> u64 {
        self.games
    }

    fn write_network(&self, origin: &Origin, out: &mut dyn Write) -> io::Result<String> {
        self.network.write(&self.manner.patterns, origin, out)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        write_floats(self.network.weights(), out)?;
        if let Rates::Coherence(sums) = &self.rates {
            write_floats(sums.as_flattened(), out)?;
        }
        match self.manner.restarts {
            Restarts::None => Ok(()),
            // An empty board stands for none.
            Restarts::Half => out.write_all(&self.middle.map_or([0; 16], |board| board.cells().ranks())),
        }
    }

    fn read_state(&mut self, games: u64, from: &mut dyn Read) -> io::Result<()> {
        self.games = games;
        read_floats(self.network.weights_mut(), from)?;
        if let Rates::Coherence(sums) = &mut self.rates {
            read_floats(sums.as_flattened_mut(), from)?;
        }
        if self.manner.restarts == Restarts::Half {
            let mut ranks = [0; 16];
            from.read_exact(&mut ranks)?;
            // What is damaged is found by the digest behind all.
            let ranks = ranks.map(|rank| rank.min(MOST_RANK));
            self.middle = (ranks != [0; 16]).then(|| Board::new(Cells::from_ranks(ranks)));
        }
        Ok(())
    }
}

/// The largest rank that a board can have.
const MOST_RANK: u8 = 17;

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
