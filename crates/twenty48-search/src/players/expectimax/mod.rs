//! Expectimax: the mean over all possible tiles, the best of all moves. It is a built-in player,
//! with any features and weights.
//!
//! A path starts with a move; then a tile and a move alternate. `depth` counts the player's moves
//! on a path: at depth 1 the boards after the four moves are evaluated. A move is worth the board
//! after it, plus its points if `gains` is true. A position without a move is worth `lost`, and
//! with `lost_is_least` no position is worth less.
//!
//! Values are whole numbers. The unit is the smallest power of two for which `evaluation`,
//! `weights` and `lost` leave room (1/32 of a point for `nneonneo`). The parts of lines, and the
//! mean at each board, are rounded to the nearest. So sums do not depend on their order, and mirror
//! images have equal values to the last bit. The search with tables and a cache of boards finds
//! what a textbook search of the same numbers finds (`reference_search`).
//!
//! Boards that are not searched:
//!
//! - Boards whose probability, the product over all tiles on the path, is below `least_probability`
//!   are evaluated like those at the end of a path. This is the rule of nneonneo's program. 0
//!   searches all boards.
//! - `fours` limits the number of 4s on a path; after them only 2s appear. This is the rule of the
//!   endgame tables of game-difficulty/2048EndgameTablebase.
//! - `least_value` evaluates boards after a move that are worth less than this many times r 2^r,
//!   where r is the largest rank at the root. A lost position is then worth at most minus that
//!   product. The limit does not apply if the board at the root is worth less. macroxue's program
//!   with large tables has these rules for its evaluation. It also searches again without the limit
//!   if all moves are bad.
//!
//! A transposition table of `table_mib` keeps searched boards; it is cleared for each move. A board
//! can be reached with another probability, at which other boards below it are cut off. So for each
//! value the table keeps the range of probabilities within which the cut-offs would be unchanged,
//! and answers only within that range. A table then changes no value; with `nodes` and `millis` it
//! affects how far a search gets.
//!
//! With `reuse = "deeper"` the table keeps no ranges, and is cleared for each direction. It answers
//! with any value that was searched as deep or deeper, at any probability. With `fours`, the value
//! must also allow as many 4s or more. That is the rule of nneonneo's program. Two differences
//! remain: rounding, because values have single precision there; and lost entries. Its table loses
//! none, while here a board may evict another one, which is then searched again, at another
//! probability.
//!
//! `adaptive` sets the depth to the number of distinct tiles on the board, minus `less`, and at
//! least `least`; nneonneo's rule is 4 and 1. `nodes` and `millis` deepen step by step, until that
//! many boards were searched, or this time is over. The k-th step has a depth of k and a least
//! probability of 2^-k (at least `least_probability`). Each step starts with the directions that
//! the previous one found best. An interrupted step counts as well, if it completed two directions:
//! the better of those is made.
//!
//! `star1` prunes what cannot be the best (Star1 of Ballard 1983). Every board of a search has an
//! upper bound (`bounds`). The search of a board after a move stops once it cannot beat the best of
//! the other moves, even if all remaining tiles lead to the bound. The move and its value are those
//! of the full search; with `nodes` or `millis` the search gets further. `star1` requires an
//! evaluation that is a sum over lines, without points and network, and exact values in the table.
//! If these are given, it is on by default.
//!
//! The deeper the search, the more is saved. On boards of nneonneo's games it saves 43 % of the
//! boards at depth 4 (2,000 positions), 54 % at depth 5 (200), and 69 % with its depth rule (25).
//! At depth 2 nothing can be saved. Star2 would add nothing: it probes for lower bounds, which only
//! an opponent could use.
//!
//! With `network` among `weights` the network's value of the board counts, too, with or without
//! features. It is rounded to a unit as a whole. Use it with `gains = true`, because it is trained
//! to predict the points still to come.
//!
//! With `endgames`, tables are asked before the search, on the board as it is.
//!
//! Among equals, the one that the previous step found better is made, or the first of up, down,
//! left and right. `gauntlet probe` shows the value of each compared direction, and how many boards
//! were in the table.

mod bounds;
pub(super) mod evaluate;
mod manual;
mod meter;
mod player;
mod preset;
mod reference_search;
mod rules;
mod search;
mod table;
mod vectors;

