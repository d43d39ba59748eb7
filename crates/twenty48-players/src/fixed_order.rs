//! Plays the first legal direction of a fixed order, regardless of the board.
//!
//! Source: folklore ("always down, else left, …"), the simplest rule by which people play.

use gauntlet_core::player::{BuildContext, Choice, NoMove, Player, Recipe, Start};
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::batch::OrderedMoves;
use gauntlet_twenty48::rules::{Direction, Rules, Twenty48};
use serde::{Deserialize, Serialize};

use super::order::DirectionOrder;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Makes the first legal move in a fixed order of directions.
algorithm = "fixed-order"
order = ["down", "left", "right", "up"]  # preferred direction first
"#;

/// Settings of `fixed-order`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Directions, the preferred one first.
    pub order: DirectionOrder,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        Ok(Box::new(FixedOrder { order: self.order.directions() }))
    }
}

struct FixedOrder {
    order: [Direction; 4],
}

impl Player<Twenty48> for FixedOrder {
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let first = position.board().slides(self.order).next();
        let (mv, _) = first.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Choice::new(mv))
    }

    fn play_games(
        &mut self,
        rules: &Rules,
        seeds: &mut dyn Iterator<Item = (Seed, Seed)>,
    ) -> Option<Vec<Twenty48>> {
        Twenty48::ordered_games(rules, OrderedMoves { order: self.order, by_gain: false }, seeds)
    }
}
