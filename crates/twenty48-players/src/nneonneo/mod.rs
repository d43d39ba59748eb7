//! Expectimax with a probability cut-off: the best-known program for 2048 without learning.
//!
//! Source: Robert Xiao, nneonneo/2048-ai `41e298f` (MIT), `2048.cpp`, with the evaluation of
//! xificurk. A board just after a move is worth the sum over rows and columns of 200000 + 270 ×
//! empty cells + 700 × tiles that may merge - 47 × the smaller of its steps up and down - 11 × the
//! sum of ranks to the power 3.5. The search continues below such a board while it is less deep
//! than `depth` and its probability, the product over all tiles on the path, is at least 0.0001. A
//! lost position is worth 0, far less than any other, and points are worth nothing.
//!
//! `depth` is the original's limit: it counts the tiles on a path, so a path has `depth` + 1 moves
//! of the player. By default the limit follows the original's rule: the number of distinct tiles on
//! the board minus 2, and at least 3.
//!
//! A cache, which is cleared for each direction at the root, answers for a board that was searched
//! at this depth or nearer to the root. A cached value may have other cut-offs, so values depend on
//! the order of the search, which is the original's: up, down, left, right. Among equals the first
//! is chosen.
//!
//! Deviations: none in moves and counters, within the original's range; values differ in the last
//! bits, as they do between two builds of the original. Its boards end at 32768, and two of these
//! merge to one. Here tiles over 32768 are treated as 32768, and moves that are illegal on the real
//! board are not chosen.
//!
//! `gauntlet probe` shows for each direction its value and the original's counters: moves tried,
//! legal or not, and answers from the cache.

mod cache;
mod search;
mod tables;

use std::sync::LazyLock;

use gauntlet_core::num::{BoundedInt, DepthLimit};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start,
};
use gauntlet_twenty48::rules::{Direction, PackedLines, Twenty48};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use search::{DIRECTIONS, Search};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Expectimax of nneonneo's program, with a cutoff at improbable positions.
algorithm = "nneonneo"
# tiles per path, 1 to 15; default: distinct tiles minus 2, at least 3
depth = 1
"#;

/// Settings of `nneonneo`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of tiles on a path; `None` for the original's rule.
    pub depth: Option<DepthLimit<1, 15>>,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        // Build the tables now, so that they do not count as time of the first move.
        LazyLock::force(&tables::TABLES);
        let search = Search::new(context.stop.clone());
        Ok(Box::new(Nneonneo { depth: self.depth.map(BoundedInt::get), search, root_moves: Vec::new() }))
    }

    fn facts(&self, _: &gauntlet_twenty48::rules::Rules) -> RecipeFacts {
        RecipeFacts { memory: cache::TYPICAL_BYTES, ..RecipeFacts::default() }
    }
}

struct Nneonneo {
    depth: Option<u32>,
    search: Search,
    /// Legal directions of the last choice.
    root_moves: Vec<RootMove>,
}

/// Direction at the root.
struct RootMove {
    direction: Direction,
    value: f32,
    /// Counters of the original.
    evaluated: u64,
    cache_hits: u64,
}

impl Player<Twenty48> for Nneonneo {
    fn begin(&mut self, _start: &Start<Twenty48>) {
        self.root_moves.clear();
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let board = position.board();
        let rows = board.cells().capped_nibbles();
        let depth = self.depth.unwrap_or_else(|| default_depth(rows));
        self.root_moves.clear();
        for (direction, _) in board.slides(DIRECTIONS) {
            let value = self.search.search_root(rows, direction, depth);
            let (evaluated, cache_hits) = (self.search.evaluated, self.search.cache_hits);
            self.root_moves.push(RootMove { direction, value, evaluated, cache_hits });
        }
        self.search.stop.check()?;
        let best =
            self.root_moves.iter().reduce(|best, other| if other.value > best.value { other } else { best });
        let best = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let nodes = self.root_moves.iter().map(|root_move| root_move.evaluated).sum();
        Ok(Choice {
            value: Some(best.value.into()),
            nodes,
            depth: Some(depth),
            ..Choice::new(best.direction)
        })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for Nneonneo {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        let (mut evaluated, mut cache_hits) = (Map::new(), Map::new());
        for root_move in &self.root_moves {
            evaluated.insert(root_move.direction.to_string(), root_move.evaluated.into());
            cache_hits.insert(root_move.direction.to_string(), root_move.cache_hits.into());
        }
        vec![("evaluated", evaluated.into()), ("cache_hits", cache_hits.into())]
    }

    fn move_values(&mut self, _position: &Twenty48) -> Vec<(Direction, f64)> {
        self.root_moves.iter().map(|root_move| (root_move.direction, root_move.value.into())).collect()
    }
}

/// Returns the depth by the original's rule.
fn default_depth(rows: PackedLines) -> u32 {
    rows.different_tiles().count_ones().saturating_sub(2).max(3)
}

#[cfg(test)]
mod tests;
