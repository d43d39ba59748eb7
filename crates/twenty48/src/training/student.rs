//! A network that learns.

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use serde::de::Error;
use serde::de::value::StrDeserializer;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::beginnings::{Beginning, Beginnings, Restarts};
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
#[serde(rename_all = "lowercase", remote = "Self")]
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

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Method, D::Error> {
        let word = String::deserialize(from)?;
        // Elsewhere this is a method; here it is a setting of each of them.
        if word == "td-lambda" {
            return Err(D::Error::custom("is \"td\" with `lambda`, as in `lambda = 0.5`"));
        }
        Method::deserialize(StrDeserializer::new(&word))
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Method::serialize(self, to)
    }
}

impl Method {
    /// True if weights have rates of their own at any time.
    pub(super) fn is_ever_coherent(self) -> bool {
        matches!(self, Method::Tc | Method::OtdTc)
    }
}

/// Boards whose weights are on their way while one learns, where boards learn after the game.
const AHEAD: usize = 2;

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
    /// Part of what the next board learns from that counts, in place of its value.
    pub(super) lambda: f32,
    /// Errors from which a board learns that learns while the game is played.
    pub(super) reach: usize,
    /// Games after which rates are those of temporal coherence, if they ever are.
    pub(super) tc_after: u64,
    pub(super) restarts: Restarts,
}

