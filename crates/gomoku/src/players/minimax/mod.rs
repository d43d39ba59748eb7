//! Medium and hard level of source 003: alpha-beta with an evaluation of runs, over the ten best
//! cells of each position.
//!
//! Source: Kesoyuh/Gomoku at commit `34dc049`, in Objective-C. It searches to depth 2, 4, 6 …,
//! stops when a search finds 10,000 or more, and plays the best cell of its last search. The value
//! of a position is the value of the runs of the choosing side minus the other side's
//! ([`runs`](crate::eval::runs)). If a side's runs are worth a five, the position is not searched
//! further. Candidates are the empty cells within two steps of a stone in each direction, ordered
//! by their value in windows ([`windows`](crate::eval::windows)). On an empty board it plays the
//! centre.
//!
//! The original orders candidates by black's table, even if white is to move, because its ordering
//! code does not know who plays. `order_table = "black"` reproduces this; `"mover"` uses the table
//! of the side to move.
//!
//! Deviations: with fewer than ten candidates, the original reads uninitialized memory; here all
//! are searched. A full board, which it does not handle, is valued by its runs. Boards may have
//! other sizes. Under `standard`, where six do not win, it plays as under `free`: it takes a run of
//! six or more for a five. Once there is one, it considers every position finished and plays the
//! first candidate.
//!
//! Values, moves and node counts equal those of the plain twin in the tests. This search knows what
//! a stone changes (`search_board`) and evaluates leaves without playing their last move. A search
//! to depth 8 in a middle game, 44,633 nodes, takes 0.027 s on a shared CPU, and the plain twin
//! takes 93 times as long.

mod search;
mod search_board;
#[cfg(test)]
mod tests;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

pub use self::search::OrderingSide;
use gauntlet_core::num::{BoundedInt, DepthLimit};
use gauntlet_core::player::{Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, Start, Stop};

use self::search::{Search, SearchResult};
use crate::rules::{Cell, Gomoku};

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Alpha-beta search of Kesoyuh's program, over the best cells of each position.
algorithm = "gomoku-minimax"
depth = 4              # plies, even, up to 20; medium level 6, hard level 8
candidates = 10        # cells searched in each position, 1 to 625
# colour of the table that orders them: "black", as in the program, or "mover"
order_table = "black"
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[r#"algorithm = "gomoku-minimax"
depth = 4
candidates = 7
order_table = "mover"
"#];

/// Value at which the deepening stops.
const STOP_SCORE: i32 = 10_000;

/// Settings of `minimax`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Depth of the last search, in plies of both sides.
    pub depth: Depth,
    /// Number of cells searched per position.
    pub candidates: BoundedInt<1, 625>,
    /// Table that orders candidates.
    pub order_table: OrderingSide,
}

impl Default for Config {
    fn default() -> Config {
        Config { depth: Depth(6), candidates: BoundedInt::new(10), order_table: OrderingSide::Black }
    }
}

/// Even number of plies, because the original deepens by two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Depth(u32);

impl<'de> Deserialize<'de> for Depth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Depth, D::Error> {
        let plies: DepthLimit<2, 20> = BoundedInt::deserialize(deserializer)?;
        if plies.get().is_multiple_of(2) {
            Ok(Depth(plies.get()))
        } else {
            Err(D::Error::custom("must be even: the search deepens by two plies at a time"))
        }
    }
}

impl Recipe<Gomoku> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Gomoku>>> {
        Ok(Box::new(Minimax::new(self.clone(), context.stop.clone())))
    }
}

struct Minimax {
    config: Config,
    stop: Stop,
    /// Search for the size of the current board.
    search: Option<Search>,
    /// Result of each depth at the last choice.
    results: Vec<(u32, SearchResult)>,
    /// Candidates at the last choice, with their values.
    candidates: Vec<(usize, i32)>,
}

impl Minimax {
    fn new(config: Config, stop: Stop) -> Minimax {
        Minimax { config, stop, search: None, results: Vec::new(), candidates: Vec::new() }
    }
}

impl Player<Gomoku> for Minimax {
    /// Does nothing, because no state is kept between moves.
    fn begin(&mut self, _start: &Start<Gomoku>) {}

    fn choose(&mut self, position: &Gomoku) -> Result<Choice<Cell>, NoMove> {
        self.results.clear();
        self.candidates.clear();
        let no_move = || NoMove::forfeit("there is no legal move");
        let (board, turn) = (position.board(), position.turn().ok_or_else(no_move)?);
        let size = board.size();
        if board.stones() == 0 {
            return Ok(Choice::new(Cell::new(size / 2, size / 2)));
        }
        let Config { depth: Depth(max_depth), candidates, order_table } = self.config;
        let search = match &mut self.search {
            Some(search) if search.size() == usize::from(size) => search,
            slot => {
                let width = candidates.get() as usize;
                slot.insert(Search::new(size, max_depth, width, order_table, self.stop.clone()))
            }
        };
        search.set_up(board, turn);
        self.candidates = search.candidates();
        for depth in (2..=max_depth).step_by(2) {
            let result = search.search(depth).ok_or_else(no_move)?;
            self.stop.check()?;
            self.results.push((depth, result));
            if result.score >= STOP_SCORE {
                break;
            }
        }
        let (depth, last_result) = *self.results.last().expect("there is a depth");
        Ok(Choice {
            value: Some(last_result.score.into()),
            nodes: self.results.iter().map(|(_, result)| result.nodes).sum(),
            depth: Some(depth),
            ..Choice::new(Cell::from_index(last_result.cell, size))
        })
    }

    fn abilities(&mut self) -> Abilities<'_, Gomoku> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Gomoku> for Minimax {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        let iterations = self.results.iter().map(|&(depth, SearchResult { cell, score, nodes })| {
            json!({ "depth": depth, "move": cell, "score": score, "nodes": nodes })
        });
        vec![("candidates", json!(self.candidates)), ("iterations", iterations.collect())]
    }
}
