//! Training of networks by temporal difference learning. A player without search plays. After each
//! move, the value of the board after a move is updated towards the outcome.
//!
//! Sources: Szubert and Jaśkowski (2014) for learning on boards right after moves (`td`); Beal and
//! Smith's temporal coherence in Jaśkowski's form (2016) (`tc`). There, each weight has its own
//! learning rate: the part of its errors that has not cancelled out. A weight that a board has
//! twice, because the board is symmetric, learns twice.
//!
//! With `update = "forward"` a board learns from the next one as soon as that is chosen. With
//! `lambda`, TD(λ), it also learns from later errors, each with `lambda` times the weight of the
//! one before. In Jaśkowski's delayed form (2016) a board learns once, from the sum of all errors
//! with a weight of at least a tenth, when the last of them is known. Each error is computed with
//! the weights at its time. With `"backward"` a game is first played to its end. Then its boards
//! learn from the last to the first, each from a next one that has learned already; `lambda` is the
//! weight of what that next one learned from, relative to its value.
//!
//! `otd` and `otd+tc` are the optimistic learning of Guei, Chen and Wu (2022). `otd` is `td` from a
//! network in which every board is initially worth more than it will ever be, so that untried moves
//! look good. `otd+tc` then continues with `tc`, on the same weights.
//!
//! Stages (Wu 2014, Jaśkowski 2016) have separate weights. A weight that a stage has not learned
//! yet is that of the stage before (weight promotion); learning begins from there. Unlike in
//! Jaśkowski's program it is not copied when it is read, but when it learns.
//!
//! `restarts = "half"` is Matsuzaki's (2017): after a game of ten moves or more the next one begins
//! in its middle. `"carousel"` is Jaśkowski's carousel shaping (2016): games begin in turn at each
//! stage, with one of the last thousand boards with which games entered it. His turns have two
//! hundred games each, ours one. His games enter stages one after another; here one may be skipped,
//! and the board then belongs to the stage that it entered.
//!
//! With `in_turn` two games are interleaved move by move. A step of one game waits for its weights,
//! some 160 with 4x6, which are far apart in memory. The step of the other game needs none of them.
//! This makes 1.2 to 1.3 times as many moves a second with 4x6, and up to 1.1 times with 8x6. In a
//! prototype, three games were not faster than two (benches/README.md).

mod initial_positions;
mod learner;
mod method;
mod rounds;
mod sparse_floats;
mod training_game;
mod turns;
mod weights;

use gauntlet_core::learning::{Learner, TrainingSettings, TrainingSupport};
use gauntlet_core::num::{BoundedInt, bounded};
use gauntlet_core::rng::Seed;
use gauntlet_core::settings::documented::documented;
use serde::{Deserialize, Serialize};

use crate::network::Network;
use crate::network::file::{EXCHANGE, describe};
use crate::network::pattern::Patterns;
use crate::network::stages::Stages;
use crate::network::weight_indices::Layout;
use initial_positions::RestartPolicy;
use learner::NetworkLearner;
use method::{LearningSettings, RateMethod, UpdateOrder, trace_length};
use rounds::RoundLearner;

/// Training of 2048, with its files. It is a static, so that it is compiled only here.
pub static TRAINING: TrainingSupport =
    TrainingSupport::new::<Config>(EXAMPLE, describe).with_manual(Config::KEYS).with_exchange(EXCHANGE);

/// Manual: a TOML example with every setting.
const EXAMPLE: &str = r#"patterns = "5x4"      # name of a set, or cells of each pattern: "0123 4567", from 0 to f
method = "tc"         # "td", "tc", "otd" or "otd+tc"
rate = 1.0            # learning rate; usually 0.1 for "td" and 1 for "tc"
symmetric = true      # false for separate weights of rotated and reflected boards
initial = 0           # initial value of every board; a large value encourages exploration
update = "forward"    # "forward": after each move; "backward": after each game, from its end
lambda = 0            # λ of TD(λ), 0 to 1
# tc_after = 9_000_000  # for "otd+tc": games after which "tc" follows, with a rate of 1
# stages = [16384]      # increasing sums of distinct tiles at which new stages begin
restarts = "none"     # "half": in the middle of the last game; "carousel": at each stage in turn
in_turn = false       # true to interleave two games; needs "forward"
rounds = false        # true for several threads; needs "backward"
"#;

