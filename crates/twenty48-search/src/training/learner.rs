//! Network that learns from games.

use std::io::{self, Read, Write};

use gauntlet_core::learning::{Episode, Learner, NetworkOrigin, ParallelFor};
use gauntlet_core::rng::{ChildSeeds, Seed};
use gauntlet_twenty48::rules::Cells;

use super::initial_positions::{InitialPosition, InitialPositions};
use super::method::{LearningSettings, UpdateOrder};
use super::training_game::Game;
use super::turns::{Games, play_frozen, play_in_turn};
use super::weights::TrainingWeights;
use crate::network::Network;
use crate::network::legal_moves::LegalMove;
use crate::network::weight_indices::MAX_INDICES;

/// Number of boards whose weights are prefetched while one learns, if boards learn after the game.
const PREFETCH_DISTANCE: usize = 2;

/// Games between two pauses, if two are interleaved: enough that the last one, which plays alone,
/// takes a small part of the time.
const PAUSE_INTERVAL: u64 = 100;

/// Returns why the training cannot pause after these games, if two are interleaved.
pub(super) fn pause_after(games: u64) -> Result<(), String> {
    if games.is_multiple_of(PAUSE_INTERVAL) {
        return Ok(());
    }
    Err(format!("with `in_turn` must be a multiple of {PAUSE_INTERVAL}"))
}

/// Network that learns, and the random seed of its games.
pub(super) struct NetworkLearner {
    learning_method: LearningSettings,
    pub(super) weights: TrainingWeights,
    pub(super) game_seeds: ChildSeeds,
    pub(super) games: u64,
    path: Vec<VisitedBoard>,
    initial_positions: InitialPositions,
}

/// Board after a move.
#[derive(Clone, Copy)]
pub(super) struct VisitedBoard {
    board: Cells,
    /// Points of the move.
    gain: f32,
}

impl VisitedBoard {
    pub(super) fn new(legal_move: LegalMove) -> VisitedBoard {
        VisitedBoard { board: legal_move.after.cells(), gain: legal_move.gain as f32 }
    }
}

impl NetworkLearner {
    pub(super) fn new(
        learning_method: LearningSettings,
        network: Network,
        seed: Seed,
    ) -> Result<NetworkLearner, String> {
        Ok(NetworkLearner {
            initial_positions: InitialPositions::new(
                learning_method.restarts,
                network.layout().stages(),
                seed,
            ),
            weights: TrainingWeights::new(&learning_method, network)?,
            learning_method,
            game_seeds: seed.children("game"),
            games: 0,
            path: Vec::new(),
        })
    }

    /// Learns from games while they are played: from one, or from those of a lap, two interleaved
    /// move by move.
    fn learn_forward(&mut self) -> Vec<Episode> {
        let (game_count, width) =
            if self.learning_method.is_interleaved { (PAUSE_INTERVAL, 2) } else { (1, 1) };
        let episodes = play_in_turn(self, game_count as usize, width);
        self.games += game_count;
        episodes
    }

    fn learn_backward(&mut self) -> Vec<Episode> {
        let seed = self.game_seeds.get(self.games);
        let start = self.initial_positions.next(self.games);
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let NetworkLearner { weights, initial_positions, .. } = self;
        let episodes = play_frozen(&weights.network, &[seed], start, |_, board, legal_move| {
            path.push(VisitedBoard::new(legal_move));
            initial_positions.record_move(board, legal_move.after);
        });
        initial_positions.end();
        self.learn_from_next(&path);
        self.path = path;
        episodes
    }

    /// Learns from the boards of a game, from the last to the first.
    fn learn_from(&mut self, path: &[VisitedBoard]) {
        // The weights of a board are prefetched some boards before it learns, because its indices
        // do not depend on what is learned meanwhile.
        let mut prefetched_indices = [[0; MAX_INDICES]; PREFETCH_DISTANCE];
        let mut upcoming_boards = path.iter().rev();
        for indices in &mut prefetched_indices {
            upcoming_boards.next().inspect(|visited| self.weights.prepare(visited.board, indices));
        }
        let mut target = 0.0;
        for (number, &VisitedBoard { gain, .. }) in path.iter().rev().enumerate() {
            let indices = &mut prefetched_indices[number % PREFETCH_DISTANCE];
            let error = target - self.weights.network.sum(indices);
            self.weights.correct(indices, error);
            target = gain
                + self.learning_method.lambda * target
                + (1.0 - self.learning_method.lambda) * self.weights.network.sum(indices);
            upcoming_boards.next().inspect(|visited| self.weights.prepare(visited.board, indices));
        }
    }

