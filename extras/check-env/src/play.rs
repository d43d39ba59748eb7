//! Games with an environment, judged move by move.

use gauntlet_core::rng::Rng;
use gauntlet_twenty48::rules::{Board, Cells, Direction};

use crate::boards;
use crate::environment::{Environment, Failure, Observation, Reset, Step};
use crate::evidence::Example;
use crate::fault::Fault;
use crate::moves::Move;
use crate::policy::{Searcher, choose_random};
use crate::referee::Referee;
use crate::rule::Rule;

/// The most moves of a game.
const MAX_MOVES: u32 = 10_000;

/// Successive moves that change nothing, after which a game is abandoned.
const MAX_UNCHANGED: u32 = 20;

/// Largest number of moves in all games together, per requested game.
const MAX_AVERAGE_MOVES: u64 = 3_000;

/// One move in this many is illegal on purpose, if a move is illegal.
const ILLEGAL_EVERY: u64 = 25;

/// Number of episodes ended by illegal moves after which no more illegal moves are tried.
const MAX_ILLEGAL_ENDS: u64 = 20;

/// Number of errors after which no more games are played.
const MAX_ERRORS: u64 = 10;

/// Number of observations that a check reads again.
const MAX_REREADS: u64 = 500;

/// Number of boards to set that have no legal move, or nearly none.
const NEARLY_OVER_BOARDS: u32 = 200;

/// Plays with an environment.
pub(crate) struct Play<'a> {
    pub(crate) environment: &'a mut dyn Environment,
    pub(crate) referee: Referee,
    pub(crate) rng: Rng,
    pub(crate) searcher: Searcher,
    /// Resets so far.
    pub(crate) resets: u64,
    /// True if games are seeded.
    pub(crate) uses_seeds: bool,
}

/// How the moves of a game are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// At random.
    Random,
    /// By search.
    Search,
}

/// Returns a seed for every second reset, if seeds are accepted. Seeds fit 31 bits, which every
/// library accepts.
pub(crate) fn next_seed(uses_seeds: bool, reset: u64, rng: &mut Rng) -> Option<u64> {
    (uses_seeds && reset.is_multiple_of(2)).then(|| rng.below(1 << 31))
}

