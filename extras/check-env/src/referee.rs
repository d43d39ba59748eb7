//! The referee: compares each answer of an environment with the rules.

use gauntlet_twenty48::rules::{Board, Cells};

use crate::actions::ActionMap;
use crate::encoding::Encoding;
use crate::environment::{Failure, Observation, Step};
use crate::evidence::{Example, Tally};
use crate::explain::{cell_faults, mask_faults, reward_faults, slide_faults};
use crate::fault::Fault;
use crate::law::{NewTiles, Starts};
use crate::moves::{LegalMove, Move};
use crate::rule::Rule;
use crate::slides::{has_tiles, new_tile};

/// Relative error of a reward, for environments that compute in 32-bit floating point.
const REWARD_PRECISION: f64 = 1e-6;

/// Evidence so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    rules: [Tally; Rule::ALL.len()],
    /// Slides by the largest tile: up to 2048, up to 32768, larger.
    pub(crate) slides: [Tally; 3],
    /// Legal moves without a reward.
    pub(crate) missing_rewards: Tally,
    pub(crate) tiles: NewTiles,
    pub(crate) starts: Starts,
    pub(crate) notes: Notes,
}

/// Facts that no rule forbids.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) illegal_ends: u64,
    pub(crate) illegal_ends_changed: u64,
    pub(crate) illegal_errors: u64,
    pub(crate) illegal_rewards: u64,
    pub(crate) truncated: u64,
    /// Games that are truncated when the first 2048 appears.
    pub(crate) truncated_at_2048: u64,
    pub(crate) legal_errors: u64,
    /// Moves to a board without a legal move.
    pub(crate) final_boards: u64,
    pub(crate) games: u64,
    pub(crate) moves: u64,
}

impl Evidence {
    pub(crate) fn tally_mut(&mut self, rule: Rule) -> &mut Tally {
        &mut self.rules[rule as usize]
    }

    pub(crate) fn tally(&self, rule: Rule) -> &Tally {
        &self.rules[rule as usize]
    }

    /// Judges an error of `reset`, which is always legal.
    pub(crate) fn judge_reset_error(&mut self, message: &str) {
        self.notes.legal_errors += 1;
        let tally = self.tally_mut(Rule::Start);
        tally.add_check();
        tally.add_violation(&[], || Example {
            message: format!("reset raised an error: {message}"),
            ..Example::default()
        });
    }
}

/// Judges the steps of an environment whose encoding and directions are known.
pub(crate) struct Referee {
    pub(crate) encoding: Encoding,
    pub(crate) actions: ActionMap,
    /// False if rewards are not judged.
    pub(crate) has_reward: bool,
    pub(crate) evidence: Evidence,
}

/// Returns the index in [`Evidence::slides`] of a board.
fn size_class(board: Cells) -> usize {
    match board.max_rank() {
        0..=11 => 0,
        12..=15 => 1,
        _ => 2,
    }
}

impl Referee {
    /// Judges a start, and returns its board if it is one.
    pub(crate) fn judge_start(
        &mut self,
        observation: &Observation,
        mask: Option<&Vec<bool>>,
    ) -> Option<Cells> {
        self.evidence.tally_mut(Rule::Start).add_check();
        let board = match self.encoding.decode(observation) {
            Ok(board) => board,
            Err(message) => {
                let example = || Example {
                    message: format!("the observation is not a board: {message}"),
                    ..Example::default()
                };
                self.evidence.tally_mut(Rule::Start).add_violation(&[], example);
                return None;
            }
        };
        let tiles = 16 - board.count_empty();
        let example = |message| Example { actual: Some(board), message, ..Example::default() };
        match tiles {
            2 if board.max_rank() <= 2 => self.evidence.starts.add(board),
            2 => {
                let message = "a start tile is neither 2 nor 4".to_owned();
                self.evidence.tally_mut(Rule::Start).add_violation(&[], || example(message));
            }
            _ => {
                let fault = if tiles < 2 { Fault::OneStartTile } else { Fault::ManyStartTiles };
                let message = format!("a game starts with 2 tiles, not {tiles}");
                self.evidence.tally_mut(Rule::Start).add_violation(&[fault], || example(message));
            }
        }
        self.judge_mask(None, board, mask);
        Some(board)
    }

