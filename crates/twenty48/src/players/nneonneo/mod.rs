//! Expectimax that is cut off where it becomes improbable: the best-known program of 2048 that has
//! not learned.
//!
//! Source: Robert Xiao, nneonneo/2048-ai `41e298f` (MIT), `2048.cpp`, with the evaluation of
//! xificurk. A board just after a move is worth the sum over rows and columns of 200000 + 270 ×
//! empty cells + 700 × tiles that may merge - 47 × the lesser of its steps up and down - 11 × the
//! sum of ranks to the power 3.5. The search goes on below such a board as long as it is less deep
//! than `depth` and its probability, the product of those of all tiles on the way, is at least
//! 0.0001. A lost position is worth 0, far less than any other, and points are worth nothing.
//!
//! `depth` is the limit of the original: it counts the tiles that may come on a path, so a path has
//! `depth` + 1 moves of the player. Without it the limit is that of the original: the number of
//! different tiles on the board less 2, and at least 3.
//!
//! A cache, which is empty for each direction at the root, answers for a board that was searched at
//! this depth or nearer to the root. What was cached may have been cut off at other places, so
//! values depend on the order of the search, which is that of the original: up, down, left, right.
//! Of equals the first is chosen.
//!
//! Deviations: none in moves and counters, as far as the original goes; values differ in the last
//! bits, as those of two builds of the original do. Its boards end at 32768, and two of these merge
//! to one. Here tiles over 32768 are taken for 32768, and what is not legal on the real board is
//! not chosen.
//!
//! `gauntlet probe` tells for each direction its value and the original's counters: moves tried,
//! legal or not, and answers from the cache.
//!
//! - `search`: the search
//! - `tables`: evaluation and slides of each line
//! - `cache`: the values of boards that were searched

mod cache;
mod search;
mod tables;

use std::sync::LazyLock;

use gauntlet_core::num::Whole;
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::rules::{Direction, Nibbles, Twenty48};
use search::Search;

/// The manual.
pub const EXAMPLE: &str = r#"# Expectimax of nneonneo's program: improbable tiles are not followed.
algorithm = "nneonneo"
# tiles on a path, 1 to 15; without it different tiles less 2, at least 3
depth = 1
"#;

/// Settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Tiles on a path, if not by the rule of the original.
    pub depth: Option<Whole<1, 15>>,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, kit: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        // Tables are made now, not on the time of the first move.
        LazyLock::force(&tables::TABLES);
        let search = Search::new(kit.stop.clone());
        Ok(Box::new(Nneonneo { depth: self.depth.map(Whole::get), search, weighed: Vec::new() }))
    }

    fn facts(&self, _: &crate::rules::Rules) -> RecipeFacts {
        RecipeFacts { memory: cache::USUAL_BYTES, ..RecipeFacts::default() }
    }
}

struct Nneonneo {
    depth: Option<u32>,
    search: Search,
    /// The legal directions of the last choice.
    weighed: Vec<Weighed>,
}

/// A direction at the root.
struct Weighed {
    direction: Direction,
    value: f32,
    /// The counters of the original.
    evaluated: u64,
    cache_hits: u64,
}

/// In the order of the original.
const DIRECTIONS: [Direction; 4] = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

impl Player<Twenty48> for Nneonneo {
    fn begin(&mut self, _start: &Start<Twenty48>) {
        self.weighed.clear();
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let board = position.board();
        let rows = board.cells().capped_nibbles();
        let depth = self.depth.unwrap_or_else(|| usual_depth(rows));
        self.weighed.clear();
        for direction in DIRECTIONS {
            if board.slide(direction).is_none() {
                continue;
            }
            let value = self.search.root(rows, direction, depth);
            let (evaluated, cache_hits) = (self.search.evaluated, self.search.cache_hits);
            self.weighed.push(Weighed { direction, value, evaluated, cache_hits });
        }
        self.search.stop.check()?;
        let better = |best: &'_ Weighed, other: &'_ Weighed| other.value > best.value;
        let best = self.weighed.iter().reduce(|best, other| if better(best, other) { other } else { best });
        let best = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let nodes = self.weighed.iter().map(|weighed| weighed.evaluated).sum();
        Ok(Choice { mv: best.direction, value: Some(best.value.into()), nodes, depth: Some(depth) })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for Nneonneo {
    fn counters(&self) -> Vec<(&'static str, Value)> {
        let of_each = |told: fn(&Weighed) -> Value| {
            let of_one = |weighed: &Weighed| (weighed.direction.to_string(), told(weighed));
            Value::Object(self.weighed.iter().map(of_one).collect::<Map<_, _>>())
        };
        vec![
            ("evaluated", of_each(|weighed| weighed.evaluated.into())),
            ("cache_hits", of_each(|weighed| weighed.cache_hits.into())),
        ]
    }

    fn move_values(&mut self, _position: &Twenty48) -> Vec<(Direction, f64)> {
        self.weighed.iter().map(|weighed| (weighed.direction, weighed.value.into())).collect()
    }
}

/// The rule of the original.
fn usual_depth(rows: Nibbles) -> u32 {
    rows.different_tiles().count_ones().saturating_sub(2).max(3)
}

#[cfg(test)]
mod tests;
