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
//!
//! `millis` plays random games in rounds, each with as many games per move as all rounds before.
//! The last round has as many as are expected to fit into the time. The first is always played.

use std::ops::ControlFlow;

use gauntlet_core::game::{Game, PlayoutRequest};
use gauntlet_core::num::{BoundedInt, CountLimit, Millis};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start, Stop,
};
use gauntlet_core::rng::{Rng, Seed};
use serde::{Deserialize, Serialize, Serializer};

use super::budget::Budget;
use super::playout_value::{self, PlayoutValue};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Flat Monte Carlo: makes the move with the best mean result of random games.
algorithm = "flat-mc"
# random games per legal move, 1 to 1000000; default 100
rollouts = 2
# instead of rollouts: time limit of a move
# millis = 0.5
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

/// Maximum number of random games per legal move.
const MAX_ROLLOUTS: u32 = 1_000_000;

/// Number of random games per legal move.
type RolloutLimit = CountLimit<1, MAX_ROLLOUTS>;

/// Number of random games per legal move if no limit is written.
const DEFAULT_ROLLOUTS: RolloutLimit = RolloutLimit::new(100);

/// Settings of flat Monte Carlo.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of random games per legal move.
    pub rollouts: Option<RolloutLimit>,
    /// Time limit in milliseconds.
    pub millis: Option<Millis>,
    /// Value of a random game.
    pub value: PlayoutValue,
    /// Maximum number of moves per random game.
    pub rollout_moves: Option<BoundedInt<1, 1_000_000>>,
}

/// Serializes the settings with the random games if no limit is written, and without unused ones.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct EffectiveSettings {
            #[serde(skip_serializing_if = "Option::is_none")]
            rollouts: Option<RolloutLimit>,
            #[serde(skip_serializing_if = "Option::is_none")]
            millis: Option<Millis>,
            value: PlayoutValue,
            rollout_moves: Option<BoundedInt<1, 1_000_000>>,
        }

        let Config { rollouts, millis, value, rollout_moves } = *self;
        let rollouts = rollouts.or(millis.is_none().then_some(DEFAULT_ROLLOUTS));
        EffectiveSettings { rollouts, millis, value, rollout_moves }.serialize(serializer)
    }
}

impl Config {
    fn budget(&self) -> Result<Budget, (&'static str, String)> {
        let to_budget = |rollouts: RolloutLimit| Budget::Nodes(rollouts.get().into());
        Budget::from_settings_or(
            to_budget(DEFAULT_ROLLOUTS),
            [("rollouts", self.rollouts.map(to_budget)), Budget::millis(self.millis)],
        )
    }
}

impl<G: Game> Recipe<G> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>> {
        let budget = self.budget().map_err(|(_, message)| anyhow::Error::msg(message))?;
        Ok(Box::new(FlatMonteCarlo::<G> {
            budget,
            runs: 0,
            value: self.value,
            max_moves: self.rollout_moves.map_or(u32::MAX, BoundedInt::get),
            rng: Seed::root(0).rng(),
            legal_moves: Vec::new(),
            totals: Vec::new(),
            stop: context.stop.clone(),
        }))
    }

    fn facts(&self, _: &G::Rules) -> RecipeFacts {
        RecipeFacts { is_reproducible: self.millis.is_none(), ..RecipeFacts::default() }
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        self.budget().err()
    }
}

struct FlatMonteCarlo<G: Game> {
    budget: Budget,
    /// Number of random games per move of the last choice.
    runs: u64,
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
        let FlatMonteCarlo { budget, runs, value, max_moves, rng, legal_moves, totals, stop } = self;
        let budget = budget.start();
        legal_moves.clear();
        position.moves(legal_moves);
        let Some(seat) = position.to_move().filter(|_| !legal_moves.is_empty()) else {
            return Err(NoMove::forfeit("there is no legal move"));
        };
        totals.clear();
        totals.resize(legal_moves.len(), 0);
        let start_score = position.state().outcome.score();
        let mut nodes = 0;
        *runs = 0;
        loop {
            let round = budget.next_round(*runs);
            let round = round.min(u64::from(MAX_ROLLOUTS) - *runs) as usize;
            if round == 0 || stop.is_requested() {
                break;
            }
            let request = PlayoutRequest {
                first_moves: legal_moves,
                runs: round,
                max_moves: *max_moves,
                seed: Seed::root(rng.bits()),
            };
            position.run_playouts(&request, |number, playout| {
                totals[number / round] += value.half_points(playout.outcome, seat, start_score);
                nodes += u64::from(playout.moves);
                if stop.is_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            *runs += round as u64;
        }
        stop.check()?;
        // The first among equals.
        let best = (0..totals.len()).rev().max_by_key(|&i| totals[i]).expect("there is a move");
        let value = Some(playout_value::mean(totals[best], *runs));
        Ok(Choice { value, nodes, ..Choice::new(legal_moves[best]) })
    }

    fn abilities(&mut self) -> Abilities<'_, G> {
        Abilities::Inspect(self)
    }
}

impl<G: Game> Inspect<G> for FlatMonteCarlo<G> {
    fn move_values(&mut self, _position: &G) -> Vec<(G::Move, f64)> {
        let means = self.totals.iter().map(|&total| playout_value::mean(total, self.runs));
        self.legal_moves.iter().copied().zip(means).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::Seat;
    use gauntlet_twenty48::rules::{Rules, Twenty48};

    use super::*;

    #[test]
    fn a_time_limit_replaces_the_rollouts() {
        let position = Twenty48::start(&Rules::default(), &mut Seed::root(2).rng());
        let moves_played = |config: &Config| {
            let mut player = Recipe::<Twenty48>::build(config, &BuildContext::default()).expect("a player");
            player.begin(&Start { seed: Seed::root(5), seat: Seat::First, rules: &Rules::default() });
            player.choose(&position).expect("a move").nodes
        };
        let limited = |millis: f64| Config { millis: Millis::try_from(millis).ok(), ..Config::default() };
        let with_rollouts = |rollouts| Config { rollouts: Some(rollouts), ..Config::default() };
        assert!(moves_played(&limited(0.001)) > 0);
        let enough = moves_played(&with_rollouts(RolloutLimit::new(20)));
        let mut millis = 0.001;
        while moves_played(&limited(millis)) < enough {
            millis *= 4.0;
        }
        assert_eq!(moves_played(&Config::default()), moves_played(&with_rollouts(DEFAULT_ROLLOUTS)));
        assert!(!Recipe::<Twenty48>::facts(&limited(1.0), &Rules::default()).is_reproducible);
        let both = Config { rollouts: Some(DEFAULT_ROLLOUTS), ..limited(1.0) };
        let message = "conflicts with `rollouts`: set only one of them".to_owned();
        assert_eq!(Recipe::<Twenty48>::contradiction(&both), Some(("millis", message)));
    }
}
