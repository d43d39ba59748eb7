//! Alpha-beta minimax against the most annoying tiles.
//!
//! Source: Matt Overlan, ovolve/2048-AI `226be51` (MIT), `js/ai.js` and `js/grid.js`; the first
//! well-known program for this game. The player's plies are searched in full. Among possible tiles,
//! only those that leave the roughest board are searched. For each tile, minus the smoothness and
//! the number of islands are added; all with the largest sum are candidates, regardless of their
//! probability. A board just after a move is evaluated by 0.1 smoothness + monotonicity + 2.7
//! ln(empty cells) + rank of the largest tile. `depth` counts the player's plies after the first:
//! depth 0 evaluates the boards after each move. A move that makes the tile 2048 is worth 10000,
//! minus 1 for each ply before it.
//!
//! The original deepens its search from 0, one ply at a time, for 100 ms, and reads the clock only
//! between two depths; `millis` does the same. If every line loses at some depth, the original
//! stops and plays the result of the previous depth. A line that loses at one depth also loses at
//! every greater depth. So the move found by deepening up to `depth` is that of the deepest search
//! that finds one. `depth` searches at that depth first, and one ply less each time nothing is
//! found. `gauntlet probe` shows value, positions and cutoffs of the first of these searches (of
//! the last one, with `millis`), even if it found nothing; `depth` is that of the search that found
//! the move.
//!
//! The program is made for reaching 2048 and nothing more. While such a tile is on the board, every
//! move counts as a win, and the first legal one of up, right, down and left is played. `win_tile =
//! "none"` removes that from the search, for play beyond 2048; another tile can also be set.
//!
//! `weights` replaces the four weights of the evaluation.
//!
//! Deviations: none in moves, values and counters. The logarithm of 3 is that of V8, which ran the
//! original. With `millis` a move that wins at once is played without further deepening, which
//! could not change it.
//!
//! Speed: at depth 2, 3 and 4 a move takes 2.2, 13 and 87 µs, on boards of games up to 2048 (`cargo
//! bench --bench players ovolve`, fastest of 100 on one core of an EPYC). The original takes 2.8 ms
//! at depth 2 and 11 ms at depth 3. Lines are looked up in tables, including the annoyance of all
//! tiles. The plain search computes it from the whole board each time and takes 35, 27 and 24 times
//! as long at these depths, measured in one run. With `millis = 100` the first 400 moves of two
//! games reached a mean depth of 8.9 and at least 6, on a busy machine, while the original mostly
//! reached 5.

mod reference;
mod search;
mod search_result;
mod tables;
mod weights;

use std::sync::LazyLock;

use gauntlet_core::num::{DepthLimit, Millis};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start, Stop,
};
use gauntlet_players::budget::Budget;
use gauntlet_twenty48::rules::settings::{GoalTile, tile_or_word};
use gauntlet_twenty48::rules::{Board, Direction, Rules, Twenty48};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::end_mismatch;
use search_result::{NEAR_WIN, SearchResult, WIN};
use weights::Aim;
pub use weights::OvolveWeights;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Alpha-beta search of ovolve's program, against only the tiles that leave the roughest board.
algorithm = "ovolve"
depth = 2          # own plies after the first, 0 to 20
# instead of depth: time limit of iterative deepening, as in the original
# millis = 100
win_tile = 2048    # tile that ends the search as a win, or "none"
# weights of the evaluation, with their defaults
# weights = { smoothness = 0.1, monotonicity = 1, empty = 2.7, largest = 1 }
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[
    r#"algorithm = "ovolve"
depth = 1
win_tile = "none"
"#,
    r#"algorithm = "ovolve"
depth = 1
win_tile = 64
"#,
];

/// Settings of `ovolve`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of the player's plies after the first.
    pub depth: Option<DepthLimit<0, 20>>,
    /// Time limit of the deepening in milliseconds.
    pub millis: Option<Millis>,
    /// Tile that the search counts as a win.
    pub win_tile: WinTile,
    /// Weights of the evaluation's terms; `None` for the original's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<OvolveWeights>,
}

/// Tile that the search counts as a win, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WinTile {
    /// No tile wins; each counts by its rank alone.
    None,
    /// A board with exactly this tile is won.
    Tile(GoalTile),
}

impl WinTile {
    fn rank(self) -> Option<u8> {
        match self {
            WinTile::None => None,
            WinTile::Tile(tile) => Some(tile.value().ilog2() as u8),
        }
    }
}

impl Default for WinTile {
    fn default() -> WinTile {
        WinTile::Tile(GoalTile::try_from(2048).expect("2048 is a tile"))
    }
}

