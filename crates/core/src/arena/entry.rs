//! Players as entered in an experiment, without the game's type.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde_json::Value;

use super::descriptions::{
    AlgorithmManual, CheckedRules, ExportedGame, FeatureEntry, ImportedGame, PositionDetails,
};
use super::observer::ReplayStep;
use super::position::{InitialPosition, PositionInWords};
use crate::assets::AssetFiles;
use crate::diagnostic::Diagnostic;
use crate::game::{Block, Diagram, Opening, Shape};
use crate::player::{BuildContext, FileMistake, FileUsed, PlayerServer, RecipeFacts, RecipeIdentity};
use crate::record::{BatchResult, GameRecord};
use crate::settings::SettingsTable;
use crate::settings::section::KeyDeclaration;

/// Player as entered in an experiment, with checked settings and known rules.
#[derive(Clone)]
pub struct Entry {
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// All settings including defaults, which together with its files identify the player.
    pub settings: Value,
    /// Asset files that the player is built from; empty until they are opened.
    pub files: Vec<FileUsed>,
    /// Additional identity ([`Recipe::open`](crate::player::Recipe::open)); `None` until the files
    /// are opened.
    pub identity: Option<String>,
    pub(super) facts: RecipeFacts,
    pub(super) shape: Shape,
    pub(super) player: Arc<dyn AnyPlayer>,
}

/// Worker that plays the blocks of a batch and returns a slice. It belongs to one line-up and one
/// thread.
pub type Worker = Box<dyn FnMut(&[Block]) -> BatchResult>;

/// Worker that also passes on games before its batch ends: each call has the index of the first of
/// some consecutive blocks, and their games.
pub type StreamWorker = Box<dyn FnMut(&[Block], Option<EarlyGames>) -> BatchResult>;

/// Receiver of games that ended before their batch did.
pub type EarlyGames<'a> = &'a mut dyn FnMut(usize, BatchResult);

/// Replays a game, shows every step, and returns the record and the reason of a player at fault.
pub type Replayer = Box<
    dyn FnMut(ReplayRequest, &mut dyn FnMut(&ReplayStep)) -> anyhow::Result<(GameRecord, Option<String>)>,
>;

/// Game to replay.
#[derive(Clone, Copy, Debug)]
pub struct ReplayRequest {
    /// Block of the game.
    pub block: Block,
    /// Leg of the block.
    pub leg: usize,
    /// True if the players are asked for the value of each move
    /// ([`Inspect::move_values`](crate::player::Inspect::move_values)).
    pub asks_values: bool,
}

impl Entry {
    /// Returns the shape of the player's game.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns what is known of the player without building it.
    pub fn facts(&self) -> &RecipeFacts {
        &self.facts
    }

    /// Returns true if the player depends on more than its settings: on files or an additional
    /// identity.
    pub fn needs_files(&self) -> bool {
        let RecipeFacts { command, files, folders, .. } = &self.facts;
        let has_identity = self.identity.is_some() || command.is_some();
        let is_plain =
            || self.player.open(&AssetFiles::default()).is_ok_and(|identity| identity.version.is_none());
        has_identity || !files.is_empty() || !folders.is_empty() || !is_plain()
    }

    /// Checks all bytes of the player's files, also those that no game may need
    /// ([`AssetFiles::verify_all`]).
    pub fn verify_files(&self, assets: &AssetFiles) -> Result<(), FileMistake> {
        assets.verify_all();
        self.player.open(assets).map(drop)
    }

    /// Opens the files that the player is built from and records their digests.
    pub fn open_files(&mut self, assets: &AssetFiles) -> Result<(), Vec<FileMistake>> {
        let mut mistakes = Vec::new();
        self.files.clear();
        match self.player.open(assets) {
            Ok(identity) => (self.files, self.identity) = (identity.files, identity.version),
            Err(mistake) => mistakes.push(mistake),
        }
        for (setting, path) in &self.facts.files {
            if mistakes.iter().any(|mistake| mistake.setting == Some(*setting)) {
                continue;
            }
            match assets.identity(path) {
                Ok(digest) => self.files.push(FileUsed { setting, path: path.clone(), digest }),
                Err(error) => mistakes.push(FileMistake::new(setting, &error)),
            }
        }
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }
}

/// Builds the players of a line-up for one thread. `max_moves` ends a game early.
///
/// # Panics
/// If the line-up does not have one player for each seat of one game.
pub fn build_worker(
    lineup: &[&Entry],
    max_moves: Option<u32>,
    context: &BuildContext,
) -> anyhow::Result<Worker> {
    let mut worker = build_stream_worker(lineup, max_moves, context)?;
    Ok(Box::new(move |blocks| worker(blocks, None)))
}

/// Like [`build_worker`], for batches whose games are needed before the batch ends.
///
/// # Panics
/// If the line-up does not have one player for each seat of one game.
pub fn build_stream_worker(
    lineup: &[&Entry],
    max_moves: Option<u32>,
    context: &BuildContext,
) -> anyhow::Result<StreamWorker> {
    first_player(lineup).build_stream_worker(lineup, max_moves, context)
}

