//! Network that learns from games.

use std::io::{self, Read, Write};

use gauntlet_core::learning::{Episode, Learner, NetworkOrigin, ParallelFor};
use gauntlet_core::rng::{ChildSeeds, Seed};
use gauntlet_twenty48::rules::{Board, Cells};

use super::beginnings::{Beginning, Beginnings};
use super::forward::Game;
use super::method::{LearningMethod, UpdateOrder};
use super::weights::TrainingWeights;
use crate::network::Network;
use crate::network::options::BoardMoves;
use crate::network::places::MOST_PLACES;
use crate::network::turns::LegalMove;

/// Number of boards whose weights are prefetched while one learns, if boards learn after the game.
const AHEAD: usize = 2;

/// Games between two pauses, if two are interleaved: enough that the last one, which plays alone,
/// takes a small part of the time.
const LAP: u64 = 100;

/// Returns why the training cannot pause after these games, if two are interleaved.
pub(super) fn pause_after(games: u64) -> Result<(), String> {
    if games.is_multiple_of(LAP) {
        return Ok(());
    }
    Err(format!("with `in_turn` must be a multiple of {LAP}"))
}

/// Network that learns, and the random seed of its games.
pub(super) struct NetworkLearner {
    manner: LearningMethod,
    pub(super) weights: TrainingWeights,
    pub(super) worlds: ChildSeeds,
    pub(super) games: u64,
    path: Vec<VisitedBoard>,
    beginnings: Beginnings,
}

/// Board after a move.
#[derive(Clone, Copy)]
pub(super) struct VisitedBoard {
    board: Cells,
    /// Points of the move.
    gain: f32,
}

impl VisitedBoard {
    pub(super) fn new(turn: LegalMove) -> VisitedBoard {
        VisitedBoard { board: turn.after.cells(), gain: turn.gain as f32 }
    }
}

/// Plays a game with frozen weights; `seen` receives the board before each move, and the move.
#[inline]
pub(super) fn play(
    network: &Network,
    seed: Seed,
    from: Beginning,
    mut seen: impl FnMut(Board, LegalMove),
) -> Episode {
    let mut world = seed.rng();
    let mut board = from.board(&mut world);
    let mut options = BoardMoves::default();
    let mut episode = Episode { score: 0, moves: 0 };
    loop {
        options.generate(board, network);
        let Some((at, _)) = options.best_move(network) else { return episode };
        let turn = options.get(at);
        episode.score += turn.gain;
        episode.moves += 1;
        seen(board, turn);
        board = turn.after.spawn(&mut world).0;
    }
}

impl NetworkLearner {
    pub(super) fn new(
        manner: LearningMethod,
        network: Network,
        seed: Seed,
    ) -> Result<NetworkLearner, String> {
        Ok(NetworkLearner {
            beginnings: Beginnings::new(manner.restarts, network.layout().stages(), seed),
            weights: TrainingWeights::new(&manner, network)?,
            manner,
            worlds: seed.children("game"),
            games: 0,
            path: Vec::new(),
        })
    }

    /// Learns from games while they are played: from one, or from those of a lap, two interleaved
    /// move by move. While the weights of one game come from memory, the other is played. When a
    /// game ends, the next one takes its place.
    fn learn_forward(&mut self) -> Vec<Episode> {
        let lap = if self.manner.in_turn { LAP } else { 1 };
        let mut lessons = vec![Episode { score: 0, moves: 0 }; lap as usize];
        let mut begun = 0;
        let mut next = |student: &mut NetworkLearner| {
            let number = begun;
            begun += 1;
            (number < lap).then(|| (number as usize, student.begin(student.games + number)))
        };
        let mut both = [next(self), next(self)];
        while both.iter().any(Option::is_some) {
            for one in &mut both {
                let Some((number, game)) = one else { continue };
                let NetworkLearner { weights, manner, beginnings, .. } = self;
                if let Some(episode) =
                    game.play(weights, manner, |board, after| beginnings.record_move(board, after))
                {
                    beginnings.end();
                    lessons[*number] = episode;
                    *one = next(self);
                }
            }
        }
        self.games += lap;
        lessons
    }

    /// Begins the game with this number.
    fn begin(&mut self, number: u64) -> Game {
        self.weights.choose_rates(&self.manner, number);
        let from = self.beginnings.next(number);
        Game::begin(self.worlds.get(number), from, &self.weights.network)
    }

    fn learn_backward(&mut self) -> Vec<Episode> {
        let seed = self.worlds.get(self.games);
        let from = self.beginnings.next(self.games);
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let NetworkLearner { weights, beginnings, .. } = self;
        let episode = play(&weights.network, seed, from, |board, turn| {
            path.push(VisitedBoard::new(turn));
            beginnings.record_move(board, turn.after);
        });
        self.learn_from_next(&path);
        self.path = path;
        vec![episode]
    }