impl Serialize for WinTile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WinTile::None => serializer.serialize_str("none"),
            WinTile::Tile(tile) => tile.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WinTile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WinTile, D::Error> {
        let tile_or_index = tile_or_word(deserializer, &["none"], "\"none\" or a tile")?;
        Ok(tile_or_index.map_or(WinTile::None, WinTile::Tile))
    }
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let budget = self.budget().map_err(|(_, message)| anyhow::Error::msg(message))?;
        // Build the tables now, so that they do not count as time of the first move.
        LazyLock::force(&tables::TABLES);
        let aim = Aim::new(self.win_tile.rank(), &self.weights.unwrap_or_default());
        let stop = context.stop.clone();
        Ok(Box::new(Ovolve { budget, aim, stop, positions: 0, cutoffs: 0, depth: 0 }))
    }

    fn facts(&self, rules: &Rules) -> RecipeFacts {
        let mismatch = match self.win_tile {
            WinTile::None => None,
            WinTile::Tile(win_tile) => end_mismatch::find_mismatch(rules, win_tile, |last| match last {
                None => "win_tile = \"none\"".to_owned(),
                Some(last) => format!("win_tile = {}", last.value()),
            }),
        };
        RecipeFacts {
            is_reproducible: self.millis.is_none(),
            rules_mismatch: mismatch,
            ..RecipeFacts::default()
        }
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        let message = "are too large: a board could have the value of a win, 10,000";
        let is_too_large = self.weights.is_some_and(|weights| weights.are_too_large());
        self.budget().err().or(is_too_large.then(|| ("weights", message.to_owned())))
    }
}

impl Config {
    fn budget(&self) -> Result<Budget, (&'static str, String)> {
        Budget::from_settings([Budget::depth(self.depth), Budget::millis(self.millis)])
    }
}

struct Ovolve {
    budget: Budget,
    aim: Aim,
    stop: Stop,
    /// Counters of the search that gave the value.
    positions: u64,
    cutoffs: u64,
    /// Depth of that search.
    depth: u32,
}

impl Ovolve {
    /// Searches at this depth and, while every line loses, one ply less deep.
    fn search_to_depth(&mut self, board: Board, limit: u32) -> Option<Choice<Direction>> {
        let deepest_result = search::search(board, limit, &self.aim, &self.stop);
        self.record(deepest_result, limit);
        let (mut result, mut depth, mut nodes) = (deepest_result, limit, deepest_result.positions);
        while result.mv.is_none() {
            depth = depth.checked_sub(1)?;
            result = search::search(board, depth, &self.aim, &self.stop);
            nodes += result.positions;
        }
        result.mv.map(|mv| Choice {
            value: Some(deepest_result.score),
            nodes,
            depth: Some(depth),
            ..Choice::new(mv)
        })
    }

    /// Deepens until the budget is used up, or every line loses.
    fn search_within(&mut self, board: Board, budget: Budget) -> Option<Choice<Direction>> {
        let budget = budget.start();
        let mut choice: Option<Choice<Direction>> = None;
        let mut nodes = 0;
        for depth in 0.. {
            let result = search::search(board, depth, &self.aim, &self.stop);
            self.record(result, depth);
            nodes += result.positions;
            let Some(mv) = result.mv else {
                // The value shows that everything loses; the move is still that of the previous
                // depth.
                return choice.map(|choice| Choice { value: Some(result.score), nodes, ..choice });
            };
            let is_exhausted = budget.is_exhausted(depth, nodes);
            // Once a win is found, iterations take no time and their number has no meaning.
            let depth = (result.score <= NEAR_WIN).then_some(depth);
            choice = Some(Choice { value: Some(result.score), nodes, depth, ..Choice::new(mv) });
            if result.score >= WIN || is_exhausted || self.stop.is_requested() {
                break;
            }
        }
        choice
    }

    fn record(&mut self, result: SearchResult, depth: u32) {
        (self.positions, self.cutoffs, self.depth) = (result.positions, result.cutoffs, depth);
    }
}

impl Player<Twenty48> for Ovolve {
    fn begin(&mut self, _start: &Start<Twenty48>) {
        (self.positions, self.cutoffs) = (0, 0);
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let choice = match self.budget {
            Budget::Depth(depth) => self.search_to_depth(position.board(), depth),
            budget => self.search_within(position.board(), budget),
        };
        self.stop.check()?;
        choice.ok_or_else(|| NoMove::forfeit("there is no legal move"))
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for Ovolve {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        vec![("positions", self.positions.into()), ("cutoffs", self.cutoffs.into())]
    }

    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        search::direction_values(position.board(), self.depth, &self.aim, &self.stop)
    }
}

#[cfg(test)]
mod tests;