use std::path::PathBuf;

use anyhow::Context;
use gauntlet_core::assets::AssetFiles;
use gauntlet_core::num::{BoundedInt, CountLimit, DepthLimit, Millis, Weight};
use gauntlet_core::player::{BuildContext, FileMistake, Player, Recipe, RecipeFacts, RecipeIdentity};
use gauntlet_players::budget::Budget;
use gauntlet_twenty48::eval::{WeightOverrides, Weights};
use gauntlet_twenty48::rules::Twenty48;
use gauntlet_twenty48::rules::cells::MAX_RANK;
use gauntlet_twenty48_endgame::answers::{ORDER, Source};
use gauntlet_twenty48_endgame::player::Endgames;
use serde::{Deserialize, Serialize, Serializer};

use super::network_evaluation::{check_network, network_files, open_network};
use evaluate::MAX_POINTS;
pub use evaluate::{Evaluate, EvaluationSetting};
pub use manual::{EXAMPLE, MORE_EXAMPLES};
pub use player::Adaptive;
use player::ExpectimaxSettings;
pub(super) use player::{Expectimax, TABLE_MIB};
use preset::EvaluationPreset;
pub use rules::{LeastProbability, LeastValue, TableReuse};
use rules::{MAX_DEPTH, tile_weight};
use table::Kind;

/// Version of the rule of `least_value`. A change of moves must change it, so that games with this
/// setting are played again.
const LEAST_VALUE_VERSION: &str = "least value 1";

/// Largest absolute value of `lost`.
const MAX_LOSS: f64 = 1e9;

/// Settings of the player. The evaluation is a built-in one by name, or another package's
/// ([`Evaluate`]).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, bound = "E: EvaluationSetting")]
pub struct Config<E = EvaluationPreset> {
    /// Number of the player's moves on a path.
    pub depth: Option<DepthLimit<1, MAX_DEPTH>>,
    /// Depth by a rule.
    pub adaptive: Option<Adaptive>,
    /// Number of boards searched.
    pub nodes: Option<CountLimit<1, 4_000_000_000>>,
    /// Time limit in milliseconds.
    pub millis: Option<Millis>,
    /// Evaluation of a board.
    pub evaluation: E,
    /// Weights of features that replace those of the evaluation.
    pub weights: Option<WeightOverrides>,
    /// Network file.
    pub network: Option<PathBuf>,
    /// Value of a lost position.
    pub lost: Option<Weight>,
    /// True if no position is worth less than a lost one.
    pub lost_is_least: Option<bool>,
    /// True if points count.
    pub gains: bool,
    /// Smallest probability of a board that is searched further.
    pub least_probability: LeastProbability,
    /// Smallest value of a board that is searched further, as a factor of r 2^r.
    pub least_value: Option<LeastValue>,
    /// Maximum number of 4s on a path.
    pub fours: Option<BoundedInt<0, MAX_DEPTH>>,
    /// Size of the transposition table in mebibytes.
    pub table_mib: BoundedInt<0, 1024>,
    /// Values that the table may answer with.
    pub reuse: TableReuse,
    /// True to prune moves that cannot be the best; by default if boards have bounds.
    pub star1: Option<bool>,
    /// Folder of endgame tables.
    pub endgames: Option<PathBuf>,
    /// Order in which the tables are asked.
    pub endgame_order: Option<Vec<Source>>,
}

impl<E: Default> Default for Config<E> {
    fn default() -> Config<E> {
        Config::with_evaluation(E::default())
    }
}

impl<E> Config<E> {
    /// Returns the default settings with this evaluation, without any limit of the search.
    pub fn with_evaluation(evaluation: E) -> Config<E> {
        Config {
            depth: None,
            adaptive: None,
            nodes: None,
            millis: None,
            evaluation,
            weights: None,
            network: None,
            lost: None,
            lost_is_least: None,
            gains: false,
            least_probability: LeastProbability::try_from(0.0001).expect("is in bounds"),
            least_value: None,
            fours: None,
            table_mib: BoundedInt::new(8),
            reuse: TableReuse::default(),
            star1: None,
            endgames: None,
            endgame_order: None,
        }
    }
}

