//! Plays the move with the largest immediate gain.
//!
//! Source: folklore; most articles on 2048 begin with it. They differ in the order of directions
//! and in the choice among equal gains, which changes the mean score by a few per cent, so both are
//! settings.

use std::hint::select_unpredictable;

use gauntlet_core::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use gauntlet_core::rng::Seed;
use gauntlet_twenty48::rules::batch::OrderedMoves;
use gauntlet_twenty48::rules::{Board, Direction, Directions, Rules, Twenty48};
use serde::{Deserialize, Serialize};

use super::order::{DirectionOrder, Preference};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Makes the legal move that earns the most points immediately.
algorithm = "greedy"
# order of directions for ties
order = ["up", "right", "down", "left"]
# choice among equal gains: the "first" in this order, or the "last"
ties = "first"
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[r#"algorithm = "greedy"
ties = "last"
"#];

/// Settings of `greedy`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Order of the directions.
    pub order: DirectionOrder,
    /// Choice among equal gains.
    pub ties: Ties,
}

/// Choice among equal gains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// First in the order.
    #[default]
    First,
    /// Last in the order.
    Last,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let order = match self.ties {
            Ties::First => self.order,
            Ties::Last => self.order.reverse(),
        };
        Ok(Box::new(Greedy::new(order)))
    }
}

/// Player that prefers the largest gain, and among equal gains the first direction of an order.
pub(super) struct Greedy {
    /// Order of directions with equal gains.
    order: DirectionOrder,
    /// Their preference.
    preference: Preference,
}

impl Player<Twenty48> for Greedy {
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let board = position.board();
        let Some(effects) = board.slide_effects() else { return self.choose_by_definition(board) };
        // The gains of opposite directions are equal, and if there is a gain, both are legal.
        // Branches are avoided because mispredictions would cost 5 % of the time of a whole run.
        let (vertical, horizontal) = (effects.vertical_gain(), effects.horizontal_gain());
        let larger_axis =
            select_unpredictable(vertical > horizontal, Directions::VERTICAL, Directions::HORIZONTAL);
        let tied_directions = select_unpredictable(vertical > 0, Directions::ALL, effects.legal_directions());
        let best = select_unpredictable(vertical == horizontal, tied_directions, larger_axis);
        if best == Directions::NONE {
            return Err(no_move_error());
        }
        let gain = vertical.max(horizontal);
        Ok(Choice { value: Some(f64::from(gain)), ..Choice::new(self.preference.choose(best)) })
    }

    fn play_games(
        &mut self,
        rules: &Rules,
        seeds: &mut dyn Iterator<Item = (Seed, Seed)>,
    ) -> Option<Vec<Twenty48>> {
        let moves = OrderedMoves { order: self.order.directions(), by_gain: true };
        Twenty48::ordered_games(rules, moves, seeds)
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for Greedy {
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        let board = position.board();
        board.legal_directions().map(|direction| (direction, board.gain(direction) as f64)).collect()
    }
}

impl Greedy {
    pub(super) fn new(order: DirectionOrder) -> Greedy {
        Greedy { order, preference: Preference::new(order) }
    }

    /// Returns the choice by its definition.
    #[cold]
    fn choose_by_definition(&self, board: Board) -> Result<Choice<Direction>, NoMove> {
        let max_gain = board
            .legal_directions()
            .map(|direction| board.gain(direction))
            .max()
            .ok_or_else(no_move_error)?;
        let best = board.legal_directions().filter(|&direction| board.gain(direction) == max_gain).collect();
        Ok(Choice { value: Some(max_gain as f64), ..Choice::new(self.preference.choose(best)) })
    }
}

#[cold]
fn no_move_error() -> NoMove {
    NoMove::forfeit("there is no legal move")
}

#[cfg(test)]
mod tests {
    use gauntlet_twenty48::rules::Cells;

    use super::*;

    #[test]
    fn choices_are_those_of_the_definition() {
        let mut rng = Seed::root(1).rng();
        for ties in [Ties::First, Ties::Last] {
            let config = Config { ties, ..Config::default() };
            let order = if ties == Ties::Last { config.order.reverse() } else { config.order };
            let mut player = Greedy::new(order);
            for number in 0..5000_u64 {
                let rank_limit = [2, 4, 11, 15, 18][number as usize % 5];
                let board =
                    Board::new(Cells::from_ranks(std::array::from_fn(|_| rng.below(rank_limit) as u8)));
                let position =
                    Twenty48::set_up(&Rules::default(), &board.cells().format_line(), None).expect("a board");
                let expected = player.choose_by_definition(board);
                assert_eq!(player.choose(&position), expected, "{}", board.cells().format_line());
                // Among the moves with the highest gain, it is the preferred one.
                let gains = board.legal_directions().map(|direction| (board.gain(direction), direction));
                let mut gains: Vec<_> = gains.collect();
                gains.sort_by_key(|&(gain, direction)| {
                    let order_index = order.directions().into_iter().position(|other| other == direction);
                    (std::cmp::Reverse(gain), order_index)
                });
                let first = gains.first().map(|&(_, direction)| direction);
                assert_eq!(expected.ok().map(|choice| choice.mv), first);
            }
        }
    }
}