    /// Learns from the boards of a game, from the last to the first.
    fn learn_from(&mut self, path: &[VisitedBoard]) {
        // The weights of a board are prefetched some boards before it learns, because its indices
        // do not depend on what is learned meanwhile.
        let mut ahead = [[0; MOST_PLACES]; AHEAD];
        let mut to_come = path.iter().rev();
        for places in &mut ahead {
            to_come.next().inspect(|visited| self.weights.prepare(visited.board, places));
        }
        let mut target = 0.0;
        for (number, &VisitedBoard { gain, .. }) in path.iter().rev().enumerate() {
            let places = &mut ahead[number % AHEAD];
            let error = target - self.weights.network.sum(places);
            self.weights.correct(places, error);
            target = gain
                + self.manner.lambda * target
                + (1.0 - self.manner.lambda) * self.weights.network.sum(places);
            to_come.next().inspect(|visited| self.weights.prepare(visited.board, places));
        }
    }

    /// Learns from the next game, which was played to its end.
    pub(super) fn learn_from_next(&mut self, path: &[VisitedBoard]) {
        self.weights.choose_rates(&self.manner, self.games);
        self.games += 1;
        self.learn_from(path);
    }
}

impl Learner for NetworkLearner {
    fn learn(&mut self, _: ParallelFor) -> Vec<Episode> {
        match self.manner.update {
            UpdateOrder::Forward => self.learn_forward(),
            UpdateOrder::Backward => self.learn_backward(),
        }
    }

    fn test(&mut self, seed: Seed) -> Episode {
        play(&self.weights.network, seed, Beginning::Fresh, |_, _| {})
    }

    fn games(&self) -> u64 {
        self.games
    }

    fn write_network(&self, origin: &NetworkOrigin, out: &mut dyn Write) -> io::Result<String> {
        self.weights.network.write(&self.manner.patterns, origin, out)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        self.weights.write(out)?;
        self.beginnings.write(out)
    }

