//! Value network trained from games, without or with a search.
//!
//! Source: Szubert and Jaśkowski (2014), "Temporal Difference Learning of N-Tuple Networks for the
//! Game 2048". A move is worth its points plus the network's value of the board after it. `depth`
//! is the number of the player's moves on a path. A board after a move is worth the mean over all
//! possible tiles of the best following move, down to the last board, which the network values. A
//! position without a move is worth nothing more. No board is too improbable to be searched.
//!
//! `nodes` deepens step by step until that many boards were searched: the k-th step has a depth of
//! k and a least probability of 2^-k. The search is that of `expectimax`, also if a step is
//! interrupted: values are whole numbers of 2^-20 points, and a transposition table changes no
//! value; with `nodes` it affects how far a search gets. `millis` deepens in the same steps until
//! the time is over.
//!
//! `downgrade` follows a rule of TDL2048+ (`downgrading` describes the differences). It starts at
//! the game's first board whose distinct tiles sum to this value or more. From then on a board is
//! evaluated as if its largest missing tile were not missing: all tiles above it are halved. When
//! such a downgraded board reaches the sum again, another gap is closed, and so on. Values are
//! those of the downgraded board.
//!
//! From a largest tile of `late_from` on, `expectimax` with the settings `late` chooses the moves.
//!
//! With `endgames`, tables are asked before either search, on the board as it is. `downgrade`
//! starts at the first board that no table answers.
//!
//! Without `network` it uses the network trained by `configs/train/quick.toml`, which is part of
//! the program. The network, but not the rules, treats a tile over 32768 as 32768. Among equals,
//! the first of up, down, left and right is made.

use std::path::PathBuf;
use std::sync::Arc;

use gauntlet_core::assets::AssetFiles;
use gauntlet_core::num::{BoundedInt, CountLimit, DepthLimit, Millis};
use gauntlet_core::player::{
    Abilities, BuildContext, Choice, FileMistake, Inspect, NoMove, Player, Recipe, RecipeFacts,
    RecipeIdentity, Start,
};
use gauntlet_players::budget::Budget;
use gauntlet_twenty48::eval::IntegerFeatures;
use gauntlet_twenty48::rules::{Board, Direction, Rules, Twenty48};
use gauntlet_twenty48_endgame::answers::{ORDER, Source};
use gauntlet_twenty48_endgame::player::Endgames;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::downgrading::Downgrading;
use super::expectimax::evaluate::MAX_POINTS;
use super::expectimax::{self, Expectimax, TABLE_MIB};
use super::network_evaluation::{
    NetworkEvaluation, ZeroEvaluation, check_network, network_files, open_network,
};
use super::two_searches::TwoSearches;
use crate::network::Network;
use crate::network::board_moves::BoardMoves;

/// Manual: a TOML example with every setting.
pub const EXAMPLE: &str = r#"# N-tuple network, trained by self-play with `gauntlet train`.
algorithm = "n-tuple"
# file written by `gauntlet train`; default: the built-in network
# network = "my.network"
depth = 1                 # own moves per path, 1 to 8; default 1
# instead of depth: boards per move, by iterative deepening
# nodes = 1000
# instead of depth: time limit of iterative deepening
# millis = 0.5
# sum of distinct tiles from which large tiles are replaced by smaller ones
# downgrade = 32768
# largest tile from which expectimax chooses the moves, and its settings
# late_from = 16384
# late = { evaluation = "macroxue", nodes = 1000 }
# folder of endgame tables, which are asked before the network
# endgames = "endgames"
# order of tables, each with the least probability that counts
# endgame_order = ["macroxue-11 0.9", "block-10-512", "macroxue-10"]
"#;

/// Examples of settings that [`EXAMPLE`] leaves out.
pub const MORE_EXAMPLES: &[&str] = &[
    r#"algorithm = "n-tuple"
depth = 2
"#,
    r#"algorithm = "n-tuple"
nodes = 300
downgrade = 1024
"#,
    r#"algorithm = "n-tuple"
depth = 1
late_from = 32
late = { evaluation = "macroxue", depth = 1 }
"#,
];

/// Version of the rule that a network in `late` is the network of the player. Before, it was the
/// built-in network.
const LATE_NETWORK_VERSION: &str = "late network 1";