impl Play<'_> {
    /// Starts an episode and judges the start.
    pub(crate) fn start(&mut self) -> Result<Option<(Cells, Observation)>, Failure> {
        let seed = next_seed(self.uses_seeds, self.resets, &mut self.rng);
        self.resets += 1;
        match self.environment.reset(seed) {
            Ok(Reset { observation, mask }) => {
                let board = self.referee.judge_start(&observation, mask.as_ref());
                Ok(board.map(|board| (board, observation)))
            }
            Err(Failure::Raised(message)) => {
                self.referee.evidence.judge_reset_error(&message);
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Returns true if errors prevent further games.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.referee.evidence.notes.legal_errors >= MAX_ERRORS
    }

    /// Returns true if these games have had more moves than games of 2048 have.
    pub(crate) fn is_endless(&self, games: u64) -> bool {
        self.referee.evidence.notes.moves > MAX_AVERAGE_MOVES * games
    }

    /// Plays one game.
    pub(crate) fn play_game(&mut self, policy: Policy) -> Result<(), Failure> {
        let Some((mut board, mut observation)) = self.start()? else { return Ok(()) };
        self.referee.evidence.notes.games += 1;
        let (mut score, mut unchanged_moves) = (0, 0);
        for _ in 0..MAX_MOVES {
            let Some((action, direction)) = self.choose(board, policy) else { break };
            let answer = self.step(action)?;
            self.recheck_observation(&observation, &answer);
            let mv = Move { before: board, action, direction, score };
            let Some(next) = self.referee.judge(mv, &answer) else { break };
            score += Board::new(board).gain(direction);
            unchanged_moves = if next == board { unchanged_moves + 1 } else { 0 };
            if unchanged_moves >= MAX_UNCHANGED {
                break;
            }
            board = next;
            if let Ok(step) = answer {
                observation = step.observation;
            }
        }
        Ok(())
    }

    /// Executes an action. Returns an outer error only if it ends the check.
    fn step(&mut self, action: usize) -> Result<Result<Step, Failure>, Failure> {
        match self.environment.step(action) {
            Err(Failure::Ended(message)) => Err(Failure::Ended(message)),
            answer => Ok(answer),
        }
    }

    /// Chooses an action and its direction; `None` if no known action is legal.
    fn choose(&mut self, board: Cells, policy: Policy) -> Option<(usize, Direction)> {
        let actions = &self.referee.actions;
        let has_action = |direction: &Direction| actions.action(*direction).is_some();
        let is_legal = |direction: &Direction| Board::new(board).slide(*direction).is_some();
        let (legal, illegal): (Vec<_>, Vec<_>) =
            Direction::ALL.into_iter().filter(has_action).partition(is_legal);
        if legal.is_empty() {
            return None;
        }
        let notes = &self.referee.evidence.notes;
        let can_try_illegal = notes.illegal_ends + notes.illegal_errors < MAX_ILLEGAL_ENDS;
        let direction = if !illegal.is_empty() && can_try_illegal && self.rng.below(ILLEGAL_EVERY) == 0 {
            choose_random(&illegal, &mut self.rng)
        } else if policy == Policy::Search {
            self.searcher.choose(Board::new(board), &legal)
        } else {
            choose_random(&legal, &mut self.rng)
        };
        actions.action(direction).map(|action| (action, direction))
    }

    /// Compares the observation before a step with what it contains now.
    fn recheck_observation(&mut self, before: &Observation, answer: &Result<Step, Failure>) {
        let tally = self.referee.evidence.tally_mut(Rule::Unchanged);
        if tally.checks >= MAX_REREADS || answer.is_err() {
            return;
        }
        let Some(current) = self.environment.earlier_observation() else { return };
        tally.add_check();
        if current != *before {
            let encoding = &self.referee.encoding;
            let (before, actual) = (encoding.decode(before).ok(), encoding.decode(&current).ok());
            let example = Example {
                before,
                expected: before,
                actual,
                message: "an observation changes after it was returned".to_owned(),
                ..Example::default()
            };
            self.referee
                .evidence
                .tally_mut(Rule::Unchanged)
                .add_violation(&[Fault::ObservationShared], || example);
        }
    }

    /// Tries boards that play hardly reaches, if the environment's board can be set. Returns false
    /// if it cannot.
    pub(crate) fn set_boards(&mut self) -> Result<bool, Failure> {
        for board in boards::boards_with_all_lines() {
            for direction in Direction::ALL {
                if !self.try_board(board, direction)? {
                    return Ok(false);
                }
            }
        }
        for number in 0..NEARLY_OVER_BOARDS {
            let largest = if number % 2 == 0 { 10 } else { 16 };
            let board = boards::random_nearly_full(&mut self.rng, largest);
            let legal: Vec<Direction> = Board::new(board).legal_directions().collect();
            let direction = choose_random(&legal, &mut self.rng);
            self.try_board(board, direction)?;
        }
        Ok(true)
    }

    /// Sets a board and makes one move. Returns false if the board cannot be set.
    fn try_board(&mut self, board: Cells, direction: Direction) -> Result<bool, Failure> {
        let Some(action) = self.referee.actions.action(direction) else { return Ok(true) };
        let is_illegal = Board::new(board).slide(direction).is_none();
        if self.is_hopeless() || is_illegal {
            return Ok(true);
        }
        let Some(observation) = self.referee.encoding.encode(board) else { return Ok(true) };
        match self.environment.set_board(&observation) {
            Ok(Some(reset)) if self.referee.encoding.decode(&reset.observation) == Ok(board) => {}
            Ok(None) => return Ok(false),
            Err(Failure::Ended(message)) => return Err(Failure::Ended(message)),
            // The environment cannot show this board.
            Ok(Some(_)) | Err(Failure::Raised(_)) => return Ok(true),
        }
        let answer = self.step(action)?;
        self.referee.judge(Move { before: board, action, direction, score: 0 }, &answer);
        Ok(true)
    }
}
