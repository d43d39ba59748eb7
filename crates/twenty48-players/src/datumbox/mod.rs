//! Alpha-beta minimax of datumbox's program: points, plus empty cells, minus clustering.
//!
//! Source: Vasilis Vryniotis, "Using Artificial Intelligence to solve the 2048 Game" (2014), and
//! his program datumbox/Game-2048-AI-Solver, in Java, at commits `ed63f42` (1 April 2014, `version
//! = "2014-04"`) and `8c797d0` (5 May 2014, `"2014-05"`). The computer puts a 2 or a 4 on any empty
//! cell, whichever is worst. A position at the end of the search is worth score + ln(score) x empty
//! cells - clustering, with the score of the whole game. Depth counts both sides' plies.
//!
//! Apparent bugs of the program are reproduced:
//! - It counts empty cells before a move and not again after it. So a merge that ends the search
//!   earns its points and nothing for the freed cell; and after a move on a full board the game may
//!   seem lost.
//! - A position counts as lost if that count is 0 and up, right, down, left, made *one after
//!   another*, earn nothing.
//! - A position counts as won with a tile of 2048 or more *and* a score of 18432 or more. The plain
//!   `minimax`, which the program has but does not use, values won and lost positions like all
//!   others.
//! - In April 2014 a move that changes nothing was a move: in the search it passes the turn, and in
//!   the game it added a tile. Play that version under `idle_moves = "spawn"`. If the rules refuse
//!   such a move, the best accepted one is made instead; otherwise one choice in twenty would be
//!   illegal.
//!
//! Deviations: none in its answers. Ties go to the first direction and all values are exact, so the
//! order of replies and any caching change nothing; both are ours. If the board counts as won, the
//! program has no move, because its game is over, and this player gives up. Play it under `win_by =
//! "gain"` and `until = "win"` like the program, or set `win_test = false`, which removes the test
//! from the search, and it plays on. A score of 2^30 or more, which might overflow an `int`, is
//! refused.
//!
//! A move of the April version takes 0.023 ms at depth 5 and 0.5 ms at depth 7 (medians over games,
//! one core of a shared EPYC), a ninth and a twentieth of the plain twin in the tests. The
//! original, in Java, took 0.62 and 12.9 ms.

mod clustering;
mod last_turn;
mod search;
mod values;

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;

use gauntlet_core::num::{BoundedInt, DepthLimit};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, Inspect, NoMove, Player, Recipe, RecipeFacts, Start,
};
use gauntlet_twenty48::rules::settings::GoalTile;
use gauntlet_twenty48::rules::{Direction, Rules, Twenty48};
use serde::{Deserialize, Serialize};

use self::search::Search;
use self::values::{VersionDifferences, WIN_TILE};
use super::end_mismatch;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Alpha-beta search of datumbox's program, which evaluates points, empty cells and clustering.
algorithm = "datumbox"
# or "2014-04", which allows idle moves: for `idle_moves = "spawn"`
version = "2014-05"
# or "minimax", which does not recognize won and lost positions
search = "alpha-beta"
depth = 3              # plies of both sides, 1 to 20; article: 3, 5 and 7
# default true: as in the original, give up after winning with 2048
win_test = false
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[
    r#"algorithm = "datumbox"
version = "2014-04"
depth = 2
"#,
    r#"algorithm = "datumbox"
version = "2014-04"
search = "minimax"
depth = 1
"#,
    r#"algorithm = "datumbox"
search = "minimax"
depth = 4
win_test = true
"#,
];

/// Settings of `datumbox`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Version of the program.
    pub version: Version,
    /// Search of the program.
    pub search: Kind,
    /// Plies of both sides.
    pub depth: DepthLimit<1, 20>,
    /// True if 2048 with a sufficient score counts as won.
    pub win_test: bool,
}

impl Default for Config {
    fn default() -> Config {
        let depth = BoundedInt::try_from(5).expect("5 is in bounds");
        Config { version: Version::default(), search: Kind::default(), depth, win_test: true }
    }
}

/// Version of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// 1 April 2014: a move that changes nothing is a move.
    #[serde(rename = "2014-04")]
    April,
    /// 5 May 2014.
    #[default]
    #[serde(rename = "2014-05")]
    May,
}

/// The two searches of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Search described in its article.
    #[default]
    AlphaBeta,
    /// Search that values won and lost positions like all others.
    Minimax,
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let search = Search::new(self.version_differences(), context.stop.clone());
        Ok(Box::new(Datumbox { search, depth: self.depth.get() }))
    }

    fn facts(&self, rules: &Rules) -> RecipeFacts {
        if !self.win_test {
            return RecipeFacts::default();
        }
        let win_tile = GoalTile::try_from(i64::from(WIN_TILE)).expect("a tile");
        let mismatch = end_mismatch::find_mismatch(rules, win_tile, |_| "win_test = false".to_owned());
        RecipeFacts { rules_mismatch: mismatch, ..RecipeFacts::default() }
    }
}

impl Config {
    fn version_differences(&self) -> VersionDifferences {
        VersionDifferences {
            passes: self.version == Version::April,
            has_end_values: self.search == Kind::AlphaBeta,
            can_win: self.win_test,
        }
    }
}

struct Datumbox {
    search: Search,
    depth: u32,
}

/// Maximum score for which the score and all that a search can add fit into an `int`.
const MAX_SCORE: u64 = 1 << 30;

impl Player<Twenty48> for Datumbox {
    /// Does nothing: it caches only values that depend on a board alone.
    fn begin(&mut self, _start: &Start<Twenty48>) {}

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let cells = position.board().cells();
        let score = position.score();
        if score >= MAX_SCORE {
            return Err(NoMove::forfeit(format!("the original cannot count to {score} points")));
        }
        let score = score as i32;
        if self.search.values().is_won(cells, score) {
            let message = "the original stops at this win: set `until`, or `win_test = false`";
            return Err(NoMove::forfeit(message));
        }
        let (mv, value) =
            self.search.choose(cells, score, self.depth, |direction| position.accepts(direction));
        self.search.stop.check()?;
        let mv = mv.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Choice {
            value: Some(value.into()),
            nodes: self.search.nodes(),
            depth: Some(self.depth),
            ..Choice::new(mv)
        })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for Datumbox {
    fn move_values(&mut self, position: &Twenty48) -> Vec<(Direction, f64)> {
        let legal = Direction::ALL.into_iter().filter(|&direction| position.accepts(direction));
        self.search.direction_values(position.board().cells(), position.score() as i32, self.depth, legal)
    }
}