documented! {
    /// Settings of a training.
    #[derive(Clone, Debug, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Config {
        /// Patterns of the network: a named set, or the cells of each pattern.
        pub patterns: Patterns => "name of a set, or cells of each pattern";
        /// Learning method: temporal differences, temporal coherence, or optimistic learning.
        pub method: RateMethod => r#"`"td"`, `"tc"`, `"otd"` or `"otd+tc"`"#;
        /// Learning rate, shared by all weights of a board; usually 0.1 for `td` and 1 for `tc`.
        pub rate: Rate => "number from 0.000001 to 1";
        /// Whether the eight rotations and reflections of a pattern share weights.
        #[serde(default = "yes")]
        pub symmetric: bool => "`true` or `false`", "`true`";
        /// Initial value of every board; a large value encourages exploration.
        #[serde(default)]
        pub initial: Initial => "number from 0 to 10000000", "`0`";
        /// Time of updates: after each move, or after each game, from its end to its start.
        #[serde(default)]
        pub update: UpdateOrder => r#"`"forward"` or `"backward"`"#, r#"`"forward"`"#;
        /// The λ of TD(λ), for all methods.
        #[serde(default)]
        pub lambda: Lambda => "number from 0 to 1", "`0`";
        /// Number of games after which `otd+tc` switches to `tc` with a rate of 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub tc_after: Option<BoundedInt<1, 4_000_000_000>> => "whole number, 1 to 4000000000", "none";
        /// Tile sums at which new stages begin; each stage has separate weights.
        #[serde(default, skip_serializing_if = "Stages::has_one_stage")]
        pub stages: Stages => "increasing list of at most 15 sums, 2 to 65534", "`[]`";
        /// Initial boards: random, from the middle of the last game, or from the start of a stage.
        #[serde(default, skip_serializing_if = "RestartPolicy::is_none")]
        pub restarts: RestartPolicy => r#"`"none"`, `"half"` or `"carousel"`"#, r#"`"none"`"#;
        /// Whether two games are interleaved move by move, for speed.
        #[serde(default, skip_serializing_if = "is_false")]
        pub in_turn: bool => "`true` or `false`", "`false`";
        /// Whether several threads train; the network does not depend on their number.
        #[serde(default, skip_serializing_if = "is_false")]
        pub rounds: bool => "`true` or `false`", "`false`";
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn yes() -> bool {
    true
}

bounded! {
    /// Learning rate: the part of an error that is learned.
    Rate: |rate| (1e-6..=1.0).contains(&rate), "must be from 0.000001 to 1, such as 0.1"
}

bounded! {
    /// Initial value of every board.
    Initial: |value| (0.0..=1e7).contains(&value), "must be from 0 to 10000000, such as 320000"
}

impl Default for Initial {
    fn default() -> Initial {
        Initial(0.0)
    }
}

bounded! {
    /// Weight of what another board learned from.
    Lambda: |part| (0.0..=1.0).contains(&part), "must be from 0 to 1, such as 0.5"
}

/// Maximum in forward updates: a board learns from the errors of 230 moves.
const MAX_FORWARD_LAMBDA: f64 = 0.99;

impl Default for Lambda {
    fn default() -> Lambda {
        Lambda(0.0)
    }
}

impl TrainingSettings for Config {
    fn memory(&self) -> u64 {
        // Two sums for each weight.
        let sums = if self.method.has_separate_rates() { 2 } else { 0 };
        let weights = self.patterns.contents() * u64::from(self.stages.count());
        // With rounds, also the frozen weights, and the boards of two rounds.
        let round_memory = if self.rounds { 4 * weights + rounds::MEMORY } else { 0 };
        4 * (1 + sums) * weights + round_memory
    }

    fn begin(&self, seed: Seed) -> Result<Box<dyn Learner>, String> {
        let network = Network::new(&self.patterns, self.symmetric, &self.stages, self.initial.get() as f32)?;
        let learning_method = LearningSettings {
            patterns: self.patterns.clone(),
            method: self.method,
            rate: self.rate.get() as f32,
            update: self.update,
            lambda: self.lambda.get() as f32,
            trace_length: match self.update {
                UpdateOrder::Forward => trace_length(self.lambda.get()),
                UpdateOrder::Backward => 1,
            },
            tc_after: self.tc_after.map_or(0, |games| games.get().into()),
            restarts: self.restarts,
            is_interleaved: self.in_turn,
        };
        let learner = NetworkLearner::new(learning_method, network, seed)?;
        Ok(if self.rounds { Box::new(RoundLearner::new(learner)?) } else { Box::new(learner) })
    }

    fn check_pause(&self, games: u64) -> Result<(), String> {
        match (self.in_turn, self.rounds) {
            (true, _) => learner::pause_after(games),
            (_, true) => rounds::pause_after(games),
            _ => Ok(()),
        }
    }

    fn is_thread_independent(&self) -> bool {
        self.rounds
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        if self.in_turn && self.rounds {
            return Some(("in_turn", "conflicts with `rounds`".to_owned()));
        }
        if self.in_turn && self.update == UpdateOrder::Backward {
            return Some(("in_turn", "needs `update = \"forward\"`".to_owned()));
        }
        if self.in_turn && !self.restarts.is_none() {
            return Some(("in_turn", "conflicts with `restarts`".to_owned()));
        }
        if self.rounds && self.update == UpdateOrder::Forward {
            return Some(("rounds", "needs `update = \"backward\"`".to_owned()));
        }
        if self.rounds && !self.restarts.is_none() {
            return Some(("rounds", "conflicts with `restarts`".to_owned()));
        }
        if let Some([one, other]) = self.patterns.images().filter(|_| self.symmetric) {
            let message = format!(
                "{one} and {other} are images of each other: remove one pattern, or set `symmetric = false`"
            );
            return Some(("patterns", message));
        }
        if Layout::new(self.patterns.list(), self.symmetric, &self.stages).is_none() {
            let gib = (self.patterns.contents() * u64::from(self.stages.count())) >> 28;
            let key = if self.stages.has_one_stage() { "patterns" } else { "stages" };
            return Some((key, format!("need {gib} GiB of weights; at most 16 GiB")));
        }
        let is_optimistic = matches!(self.method, RateMethod::Otd | RateMethod::OtdTc);
        if is_optimistic && self.initial.get() == 0.0 {
            return Some(("method", "needs a large `initial`, such as 320000".to_owned()));
        }
        if (self.method == RateMethod::OtdTc) != self.tc_after.is_some() {
            return Some(match self.tc_after {
                None => ("method", "needs `tc_after`, the number of games before \"tc\" starts".to_owned()),
                Some(_) => ("tc_after", "has no effect without `method = \"otd+tc\"`".to_owned()),
            });
        }
        if self.restarts == RestartPolicy::Carousel && self.stages.has_one_stage() {
            return Some((
                "restarts",
                "needs `stages`, because games start at each stage in turn".to_owned(),
            ));
        }
        let forward_lambda = (self.update == UpdateOrder::Forward).then_some(self.lambda.get());
        match forward_lambda? {
            lambda if lambda > MAX_FORWARD_LAMBDA => Some((
                "lambda",
                format!("must be at most {MAX_FORWARD_LAMBDA} without `update = \"backward\"`"),
            )),
            lambda if lambda > 0.0 && trace_length(lambda) == 1 => {
                Some(("lambda", "has no effect below 0.1 without `update = \"backward\"`".to_owned()))
            }
            _ => None,
        }
    }
}
