//! The largest immediate gain.
//!
//! Source: folklore; most articles on 2048 begin with it. They differ in the order of directions and in which of
//! several equal gains wins, which moves the mean score by a few per cent, so both are settings.

use serde::{Deserialize, Serialize};

use super::order::Order;
use crate::games::twenty48::{Direction, Twenty48};
use crate::player::{Kit, NoMove, Player, Recipe, Thought};
use crate::rng::Seed;

/// The manual.
pub const EXAMPLE: &str = r#"# Makes the legal move that earns the most points at once.
algorithm = "greedy"
order = ["up", "right", "down", "left"]  # the order in which directions are looked at
ties = "first"                           # of equal gains takes the "first" in that order, or the "last"
"#;

/// What the example leaves out.
pub const MORE_EXAMPLES: &[&str] = &[r#"algorithm = "greedy"
ties = "last"
"#];

/// Settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The order in which directions are looked at.
    pub order: Order,
    /// Which of several equal gains wins.
    pub ties: Ties,
}

/// Which of several equal gains wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// The first in the order.
    #[default]
    First,
    /// The last in the order.
    Last,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, _kit: &Kit) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        // Looking from the preferred end, only a strictly larger gain replaces the best so far.
        let mut order = self.order.directions();
        if self.ties == Ties::Last {
            order.reverse();
        }
        Ok(Box::new(Greedy { order }))
    }
}

struct Greedy {
    /// The preferred one of equals first.
    order: [Direction; 4],
}

impl Player<Twenty48> for Greedy {
    fn begin(&mut self, _seed: Seed) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Thought<Direction>, NoMove> {
        let board = position.board();
        let mut best: Option<(u64, Direction)> = None;
        for direction in self.order {
            // A gain above 0 is a merge, and so a legal move: whether something slides need be asked only at 0.
            let gain = board.gain(direction);
            let better = best.is_none_or(|(most, _)| gain > most);
            if better && (gain > 0 || board.slide(direction).is_some()) {
                best = Some((gain, direction));
            }
        }
        let (gain, mv) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Thought { value: Some(gain as f64), ..Thought::of(mv) })
    }
}