/// Settings of `n-tuple`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Network file.
    pub network: Option<PathBuf>,
    /// Number of the player's moves on a path.
    pub depth: Option<DepthLimit<1, 8>>,
    /// Number of boards searched.
    pub nodes: Option<CountLimit<1, 4_000_000_000>>,
    /// Time limit in milliseconds.
    pub millis: Option<Millis>,
    /// Sum of a board's distinct tiles from which on it is downgraded.
    pub downgrade: Option<BoundedInt<1024, 131_070>>,
    /// Largest tile from which on `late` plays.
    pub late_from: Option<BoundedInt<4, 65_536>>,
    /// Settings of `expectimax` from then on.
    pub late: Option<expectimax::Config>,
    /// Folder of endgame tables.
    pub endgames: Option<PathBuf>,
    /// Order in which the tables are asked.
    pub endgame_order: Option<Vec<Source>>,
}

/// Serializes the settings with the depth if no limit is written, and without unused ones.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct EffectiveSettings<'a> {
            network: &'a Option<PathBuf>,
            #[serde(skip_serializing_if = "Option::is_none")]
            depth: Option<DepthLimit<1, 8>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            nodes: Option<CountLimit<1, 4_000_000_000>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            millis: Option<Millis>,
            #[serde(skip_serializing_if = "Option::is_none")]
            downgrade: Option<BoundedInt<1024, 131_070>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            late_from: Option<BoundedInt<4, 65_536>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            late: &'a Option<expectimax::Config>,
            #[serde(skip_serializing_if = "Option::is_none")]
            endgames: &'a Option<PathBuf>,
            #[serde(skip_serializing_if = "Option::is_none")]
            endgame_order: Option<&'a [Source]>,
        }

        let Config { network, depth, nodes, millis, downgrade, late_from, late, endgames, .. } = self;
        let tables = self.tables();
        let endgame_order = tables.as_ref().map(Endgames::order);
        let depth = depth.or((nodes.is_none() && millis.is_none()).then(|| BoundedInt::new(1)));
        EffectiveSettings {
            network,
            depth,
            nodes: *nodes,
            millis: *millis,
            downgrade: *downgrade,
            late_from: *late_from,
            late,
            endgames,
            endgame_order,
        }
        .serialize(serializer)
    }
}

impl Config {
    fn tables(&self) -> Option<Endgames> {
        Endgames::from_settings(self.endgames.as_ref(), self.endgame_order.as_ref(), ORDER)
    }

    /// Returns the settings of the second search, which shares the network of this player.
    fn late_config(&self) -> Option<expectimax::Config> {
        let late = self.late.clone()?;
        Some(expectimax::Config { network: self.network.clone(), ..late })
    }

    fn late_contradiction(&self) -> Option<(&'static str, String)> {
        let (switch_tile, late_settings) = match (self.late_from, &self.late) {
            (None, None) => return None,
            (Some(_), None) => return Some(("late_from", "has no effect without `late`".to_owned())),
            (None, Some(_)) => return Some(("late", "has no effect without `late_from`".to_owned())),
            (Some(switch_tile), Some(late_settings)) => (switch_tile, late_settings),
        };
        if !switch_tile.get().is_power_of_two() {
            return Some(("late_from", "must be a tile: a power of two".to_owned()));
        }
        // The key of a player has the content of a file only for a setting of the player itself.
        let forbidden_keys =
            [("network", late_settings.network.is_some()), ("endgames", late_settings.endgames.is_some())];
        if let Some((key, _)) = forbidden_keys.into_iter().find(|(_, is_set)| *is_set) {
            return Some(("late", format!("cannot have `{key}`; set `{key}` of the player")));
        }
        // A board without this tile has distinct tiles of a smaller sum.
        if self.downgrade.is_some_and(|downgrade| downgrade.get() >= switch_tile.get()) {
            return Some((
                "downgrade",
                "has no effect, because it is not smaller than `late_from`".to_owned(),
            ));
        }
        late_settings
            .contradiction()
            .map(|(key, message)| ("late", format!("is wrong at `{key}`: {message}")))
    }

    fn budget(&self) -> Result<Budget, (&'static str, String)> {
        Budget::from_settings_or(
            Budget::Depth(1),
            [Budget::depth(self.depth), Budget::nodes(self.nodes), Budget::millis(self.millis)],
        )
    }

    /// Builds the player without its tables.
    fn build_without_tables(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let early_search =
            self.build_with_network(open_network(self.network.as_deref(), &context.assets)?, context)?;
        Ok(match (self.late_from, self.late_config()) {
            (Some(switch_tile), Some(late_config)) => Box::new(TwoSearches {
                switch_rank: switch_tile.get().ilog2() as u8,
                early_search,
                late_search: late_config.build(context)?,
                used_late_search: false,
            }),
            _ => early_search,
        })
    }