/// Serializes the settings with all weights, so that an explicit default makes the same player as
/// an omitted one.
impl<E: EvaluationSetting> Serialize for Config<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct EffectiveSettings<'a, E> {
            depth: &'a Option<DepthLimit<1, MAX_DEPTH>>,
            adaptive: &'a Option<Adaptive>,
            nodes: &'a Option<CountLimit<1, 4_000_000_000>>,
            millis: &'a Option<Millis>,
            evaluation: &'a E,
            weights: Option<Weights>,
            #[serde(skip_serializing_if = "Option::is_none")]
            network: &'a Option<PathBuf>,
            lost: f64,
            lost_is_least: bool,
            gains: bool,
            least_probability: LeastProbability,
            #[serde(skip_serializing_if = "Option::is_none")]
            least_value: &'a Option<LeastValue>,
            fours: &'a Option<BoundedInt<0, MAX_DEPTH>>,
            table_mib: &'a BoundedInt<0, 1024>,
            reuse: TableReuse,
            star1: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            endgames: &'a Option<PathBuf>,
            #[serde(skip_serializing_if = "Option::is_none")]
            endgame_order: Option<&'a [Source]>,
        }

        let Config {
            depth,
            adaptive,
            nodes,
            millis,
            evaluation,
            network,
            gains,
            least_probability,
            least_value,
            fours,
            table_mib,
            reuse,
            endgames,
            ..
        } = self;
        let tables = self.tables();
        let endgame_order = tables.as_ref().map(Endgames::order);
        EffectiveSettings {
            depth,
            adaptive,
            nodes,
            millis,
            evaluation,
            weights: self.all_weights(),
            network,
            lost: self.loss_value(),
            lost_is_least: self.is_loss_least(),
            gains: *gains,
            least_probability: *least_probability,
            least_value,
            fours,
            table_mib,
            reuse: *reuse,
            star1: self.star1(),
            endgames,
            endgame_order,
        }
        .serialize(serializer)
    }
}

impl<E: EvaluationSetting> Config<E> {
    fn tables(&self) -> Option<Endgames> {
        Endgames::from_settings(self.endgames.as_ref(), self.endgame_order.as_ref(), ORDER)
    }

    fn all_weights(&self) -> Option<Weights> {
        match (self.evaluation.weights(), &self.weights) {
            (Some(preset), Some(changes)) => Some(preset.with_overrides(changes)),
            (preset, changes) => preset.or_else(|| changes.as_ref().map(|changes| changes.weights().clone())),
        }
    }

    /// Returns true if a network is part of the evaluation.
    pub(crate) fn has_network_weight(&self) -> bool {
        self.all_weights().is_some_and(|weights| weights.has_network())
    }

    /// Returns what prevents bounds, if anything.
    fn bounds_obstacle(&self) -> Option<String> {
        if E::IS_CUSTOM {
            return Some("an `evaluation` of another package".to_owned());
        }
        let weights = self.all_weights()?;
        let board_feature = || {
            weights.board_feature().map(|name| format!("the feature `{name}`, which is not a sum over lines"))
        };
        let network = weights.network().map(|_| "a `network`".to_owned());
        let deeper = (self.reuse == TableReuse::Deeper).then(|| "`reuse = \"deeper\"`".to_owned());
        self.gains.then(|| "`gains = true`".to_owned()).or(deeper).or(network).or_else(board_feature)
    }

    fn star1(&self) -> bool {
        self.star1.unwrap_or_else(|| self.bounds_obstacle().is_none())
    }

    fn loss_value(&self) -> f64 {
        self.lost.map_or(self.evaluation.loss_value(), Weight::get)
    }

    /// Returns the largest value of a search apart from evaluations.
    fn max_value(&self) -> f64 {
        let max_points = if self.gains { MAX_POINTS } else { 0.0 };
        let max_limit = self.least_value.map_or(0.0, |factor| factor.get() * tile_weight(MAX_RANK));
        self.loss_value().abs().max(max_points).max(max_limit)
    }

    fn is_loss_least(&self) -> bool {
        self.lost_is_least.unwrap_or(self.evaluation.is_loss_minimum())
    }

    fn budget(&self) -> Result<Budget, (&'static str, String)> {
        Budget::from_settings([
            Budget::depth(self.depth),
            ("adaptive", self.adaptive.map(|rule| Budget::Depth(rule.least.get()))),
            Budget::nodes(self.nodes),
            Budget::millis(self.millis),
        ])
    }
}

