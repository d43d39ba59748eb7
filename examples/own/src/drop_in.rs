//! A player of Connect Four: it wins if it can, blocks the opponent if it must, and prefers the
//! middle.

use gauntlet::game::Game;
use gauntlet::player::{BuildContext, Choice, NoMove, Player, Recipe, Start};
use gauntlet::rng::Rng;
use serde::{Deserialize, Serialize};

use crate::connect_four::{COLUMNS, Column, ConnectFour};

/// The manual of the player.
pub const EXAMPLE: &str = r#"# Wins if possible, blocks the opponent, and prefers columns in the middle.
algorithm = "drop-in"
whim = 0.1   # probability of a random column
"#;

/// Settings of the player.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Probability of a random move if no move wins or blocks.
    pub whim: f64,
}

impl Recipe<ConnectFour> for Config {
    fn build(&self, _context: &BuildContext) -> anyhow::Result<Box<dyn Player<ConnectFour>>> {
        Ok(Box::new(DropIn { whim: self.whim, rng: None }))
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        let is_share = (0.0..=1.0).contains(&self.whim);
        (!is_share).then(|| ("whim", "must be a share of moves, from 0 to 1".to_owned()))
    }
}

struct DropIn {
    whim: f64,
    /// Random generator of the current game, set by `begin`.
    rng: Option<Rng>,
}

impl Player<ConnectFour> for DropIn {
    fn begin(&mut self, start: &Start<ConnectFour>) {
        self.rng = Some(start.seed.rng());
    }

    fn choose(&mut self, position: &ConnectFour) -> Result<Choice<Column>, NoMove> {
        let mut open_columns = Vec::new();
        position.moves(&mut open_columns);
        let seat = position.to_move().ok_or_else(|| NoMove::forfeit("the game is over"))?;
        let forced_column = [seat, seat.other()]
            .into_iter()
            .find_map(|seat| open_columns.iter().copied().find(|column| position.wins(seat, column.0)));
        if let Some(column) = forced_column {
            return Ok(Choice::new(column));
        }
        let rng = self.rng.as_mut().expect("a game has begun");
        // 53 random bits make a number from 0 to 1.
        let draw = (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        let column = if draw < self.whim {
            open_columns[rng.below(open_columns.len() as u64) as usize]
        } else {
            *open_columns
                .iter()
                .min_by_key(|column| column.0.abs_diff(COLUMNS / 2))
                .expect("a column is open")
        };
        Ok(Choice::new(column))
    }
}
