//! Environments: many games of 2048 stepped together, and a game of Gomoku.

use gauntlet_core::game::{Block, Game};
use gauntlet_core::rng::Rng;
use gauntlet_gomoku::rules::{Cell, Gomoku, Rules as GomokuRules, Stone};
use gauntlet_twenty48::rules::vector::{
    Autoreset, GameVector, IllegalAction, STATE_SIZE, StepBuffers, StepError, StepModes,
};
use gauntlet_twenty48::rules::{Board, Cells, MAX_RANK, Rules, Twenty48};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// Games of 2048 stepped together; Python's environments are made of it.
#[pyclass(module = "gauntlet._gauntlet")]
pub struct Games {
    vector: GameVector,
    buffers: StepBuffers,
}

/// Arrays of one step, in the order of Python's arguments.
type Arrays<'py> =
    (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Number of a game whose episode ended, its last board, score and seed.
type EndedEpisode<'py> = (usize, Bound<'py, PyBytes>, u64, u64);

/// Board, reward, whether the episode is over, action mask, action bits, score and seed.
type SingleStep<'py> = (Bound<'py, PyByteArray>, f64, bool, Bound<'py, PyByteArray>, u8, u64, u64);

#[pymethods]
impl Games {
    #[classattr]
    const STATE_SIZE: usize = STATE_SIZE;

    #[classattr]
    const MAX_RANK: u8 = MAX_RANK;

    /// Begins games of the blocks of an experiment's seed.
    #[new]
    #[pyo3(signature = (count, *, rules, illegal, autoreset, experiment))]
    fn new(
        py: Python<'_>,
        count: usize,
        rules: &str,
        illegal: &str,
        autoreset: &str,
        experiment: u64,
    ) -> PyResult<Games> {
        let rules: Rules = read_rules(rules)?;
        let illegal = match illegal {
            "ignore" => IllegalAction::Ignore,
            "error" => IllegalAction::Error,
            "end" => IllegalAction::End,
            _ => return Err(PyValueError::new_err("illegal: expected \"ignore\", \"error\" or \"end\"")),
        };
        let autoreset = match autoreset {
            "next-step" => Autoreset::NextStep,
            "same-step" => Autoreset::SameStep,
            "disabled" => Autoreset::Disabled,
            _ => {
                let message = "autoreset_mode: expected NEXT_STEP, SAME_STEP or DISABLED";
                return Err(PyValueError::new_err(message));
            }
        };
        let modes = StepModes { illegal, autoreset };
        let vector = py.detach(|| GameVector::new(&rules, modes, experiment, count));
        let memory_error = |_| PyMemoryError::new_err(format!("too little memory for {count} games"));
        Ok(Games { vector: vector.map_err(memory_error)?, buffers: StepBuffers::new(count) })
    }

    /// Begins the next episode of these games.
    fn reset(&mut self, games: Vec<usize>) -> PyResult<()> {
        games.iter().try_for_each(|&game| self.check(game))?;
        self.vector.reset(games);
        Ok(())
    }

    /// Begins an episode with this block seed in each of these games.
    fn reset_to(&mut self, seeds: Vec<(usize, u64)>) -> PyResult<()> {
        seeds.iter().try_for_each(|&(game, _)| self.check(game))?;
        self.vector.reset_to(seeds);
        Ok(())
    }

    /// Writes the current positions into the arrays.
    fn observe(&mut self, py: Python<'_>, arrays: Arrays<'_>) -> PyResult<()> {
        self.vector.observe(&mut self.buffers.lend());
        copy_to_python(&self.buffers, py, &arrays)
    }

