//! The move that leaves most cells empty; a largest tile in a corner is worth some of them.
//!
//! Source: say here whose idea it is, and where this differs from it.

use gauntlet::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use gauntlet::twenty48::rules::{Afterstate, Direction, Twenty48};
use serde::{Deserialize, Serialize};

/// The manual. Its first line is what `gauntlet players` says of the player.
pub const EXAMPLE: &str = r#"# Keeps cells empty and the largest tile in a corner.
algorithm = "new-player"
corner = 2.0   # value of a largest tile in a corner, in empty cells
"#;

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Worth of a largest tile in a corner, in empty cells.
    pub corner: f64,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, _kit: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        Ok(Box::new(NewPlayer { corner: self.corner }))
    }
}

struct NewPlayer {
    corner: f64,
}

impl NewPlayer {
    fn worth(&self, after: Afterstate) -> f64 {
        let tiles = after.cells().values();
        let largest = tiles.iter().max();
        let is_in_a_corner = [0, 3, 12, 15].into_iter().any(|corner| Some(&tiles[corner]) == largest);
        f64::from(after.cells().empty()) + if is_in_a_corner { self.corner } else { 0.0 }
    }
}

impl Player<Twenty48> for NewPlayer {
    /// Forgets the last game. What a player draws by chance grows from `start.seed`.
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let mut best: Option<(Direction, f64)> = None;
        for (mv, worth) in self.move_values(position) {
            // Of equals the first, so that equal seeds make equal games.
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((mv, worth));
            }
        }
        let (mv, worth) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Choice { value: Some(worth), ..Choice::of(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for NewPlayer {
    /// What each move is worth, as `gauntlet show --values` shows it.
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        let board = position.board();
        board.legal().filter_map(|mv| Some((mv, self.worth(board.slide(mv)?)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use gauntlet::game::{Diagram, Game};
    use gauntlet::twenty48::rules::Rules;

    use super::*;

    fn chosen(cells: &str) -> Direction {
        let diagram = Diagram::of(cells);
        let position = <Twenty48 as Game>::set_up(&Rules::default(), &diagram).expect("a position");
        NewPlayer { corner: 2.0 }.choose(&position).expect("a move").mv
    }

    #[test]
    fn cells_are_emptied_and_corners_are_taken() {
        assert_eq!(chosen("2 4 8 16  2 8 16 32  4 2 4 8  2 4 8 4"), Direction::Up);
        assert_eq!(chosen("0 0 0 0  0 8 0 0  2 0 0 0  0 0 0 0"), Direction::Up);
    }
}