    /// Learns from the next game, which was played to its end.
    pub(super) fn learn_from_next(&mut self, path: &[VisitedBoard]) {
        self.weights.choose_rates(&self.learning_method, self.games);
        self.games += 1;
        self.learn_from(path);
    }
}

/// Games that are learned from while they are played, counted from the next one.
impl Games for NetworkLearner {
    type Game = Game;

    fn begin(&mut self, number: usize) -> Game {
        let number = self.games + number as u64;
        self.weights.choose_rates(&self.learning_method, number);
        let start = self.initial_positions.next(number);
        Game::begin(self.game_seeds.get(number), start, &self.weights.network)
    }

    #[inline]
    fn play(&mut self, _number: usize, game: &mut Game) -> Option<Episode> {
        let NetworkLearner { weights, learning_method, initial_positions, .. } = self;
        let episode =
            game.play(weights, learning_method, |board, after| initial_positions.record_move(board, after))?;
        initial_positions.end();
        Some(episode)
    }
}

impl Learner for NetworkLearner {
    fn learn(&mut self, _: ParallelFor) -> Vec<Episode> {
        match self.learning_method.update {
            UpdateOrder::Forward => self.learn_forward(),
            UpdateOrder::Backward => self.learn_backward(),
        }
    }

    fn test(&mut self, seeds: &[Seed]) -> Vec<Episode> {
        play_frozen(&self.weights.network, seeds, InitialPosition::Fresh, |_, _, _| {})
    }

    fn games(&self) -> u64 {
        self.games
    }

    fn write_network(&self, origin: &NetworkOrigin, out: &mut dyn Write) -> io::Result<String> {
        self.weights.network.write(&self.learning_method.patterns, origin, out)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        self.weights.write(out)?;
        self.initial_positions.write(out)
    }