/// Number of errors of which a tenth or more is left, where of each one `lambda` times as much is left as of the one before.
pub(super) fn reach(lambda: f64) -> usize {
    std::iter::successors(Some(1.0), |part| Some(part * lambda)).take_while(|part| *part >= 0.1).count()
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
    /// The last boards, where they learn from errors of later ones.
    waiting: VecDeque<Waiting>,
    beginnings: Beginnings,
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

/// A board that has yet to learn.
struct Waiting {
    places: Places,
    /// Its own error, once that is known.
    error: f32,
}

/// Plays a game by weights that stand still; `seen` sees the board before each move, and the move.
#[inline]
pub(super) fn play(
    network: &Network,
    seed: Seed,
    from: Beginning,
    mut seen: impl FnMut(Board, Turn),
) -> Lesson {
    let mut world = seed.rng();
    let mut board = from.board(&mut world);
    let mut options = Options::default();
    let mut lesson = Lesson { score: 0, moves: 0 };
    loop {
        options.look(board, network);
        let Some((at, _)) = options.best(network) else { return lesson };
        let turn = options.turn(at);
        lesson.score += turn.gain;
        lesson.moves += 1;
        seen(board, turn);
        board = turn.after.spawn(&mut world).0;
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
            beginnings: Beginnings::new(manner.restarts, network.layout().stages(), seed),
            part: 0.0,
            is_coherent: false,
            manner,
            network,
            rates,
            worlds: seed.children("game"),
            games: 0,
            path: Vec::new(),
            waiting: VecDeque::new(),
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

    /// Plays a game to learn from while it is played; `chosen` sees each choice, and that there is none at the end.
    #[inline]
    fn play(
        &mut self,
        seed: Seed,
        from: Beginning,
        mut chosen: impl FnMut(&mut Student, &Options, Option<(usize, f32)>),
    ) -> Lesson {
        let mut world = seed.rng();
        let mut board = from.board(&mut world);
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
            self.beginnings.see(board, turn.after);
            board = turn.after.spawn(&mut world).0;
        }
    }

    fn learn_forward(&mut self, seed: Seed, from: Beginning) -> Lesson {
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

    /// The same, but a board learns from the errors of later ones, too. It waits until they are known.
    fn learn_delayed(&mut self, seed: Seed, from: Beginning) -> Lesson {
        let Manner { lambda, reach, .. } = self.manner;
        let mut waiting = std::mem::take(&mut self.waiting);
        let lesson = self.play(seed, from, |student, options, best| {
            let target = best.map_or(0.0, |(_, worth)| worth);
            if let Some(last) = waiting.back_mut() {
                last.error = target - student.network.sum(&last.places);
            }
            // At the end of the game there is nothing left to wait for.
            while waiting.len() >= reach || (best.is_none() && !waiting.is_empty()) {
                let error = waiting.iter().rev().fold(0.0, |later, board| board.error + lambda * later);
                let first = waiting.pop_front().expect("a board waits");
                student.correct(&first.places, error);
            }
            if let Some((at, _)) = best {
                waiting.push_back(Waiting { places: *options.places(at), error: 0.0 });
            }
            waiting.front().inspect(|first| student.fetch(&first.places));
        });
        self.waiting = waiting;
        lesson
    }

    fn learn_backward(&mut self, seed: Seed, from: Beginning) -> Lesson {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let Student { network, beginnings, .. } = self;
        let lesson = play(network, seed, from, |board, turn| {
            path.push(Visited::of(turn));
            beginnings.see(board, turn.after);
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
        let from = self.beginnings.next(self.games);
        self.games += 1;
        let lesson = match self.manner.update {
            Update::Forward if self.manner.reach == 1 => self.learn_forward(seed, from),
            Update::Forward => self.learn_delayed(seed, from),
            Update::Backward => self.learn_backward(seed, from),
        };
        self.beginnings.end();
        vec![lesson]
    }

    fn test(&mut self, seed: Seed) -> Lesson {
        play(&self.network, seed, Beginning::Fresh, |_, _| {})
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
        self.beginnings.write(out)
    }

    fn read_state(&mut self, games: u64, from: &mut dyn Read) -> io::Result<()> {
        self.games = games;
        read_floats(self.network.weights_mut(), from)?;
        if let Rates::Coherence(sums) = &mut self.rates {
            read_floats(sums.as_flattened_mut(), from)?;
        }
        self.beginnings.read(from)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::stages::Stages;
    use crate::network::turns::turns;

    const GAMES: u64 = 40;

    fn student(method: Method, lambda: f64) -> Student {
        student_of(method, lambda, Restarts::None, Stages::default())
    }

    fn student_of(method: Method, lambda: f64, restarts: Restarts, stages: Stages) -> Student {
        let patterns = Patterns::try_from("0123 0145".to_owned()).expect("patterns");
        let network = Network::new(&patterns, true, &stages, 0.0).expect("memory");
        let manner = Manner {
            patterns,
            method,
            rate: if method == Method::Td { 0.1 } else { 1.0 },
            update: Update::Forward,
            lambda: lambda as f32,
            reach: reach(lambda),
            tc_after: 0,
            restarts,
        };
        Student::new(manner, network, Seed::root(3)).expect("memory")
    }

    /// Weights after some games in which each board learns from its error and from those after it, by the definition: games are kept
    /// whole, and all is found anew where it is needed.
    fn plain(method: Method, lambda: f64) -> Vec<f32> {
        let Student { mut network, manner, .. } = student(method, lambda);
        let mut sums = vec![[0.0_f32; 2]; network.weights().len()];
        let mut learn = |network: &mut Network, board: Cells, error: f32| {
            let mut places = [0; MOST_PLACES];
            network.places(board, &mut places);
            let active = network.layout().active();
            for place in places.into_iter().take(active).map(|place| place as usize) {
                let [sum, sizes] = sums[place];
                let own = if method == Method::Td || sizes == 0.0 { 1.0 } else { sum.abs() / sizes };
                network.weights_mut()[place] += own * (manner.rate / active as f32 * error);
                sums[place] = [sum + error, sizes + error.abs()];
            }
        };
        for game in 0..GAMES {
            let mut world = Seed::root(3).children("game").numbered(game).rng();
            let mut board = Board::start(&mut world).0;
            let (mut afters, mut errors, mut learned) = (Vec::<Cells>::new(), Vec::new(), 0);
            loop {
                let mut best = None;
                for turn in turns(board) {
                    let worth = turn.gain as f32 + network.value(turn.after.cells());
                    if best.is_none_or(|(_, most)| worth > most) {
                        best = Some((turn.after, worth));
                    }
                }
                if let Some(last) = afters.last() {
                    errors.push(best.map_or(0.0, |(_, worth)| worth) - network.value(*last));
                }
                // Halves, quarters and eighths are more than a tenth; a sixteenth is less.
                let count = if lambda == 0.5 { 4 } else { 1 };
                while learned < errors.len() && (errors.len() - learned >= count || best.is_none()) {
                    let all = &errors[learned..errors.len().min(learned + count)];
                    learn(&mut network, afters[learned], discounted(all, lambda as f32));
                    learned += 1;
                }
                let Some((after, _)) = best else { break };
                afters.push(after.cells());
                board = after.spawn(&mut world).0;
            }
            assert_eq!(learned, afters.len());
        }
        network.weights().to_vec()
    }

    /// The first error, and the `lambda`th part of the same of the others.
    fn discounted(errors: &[f32], lambda: f32) -> f32 {
        errors.split_first().map_or(0.0, |(first, others)| first + lambda * discounted(others, lambda))
    }

    fn bits(weights: &[f32]) -> Vec<u32> {
        weights.iter().map(|weight| weight.to_bits()).collect()
    }

    #[test]
    fn boards_learn_from_later_errors() {
        let mut all = Vec::new();
        for method in [Method::Td, Method::Tc] {
            for lambda in [0.0, 0.5] {
                let mut student = student(method, lambda);
                (0..GAMES).for_each(|_| _ = student.learn(&|_, _| {}));
                let weights = bits(student.network.weights());
                assert!(weights == bits(&plain(method, lambda)), "{method:?} {lambda}");
                assert!(!all.contains(&weights), "{method:?} {lambda} is another training");
                all.push(weights);
            }
        }
    }

    /// A board that waits for no later error learns at once.
    #[test]
    fn to_wait_for_none_is_not_to_wait() {
        let [mut one, mut other] = [(); 2].map(|()| student(Method::Td, 0.0));
        for game in 0..GAMES {
            let seed = Seed::root(game);
            (one.part, other.part) = (0.1, 0.1);
            assert_eq!(
                one.learn_forward(seed, Beginning::Fresh),
                other.learn_delayed(seed, Beginning::Fresh)
            );
        }
        assert!(bits(one.network.weights()) == bits(other.network.weights()));
    }

    #[test]
    fn errors_count_while_a_tenth_is_left() {
        assert_eq!([0.0, 0.05, 0.5, 0.9, 0.99].map(reach), [1, 1, 4, 22, 230]);
    }

    /// Games begin at each stage in turn, and their boards are of that stage.
    #[test]
    fn a_carousel_goes_round() {
        let stages = Stages::try_from(vec![64, 128]).expect("stages");
        let mut student = student_of(Method::Tc, 0.0, Restarts::Carousel, stages.clone());
        let mut begun = [0; 3];
        for game in 0..300 {
            // A test in between leaves no board.
            student.test(Seed::root(game));
            student.learn(&|_, _| {});
        }
        for game in 0..30 {
            let board = student.beginnings.next(game).board(&mut Seed::root(game).rng());
            begun[stages.of(board.cells().capped_nibbles().word()) as usize] += 1;
        }
        assert_eq!(begun, [10; 3]);
    }
}
