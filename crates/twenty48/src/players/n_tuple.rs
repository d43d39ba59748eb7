//! A value network that has learned from games, at once or with a search.
//!
//! Source: Szubert and Jaśkowski (2014), "Temporal Difference Learning of N-Tuple Networks for the Game 2048". A move is worth its
//! points and the value that the network gives to the board after it. With `depth`, the moves of its own on a path, a board after
//! a move is worth the mean over all tiles that may come of the best move then, down to the last board, which the network values.
//! A position without a move is worth nothing more. Nothing is cut off, and no board is remembered.
//!
//! Without `network` it plays by the one that `configs/train/quick.toml` makes, which is part of the program. A tile over 32768 is
//! taken for one of 32768 by the network, not by the rules. Of equals the first of up, down, left and right is made.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::assets::Assets;
use crate::network::Network;
use crate::network::turns::turns;
use crate::num::Whole;
use crate::player::{Kit, NoMove, Player, Recipe, Start, Stop, Thought};
use crate::rules::{After, Board, Direction, Twenty48};

/// The manual.
pub const EXAMPLE: &str = r#"# A network of small patterns that has learned from games against itself; made by `gauntlet train`.
algorithm = "n-tuple"
# network = "my.network"  # what `gauntlet train` wrote; without it a small one that is part of the program
depth = 1                 # moves of its own on a path, 1 to 8
"#;

/// Examples of the settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[r#"algorithm = "n-tuple"
depth = 2
"#];

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// File of the network.
    pub network: Option<PathBuf>,
    /// Moves of its own on a path.
    pub depth: Whole<1, 8>,
}

impl Default for Config {
    fn default() -> Config {
        Config { network: None, depth: Whole::new(1) }
    }
}

/// The network that is part of the program.
static SMALL: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../../configs/train/quick.network");
    Arc::new(Network::read(bytes).expect("the network of the program is sound"))
});

impl Config {
    fn opened(&self, assets: &Assets) -> anyhow::Result<Arc<Network>> {
        let Some(path) = &self.network else { return Ok(SMALL.clone()) };
        assets.get(path, Network::read)
    }
}

impl Recipe<Twenty48> for Config {
    fn build(&self, kit: &Kit) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let network = self.opened(&kit.assets)?;
        Ok(Box::new(NTuple {
            search: Search { network, stop: kit.stop.clone(), nodes: 0 },
            depth: self.depth.get(),
            values: Vec::new(),
        }))
    }

    fn files(&self) -> Vec<(&'static str, &Path)> {
        self.network.iter().map(|path| ("network", &**path)).collect()
    }

    fn decode_file(&self, _: &str, assets: &Assets) -> anyhow::Result<()> {
        self.opened(assets).map(drop)
    }
}

struct NTuple {
    search: Search,
    depth: u32,
    /// Value of each legal direction at the last choice.
    values: Vec<(Direction, f64)>,
}

struct Search {
    network: Arc<Network>,
    stop: Stop,
    /// Boards that the network valued.
    nodes: u64,
}

impl Player<Twenty48> for NTuple {
    fn begin(&mut self, _start: &Start<Twenty48>) {
        self.values.clear();
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Thought<Direction>, NoMove> {
        self.values.clear();
        self.search.nodes = 0;
        for turn in turns(position.board()) {
            let value = turn.gain as f64 + self.search.value(turn.after, self.depth - 1);
            self.values.push((turn.direction, value));
        }
        self.search.stop.check()?;
        let best =
            self.values.iter().copied().reduce(|best, other| if other.1 > best.1 { other } else { best });
        let (mv, value) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Thought { mv, value: Some(value), nodes: self.search.nodes, depth: Some(self.depth) })
    }

    fn remarks(&self) -> Vec<(&'static str, Value)> {
        let values = self.values.iter().map(|(direction, value)| (direction.to_string(), (*value).into()));
        vec![("values", Value::Object(values.collect::<Map<_, _>>()))]
    }

    fn weigh(&mut self, _position: &Twenty48) -> Vec<(Direction, f64)> {
        self.values.clone()
    }
}

impl Search {
    /// Value of a board right after a move, with this number of further moves looked at.
    fn value(&mut self, after: After, depth: u32) -> f64 {
        if depth == 0 {
            self.nodes += 1;
            return self.network.value(after.cells()).into();
        }
        let (mut sum, mut tiles) = (0.0, 0.0);
        for cell in 0..16 {
            if self.stop.is_asked() {
                return 0.0;
            }
            if after.cells().rank(cell) == 0 {
                sum += 0.9 * self.best(after.place(cell, 1), depth)
                    + 0.1 * self.best(after.place(cell, 2), depth);
                tiles += 1.0;
            }
        }
        sum / tiles
    }

    /// Value of the best move of a board, with its points; 0 if there is none.
    fn best(&mut self, board: Board, depth: u32) -> f64 {
        let values = turns(board).map(|turn| turn.gain as f64 + self.value(turn.after, depth - 1));
        values.reduce(f64::max).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::Kit;
    use crate::rules::{Cells, Rules};

    /// Value of a position by the definition.
    fn plainly(board: Board, depth: u32) -> f64 {
        let worth = |direction| {
            let after = board.slide(direction)?;
            let value = if depth == 1 {
                f64::from(SMALL.value(after.cells()))
            } else {
                let empty: Vec<usize> = (0..16).filter(|&cell| after.cells().rank(cell) == 0).collect();
                let of = |cell, rank| plainly(after.place(cell, rank), depth - 1);
                empty.iter().map(|&cell| 0.9 * of(cell, 1) + 0.1 * of(cell, 2)).sum::<f64>()
                    / empty.len() as f64
            };
            Some(board.gain(direction) as f64 + value)
        };
        Direction::ALL.into_iter().filter_map(worth).reduce(f64::max).unwrap_or(0.0)
    }

    #[test]
    fn values_are_those_of_the_definition() {
        for text in [
            "2 0 0 0  0 0 0 0  0 0 0 0  0 0 0 2",
            "2 4 8 16  32 64 128 256  2 4 8 16  2 4 8 2",
            "1024 512 256 128  2 8 16 64  4 2 0 2  0 0 2 0",
            "65536 32768 32768 4  8 4 2 8  2 16 4 2  4 2 8 2",
        ] {
            let board = Board::new(text.parse::<Cells>().expect("a board"));
            let position = Twenty48::set_up(&Rules::default(), text, None).expect("a position");
            for depth in 1..=3 {
                let config = Config { depth: Whole::new(depth), ..Config::default() };
                let mut player = config.build(&Kit::default()).expect("a player");
                let thought = player.choose(&position).expect("a move");
                let expected = plainly(board, depth);
                let value = thought.value.expect("a value");
                assert!((value - expected).abs() <= 1e-9 * expected.abs(), "{text}: {value} {expected}");
                let own = player.weigh(&position).into_iter().find(|(direction, _)| *direction == thought.mv);
                assert_eq!(own.map(|(_, value)| value), Some(value), "{text}");
            }
        }
    }
}