impl<E: EvaluationSetting> Config<E> {
    /// Builds the player without its tables.
    fn build_without_tables(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let budget = self.budget().map_err(|(_, message)| anyhow::Error::msg(message))?;
        let weights = self.all_weights();
        let network = match weights.as_ref().and_then(Weights::network) {
            Some(weight) => Some((open_network(self.network.as_deref(), &context.assets)?, weight)),
            None => None,
        };
        let settings = ExpectimaxSettings {
            budget,
            adaptive: self.adaptive,
            min_probability: self.least_probability.get() as f32,
            gains: self.gains,
            loss_value: self.loss_value(),
            is_loss_minimum: self.is_loss_least(),
            least_value: self.least_value.map(LeastValue::get),
            fours: self.fours.map_or(u32::MAX, BoundedInt::get),
            table_mib: self.table_mib.get(),
            kind: if self.reuse == TableReuse::Deeper { Kind::Deep } else { Kind::Ranged },
            has_bounds: self.star1(),
            preparation: context.preparation.clone(),
            stop: context.stop.clone(),
        };
        self.evaluation
            .build_player(weights.as_ref(), network, self.max_value(), settings)
            .context("an evaluation is missing")
    }
}

impl<E: EvaluationSetting> Recipe<Twenty48> for Config<E> {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let (config, context_clone) = (self.clone(), context.clone());
        match self.tables() {
            Some(tables) => tables.build_player(context, move || config.build_without_tables(&context_clone)),
            None => self.build_without_tables(context),
        }
    }

    fn facts(&self, rules: &gauntlet_twenty48::rules::Rules) -> RecipeFacts {
        // Line tables: at most five, or one with 2.25 MiB for parallel leaves. Bounds have five of
        // 32,768 numbers.
        let bounds = if self.star1() { 5 << 18 } else { 0 };
        RecipeFacts {
            files: network_files(self.network.as_deref()),
            folders: self.tables().iter().map(Endgames::folder).collect(),
            memory: (u64::from(self.table_mib.get()) << 20) + (6 << 19) + bounds,
            is_reproducible: self.millis.is_none(),
            rules_mismatch: self.tables().and_then(|_| Endgames::find_mismatch(rules)),
            ..RecipeFacts::default()
        }
    }

    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        check_network(self.network.as_deref(), assets)?;
        let mut identity =
            self.tables().map_or(Ok(RecipeIdentity::default()), |tables| tables.open(assets))?;
        if self.least_value.is_some() {
            // The games of a signature do not use `least_value`.
            identity.add_version(LEAST_VALUE_VERSION);
        }
        Ok(identity)
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        let weights = self.all_weights();
        let missing_evaluation = (weights.is_none() && !E::IS_CUSTOM)
            .then(|| ("evaluation", "is \"none\", and there are no `weights`".to_owned()));
        let all_zero = weights.as_ref().filter(|weights| !weights.has_effect());
        let all_zero = all_zero.map(|_| ("weights", Weights::ALL_ZERO_MESSAGE.to_owned()));
        let unused_network = (self.network.is_some() && !self.has_network_weight())
            .then(|| ("network", "has no effect without a `network` in `weights`".to_owned()));
        let bounds_conflict = self.star1.filter(|&is_on| is_on).and_then(|_| self.bounds_obstacle());
        let bounds_conflict = bounds_conflict.map(|obstacle| {
            ("star1", format!("needs bounds of board values, which are unknown with {obstacle}"))
        });
        // A larger value can make the unit of all values larger than a point.
        let too_large_loss = self.lost.filter(|lost| lost.get().abs() > MAX_LOSS);
        let too_large_loss = too_large_loss.map(|_| ("lost", "must be from -1e9 to 1e9".to_owned()));
        let table_conflict = Endgames::contradiction(self.endgames.as_ref(), self.endgame_order.as_ref());
        self.budget()
            .err()
            .or(missing_evaluation)
            .or(all_zero)
            .or(unused_network)
            .or(bounds_conflict)
            .or(too_large_loss)
            .or(table_conflict)
    }
}

#[cfg(test)]
mod tests;
