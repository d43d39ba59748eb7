//! A player of 2048 that prefers a large sum in the bottom row.

use gauntlet::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use gauntlet::twenty48::rules::{Afterstate, Direction, Twenty48};
use serde::{Deserialize, Serialize};

/// The manual. `gauntlet players` shows its first line.
pub const EXAMPLE: &str = r#"# Maximizes the sum of the bottom row.
algorithm = "heaviest-row"
empty = 8.0   # value of an empty cell, added to the sum of the row
"#;

/// Settings of the player.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Value of an empty cell.
    pub empty: f64,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        Ok(Box::new(HeaviestRow { empty: self.empty }))
    }
}

struct HeaviestRow {
    empty: f64,
}

impl HeaviestRow {
    fn value(&self, after: Afterstate) -> f64 {
        let values = after.cells().values();
        let bottom: u32 = values[12..].iter().sum();
        f64::from(bottom) + self.empty * f64::from(after.cells().count_empty())
    }
}

impl Player<Twenty48> for HeaviestRow {
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let mut best: Option<(f64, Direction)> = None;
        for (mv, value) in self.move_values(position) {
            if best.is_none_or(|(best_value, _)| value > best_value) {
                best = Some((value, mv));
            }
        }
        let (value, mv) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Choice { value: Some(value), ..Choice::new(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for HeaviestRow {
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        let board = position.board();
        let to_value = |mv: Direction| board.slide(mv).map(|after| (mv, self.value(after)));
        board.legal_directions().filter_map(to_value).collect()
    }
}