    fn build_with_network(
        &self,
        network: Arc<Network>,
        context: &BuildContext,
    ) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let budget = self.budget().map_err(|(_, message)| anyhow::Error::msg(message))?;
        let mode = if budget == Budget::Depth(1) {
            Mode::Direct { network, board_moves: Box::default() }
        } else {
            let base = ZeroEvaluation(IntegerFeatures::without_features(MAX_POINTS));
            let evaluation = NetworkEvaluation { base, network, weight: 1.0 };
            Mode::Search(Box::new(Expectimax::with_points_only(evaluation, budget, context.stop.clone())))
        };
        let downgrading = self.downgrade.map(|threshold| Downgrading::new(threshold.get()));
        Ok(Box::new(NTuple { mode, downgrading, values: Vec::new() }))
    }
}

impl Recipe<Twenty48> for Config {
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<Twenty48>>> {
        let (config, context_clone) = (self.clone(), context.clone());
        let build = move || config.build_without_tables(&context_clone);
        match self.tables() {
            Some(tables) => tables.build_player(context, build),
            None => build(),
        }
    }

    fn facts(&self, rules: &Rules) -> RecipeFacts {
        let has_table = self.budget() != Ok(Budget::Depth(1));
        let late_facts = self.late.as_ref().map(|late| late.facts(rules)).unwrap_or_default();
        RecipeFacts {
            files: network_files(self.network.as_deref()),
            folders: self.tables().iter().map(Endgames::folder).collect(),
            // The examples of `n-tuple` cover the change of the search.
            algorithms: self.late.iter().flat_map(|_| ["n-tuple", "expectimax"]).collect(),
            memory: late_facts.memory + if has_table { u64::from(TABLE_MIB) << 20 } else { 0 },
            rules_mismatch: self.tables().and_then(|_| Endgames::find_mismatch(rules)),
            is_reproducible: self.millis.is_none() && late_facts.is_reproducible,
            ..RecipeFacts::default()
        }
    }

    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        check_network(self.network.as_deref(), assets)?;
        let mut identity =
            self.tables().map_or(Ok(RecipeIdentity::default()), |tables| tables.open(assets))?;
        // `late` has no files of its own, but can have a rule with a version.
        if let Some(late) = &self.late
            && let Some(version) = late.open(assets)?.version
        {
            identity.add_version(&version);
        }
        if self.network.is_some() && self.late.as_ref().is_some_and(expectimax::Config::has_network_weight) {
            identity.add_version(LATE_NETWORK_VERSION);
        }
        Ok(identity)
    }

    fn contradiction(&self) -> Option<(&'static str, String)> {
        let conflict = self.budget().err().or_else(|| self.late_contradiction());
        conflict.or_else(|| Endgames::contradiction(self.endgames.as_ref(), self.endgame_order.as_ref()))
    }
}

struct NTuple {
    mode: Mode,
    downgrading: Option<Downgrading>,
    /// Value of each legal direction at the last choice.
    values: Vec<(Direction, f64)>,
}

/// How far the player searches.
enum Mode {
    /// Evaluates the boards right after its moves.
    Direct { network: Arc<Network>, board_moves: Box<BoardMoves> },
    /// Searches deeper.
    Search(Box<Expectimax<NetworkEvaluation<ZeroEvaluation>>>),
}

impl Player<Twenty48> for NTuple {
    fn begin(&mut self, _start: &Start<Twenty48>) {
        self.values.clear();
        if let Some(downgrading) = &mut self.downgrading {
            downgrading.reset();
        }
    }

    fn choose(&mut self, position: &Twenty48) -> Result<Choice<Direction>, NoMove> {
        let board = position.board();
        let board = self.downgrading.as_mut().map_or(board, |downgrading| downgrading.downgrade(board));
        self.values.clear();
        match &mut self.mode {
            Mode::Direct { network, board_moves } => {
                choose_without_search(board, network, board_moves, &mut self.values)
            }
            Mode::Search(search) => {
                let choice = search.choose_on(board);
                self.values = search.direction_values();
                choice
            }
        }
    }

    fn abilities(&mut self) -> Abilities<'_, Twenty48> {
        Abilities::Inspect(self)
    }
}

