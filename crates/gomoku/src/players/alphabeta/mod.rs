//! Built-in Gomoku player: alpha-beta over the moves that matter, and a full search of fours.
//!
//! - A board that tracks the patterns that each colour would make on each empty cell
//!   ([`ThreatBoard`]) provides both evaluation and move order. The evaluation is the sum of
//!   `weights` over the patterns of all empty cells; patterns of the side to move count more.
//! - A threatened five has one answer, which costs no depth. Against an open four, only moves that
//!   stop it and own fours are searched. Otherwise, moves near stones are searched, best first by
//!   their order. Beyond the depth limit, answers to open fours are searched for some further
//!   plies.
//! - Iterative deepening alpha-beta with a principal variation, killer moves, history, late move
//!   reductions, and a transposition table of 2 MB that is cleared at the start of each game.
//! - Sequences of fours are searched to the end ([`Vcf`]) at the root and at every position that is
//!   searched further. If a four also makes a three, they also replace an evaluation. The limit of
//!   one such search is `vcf_nodes` positions at the root and after the first move, and a sixteenth
//!   of that everywhere else.
//!
//! The value is in the units of `weights`; a proven win counts a million, minus one for each stone
//! until then.
//!
//! [`ThreatBoard`]: crate::rules::ThreatBoard
//! [`Vcf`]: crate::rules::Vcf

mod moves;
mod search;
mod table;
mod weights;

use gauntlet_core::num::{BoundedInt, CountLimit, DepthLimit, Millis};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start, Stop,
};
use gauntlet_players::budget::Budget;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rules::{Cell, Gomoku};
use search::{Limits, PROVEN_WIN, Search, WIN};
pub use weights::Weights;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Alpha-beta search of this project, with threats and victory by continuous fours (VCF).
algorithm = "gomoku-alphabeta"
nodes = 300        # positions per move, 1 to 4000000000
# depth = 4        # instead of nodes: plies, 1 to 60
# millis = 10      # instead of nodes: time limit of iterative deepening
vcf_nodes = 1000   # maximum positions of a VCF search, 0 to 1000000
# weights of the evaluation that replace its defaults
# weights = { open_three = 6, open_two = 0.5 }
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[r#"algorithm = "gomoku-alphabeta"
depth = 2
vcf_nodes = 100
weights = { open_two = 1.5, to_move = 0.25 }
"#];

/// Settings of `alphabeta`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Limit on positions per move.
    pub nodes: Option<CountLimit<1, 4_000_000_000>>,
    /// Search depth in plies.
    pub depth: Option<DepthLimit<1, 60>>,
    /// Time limit per move in milliseconds.
    pub millis: Option<Millis>,
    /// Limit on positions per search for forcing fours.
    pub vcf_nodes: BoundedInt<0, 1_000_000>,
    /// Weights of the patterns in the evaluation; `None` for the default weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
}

impl Default for Config {
    fn default() -> Config {
        Config { nodes: None, depth: None, millis: None, vcf_nodes: BoundedInt::new(1000), weights: None }
    }
}

impl Recipe<Gomoku> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Gomoku>>> {
        let budget = self.budget().map_err(|(_, message)| anyhow::Error::msg(message))?;
        let limits = Limits::new(budget, self.vcf_nodes.get().into());
        let weights = self.weights.unwrap_or_default();
        Ok(Box::new(AlphaBeta {
            limits,
            weights,
            stop: context.stop.clone(),
            search: None,
            winning_line: Vec::new(),
        }))
    }

    fn facts(&self, _: &crate::rules::Rules) -> RecipeFacts {
        RecipeFacts { is_reproducible: self.millis.is_none(), ..RecipeFacts::default() }
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        let message = "must be from -1000 to 1000, and `to_move` from -10 to 10";
        let is_too_large = self.weights.is_some_and(|weights| weights.are_too_large());
        self.budget().err().or(is_too_large.then(|| ("weights", message.to_owned())))
    }
}

impl Config {
    fn budget(&self) -> Result<Budget, (&'static str, String)> {
        Budget::from_settings([
            Budget::nodes(self.nodes),
            Budget::depth(self.depth),
            Budget::millis(self.millis),
        ])
    }
}

struct AlphaBeta {
    limits: Limits,
    weights: Weights,
    stop: Stop,
    /// Search for the size of the first board.
    search: Option<Search>,
    /// Fours of the last choice, if they win.
    winning_line: Vec<Cell>,
}

impl Player<Gomoku> for AlphaBeta {
    fn begin(&mut self, _start: &Start<Gomoku>) {
        if let Some(search) = &mut self.search {
            search.clear();
        }
        self.winning_line.clear();
    }

    fn choose(&mut self, position: &Gomoku) -> Result<Choice<Cell>, NoMove> {
        let board = position.board();
        let turn = position.turn().ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let (size, rule) = (board.size(), position.rule());
        let mut search = match self.search.take() {
            Some(search) if (search.threats.size(), search.threats.rule()) == (size, rule) => search,
            _ => Search::new(size, rule, &self.weights, self.limits, self.stop.clone()),
        };
        let result = search.find_best_move(board, turn);
        self.winning_line.clear();
        if result.is_by_fours {
            self.winning_line.extend(search.vcf.winning_line(&search.threats));
        }
        let mv = search.threats.cell(result.cell);
        let nodes = search.nodes;
        self.search = Some(search);
        self.stop.check()?;
        Ok(Choice {
            value: Some(to_weight_units(result.value)),
            nodes,
            depth: result.depth,
            ..Choice::new(mv)
        })
    }

    fn abilities(&mut self) -> Abilities<'_, Gomoku> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Gomoku> for AlphaBeta {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        let line: Vec<String> = self.winning_line.iter().map(Cell::to_string).collect();
        let table_hits = self.search.as_ref().map_or(0, |search| search.table_hits);
        vec![("table_hits", table_hits.into()), ("fours", line.join(" ").into())]
    }
}

/// Converts a value to the units of the weights.
fn to_weight_units(value: i32) -> f64 {
    let win = 1e6;
    match value {
        PROVEN_WIN.. => win - f64::from(WIN - value),
        _ if value <= -PROVEN_WIN => f64::from(WIN + value) - win,
        _ => f64::from(value) / f64::from(weights::UNIT),
    }
}

#[cfg(test)]
mod tests;