    /// Judges the mask of a board on which the game is not over, if the directions are known.
    fn judge_mask(&mut self, before: Option<Cells>, board: Cells, mask: Option<&Vec<bool>>) {
        let Some(mask) = mask.filter(|_| !self.actions.is_empty()) else { return };
        if Board::new(board).is_over() {
            return;
        }
        let is_legal = |action| {
            let direction = self.actions.direction(action);
            direction.is_some_and(|direction| Board::new(board).slide(direction).is_some())
        };
        let legal: Vec<bool> = (0..self.actions.len()).map(is_legal).collect();
        let faults =
            if *mask == legal { None } else { Some(mask_faults(before, board, mask, &self.actions)) };
        let tally = self.evidence.tally_mut(Rule::Mask);
        tally.add_check();
        if let Some(faults) = faults {
            tally.add_violation(&faults, || Example {
                actual: Some(board),
                message: format!("the mask is {}, expected {}", format_mask(mask), format_mask(&legal)),
                ..Example::default()
            });
        }
    }

    /// Judges a step. Returns the board on which the game continues; `None` if it does not.
    pub(crate) fn judge(&mut self, mv: Move, answer: &Result<Step, Failure>) -> Option<Cells> {
        self.evidence.notes.moves += 1;
        let after = Board::new(mv.before).slide(mv.direction).map(|after| after.cells());
        let step = match answer {
            Ok(step) => step,
            Err(Failure::Raised(message) | Failure::Ended(message)) => {
                self.judge_error(mv, after, message);
                return None;
            }
        };
        let actual = match self.encoding.decode(&step.observation) {
            Ok(actual) => actual,
            Err(message) => {
                let tally = &mut self.evidence.slides[size_class(after.unwrap_or(mv.before))];
                tally.add_check();
                tally.add_violation(&[], || {
                    mv.example(after, None, format!("the observation is not a board: {message}"))
                });
                return None;
            }
        };
        let is_over = step.terminated || step.truncated;
        let expected = after.unwrap_or(mv.before);
        if self.is_next_game(expected, actual, is_over) {
            self.evidence.tally_mut(Rule::NoReset).add_violation(&[Fault::ResetInsideStep], || {
                mv.example(Some(expected), Some(actual), "the board is the start of another game")
            });
            return None;
        }
        let continues = match after {
            Some(after) => {
                let gain = Board::new(mv.before).gain(mv.direction);
                self.judge_legal(&LegalMove { played_move: mv, after, actual, gain }, step)
            }
            None => self.judge_illegal(mv, actual, step),
        };
        if !continues {
            return None;
        }
        self.judge_mask(Some(mv.before), actual, step.mask.as_ref());
        Some(actual)
    }

    fn judge_error(&mut self, mv: Move, after: Option<Cells>, message: &str) {
        let Some(after) = after else {
            self.evidence.tally_mut(Rule::IllegalMove).add_check();
            self.evidence.notes.illegal_errors += 1;
            return;
        };
        self.evidence.notes.legal_errors += 1;
        let tally = &mut self.evidence.slides[size_class(after)];
        tally.add_check();
        tally.add_violation(&[Fault::Raises], || {
            mv.example(Some(after), None, format!("the step raised an error: {message}"))
        });
    }

    /// Returns true if an observed board is the start of another game, not the next board of this
    /// game. At the end of a game, counts this check.
    fn is_next_game(&mut self, expected: Cells, actual: Cells, is_over: bool) -> bool {
        let is_start = 16 - actual.count_empty() <= 2 && actual.max_rank() <= 2;
        let is_next_game = is_start && 16 - expected.count_empty() > 2;
        if is_over || is_next_game {
            self.evidence.tally_mut(Rule::NoReset).add_check();
        }
        is_next_game
    }

    /// Judges an illegal move. Returns true if the game continues. The board is not judged if the
    /// move ends the game: pgx adds a tile then, which no player meets.
    fn judge_illegal(&mut self, mv: Move, actual: Cells, step: &Step) -> bool {
        let is_changed = actual != mv.before;
        let is_over = step.terminated || step.truncated;
        let tally = self.evidence.tally_mut(Rule::IllegalMove);
        tally.add_check();
        if is_changed && !is_over {
            let has_new_tile = new_tile(mv.before, actual).is_some();
            let faults: &[Fault] = if has_new_tile { &[Fault::TileAfterIllegalMove] } else { &[] };
            tally.add_violation(faults, || {
                mv.example(Some(mv.before), Some(actual), "an illegal move changes the board")
            });
        }
        let notes = &mut self.evidence.notes;
        notes.illegal_rewards += u64::from(step.reward.is_some_and(|reward| reward != 0.0));
        let is_stuck = Board::new(actual).is_over();
        let is_ended = is_over && !is_stuck;
        notes.illegal_ends += u64::from(is_ended);
        notes.illegal_ends_changed += u64::from(is_ended && is_changed);
        !is_over && !is_stuck
    }