impl Inspect<Twenty48> for NTuple {
    fn counters(&mut self) -> Vec<(&'static str, Value)> {
        match &self.mode {
            Mode::Direct { .. } => Vec::new(),
            Mode::Search(search) => vec![("table_hits", search.table_hits().into())],
        }
    }

    fn move_values(&mut self, _position: &Twenty48) -> Vec<(Direction, f64)> {
        self.values.clone()
    }
}

/// Returns the best move of a board without a search; `values` receives those of all moves.
fn choose_without_search(
    board: Board,
    network: &Network,
    board_moves: &mut BoardMoves,
    values: &mut Vec<(Direction, f64)>,
) -> Result<Choice<Direction>, NoMove> {
    board_moves.generate(board, network);
    let move_values = board_moves.iter_values(network);
    values.extend(
        move_values
            .map(|(legal_move, value)| (legal_move.direction, legal_move.gain as f64 + f64::from(value))),
    );
    let best = values.iter().copied().reduce(|best, other| if other.1 > best.1 { other } else { best });
    let (mv, value) = best.ok_or_else(|| NoMove::forfeit("there is no legal move"))?;
    Ok(Choice { value: Some(value), nodes: values.len() as u64, depth: Some(1), ..Choice::new(mv) })
}

#[cfg(test)]
mod tests {
    use gauntlet_core::game::Seat;
    use gauntlet_core::player::BuildContext;
    use gauntlet_core::rng::Seed;
    use gauntlet_twenty48::rules::{Cells, Rules};

    use super::*;
    use crate::network::pattern::Patterns;
    use crate::network::stages::Stages;
    use crate::players::network_evaluation::BUILT_IN_NETWORK;

    /// Returns the value of a position by definition.
    fn value_by_definition(network: &Network, board: Board, depth: u32) -> f64 {
        let move_value = |direction| {
            let after = board.slide(direction)?;
            let value = if depth == 1 {
                f64::from(network.value(after.cells()))
            } else {
                let empty: Vec<usize> = (0..16).filter(|&cell| after.cells().rank(cell) == 0).collect();
                let board_value =
                    |cell, rank| value_by_definition(network, after.place(cell, rank), depth - 1);
                empty.iter().map(|&cell| 0.9 * board_value(cell, 1) + 0.1 * board_value(cell, 2)).sum::<f64>()
                    / empty.len() as f64
            };
            Some(board.gain(direction) as f64 + value)
        };
        Direction::ALL.into_iter().filter_map(move_value).reduce(f64::max).unwrap_or(0.0)
    }

    /// Creates a network of random weights with these patterns that exceeds a core's caches.
    fn large_network(patterns: &str, is_symmetric: bool, stages: Vec<u32>) -> Arc<Network> {
        let patterns = Patterns::try_from(patterns.to_owned()).expect("patterns");
        let stages = Stages::try_from(stages).expect("stages");
        let mut network = Network::new(&patterns, is_symmetric, &stages, 0.0).expect("a network");
        let mut rng = Seed::root(1).rng();
        network.weights_mut().iter_mut().for_each(|weight| *weight = rng.below(1 << 20) as f32 / 64.0);
        assert!(network.is_memory_bound() && !BUILT_IN_NETWORK.is_memory_bound());
        Arc::new(network)
    }

    #[test]
    fn values_are_those_of_the_definition() {
        let networks = [
            BUILT_IN_NETWORK.clone(),
            large_network("01234 12569", true, Vec::new()),
            large_network("01234", false, Vec::new()),
            large_network("01234", true, vec![1024]),
        ];
        for text in [
            "2 0 0 0  0 0 0 0  0 0 0 0  0 0 0 2",
            "2 4 8 16  32 64 128 256  2 4 8 16  2 4 8 2",
            "1024 512 256 128  2 8 16 64  4 2 0 2  0 0 2 0",
            "65536 32768 32768 4  8 4 2 8  2 16 4 2  4 2 8 2",
        ] {
            let board = Board::new(text.parse::<Cells>().expect("a board"));
            let position = Twenty48::set_up(&Rules::default(), text, None).expect("a position");
            for (network, depth) in
                networks.iter().flat_map(|network| [1, 2, 3].map(|depth| (network, depth)))
            {
                let config = Config { depth: Some(BoundedInt::new(depth)), ..Config::default() };
                let mut player =
                    config.build_with_network(network.clone(), &BuildContext::default()).expect("a player");
                let choice = player.choose(&position).expect("a move");
                let expected = value_by_definition(network, board, depth);
                let value = choice.value.expect("a value");
                // Values of a search are whole numbers of 2^-20 points; a single-precision sum has
                // 24 bits.
                assert!(
                    (value - expected).abs() <= 1e-7 * expected.abs() + 1e-5,
                    "{text}: {value} {expected}"
                );
                let chosen = player
                    .abilities()
                    .move_values(&position)
                    .into_iter()
                    .find(|(direction, _)| *direction == choice.mv);
                assert_eq!(chosen.map(|(_, value)| value), Some(value), "{text}");
            }
        }
    }