    /// Plays one action in each game, and fills the arrays. Returns the last position, score and
    /// seed of each episode whose successor began in this step.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
        arrays: Arrays<'py>,
    ) -> PyResult<Vec<EndedEpisode<'py>>> {
        let actions = PyBuffer::<i64>::get(actions)?;
        if actions.item_count() != self.vector.len() {
            let message = format!("expected {} actions, got {}", self.vector.len(), actions.item_count());
            return Err(PyValueError::new_err(message));
        }
        let actions = actions.to_vec(py)?;
        let Games { vector, buffers } = self;
        let episodes = py.detach(|| vector.step(&actions, &mut buffers.lend()));
        let episodes = episodes.map_err(|error| PyValueError::new_err(step_message(error, &actions)))?;
        copy_to_python(buffers, py, &arrays)?;
        let bytes = |board: [i8; 16]| PyBytes::new(py, &board.map(|rank| rank as u8));
        Ok(episodes
            .into_iter()
            .map(|episode| (episode.game, bytes(episode.board), episode.score, episode.seed))
            .collect())
    }

    /// Plays one action in the only game. Returns its board, the reward, whether the episode is
    /// over, the action mask, the action bits, the score and the seed. `step` would need arrays to
    /// fill, and creating them takes longer than the step.
    fn step_one<'py>(&mut self, py: Python<'py>, action: i64) -> PyResult<SingleStep<'py>> {
        let Games { vector, buffers } = self;
        let actions = [action];
        vector
            .step(&actions, &mut buffers.lend())
            .map_err(|error| PyValueError::new_err(step_message(error, &actions)))?;
        Ok(self.only_game(py))
    }

    /// Returns the position of the only game, as `step_one` does, with a reward of 0.
    fn observe_one<'py>(&mut self, py: Python<'py>) -> SingleStep<'py> {
        self.vector.observe(&mut self.buffers.lend());
        self.only_game(py)
    }

    /// Returns the legal actions of each game, as bits.
    fn action_bits<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.vector.action_bits().collect::<Vec<_>>())
    }

    /// Returns the states of all games, one after another.
    fn states<'py>(&self, py: Python<'py>) -> Bound<'py, PyByteArray> {
        PyByteArray::new(py, &self.vector.states())
    }

    /// Restores the states of all games, or none of them.
    fn set_states(&mut self, py: Python<'_>, states: PyBuffer<u8>) -> PyResult<()> {
        let message = || "state: expected what get_state returned, with the same rules and num_envs";
        self.vector.set_states(&states.to_vec(py)?).map_err(|_| PyValueError::new_err(message()))
    }

    /// Replaces the random streams of these games by those of block seeds.
    fn set_chance(&mut self, seeds: Vec<(usize, u64)>) -> PyResult<()> {
        seeds.iter().try_for_each(|&(game, _)| self.check(game))?;
        seeds.into_iter().for_each(|(game, seed)| self.vector.set_chance(game, seed));
        Ok(())
    }

    /// Returns the seed from which the episodes of each game follow.
    fn origins(&self) -> Vec<u64> {
        self.vector.origins().collect()
    }

    /// Returns the block seed of each current episode.
    fn seeds(&self) -> Vec<u64> {
        self.vector.seeds().collect()
    }

    /// Returns the score of each current episode.
    fn scores(&self) -> Vec<u64> {
        self.vector.scores().collect()
    }

    /// Sets the boards of all games, as ranks; their scores continue from 0.
    fn set_boards(&mut self, py: Python<'_>, ranks: PyBuffer<u8>) -> PyResult<()> {
        let ranks = ranks.to_vec(py)?;
        let (boards, rest) = ranks.as_chunks();
        if boards.len() != self.vector.len() || !rest.is_empty() || ranks.iter().any(|&rank| rank > MAX_RANK)
        {
            return Err(PyValueError::new_err("expected sixteen ranks for each game"));
        }
        for (game, &ranks) in boards.iter().enumerate() {
            let rules = *self.vector.game(game).rules();
            let board = Board::new(Cells::from_ranks(ranks));
            self.vector.set_game(game, Twenty48::with_score(board, 0, &rules));
        }
        Ok(())
    }

    /// Returns the board of a game as text.
    fn text(&self, game: usize) -> PyResult<String> {
        self.check(game)?;
        Ok(self.vector.game(game).to_string())
    }
}

impl Games {
    /// Returns what the buffers contain of the only game.
    fn only_game<'py>(&self, py: Python<'py>) -> SingleStep<'py> {
        let Games { vector, buffers } = self;
        let [score, seed] = [vector.scores().next(), vector.seeds().next()].map(Option::unwrap_or_default);
        let bytes = |values: &[i8]| {
            PyByteArray::new(py, &values.iter().map(|&value| value as u8).collect::<Vec<_>>())
        };
        (
            bytes(&buffers.boards),
            buffers.rewards[0],
            buffers.terminated[0] != 0,
            bytes(&buffers.masks),
            buffers.bits[0],
            score,
            seed,
        )
    }

    fn check(&self, game: usize) -> PyResult<()> {
        if game < self.vector.len() { Ok(()) } else { Err(PyIndexError::new_err("no such game")) }
    }
}