    /// Judges a legal move. Returns true if the game continues.
    fn judge_legal(&mut self, mv: &LegalMove, step: &Step) -> bool {
        let tally = &mut self.evidence.slides[size_class(mv.after)];
        tally.add_check();
        if !has_tiles(mv.actual, mv.after) {
            tally.add_violation(&slide_faults(mv), || mv.example("the slide is wrong"));
            return !step.terminated && !step.truncated && !Board::new(mv.actual).is_over();
        }
        // A game that ends on a board without its new tile ends too early, which is one fault.
        let is_ended = step.terminated || step.truncated && mv.is_first_2048();
        if !is_ended || mv.actual != mv.after {
            self.judge_new_tile(mv);
        }
        self.judge_reward(mv, step.reward);
        self.judge_end(mv, step)
    }

    fn judge_new_tile(&mut self, mv: &LegalMove) {
        let (before, after, actual) = (mv.played_move.before, mv.after, mv.actual);
        let tally = self.evidence.tally_mut(Rule::NewCell);
        tally.add_check();
        match new_tile(after, actual) {
            Some((cell, rank @ (1 | 2))) => {
                self.evidence.tally_mut(Rule::NewValue).add_check();
                self.evidence.tiles.add(before, after, cell, rank);
            }
            Some(_) => {
                let tally = self.evidence.tally_mut(Rule::NewValue);
                tally.add_check();
                tally.add_violation(&[], || mv.example("the new tile is neither 2 nor 4"));
            }
            None if actual == after => {
                tally.add_violation(&cell_faults(mv), || mv.example("no tile appears"));
            }
            None => tally.add_violation(&[Fault::SeveralNewTiles], || mv.example("several tiles appear")),
        }
    }

    fn judge_reward(&mut self, mv: &LegalMove, reward: Option<f64>) {
        if !self.has_reward {
            return;
        }
        let Some(reward) = reward else {
            self.evidence.missing_rewards.add_check();
            self.evidence.missing_rewards.add_violation(&[], || mv.example("the step has no reward"));
            return;
        };
        let tally = self.evidence.tally_mut(Rule::Reward);
        tally.add_check();
        if !is_near(reward, mv.gain as f64) {
            tally.add_violation(&reward_faults(mv, |points| is_near(reward, points)), || {
                mv.example(format!("the reward is {reward}, expected {}", mv.gain))
            });
        }
    }

    fn judge_end(&mut self, mv: &LegalMove, step: &Step) -> bool {
        let is_over = Board::new(mv.actual).is_over();
        let notes = &mut self.evidence.notes;
        if step.truncated && !step.terminated && !is_over {
            notes.truncated += 1;
            notes.truncated_at_2048 += u64::from(mv.is_first_2048());
        }
        notes.final_boards += u64::from(is_over);
        let tally = self.evidence.tally_mut(Rule::GameEnd);
        tally.add_check();
        if step.terminated && !is_over {
            let mut faults = Vec::new();
            if mv.after.max_rank() >= 11 {
                faults.push(Fault::EndsAt2048);
            }
            if mv.actual.count_empty() == 0 {
                faults.push(Fault::EndsWhenFull);
            }
            tally.add_violation(&faults, || mv.example("the game ends, although a move is legal"));
        }
        if is_over && !step.terminated && !step.truncated {
            tally.add_violation(&[Fault::EndsTooLate], || {
                mv.example("the game does not end, although no move is legal")
            });
        }
        !is_over && !step.terminated && !step.truncated
    }
}

/// Returns true if a reward equals this number of points.
fn is_near(reward: f64, points: f64) -> bool {
    (reward - points).abs() <= REWARD_PRECISION * points.abs().max(1.0)
}

/// Writes a mask as one digit for each action.
fn format_mask(mask: &[bool]) -> String {
    mask.iter().map(|&legal| if legal { '1' } else { '0' }).collect()
}
