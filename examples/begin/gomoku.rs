//! The cell that makes five, or keeps the other from it; otherwise the one with most stones around
//! it.
//!
//! Source: say here whose idea it is, and where this differs from it.

use gauntlet::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use serde::{Deserialize, Serialize};

use gauntlet::gomoku::rules::{Cell, Gomoku};

/// The manual. Its first line is what `gauntlet players` says of the player.
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
    fn build(&self, _kit: &BuildContext) -> anyhow::Result<Box<dyn Player<Gomoku>>> {
        Ok(Box::new(NewPlayer { five: self.five }))
    }
}

struct NewPlayer {
    five: f64,
}

impl NewPlayer {
    fn worth(&self, position: &Gomoku, cell: Cell) -> f64 {
        let (board, rule) = (position.board(), position.rule());
        let Some(own) = position.turn() else { return 0.0 };
        let beside = [-1, 0, 1].into_iter().flat_map(|dx| [-1, 0, 1].map(|dy| (dx, dy)));
        let beside = beside.filter_map(|(dx, dy)| {
            Some(Cell::new(cell.x.checked_add_signed(dx)?, cell.y.checked_add_signed(dy)?))
        });
        let stones = beside.filter(|&cell| board.has(cell) && board.at(cell).is_some()).count();
        let makes_five = if board.makes_five(cell, own, rule) { self.five } else { 0.0 };
        let blocks = if board.makes_five(cell, own.other(), rule) { self.five / 2.0 } else { 0.0 };
        makes_five + blocks + stones as f64
    }
}

impl Player<Gomoku> for NewPlayer {
    /// Forgets the last game. What a player draws by chance grows from `start.seed`.
    fn begin(&mut self, _start: &Start<Gomoku>) {}

    fn choose(&mut self, position: &Gomoku) -> Result<Choice<Cell>, NoMove> {
        let mut best: Option<(Cell, f64)> = None;
        for (mv, worth) in self.move_values(position) {
            // Of equals the first, so that equal seeds make equal games.
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((mv, worth));
            }
        }
        let (mv, worth) = best.ok_or_else(|| NoMove::forfeit("there is no empty cell"))?;
        Ok(Choice { value: Some(worth), ..Choice::of(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Gomoku> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Gomoku> for NewPlayer {
    /// What each move is worth, as `gauntlet show --values` shows it.
    fn move_values(&mut self, position: &Gomoku) -> Vec<(Cell, f64)> {
        position.board().empty().map(|cell| (cell, self.worth(position, cell))).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet::game::{Diagram, Game};

    use super::*;
    use gauntlet::gomoku::rules::Rules;

    /// The move on a board whose first row and whose last begin with these stones.
    fn chosen(first: &str, last: &str) -> String {
        let rows = format!("{first:.<15}{}{last:.<15}", ".".repeat(13 * 15));
        let diagram = Diagram { to_move: Some("B".to_owned()), ..Diagram::of(&rows) };
        let position = Gomoku::set_up(&Rules::default(), &diagram).expect("a position");
        NewPlayer { five: 100.0 }.choose(&position).expect("a move").mv.to_string()
    }

    #[test]
    fn five_come_first_and_then_those_of_the_other() {
        assert_eq!(chosen("BBBB", "WWWW"), "e1");
        assert_eq!(chosen("BBB", "WWWW"), "e15");
    }
}
