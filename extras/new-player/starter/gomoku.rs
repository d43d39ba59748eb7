//! Chooses a cell that makes five in a row, or prevents the opponent's five; otherwise the cell
//! with the most stones next to it.
//!
//! Source: name the author of the idea, and say how this player differs.

use gauntlet::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use serde::{Deserialize, Serialize};

use gauntlet::gomoku::rules::{Cell, Gomoku};

/// The manual of the player. `gauntlet players` prints its first line as a summary.
pub const EXAMPLE: &str = r#"# Makes five, prevents five, or plays near the most stones.
algorithm = "new-player"
five = 100.0   # value of five in a row; preventing five has half the value
"#;

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Value of five in a row, in stones next to a cell.
    pub five: f64,
}

impl Recipe<Gomoku> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Gomoku>>> {
        Ok(Box::new(NewPlayer { five: self.five }))
    }
}

struct NewPlayer {
    five: f64,
}

impl NewPlayer {
    fn value(&self, position: &Gomoku, cell: Cell) -> f64 {
        let (board, rule) = (position.board(), position.rule());
        let Some(own) = position.turn() else { return 0.0 };
        let neighbours = [-1, 0, 1].into_iter().flat_map(|dx| [-1, 0, 1].map(|dy| (dx, dy)));
        let neighbours = neighbours.filter_map(|(dx, dy)| {
            Some(Cell::new(cell.x.checked_add_signed(dx)?, cell.y.checked_add_signed(dy)?))
        });
        let stones = neighbours.filter(|&cell| board.has(cell) && board.stone_at(cell).is_some()).count();
        let makes_five = if board.makes_five(cell, own, rule) { self.five } else { 0.0 };
        let blocks = if board.makes_five(cell, own.other(), rule) { self.five / 2.0 } else { 0.0 };
        makes_five + blocks + stones as f64
    }
}

impl Player<Gomoku> for NewPlayer {
    /// Resets the player for a new game. Derive all random choices from `start.seed`.
    fn begin(&mut self, _start: &Start<Gomoku>) {}

    fn choose(&mut self, position: &Gomoku) -> Result<Choice<Cell>, NoMove> {
        let mut best: Option<(Cell, f64)> = None;
        for (mv, value) in self.move_values(position) {
            // The first of several best moves, so that the same seed gives the same game.
            if best.is_none_or(|(_, max_value)| value > max_value) {
                best = Some((mv, value));
            }
        }
        let (mv, value) = best.ok_or_else(|| NoMove::forfeit("there is no empty cell"))?;
        Ok(Choice { value: Some(value), ..Choice::new(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Gomoku> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Gomoku> for NewPlayer {
    /// Returns the value of each move, for `gauntlet show --values`.
    fn move_values(&mut self, position: &Gomoku) -> Vec<(Cell, f64)> {
        position.board().empty_cells().map(|cell| (cell, self.value(position, cell))).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet::game::{Diagram, Game};

    use super::*;
    use gauntlet::gomoku::rules::Rules;

    /// Returns the move on a board whose first and last row begin with these stones.
    fn choose_cell(first: &str, last: &str) -> String {
        let rows = format!("{first:.<15}{}{last:.<15}", ".".repeat(13 * 15));
        let diagram = Diagram { to_move: Some("B".to_owned()), ..Diagram::from_cells(&rows) };
        let position = Gomoku::set_up(&Rules::default(), &diagram).expect("a position");
        NewPlayer { five: 100.0 }.choose(&position).expect("a move").mv.to_string()
    }

    #[test]
    fn own_five_comes_before_the_opponents() {
        assert_eq!(choose_cell("BBBB", "WWWW"), "e1");
        assert_eq!(choose_cell("BBB", "WWWW"), "e15");
    }
}