/// Reads rules from JSON. An error begins with the key to blame.
fn read_rules<R: gauntlet_core::game::Rules>(text: &str) -> PyResult<R> {
    let keys: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    for (key, value) in &keys {
        let alone = serde_json::Value::Object([(key.clone(), value.clone())].into_iter().collect());
        serde_json::from_value::<R>(alone)
            .map_err(|error| PyValueError::new_err(format!("`{key}`: {error}")))?;
    }
    let rules: R =
        serde_json::from_value(keys.into()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    match rules.contradiction() {
        Some((key, message)) => Err(PyValueError::new_err(format!("`{key}`: {message}"))),
        None => Ok(rules),
    }
}

fn step_message(error: StepError, actions: &[i64]) -> String {
    let (problem, i) = match error {
        StepError::NotAnAction(i) => ("is not 0 (up), 1 (right), 2 (down) or 3 (left)", i),
        StepError::Illegal(i) => ("is illegal", i),
        StepError::Over(i) => return format!("environment {i} is over: reset it first"),
    };
    format!("action {} of environment {i} {problem}", actions[i])
}

/// Copies all arrays to those of Python.
fn copy_to_python(buffers: &StepBuffers, py: Python<'_>, arrays: &Arrays<'_>) -> PyResult<()> {
    let (boards, rewards, terminated, masks, bits) = arrays;
    PyBuffer::get(boards)?.copy_from_slice(py, &buffers.boards)?;
    PyBuffer::get(rewards)?.copy_from_slice(py, &buffers.rewards)?;
    PyBuffer::get(terminated)?.copy_from_slice(py, &buffers.terminated)?;
    PyBuffer::get(masks)?.copy_from_slice(py, &buffers.masks)?;
    PyBuffer::get(bits)?.copy_from_slice(py, &buffers.bits)
}

/// A game of Gomoku; Python's environment is made of it.
#[pyclass(module = "gauntlet._gauntlet")]
pub struct GomokuGame {
    game: Gomoku,
    /// Gomoku draws nothing after its opening, but the engine asks for a stream.
    game_rng: Rng,
}

#[pymethods]
impl GomokuGame {
    /// Begins a game with the opening of a block.
    #[new]
    fn new(rules: &str, seed: u64, block: u64) -> PyResult<GomokuGame> {
        let rules: GomokuRules = read_rules(rules)?;
        let block = Block::from_series(seed, block);
        let mut game_rng = block.game_seed().rng();
        Ok(GomokuGame { game: Gomoku::open(&rules, block, &mut game_rng), game_rng })
    }

    /// Number of rows and of columns.
    #[getter]
    fn size(&self) -> u8 {
        self.game.board().size()
    }

    /// 0 if black is to move, 1 if white is, `None` if the game is over.
    #[getter]
    fn turn(&self) -> Option<u8> {
        self.game.turn().map(stone_number)
    }

    /// 0 if black has won, 1 if white has, `None` without a winner.
    #[getter]
    fn winner(&self) -> Option<u8> {
        self.game.winner().map(stone_number)
    }

    /// Returns the cells row by row: 0 empty, 1 black, 2 white.
    fn cells<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let board = self.game.board();
        let cells: Vec<u8> = board
            .cells()
            .map(|cell| board.stone_at(cell).map_or(0, |stone| 1 + stone_number(stone)))
            .collect();
        PyBytes::new(py, &cells)
    }

    /// Plays on a cell, numbered row by row.
    fn play(&mut self, index: usize) -> PyResult<()> {
        let size = self.game.board().size();
        let is_cell = index < usize::from(size) * usize::from(size);
        let cell = is_cell.then(|| Cell::from_index(index, size));
        let result = cell.and_then(|cell| self.game.play(cell, &mut self.game_rng).ok());
        result.ok_or_else(|| PyValueError::new_err(format!("illegal action {index}")))
    }

    /// Returns the board as text.
    fn text(&self) -> String {
        self.game.to_string()
    }
}

fn stone_number(stone: Stone) -> u8 {
    match stone {
        Stone::Black => 0,
        Stone::White => 1,
    }
}
