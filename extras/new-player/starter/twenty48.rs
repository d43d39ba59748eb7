//! Chooses the move that leaves the most empty cells. A largest tile in a corner counts as several
//! empty cells.
//!
//! Source: name the author of the idea, and say how this player differs.

use gauntlet::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use gauntlet::twenty48::rules::{Afterstate, Direction, Twenty48};
use serde::{Deserialize, Serialize};

/// The manual of the player. `gauntlet players` prints its first line as a summary.
pub const EXAMPLE: &str = r#"# Keeps cells empty and the largest tile in a corner.
algorithm = "new-player"
corner = 2.0   # value of a largest tile in a corner, in empty cells
"#;

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Value of a largest tile in a corner, in empty cells.
    pub corner: f64,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        Ok(Box::new(NewPlayer { corner: self.corner }))
    }
}

struct NewPlayer {
    corner: f64,
}

impl NewPlayer {
    fn value(&self, after: Afterstate) -> f64 {
        let tiles = after.cells().values();
        let largest = tiles.iter().max();
        let is_in_a_corner = [0, 3, 12, 15].into_iter().any(|corner| Some(&tiles[corner]) == largest);
        f64::from(after.cells().count_empty()) + if is_in_a_corner { self.corner } else { 0.0 }
    }
}

impl Player<Twenty48> for NewPlayer {
    /// Resets the player for a new game. Derive all random choices from `start.seed`.
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let mut best: Option<(Direction, f64)> = None;
        for (mv, value) in self.move_values(position) {
            // The first of several best moves, so that the same seed gives the same game.
            if best.is_none_or(|(_, max_value)| value > max_value) {
                best = Some((mv, value));
            }
        }
        let (mv, value) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Choice { value: Some(value), ..Choice::new(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for NewPlayer {
    /// Returns the value of each move, for `gauntlet show --values`.
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        let board = position.board();
        board.legal_directions().filter_map(|mv| Some((mv, self.value(board.slide(mv)?)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet::game::{Diagram, Game};
    use gauntlet::twenty48::rules::Rules;

    use super::*;

    /// Returns the move on a board.
    fn choose_direction(cells: &str) -> Direction {
        let diagram = Diagram::from_cells(cells);
        let position = <Twenty48 as Game>::set_up(&Rules::default(), &diagram).expect("a position");
        NewPlayer { corner: 2.0 }.choose(&position).expect("a move").mv
    }

    #[test]
    fn cells_are_emptied_and_corners_are_taken() {
        assert_eq!(choose_direction("2 4 8 16  2 8 16 32  4 2 4 8  2 4 8 4"), Direction::Up);
        assert_eq!(choose_direction("0 0 0 0  0 8 0 0  2 0 0 0  0 0 0 0"), Direction::Up);
    }
}
