//! Flat Monte Carlo, for any game: plays random games to the end after each move, and chooses the
//! move with the best mean.
//!
//! Source: B. Abramson, "Expected-Outcome: A General Model of Static Evaluation" (1990), which
//! values a position by random games from it, in Othello. The name "flat" came later and refers to
//! the missing tree, which `mcts` builds. Each legal move gets the same number of games. Among
//! equal means, the first in the order of moves is chosen.
//!
//! Deviation: there is no search above these values; each is the value of the position after a
//! move.
//!
//! A game may provide a faster way to play many random games
//! ([`RandomPlay::run_playouts`](gauntlet_core::game::RandomPlay::run_playouts)). In 2048 they are
//! played in parallel lanes if nothing ends a game early. That is six times as fast as one by one,
//! with 100 rollouts on 335 positions of games.

use std::ops::ControlFlow;

use gauntlet_core::game::{Game, PlayoutRequest};
use gauntlet_core::num::BoundedInt;
use gauntlet_core::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start, Stop};
use gauntlet_core::rng::{Rng, Seed};
use serde::{Deserialize, Serialize};

use super::playout_value::{self, PlayoutValue};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Flat Monte Carlo: makes the move with the best mean result of random games.
algorithm = "flat-mc"
# random games per legal move, 1 to 1000000; default 100
rollouts = 2
# result of a random game: "score" (in two-player games 1, 1/2 or 0) or "win"
value = "score"
# maximum number of moves per random game; default: no limit
# rollout_moves = 50
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[
    r#"algorithm = "flat-mc"
rollouts = 10
"#,
    r#"algorithm = "flat-mc"
rollouts = 5
rollout_moves = 12
"#,
];

/// Settings of flat Monte Carlo.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of random games per legal move.
    pub rollouts: BoundedInt<1, 1_000_000>,
    /// Value of a random game.
    pub value: PlayoutValue,
    /// Maximum number of moves per random game.
    pub rollout_moves: Option<BoundedInt<1, 1_000_000>>,
}

impl Default for Config {
    fn default() -> Config {
        Config { rollouts: BoundedInt::new(100), value: PlayoutValue::default(), rollout_moves: None }
    }
}

impl<G: Game> Recipe<G> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>> {
        Ok(Box::new(FlatMonteCarlo::<G> {
            runs: self.rollouts.get() as usize,
            value: self.value,
            max_moves: self.rollout_moves.map_or(u32::MAX, BoundedInt::get),
            rng: Seed::root(0).rng(),
            legal_moves: Vec::new(),
            totals: Vec::new(),
            stop: context.stop.clone(),
        }))
    }
}

struct FlatMonteCarlo<G: Game> {
    runs: usize,
    value: PlayoutValue,
    max_moves: u32,
    /// Generator that gives each choice a seed.
    rng: Rng,
    /// Moves of the last choice, and for each the sum of its random games, in halves.
    legal_moves: Vec<G::Move>,
    totals: Vec<u64>,
    stop: Stop,
}

impl<G: Game> Player<G> for FlatMonteCarlo<G> {
    fn begin(&mut self, start: &Start<G>) {
        self.rng = start.seed.rng();
    }

    fn choose(&mut self, position: &G) -> Result<Choice<G::Move>, NoMove> {
        let FlatMonteCarlo { runs, value, max_moves, rng, legal_moves, totals, stop } = self;
        legal_moves.clear();
        position.moves(legal_moves);
        let Some(seat) = position.to_move().filter(|_| !legal_moves.is_empty()) else {
            return Err(NoMove::forfeit("there is no legal move"));
        };
        totals.clear();
        totals.resize(legal_moves.len(), 0);
        let (runs, start_score) = (*runs, position.state().outcome.score());
        let mut nodes = 0;
        let request = PlayoutRequest {
            first_moves: legal_moves,
            runs,
            max_moves: *max_moves,
            seed: Seed::root(rng.bits()),
        };
        position.run_playouts(&request, |number, playout| {
            totals[number / runs] += value.half_points(playout.outcome, seat, start_score);
            nodes += u64::from(playout.moves);
            if stop.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        stop.check()?;
        // The first among equals.
        let best = (0..totals.len()).rev().max_by_key(|&i| totals[i]).expect("there is a move");
        let value = Some(playout_value::mean(totals[best], runs as u64));
        Ok(Choice { value, nodes, ..Choice::new(legal_moves[best]) })
    }

    fn abilities(&mut self) -> Abilities<'_, G> {
        Abilities::Inspect(self)
    }
}

impl<G: Game> Inspect<G> for FlatMonteCarlo<G> {
    fn move_values(&mut self, _position: &G) -> Vec<(G::Move, f64)> {
        let means = self.totals.iter().map(|&total| playout_value::mean(total, self.runs as u64));
        self.legal_moves.iter().copied().zip(means).collect()
    }
}