/// Replays a game and shows every step.
///
/// # Panics
/// If the line-up does not have one player for each seat of one game.
pub fn replay(
    lineup: &[&Entry],
    max_moves: Option<u32>,
    game: ReplayRequest,
    context: &BuildContext,
    show: &mut dyn FnMut(&ReplayStep),
) -> anyhow::Result<(GameRecord, Option<String>)> {
    build_replayer(lineup, max_moves, context)?(game, show)
}

/// Builds the players of a line-up, to replay several games.
///
/// # Panics
/// If the line-up does not have one player for each seat of one game.
pub fn build_replayer(
    lineup: &[&Entry],
    max_moves: Option<u32>,
    context: &BuildContext,
) -> anyhow::Result<Replayer> {
    first_player(lineup).build_replayer(lineup, max_moves, context)
}

/// Returns the first player, which provides the game of all players.
fn first_player<'e>(lineup: &[&'e Entry]) -> &'e dyn AnyPlayer {
    &*lineup.first().expect("a line-up has a player").player
}

impl Deref for Entry {
    type Target = dyn AnyPlayer;

    fn deref(&self) -> &Self::Target {
        &*self.player
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, self.settings)
    }
}

/// Game with its players, without the game's type. Rules passed to it must come from this game.
pub trait AnyGame: Sync {
    /// Returns the keys of an experiment's file that set the rules.
    fn rule_keys(&self) -> &'static [&'static str];

    /// Returns the keys of the rules with the manual's text, if the game has it.
    fn rules_manual(&self) -> &'static [KeyDeclaration];

    /// Returns the features of positions that the game explains.
    fn features(&self) -> Vec<FeatureEntry>;

    /// Reads the rules from the keys in [`AnyGame::rule_keys`]. If they are wrong, returns the
    /// default rules with the mistakes, so that later checks can still run.
    fn read_rules(&self, table: &SettingsTable) -> (CheckedRules, Vec<Diagnostic>);

    /// Returns the manual entries of all algorithms, in order.
    fn manual(&self) -> Vec<AlgorithmManual>;

    /// Reads the settings of a player. An unknown algorithm returns no mistakes, because the caller
    /// has a better message for it.
    fn read_entry(
        &self,
        rules: &CheckedRules,
        algorithm: &str,
        table: &SettingsTable,
    ) -> Result<Entry, Vec<Diagnostic>>;

    /// Returns the opening of a block, in a game with openings.
    fn opening(&self, rules: &CheckedRules, block: Block) -> Option<Opening>;

    /// Returns the names of the stages ([`Rules::stages`](crate::game::Rules::stages)).
    fn stages(&self, rules: &CheckedRules) -> Vec<String>;

    /// Returns the number of these stages that a game reached.
    fn count_stages_reached(&self, rules: &CheckedRules, record: &GameRecord) -> usize;

    /// Returns the position after these moves, or what is wrong with one of them.
    fn position(
        &self,
        rules: &CheckedRules,
        setup: &InitialPosition,
        moves: &[String],
    ) -> Result<PositionInWords, String>;

    /// Evaluates the features and moves of a diagram's position.
    fn inspect_position(&self, rules: &CheckedRules, diagram: &Diagram) -> Result<PositionDetails, String>;

    /// Exports a whole game in the format of other programs; `None` if the game has no such format.
    fn export_game(&self, rules: &CheckedRules, game: &ExportedGame) -> Option<String>;

    /// Imports one game of such a text, counted from 1; `None` if the game has no such format.
    fn import_game(&self, text: &str, number: usize) -> Option<Result<ImportedGame, String>>;
}

/// Player with its rules, without the game's type. A line-up passed to it must start with it and
/// play its game.
pub trait AnyPlayer: Any + Send + Sync {
    /// Opens what the player needs outside the program
    /// ([`Recipe::open`](crate::player::Recipe::open)).
    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake>;

    /// Starts the player's program and returns the name and version it reports
    /// ([`RemotePlayer::greeting`](crate::player::RemotePlayer::greeting)).
    fn greeting(&self, context: &BuildContext) -> anyhow::Result<Option<String>>;

    /// See [`build_stream_worker`].
    fn build_stream_worker(
        &self,
        lineup: &[&Entry],
        max_moves: Option<u32>,
        context: &BuildContext,
    ) -> anyhow::Result<StreamWorker>;

    /// See [`build_replayer`].
    fn build_replayer(
        &self,
        lineup: &[&Entry],
        max_moves: Option<u32>,
        context: &BuildContext,
    ) -> anyhow::Result<Replayer>;

    /// Shows every step of a game with known moves. The player is not asked.
    fn replay_moves(
        &self,
        block: Block,
        moves: &[&str],
        show: &mut dyn FnMut(&ReplayStep),
    ) -> anyhow::Result<()>;

    /// Builds a server that answers other programs' questions to this player, under this name.
    fn build_server(&self, name: &str, context: &BuildContext) -> Box<dyn PlayerServer>;

    /// Returns why no game of this player can have this record, if it is impossible.
    fn invalid_reason(&self, record: &GameRecord, max_moves: Option<u32>) -> Option<String>;

    /// See [`Entry::with_stand_in`].
    fn share_moves(&self, stand_in: &Entry, stride: u32, own_moves: Arc<AtomicU64>) -> Arc<dyn AnyPlayer>;

    /// Asks the player, at the start of a game, for its move in a position.
    fn probe_position(&self, diagram: &Diagram, seed: u64, context: &BuildContext) -> anyhow::Result<Value>;
}