    /// More nodes search further, down to what a depth finds. Each budget is kept, except by the
    /// first step.
    #[test]
    fn nodes_search_ever_further() {
        let text = "2 4 8 16  2 128 64 32  256 0 0 4  2 0 8 16";
        let position = Twenty48::set_up(&Rules::default(), text, None).expect("a position");
        let (mut depths, mut last_nodes) = (Vec::new(), 0);
        for nodes in [1, 10, 100, 1000, 10_000, 30_000] {
            let config = Config { nodes: Some(BoundedInt::new(nodes)), ..Config::default() };
            let mut player = config.build(&BuildContext::default()).expect("a player");
            let choice = player.choose(&position).expect("a move");
            assert!(choice.nodes >= last_nodes && choice.nodes <= u64::from(nodes).max(4) + 64, "{choice:?}");
            assert_eq!(player.choose(&position).expect("a move"), choice, "the same again");
            last_nodes = choice.nodes;
            depths.extend(choice.depth);
        }
        assert!(depths.is_sorted() && depths[0] == 1 && depths[5] > 3, "{depths:?}");
    }

    /// The first step is always completed.
    #[test]
    fn more_time_searches_further() {
        let text = "2 4 8 16  2 128 64 32  256 0 0 4  2 0 8 16";
        let position = Twenty48::set_up(&Rules::default(), text, None).expect("a position");
        let depth = |millis: f64| {
            let config = Config { millis: Millis::try_from(millis).ok(), ..Config::default() };
            assert!(!config.facts(&Rules::default()).is_reproducible);
            let mut player = config.build(&BuildContext::default()).expect("a player");
            player.choose(&position).expect("a move").depth
        };
        assert!(depth(0.001) >= Some(1));
        let mut millis = 0.001;
        while depth(millis) < Some(3) {
            millis *= 4.0;
        }
    }

    #[test]
    fn large_tiles_are_looked_at_as_smaller_ones() {
        let choose = |text: &str, downgrade: Option<u32>| {
            let position = Twenty48::set_up(&Rules::default(), text, None).expect("a position");
            let config = Config { downgrade: downgrade.map(BoundedInt::new), ..Config::default() };
            let choice =
                config.build(&BuildContext::default()).expect("a player").choose(&position).expect("a move");
            choice.value
        };
        let (large, small) =
            ("4096 512 64 8  0 0 2 4  0 0 0 2  0 0 0 0", "2048 512 64 8  0 0 2 4  0 0 0 2  0 0 0 0");
        assert_ne!(choose(large, None), choose(small, None));
        assert_eq!(choose(large, Some(4096)), choose(small, None));
        assert_eq!(choose(large, Some(8192)), choose(large, None));
    }

