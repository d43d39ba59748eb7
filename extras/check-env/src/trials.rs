//! Random actions before encoding and directions are known, and what they show.

use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::Direction;

use crate::actions::{ActionMap, Trial};
use crate::encoding::Encoding;
use crate::environment::{Environment, Failure, Observation};
use crate::evidence::Example;
use crate::fault::Fault;
use crate::moves::Move;
use crate::play::next_seed;
use crate::policy::choose_random;
use crate::referee::{Evidence, Referee};

/// Steps by which encoding and directions are found.
const MAX_STEPS: u64 = 600;

/// Errors after which the trials end, if no step has succeeded. Each action has been tried by then.
const MAX_ERRORS: usize = 10;

/// Steps with random actions.
#[derive(Debug, Default)]
pub(crate) struct Trials {
    observations: Vec<Observation>,
    steps: Vec<TrialStep>,
    reset_errors: Vec<String>,
}

/// Step of a trial.
#[derive(Debug)]
struct TrialStep {
    action: usize,
    /// Index of the observation before the step.
    before: usize,
    /// Index of the observation after the step, or the error of the step.
    after: Result<usize, String>,
}

impl Trials {
    /// Executes random actions. Until a step succeeds, each game executes the next action.
    pub(crate) fn play(environment: &mut dyn Environment, seed: Seed) -> Result<Trials, Failure> {
        let mut rng = seed.child("trials", 0).rng();
        let mut trials = Trials::default();
        let actions: Vec<usize> = (0..environment.actions()).collect();
        let (mut steps, mut resets, mut errors) = (0, 0, 0);
        while steps < MAX_STEPS && errors < MAX_ERRORS {
            let seed = next_seed(environment.takes_seeds(), resets, &mut rng);
            resets += 1;
            match environment.reset(seed) {
                Ok(reset) => trials.observations.push(reset.observation),
                Err(Failure::Raised(message)) => {
                    trials.reset_errors.push(message);
                    errors += 1;
                    continue;
                }
                Err(failure) => return Err(failure),
            }
            loop {
                let action = if trials.has_success() {
                    choose_random(&actions, &mut rng)
                } else {
                    actions[errors % actions.len()]
                };
                let before = trials.observations.len() - 1;
                steps += 1;
                match environment.step(action) {
                    Ok(step) => {
                        errors = 0;
                        trials.observations.push(step.observation);
                        trials.steps.push(TrialStep { action, before, after: Ok(before + 1) });
                        if step.terminated || step.truncated || steps >= MAX_STEPS {
                            break;
                        }
                    }
                    Err(Failure::Raised(message)) => {
                        // Illegal actions may raise errors.
                        errors += usize::from(!trials.has_success());
                        trials.steps.push(TrialStep { action, before, after: Err(message) });
                        break;
                    }
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(trials)
    }

    /// Returns true if a step succeeded.
    pub(crate) fn has_success(&self) -> bool {
        self.steps.iter().any(|step| step.after.is_ok())
    }

    pub(crate) fn observations(&self) -> &[Observation] {
        &self.observations
    }

    /// Returns the error of `reset`, if no reset succeeded.
    pub(crate) fn reset_error(&self) -> Option<String> {
        let error = self.reset_errors.last().filter(|_| self.observations.is_empty());
        error.map(|message| format!("reset raised an error: {message}"))
    }

    /// Finds the directions of the actions.
    pub(crate) fn find_directions(&self, encoding: &Encoding, actions: usize) -> Result<ActionMap, String> {
        if !self.has_success() {
            return Err("no step succeeded".to_owned());
        }
        let trials: Vec<Trial> = self.steps.iter().filter_map(|step| self.decode(step, encoding)).collect();
        ActionMap::find(&trials, actions)
    }

    /// Decodes a step; `None` if an observation is no board.
    fn decode(&self, step: &TrialStep, encoding: &Encoding) -> Option<Trial> {
        let board = |index: usize| encoding.decode(&self.observations[index]).ok();
        let after = match step.after {
            Ok(after) => Some(board(after)?),
            Err(_) => None,
        };
        Some(Trial { action: step.action, before: board(step.before)?, after })
    }

    /// Judges errors if boards are unknown. In 2048, some action is legal at each start.
    pub(crate) fn judge_without_board(&self, evidence: &mut Evidence) {
        self.judge_resets(evidence);
        if !self.has_success() {
            for step in &self.steps {
                step.judge_legal(None, evidence);
            }
        }
    }

    fn judge_resets(&self, evidence: &mut Evidence) {
        for message in &self.reset_errors {
            evidence.judge_reset_error(message);
        }
    }

    /// Judges errors of trials. If the directions are unknown, an action must still move tiles on
    /// boards on which all directions are legal.
    pub(crate) fn judge(&self, referee: &mut Referee, has_directions: bool, actions: usize) {
        self.judge_resets(&mut referee.evidence);
        let has_success = self.has_success();
        for step in &self.steps {
            let Some(trial) = self.decode(step, &referee.encoding) else { continue };
            let (before, action) = (trial.before, trial.action);
            if has_directions {
                if let (Err(message), Some(direction)) = (&step.after, referee.actions.direction(action)) {
                    let error = Err(Failure::Raised(message.clone()));
                    referee.judge(Move { before, action, direction, score: 0 }, &error);
                }
            } else if !has_success || trial.has_all_legal() && actions <= Direction::ALL.len() {
                step.judge_legal(Some(&trial), &mut referee.evidence);
            }
        }
    }
}

impl TrialStep {
    /// Judges a step by a legal action without its direction.
    fn judge_legal(&self, trial: Option<&Trial>, evidence: &mut Evidence) {
        let before = trial.map(|trial| trial.before);
        let actual = trial.and_then(|trial| trial.after);
        let (fault, message) = match &self.after {
            Err(error) => (Some(Fault::Raises), format!("the step raised an error: {error}")),
            Ok(_) if actual == before => {
                (Some(Fault::MoveIgnored), "no tile moves, although all directions are legal".to_owned())
            }
            Ok(_) => (None, String::new()),
        };
        let tally = &mut evidence.slides[0];
        tally.add_check();
        if let Some(fault) = fault {
            let action = Some((self.action, None));
            tally.add_violation(&[fault], || Example { before, action, expected: None, actual, message });
        }
    }
}