    fn read_state(&mut self, games: u64, reader: &mut dyn Read) -> io::Result<()> {
        self.games = games;
        self.weights.read(reader)?;
        self.initial_positions.read(reader)
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::rng::Rng;
    use gauntlet_twenty48::rules::Board;

    use super::super::initial_positions::RestartPolicy;
    use super::super::method::{RateMethod, trace_length};
    use super::*;
    use crate::network::legal_moves::legal_moves;
    use crate::network::pattern::Patterns;
    use crate::network::stages::Stages;

    /// Two laps, if two games are interleaved.
    const GAMES: u64 = 2 * PAUSE_INTERVAL;

    /// Games after which `otd+tc` switches: in the middle of the second lap.
    const TC_AFTER: u64 = PAUSE_INTERVAL + PAUSE_INTERVAL / 2;

    fn new_learner(method: RateMethod, lambda: f64, is_interleaved: bool) -> NetworkLearner {
        learner_with(method, lambda, RestartPolicy::None, Stages::default(), is_interleaved)
    }

    fn learner_with(
        method: RateMethod,
        lambda: f64,
        restarts: RestartPolicy,
        stages: Stages,
        is_interleaved: bool,
    ) -> NetworkLearner {
        let patterns = Patterns::try_from("0123 0145".to_owned()).expect("patterns");
        let network = Network::new(&patterns, true, &stages, 0.0).expect("memory");
        let learning_method = LearningSettings {
            patterns,
            method,
            rate: if method == RateMethod::Tc { 1.0 } else { 0.1 },
            update: UpdateOrder::Forward,
            lambda: lambda as f32,
            trace_length: trace_length(lambda),
            tc_after: if method == RateMethod::OtdTc { TC_AFTER } else { 0 },
            restarts,
            is_interleaved,
        };
        NetworkLearner::new(learning_method, network, Seed::root(3)).expect("memory")
    }

    /// Game whose boards and errors are all kept.
    struct RecordedGame {
        number: u64,
        game_rng: Rng,
        board: Board,
        afterstates: Vec<Cells>,
        errors: Vec<f32>,
        learned_count: usize,
    }

    impl RecordedGame {
        fn begin(number: u64) -> RecordedGame {
            let mut game_rng = Seed::root(3).children("game").get(number).rng();
            let board = Board::start(&mut game_rng).0;
            RecordedGame {
                number,
                game_rng,
                board,
                afterstates: Vec::new(),
                errors: Vec::new(),
                learned_count: 0,
            }
        }
    }

    /// Returns the weights after some games in which each board learns from its error and later
    /// ones, by definition, and the moves of each game. Games are kept whole, and everything is
    /// recomputed when needed.
    fn train_by_definition(method: RateMethod, lambda: f64, is_interleaved: bool) -> (Vec<f32>, Vec<u64>) {
        let NetworkLearner { weights: TrainingWeights { mut network, .. }, learning_method, .. } =
            new_learner(method, lambda, is_interleaved);
        let mut sums = vec![[0.0_f32; 2]; network.weights().len()];
        let mut learn = |network: &mut Network, board: Cells, error: f32, newest_game: u64| {
            let is_coherent =
                method == RateMethod::Tc || method == RateMethod::OtdTc && newest_game >= TC_AFTER;
            let rate = if is_coherent { 1.0 } else { 0.1 };
            let mut indices = [0; MAX_INDICES];
            network.compute_indices(board, &mut indices);
            let index_count = network.layout().lookups_per_board();
            for index in indices.into_iter().take(index_count).map(|index| index as usize) {
                let [sum, sizes] = sums[index];
                let own_rate = if !is_coherent || sizes == 0.0 { 1.0 } else { sum.abs() / sizes };
                network.weights_mut()[index] += own_rate * (rate / index_count as f32 * error);
                if is_coherent {
                    sums[index] = [sum + error, sizes + error.abs()];
                }
            }
        };
        // Halves, quarters and eighths are more than a tenth; a sixteenth is less.
        let count = if lambda == 0.5 { 4 } else { 1 };
        let mut moves = vec![0; GAMES as usize];
        for first_game in (0..GAMES).step_by(PAUSE_INTERVAL as usize) {
            let mut upcoming_games = (first_game..first_game + PAUSE_INTERVAL).map(RecordedGame::begin);
            let mut games: Vec<RecordedGame> =
                upcoming_games.by_ref().take(if is_interleaved { 2 } else { 1 }).collect();
            let mut newest_game = games.last().expect("a game").number;
            // One move of each in turn. When one ends, the next takes its place.
            while !games.is_empty() {
                let current_games = std::mem::take(&mut games);
                for mut game in current_games {
                    let RecordedGame { number, game_rng, board, afterstates, errors, learned_count } =
                        &mut game;
                    let mut best = None;
                    for legal_move in legal_moves(*board) {
                        let move_value = legal_move.gain as f32 + network.value(legal_move.after.cells());
                        if best.is_none_or(|(_, best_value)| move_value > best_value) {
                            best = Some((legal_move.after, move_value));
                        }
                    }
                    if let Some(last) = afterstates.last() {
                        errors.push(best.map_or(0.0, |(_, value)| value) - network.value(*last));
                    }
                    while *learned_count < errors.len()
                        && (errors.len() - *learned_count >= count || best.is_none())
                    {
                        let trace_errors = &errors[*learned_count..errors.len().min(*learned_count + count)];
                        learn(
                            &mut network,
                            afterstates[*learned_count],
                            discount(trace_errors, learning_method.lambda),
                            newest_game,
                        );
                        *learned_count += 1;
                    }
                    if let Some((after, _)) = best {
                        afterstates.push(after.cells());
                        *board = after.spawn(game_rng).0;
                        games.push(game);
                    } else {
                        assert_eq!(*learned_count, afterstates.len());
                        moves[*number as usize] = afterstates.len() as u64;
                        let next = upcoming_games.next();
                        newest_game = next.as_ref().map_or(newest_game, |next| next.number);
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
        let mut trained_weights = Vec::new();
        for method in [RateMethod::Td, RateMethod::Tc, RateMethod::OtdTc] {
            for (lambda, is_interleaved) in [(0.0, false), (0.5, false), (0.0, true), (0.5, true)] {
                let mut learner = new_learner(method, lambda, is_interleaved);
                let mut moves = Vec::new();
                while learner.games < GAMES {
                    moves.extend(learner.learn(&|_, _| {}).into_iter().map(|episode| episode.moves));
                }
                let weights = bits(learner.weights.network.weights());
                let (expected, expected_moves) = train_by_definition(method, lambda, is_interleaved);
                let label = format!("{method:?} {lambda} {is_interleaved}");
                assert_eq!(moves, expected_moves, "{label}");
                assert!(weights == bits(&expected), "{label}");
                assert!(!trained_weights.contains(&weights), "{label} is another training");
                trained_weights.push(weights);
            }
        }
    }

    /// Games begin at each stage in turn, and their boards belong to that stage.
    #[test]
    fn a_carousel_goes_round() {
        let stages = Stages::try_from(vec![64, 128]).expect("stages");
        let mut learner = learner_with(RateMethod::Tc, 0.0, RestartPolicy::Carousel, stages.clone(), false);
        let mut stage_counts = [0; 3];
        for game in 0..300 {
            // A test in between records no board.
            learner.test(&[Seed::root(game)]);
            learner.learn(&|_, _| {});
        }
        for game in 0..30 {
            let board = learner.initial_positions.next(game).board(&mut Seed::root(game).rng());
            stage_counts[stages.stage_of(board.cells().capped_nibbles().word()) as usize] += 1;
        }
        assert_eq!(stage_counts, [10; 3]);
    }
}
