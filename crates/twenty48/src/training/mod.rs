//! Training of networks: a player without a search plays, and after each move the value of the board that a move left goes towards
//! what came of it.
//!
//! - `student`: a network that learns
//!
//! Sources: Szubert and Jaśkowski (2014) for learning on boards right after moves (`td`); Beal and Smith's temporal coherence as
//! Jaśkowski (2016) has it (`tc`): each weight learns at a rate of its own, the part of its errors that has not cancelled out. A
//! weight that a board has twice, because the board is its own image, learns twice.
//!
//! With `update = "forward"` a board learns from the next one as soon as that is chosen. With `"backward"` a game is played to its
//! end first. Then its boards learn from the last to the first, each from a next one that has learned already; `lambda` is the
//! part of what that next one learned from, in place of its own value.

mod student;

use serde::{Deserialize, Serialize};

use crate::learning::{Course, Learner, Training};
use crate::network::Network;
use crate::network::file::describe;
use crate::network::pattern::Patterns;
use crate::network::places::Layout;
use crate::num::bounded;
use crate::rng::Seed;
use student::{Manner, Method, Student, Update};

/// Training of 2048.
pub const TRAINING: Training = Training::of::<Config>(EXAMPLE, describe);

/// The manual.
const EXAMPLE: &str = r#"patterns = "5x4"      # a set by name, or the cells of each pattern: "0123 4567", where f is the last cell
method = "tc"         # "td": all weights learn at one rate; "tc": each at less where its errors cancel out
rate = 1.0            # part of an error that is learned at once: 0.1 is usual for "td", 1 for "tc"
symmetric = true      # false if turned and mirrored boards have weights of their own
initial = 0           # value of every board at the start; where it is large, everything is tried
update = "forward"    # "forward", after each move, or "backward", after each game from its end
lambda = 0            # 0 to 1, for "backward": part of what the next board learned from, in place of its value
"#;

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Patterns of the network.
    pub patterns: Patterns,
    /// Rates of the weights.
    pub method: Method,
    /// Part of an error that is learned at once.
    pub rate: Rate,
    /// True if turned and mirrored boards share their weights.
    #[serde(default = "yes")]
    pub symmetric: bool,
    /// Value of every board at the start.
    #[serde(default)]
    pub initial: Initial,
    /// Order in which boards learn.
    #[serde(default)]
    pub update: Update,
    /// Part of what the next board learned from, in place of its value.
    #[serde(default)]
    pub lambda: Lambda,
}

fn yes() -> bool {
    true
}

bounded! {
    /// A part of an error.
    Rate: |rate| (1e-6..=1.0).contains(&rate), "must be from 0.000001 to 1, such as 0.1"
}

bounded! {
    /// A value of every board.
    Initial: |value| (0.0..=1e7).contains(&value), "must be from 0 to 10000000, such as 320000"
}

impl Default for Initial {
    fn default() -> Initial {
        Initial(0.0)
    }
}

bounded! {
    /// A part of what another board learned from.
    Lambda: |part| (0.0..=1.0).contains(&part), "must be from 0 to 1, such as 0.5"
}

impl Default for Lambda {
    fn default() -> Lambda {
        Lambda(0.0)
    }
}

impl Course for Config {
    fn memory(&self) -> u64 {
        // With `tc` two sums beside each weight.
        let sums = if self.method == Method::Tc { 2 } else { 0 };
        4 * (1 + sums) * self.patterns.contents()
    }

    fn begin(&self, seed: Seed) -> Result<Box<dyn Learner>, String> {
        let network = Network::new(&self.patterns, self.symmetric, self.initial.get() as f32)?;
        let manner = Manner {
            patterns: self.patterns.clone(),
            method: self.method,
            rate: self.rate.get() as f32,
            update: self.update,
            lambda: self.lambda.get() as f32,
        };
        Ok(Box::new(Student::new(manner, network, seed)?))
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        if let Some([one, other]) = self.patterns.images().filter(|_| self.symmetric) {
            let message =
                format!("{one} and {other} are images of each other: one is enough, or `symmetric = false`");
            return Some(("patterns", message));
        }
        if Layout::new(self.patterns.list(), self.symmetric).is_none() {
            let gib = self.patterns.contents() >> 28;
            return Some(("patterns", format!("need {gib} GiB of weights; 16 GiB is the most")));
        }
        let is_idle = self.update == Update::Forward && self.lambda.get() != 0.0;
        is_idle.then(|| ("lambda", "has no effect without `update = \"backward\"`".to_owned()))
    }
}
