//! Expectimax with cutoffs at bad and at improbable positions, and with endgame tables.
//!
//! Source: macroxue/2048-ai `fee3359` (GPL-3.0; no code is copied), `-d 3`. A board just after a
//! move is worth the feature `corner-slope`. `depth` is the original's: a path has `depth` + 1
//! moves. The search stops above a board that is worth less than 2 r 2^r, where r is the largest
//! rank at the root, and above one whose probability is less than 1 / 2^(`depth` + 4). The first
//! limit does not apply if the board at the root is worth less than 0. A lost position is worth
//! -2 r 2^r, at most -131072, and points are worth nothing.
//!
//! A cache answers for a board that was searched at least as deep, for at least its probability. It
//! is cleared at the start of a game and not of a move, so values depend on earlier moves.
//! Directions are tried in the order up, left, right, down, and the first of equals is chosen. But
//! a direction that is worth exactly a lost position is replaced by the next legal one, even if
//! that is worse. Sums are truncated to integers after each addition.
//!
//! With `endgames`, a move comes from the table `macroxue-11` if its probability is at least 0.9,
//! else from `macroxue-10` if it has an answer, and else from the search.
//!
//! Deviations: none. Boards on which a tile of 65536 is or may appear are searched without tables
//! of lines, which takes longer.

mod board;
mod cache;
mod search;
mod value;

use std::path::PathBuf;
use std::sync::LazyLock;

use gauntlet_core::assets::AssetFiles;
use gauntlet_core::num::{BoundedInt, DepthLimit};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, FileMistake, Inspect, NoMove, Player, Recipe, RecipeFacts,
    RecipeIdentity, Start,
};
use gauntlet_twenty48::rules::{Direction, Rules, Twenty48};
use gauntlet_twenty48_endgame::answers::Source;
use gauntlet_twenty48_endgame::player::Endgames;
use serde::{Deserialize, Serialize};

use search::Search;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# Expectimax of macroxue's program, with a cutoff at bad and improbable positions.
algorithm = "macroxue"
depth = 3               # moves per path minus 1, 0 to 8
# folder of endgame tables, which are asked before the search
# endgames = "endgames"
# order of tables, each with the least probability that counts
# endgame_order = ["macroxue-11 0.9", "macroxue-10"]
"#;

/// Order of the original's tables.
const ORDER: &[&str] = &["macroxue-11 0.9", "macroxue-10"];

/// Settings of `macroxue`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Moves on a path minus 1.
    pub depth: DepthLimit<0, 8>,
    /// Folder of endgame tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endgames: Option<PathBuf>,
    /// Order in which the tables are asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endgame_order: Option<Vec<Source>>,
}

impl Default for Config {
    fn default() -> Config {
        Config { depth: BoundedInt::new(3), endgames: None, endgame_order: None }
    }
}

impl Config {
    fn tables(&self) -> Option<Endgames> {
        Endgames::from_settings(self.endgames.as_ref(), self.endgame_order.as_ref(), ORDER)
    }

    /// Builds the player without its tables.
    fn build_without_tables(&self, context: &BuildContext) -> Box<dyn Player<Twenty48>> {
        let search = Search::new(context.stop.clone());
        Box::new(Macroxue { depth: self.depth.get(), search, direction_values: Vec::new() })
    }
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        // Build the table now, so that it does not count as time of the first move.
        LazyLock::force(&value::VALUES);
        let (config, context_clone) = (self.clone(), context.clone());
        match self.tables() {
            Some(tables) => {
                tables.build_player(context, move || Ok(config.build_without_tables(&context_clone)))
            }
            None => Ok(self.build_without_tables(context)),
        }
    }

    fn facts(&self, rules: &Rules) -> RecipeFacts {
        let tables = self.tables();
        RecipeFacts {
            folders: tables.iter().map(Endgames::folder).collect(),
            memory: cache::BYTES,
            rules_mismatch: tables.and_then(|_| Endgames::find_mismatch(rules)),
            ..RecipeFacts::default()
        }
    }

    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        self.tables().map_or(Ok(RecipeIdentity::default()), |tables| tables.open(assets))
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        Endgames::contradiction(self.endgames.as_ref(), self.endgame_order.as_ref())
    }
}

struct Macroxue {
    depth: u32,
    search: Search,
    /// Legal directions of the last choice, and their values.
    direction_values: Vec<(Direction, i32)>,
}

impl Player<Twenty48> for Macroxue {
    fn begin(&mut self, _start: &Start<Twenty48>) {
        self.search.cache.clear();
        self.direction_values.clear();
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        self.direction_values = self.search.search_root(position.board(), self.depth);
        self.search.stop.check()?;
        let best = self
            .direction_values
            .iter()
            .copied()
            .reduce(|best, other| if self.search.is_better(best.1, other.1) { other } else { best });
        let (mv, value) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
        Ok(Choice {
            value: Some(value.into()),
            nodes: self.search.nodes,
            depth: Some(self.depth),
            ..Choice::new(mv)
        })
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for Macroxue {
    fn move_values(&mut self, _position: &Twenty48) -> Vec<(Direction, f64)> {
        self.direction_values.iter().map(|&(direction, value)| (direction, value.into())).collect()
    }
}

#[cfg(test)]
mod tests;