    fn read_state(&mut self, games: u64, from: &mut dyn Read) -> io::Result<()> {
        self.games = games;
        self.weights.read(from)?;
        self.beginnings.read(from)
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Rng;

    use super::super::beginnings::RestartPolicy;
    use super::super::method::{Method, trace_length};
    use super::*;
    use crate::network::pattern::Patterns;
    use crate::network::stages::Stages;
    use crate::network::turns::legal_moves;

    /// Two laps, if two games are interleaved.
    const GAMES: u64 = 2 * LAP;

    /// Games after which `otd+tc` switches: in the middle of the second lap.
    const TC_AFTER: u64 = LAP + LAP / 2;

    fn new_learner(method: Method, lambda: f64, in_turn: bool) -> NetworkLearner {
        learner_with(method, lambda, RestartPolicy::None, Stages::default(), in_turn)
    }

    fn learner_with(
        method: Method,
        lambda: f64,
        restarts: RestartPolicy,
        stages: Stages,
        in_turn: bool,
    ) -> NetworkLearner {
        let patterns = Patterns::try_from("0123 0145".to_owned()).expect("patterns");
        let network = Network::new(&patterns, true, &stages, 0.0).expect("memory");
        let manner = LearningMethod {
            patterns,
            method,
            rate: if method == Method::Tc { 1.0 } else { 0.1 },
            update: UpdateOrder::Forward,
            lambda: lambda as f32,
            reach: trace_length(lambda),
            tc_after: if method == Method::OtdTc { TC_AFTER } else { 0 },
            restarts,
            in_turn,
        };
        NetworkLearner::new(manner, network, Seed::root(3)).expect("memory")
    }

    /// Game whose boards and errors are all kept.
    struct Whole {
        number: u64,
        world: Rng,
        board: Board,
        afters: Vec<Cells>,
        errors: Vec<f32>,
        learned: usize,
    }

    impl Whole {
        fn begin(number: u64) -> Whole {
            let mut world = Seed::root(3).children("game").get(number).rng();
            let board = Board::start(&mut world).0;
            Whole { number, world, board, afters: Vec::new(), errors: Vec::new(), learned: 0 }
        }
    }

    /// Returns the weights after some games in which each board learns from its error and later
    /// ones, by definition, and the moves of each game. Games are kept whole, and everything is
    /// recomputed when needed.
    fn plain(method: Method, lambda: f64, in_turn: bool) -> (Vec<f32>, Vec<u64>) {
        let NetworkLearner { weights: TrainingWeights { mut network, .. }, manner, .. } =
            new_learner(method, lambda, in_turn);
        let mut sums = vec![[0.0_f32; 2]; network.weights().len()];
        let mut learn = |network: &mut Network, board: Cells, error: f32, newest: u64| {
            let is_coherent = method == Method::Tc || method == Method::OtdTc && newest >= TC_AFTER;
            let rate = if is_coherent { 1.0 } else { 0.1 };
            let mut places = [0; MOST_PLACES];
            network.compute_indices(board, &mut places);
            let active = network.layout().lookups_per_board();
            for place in places.into_iter().take(active).map(|place| place as usize) {
                let [sum, sizes] = sums[place];
                let own = if !is_coherent || sizes == 0.0 { 1.0 } else { sum.abs() / sizes };
                network.weights_mut()[place] += own * (rate / active as f32 * error);
                if is_coherent {
                    sums[place] = [sum + error, sizes + error.abs()];
                }
            }
        };
        // Halves, quarters and eighths are more than a tenth; a sixteenth is less.
        let count = if lambda == 0.5 { 4 } else { 1 };
        let mut moves = vec![0; GAMES as usize];
        for lap in (0..GAMES).step_by(LAP as usize) {
            let mut to_come = (lap..lap + LAP).map(Whole::begin);
            let mut games: Vec<Whole> = to_come.by_ref().take(if in_turn { 2 } else { 1 }).collect();
            let mut newest = games.last().expect("a game").number;
            // One move of each in turn. When one ends, the next takes its place.
            while !games.is_empty() {
                let played = std::mem::take(&mut games);
                for mut game in played {
                    let Whole { number, world, board, afters, errors, learned } = &mut game;
                    let mut best = None;
                    for turn in legal_moves(*board) {
                        let worth = turn.gain as f32 + network.value(turn.after.cells());
                        if best.is_none_or(|(_, most)| worth > most) {
                            best = Some((turn.after, worth));
                        }
                    }
                    if let Some(last) = afters.last() {
                        errors.push(best.map_or(0.0, |(_, worth)| worth) - network.value(*last));
                    }
                    while *learned < errors.len() && (errors.len() - *learned >= count || best.is_none()) {
                        let all = &errors[*learned..errors.len().min(*learned + count)];
                        learn(&mut network, afters[*learned], discount(all, manner.lambda), newest);
                        *learned += 1;
                    }
                    if let Some((after, _)) = best {
                        afters.push(after.cells());
                        *board = after.spawn(world).0;
                        games.push(game);
                    } else {
                        assert_eq!(*learned, afters.len());
                        moves[*number as usize] = afters.len() as u64;
                        let next = to_come.next();
                        newest = next.as_ref().map_or(newest, |next| next.number);
                        games.extend(next);
                    }
                }
            }
        }
        (network.weights().to_vec(), moves)
    }

    /// Returns the first error, plus `lambda` times the discounted rest.
    fn discount(errors: &[f32], lambda: f32) -> f32 {
        errors.split_first().map_or(0.0, |(first, others)| first + lambda * discount(others, lambda))
    }

    fn bits(weights: &[f32]) -> Vec<u32> {
        weights.iter().map(|weight| weight.to_bits()).collect()
    }

    #[test]
    fn boards_learn_as_the_definition_says() {
        let mut all = Vec::new();
        for method in [Method::Td, Method::Tc, Method::OtdTc] {
            for (lambda, in_turn) in [(0.0, false), (0.5, false), (0.0, true), (0.5, true)] {
                let mut student = new_learner(method, lambda, in_turn);
                let mut moves = Vec::new();
                while student.games < GAMES {
                    moves.extend(student.learn(&|_, _| {}).into_iter().map(|episode| episode.moves));
                }
                let weights = bits(student.weights.network.weights());
                let (expected, expected_moves) = plain(method, lambda, in_turn);
                let what = format!("{method:?} {lambda} {in_turn}");
                assert_eq!(moves, expected_moves, "{what}");
                assert!(weights == bits(&expected), "{what}");
                assert!(!all.contains(&weights), "{what} is another training");
                all.push(weights);
            }
        }
    }

    /// Games begin at each stage in turn, and their boards belong to that stage.
    #[test]
    fn a_carousel_goes_round() {
        let stages = Stages::try_from(vec![64, 128]).expect("stages");
        let mut student = learner_with(Method::Tc, 0.0, RestartPolicy::Carousel, stages.clone(), false);
        let mut begun = [0; 3];
        for game in 0..300 {
            // A test in between records no board.
            student.test(Seed::root(game));
            student.learn(&|_, _| {});
        }
        for game in 0..30 {
            let board = student.beginnings.next(game).board(&mut Seed::root(game).rng());
            begun[stages.stage(board.cells().capped_nibbles().word()) as usize] += 1;
        }
        assert_eq!(begun, [10; 3]);
    }
}
