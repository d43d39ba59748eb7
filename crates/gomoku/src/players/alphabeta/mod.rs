//! Our own player of Gomoku: alpha-beta over the moves that matter, and fours searched to the end.
//!
//! - A board that keeps what each colour would make of each empty cell ([`Threats`]) is both
//!   evaluation and order of moves. An evaluation is the sum of `weights` over the patterns of all
//!   empty cells, those of the side to move counting more.
//! - Against a threatened five there is one answer, which costs no depth; against an open four,
//!   only what stops it and fours of one's own are searched. Elsewhere the moves near stones, the
//!   best by their order first. Beyond the depth, what stops open fours is searched for some plies
//!   more.
//! - Alpha-beta with a principal variation, ever deeper; killers, history, reductions of late
//!   moves, and a table of 2 MB that is empty at the start of each game.
//! - Fours alone are searched to the end ([`Vcf`]) at the root, at every position that is searched
//!   further, and, where one of them makes a three besides, in place of an evaluation: `vcf_nodes`
//!   positions for one such search at the root and after the first move, and a sixteenth of that
//!   everywhere else.
//!
//! The value is in the units of `weights`; a win in sight counts a million less one for each stone
//! until then.
//!
//! - `search`: the search itself
//! - `moves`: the moves to be searched, and their order
//! - `table`: the transposition table
//! - `weights`: weights of the evaluation
//!
//! [`Threats`]: crate::rules::Threats
//! [`Vcf`]: crate::rules::Vcf

mod moves;
mod search;
mod table;
mod weights;

use gauntlet_core::num::Whole;
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start, Stop,
};
use gauntlet_players::budget::Budget;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::rules::{Cell, Gomoku};
use search::{Limits, Search, WIN, WIN_IS_SEEN};
pub use weights::Weights;

/// The manual.
pub const EXAMPLE: &str = r#"# Searches by alpha-beta over threats, and fours to the end; our own player.
algorithm = "gomoku-alphabeta"
nodes = 300        # positions looked at for a move, 1 to 4000000000
# depth = 4        # in place of nodes: plies, 1 to 60
# millis = 10      # in place of nodes: goes deeper until this time is over
vcf_nodes = 1000   # the most of one search for forcing fours, 0 to 1000000
# of the evaluation, in place of its own
# weights = { open_three = 6, open_two = 0.5 }
"#;

/// Examples of the settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[r#"algorithm = "gomoku-alphabeta"
depth = 2
vcf_nodes = 100
weights = { open_two = 1.5, to_move = 0.25 }
"#];

/// Settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Positions that it looks at for a move.
    pub nodes: Option<Whole<1, 4_000_000_000>>,
    /// Plies that it looks ahead.
    pub depth: Option<Whole<1, 60>>,
    /// The milliseconds after which it stops.
    pub millis: Option<Whole<1, 3_600_000>>,
    /// Positions of one search for forcing fours.
    pub vcf_nodes: Whole<0, 1_000_000>,
    /// Weights of the patterns in the evaluation, if not the usual ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
}

impl Default for Config {
    fn default() -> Config {
        Config { nodes: None, depth: None, millis: None, vcf_nodes: Whole::new(1000), weights: None }
    }
}

impl Recipe<Gomoku> for Config {
    fn build(&self, kit: &BuildContext) -> anyhow::Result<Box<dyn Player<Gomoku>>> {
        let budget = self.budget().map_err(|(_, message)| anyhow::Error::msg(message))?;
        let limits = Limits::of(budget, self.vcf_nodes.get().into());
        let weights = self.weights.unwrap_or_default();
        Ok(Box::new(AlphaBeta { limits, weights, stop: kit.stop.clone(), search: None, line: Vec::new() }))
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
        Budget::only([Budget::nodes(self.nodes), Budget::depth(self.depth), Budget::millis(self.millis)])
    }
}

struct AlphaBeta {
    limits: Limits,
    weights: Weights,
    stop: Stop,
    /// Made for the size of the first board.
    search: Option<Search>,
    /// The fours of the last choice, if they win.
    line: Vec<Cell>,
}

impl Player<Gomoku> for AlphaBeta {
    fn begin(&mut self, _start: &Start<Gomoku>) {
        if let Some(search) = &mut self.search {
            search.forget();
        }
        self.line.clear();
    }

    fn choose(&mut self, position: &Gomoku) -> Result<Choice<Cell>, NoMove> {
        let board = position.board();
        let turn = position.turn().ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        let is_fit = |search: &Search| {
            search.threats.size() == board.size() && search.threats.rule() == position.rule()
        };
        let mut search = self.search.take().filter(is_fit).unwrap_or_else(|| {
            Search::new(board.size(), position.rule(), &self.weights, self.limits, self.stop.clone())
        });
        let found = search.think(board, turn);
        self.line.clear();
        if found.is_by_fours {
            self.line.extend(search.vcf.line(&search.threats));
        }
        let mv = search.threats.cell(found.at);
        let nodes = search.nodes;
        self.search = Some(search);
        self.stop.check()?;
        Ok(Choice { mv, value: Some(told(found.value)), nodes, depth: found.depth })
    }

    fn abilities(&mut self) -> Abilities<'_, Gomoku> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Gomoku> for AlphaBeta {
    fn counters(&self) -> Vec<(&'static str, Value)> {
        let line: Vec<String> = self.line.iter().map(Cell::to_string).collect();
        let known = self.search.as_ref().map_or(0, |search| search.known);
        vec![("known", known.into()), ("fours", line.join(" ").into())]
    }
}

/// A value in the units of the weights.
fn told(value: i32) -> f64 {
    let win = 1e6;
    match value {
        WIN_IS_SEEN.. => win - f64::from(WIN - value),
        _ if value <= -WIN_IS_SEEN => f64::from(WIN + value) - win,
        _ => f64::from(value) / f64::from(weights::UNIT),
    }
}

#[cfg(test)]
mod tests;
