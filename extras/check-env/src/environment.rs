//! Contract of an environment: anything with `reset` and `step` that may be 2048.

/// Observation as the environment returns it: numbers in row-major order, and their shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// Numbers.
    pub numbers: Vec<f64>,
    /// Size of each axis.
    pub shape: Vec<usize>,
}

/// Start of an episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Reset {
    /// First observation.
    pub observation: Observation,
    /// Legality of each action, if the environment reports it.
    pub mask: Option<Vec<bool>>,
}

/// Result of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Observation after the step.
    pub observation: Observation,
    /// Reward of the step, if the environment has rewards.
    pub reward: Option<f64>,
    /// True if the game is over.
    pub terminated: bool,
    /// True if the environment stops an unfinished game, for example at a limit of steps.
    pub truncated: bool,
    /// Legality of each action, if the environment reports it.
    pub mask: Option<Vec<bool>>,
}

/// Reason why an environment did not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The environment raised this error, which is evidence. Another `reset` may succeed.
    Raised(String),
    /// The check cannot continue, for example because a program cannot start.
    Ended(String),
}

/// Environment to check.
pub trait Environment {
    /// Returns the number of actions, which are numbered from 0.
    fn actions(&self) -> usize;

    /// Starts an episode.
    fn reset(&mut self, seed: Option<u64>) -> Result<Reset, Failure>;

    /// Executes an action.
    fn step(&mut self, action: usize) -> Result<Step, Failure>;

    /// Replaces the board of the current episode by one in the encoding of its observations, and
    /// returns it as `reset` does. Returns `None` if the environment cannot do that.
    fn set_board(&mut self, _board: &Observation) -> Result<Option<Reset>, Failure> {
        Ok(None)
    }

    /// Reads the observation before the latest one again, from the object that the environment
    /// returned. Returns `None` if observations are never shared with the environment.
    fn earlier_observation(&mut self) -> Option<Observation> {
        None
    }

    /// Returns true if `reset` accepts seeds.
    fn takes_seeds(&self) -> bool {
        true
    }
}
