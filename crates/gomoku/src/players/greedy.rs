//! Easy level of source 003: plays the cell with the highest value by the windows of five that
//! contain it.
//!
//! Source: Kesoyuh/Gomoku at commit `34dc049`, in Objective-C. On an empty board it plays the
//! centre. Ties are broken at random.
//!
//! Deviations: none that is visible on the original board size. Boards may have other sizes here.
//! The player only looks at five cells at a time. So under `standard`, where six do not win, it
//! mistakes a cell that makes six for one that makes five.

use gauntlet_core::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start};
use gauntlet_core::rng::{Rng, Seed};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::eval::windows;
use crate::rules::{Cell, Gomoku};

/// Manual: a TOML example.
pub const EXAMPLE: &str = r#"# Easy level of Kesoyuh's program: the cell whose rows of five contain the most stones.
algorithm = "gomoku-greedy"
"#;

/// Settings of the player: none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {}

impl Recipe<Gomoku> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<Gomoku>>> {
        Ok(Box::new(Greedy { rng: Seed::root(0).rng(), best: Vec::new() }))
    }
}

struct Greedy {
    rng: Rng,
    /// Cells with the highest value at the last choice.
    best: Vec<usize>,
}

impl Player<Gomoku> for Greedy {
    fn begin(&mut self, start: &Start<Gomoku>) {
        self.rng = start.seed.rng();
    }

    fn choose(&mut self, position: &Gomoku) -> Result<Choice<Cell>, NoMove> {
        self.best.clear();
        let size = position.board().size();
        if position.board().stones() == 0 {
            return Ok(Choice::new(Cell::new(size / 2, size / 2)));
        }
        let cell_values = rate_cells(position)?;
        let best_value = cell_values.iter().map(|&(_, value)| value).max().ok_or_else(no_move_error)?;
        let best = cell_values.iter().filter(|&&(_, value)| value == best_value);
        self.best.extend(best.map(|(cell, _)| cell.index(size)));
        let index = self.rng.below(self.best.len() as u64) as usize;
        let mv = Cell::from_index(self.best[index], size);
        Ok(Choice { value: Some(best_value.into()), ..Choice::new(mv) })
    }

    fn abilities(&mut self) -> Abilities<'_, Gomoku> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Gomoku> for Greedy {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        vec![("best", self.best.clone().into())]
    }

    fn move_values(&mut self, position: &Gomoku) -> Vec<(Cell, f64)> {
        if position.board().stones() == 0 {
            return Vec::new();
        }
        let cell_values = rate_cells(position).unwrap_or_default();
        cell_values.into_iter().map(|(cell, value)| (cell, value.into())).collect()
    }
}

/// Returns the value of each empty cell to the side to move.
fn rate_cells(position: &Gomoku) -> Result<Vec<(Cell, i32)>, NoMove> {
    let board = position.board();
    let cell_values = windows::cell_values(board, position.turn().ok_or_else(no_move_error)?);
    Ok(board.empty_cells().map(|cell| (cell, cell_values[cell.index(board.size())])).collect())
}

#[cold]
fn no_move_error() -> NoMove {
    NoMove::forfeit("there is no legal move")
}