    /// Large tiles are also treated as smaller ones in a search, but not in the next game.
    #[test]
    fn downgrading_holds_in_a_search_and_ends_with_the_game() {
        let position = |text: &str| Twenty48::set_up(&Rules::default(), text, None).expect("a position");
        let large_position = position("4096 512 64 8  0 0 2 4  0 0 0 2  0 0 0 0");
        let small_position = position("2048 512 64 8  0 0 2 4  0 0 0 2  0 0 0 0");
        for depth in [1, 2] {
            let build = |downgrade: Option<u32>| {
                let (depth, downgrade) = (Some(BoundedInt::new(depth)), downgrade.map(BoundedInt::new));
                let config = Config { depth, downgrade, ..Config::default() };
                config.build(&BuildContext::default()).expect("a player")
            };
            let expected = build(None).choose(&small_position).expect("a move");
            assert_ne!(build(None).choose(&large_position).expect("a move").value, expected.value);
            let mut player = build(Some(4096));
            assert_eq!(player.choose(&large_position).expect("a move"), expected);
            let choice = player.choose(&small_position).expect("a move");
            assert_ne!(choice.value, expected.value, "the gap stays closed");
            player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules: &Rules::default() });
            assert_eq!(player.choose(&small_position).expect("a move"), expected);
        }
    }

    #[test]
    fn another_search_plays_from_a_tile_on() {
        let position = |text: &str| Twenty48::set_up(&Rules::default(), text, None).expect("a position");
        let late_config =
            || expectimax::Config { depth: Some(BoundedInt::new(2)), ..expectimax::Config::default() };
        let config =
            Config { late_from: Some(BoundedInt::new(1024)), late: Some(late_config()), ..Config::default() };
        let context = BuildContext::default();
        let choose = |recipe: &dyn Recipe<Twenty48>, position: &Twenty48| {
            let mut player = recipe.build(&context).expect("a player");
            let choice = player.choose(position).expect("a move");
            (choice, player.abilities().move_values(position))
        };
        let small_position = position("512 512 128 64  32 16 8 4  0 0 0 0  0 0 0 2");
        let large_position = position("1024 256 128 64  32 16 8 4  0 0 0 0  0 0 2 2");
        assert_eq!(choose(&config, &small_position), choose(&Config::default(), &small_position));
        assert_eq!(choose(&config, &large_position), choose(&late_config(), &large_position));
        // One player changes its search, and begins another game with the first.
        let mut player = config.build(&context).expect("a player");
        for position in [&small_position, &large_position, &small_position] {
            let rules = &Rules::default();
            player.begin(&Start { seed: Seed::root(1), seat: Seat::First, rules });
            let expected = config.build(&context).expect("a player").choose(position).expect("a move");
            assert_eq!(player.choose(position).expect("a move"), expected);
        }
    }

    #[test]
    fn another_search_has_its_own_settings() {
        let late_config =
            || expectimax::Config { depth: Some(BoundedInt::new(2)), ..expectimax::Config::default() };
        let switch_tile = Some(BoundedInt::new(2048));
        let config = |settings| Config { late_from: switch_tile, late: Some(settings), ..Config::default() };
        let facts = |config: Config| config.facts(&Rules::default());
        assert!(
            facts(config(late_config())).is_reproducible && facts(config(late_config())).memory > 8 << 20
        );
        assert_eq!(facts(config(late_config())).algorithms, ["n-tuple", "expectimax"]);
        let version = |late| config(late).open(&AssetFiles::default()).expect("no files").version;
        assert_eq!(version(late_config()), None);
        let limited_config =
            expectimax::Config { least_value: serde_json::from_str("2.0").ok(), ..late_config() };
        let late_version = limited_config.open(&AssetFiles::default()).expect("no files").version;
        assert!(late_version.is_some() && version(limited_config) == late_version);
        assert!(facts(Config::default()).algorithms.is_empty());
        let timed_config =
            expectimax::Config { depth: None, millis: Millis::try_from(1.0).ok(), ..late_config() };
        assert!(!facts(config(timed_config)).is_reproducible);

        let contradiction = |config: Config| {
            config.contradiction().map(|(key, text)| format!("{key} {text}")).unwrap_or_default()
        };
        assert_eq!(contradiction(config(late_config())), "");
        assert_eq!(
            contradiction(Config { late: None, ..config(late_config()) }),
            "late_from has no effect without `late`"
        );
        assert_eq!(
            contradiction(Config { late_from: None, ..config(late_config()) }),
            "late has no effect without `late_from`"
        );
        let limitless = expectimax::Config { depth: None, ..late_config() };
        assert!(contradiction(config(limitless)).starts_with("late is wrong at `depth`: `depth`, "));
        let not_a_tile = Config { late_from: Some(BoundedInt::new(1000)), ..config(late_config()) };
        assert_eq!(contradiction(not_a_tile), "late_from must be a tile: a power of two");
        let with_network = expectimax::Config { network: Some("x".into()), ..late_config() };
        assert_eq!(
            contradiction(config(with_network)),
            "late cannot have `network`; set `network` of the player"
        );
        let with_tables = expectimax::Config { endgames: Some("x".into()), ..late_config() };
        assert_eq!(
            contradiction(config(with_tables)),
            "late cannot have `endgames`; set `endgames` of the player"
        );
        let downgrade = |sum| Config { downgrade: Some(BoundedInt::new(sum)), ..config(late_config()) };
        assert_eq!(contradiction(downgrade(1024)), "");
        assert!(contradiction(downgrade(2048)).starts_with("downgrade has no effect, because "));
    }
}
