//! Recipes: checked settings that build a player.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::contract::Player;
use super::preparation::Preparation;
use super::stop::Stop;
use crate::assets::AssetFiles;
use crate::game::Game;
use crate::num::Seconds;
use crate::record::TimeSource;

/// Build context of a player, in addition to its settings.
#[derive(Clone, Debug, Default)]
pub struct BuildContext {
    /// Large constant files.
    pub assets: Arc<AssetFiles>,
    /// Stop request, which every search checks.
    pub stop: Stop,
    /// Time limit per game.
    pub max_seconds: Option<Seconds>,
    /// Counter of moves in the current game.
    pub moves: MoveCounter,
    /// Work of the players of this thread that does not count as thinking.
    pub preparation: Preparation,
    /// True if thinking times are not needed; then the calibration loop does not run.
    pub is_untimed: bool,
}

/// Move counter of the current game, which the playing thread shares with others: one plain store
/// per move.
#[derive(Clone, Debug, Default)]
pub struct MoveCounter(Arc<PaddedCounter>);

/// Counter in its own cache lines, because other threads write to neighbouring counters.
#[derive(Debug, Default)]
#[repr(align(128))]
struct PaddedCounter(AtomicU64);

impl MoveCounter {
    /// Sets the number of moves.
    #[inline]
    pub fn set(&self, moves: u64) {
        self.0.0.store(moves, Ordering::Relaxed);
    }

    /// Returns the number of moves.
    pub fn get(&self) -> u64 {
        self.0.0.load(Ordering::Relaxed)
    }
}

/// Checked settings that build a player.
pub trait Recipe<G: Game>: Debug + Send + Sync {
    /// Builds a player.
    fn build(&self, context: &BuildContext) -> anyhow::Result<Box<dyn Player<G>>>;

    /// Returns what is known of the player under these rules without building it.
    fn facts(&self, rules: &G::Rules) -> RecipeFacts {
        let _ = rules;
        RecipeFacts::default()
    }

    /// Opens what the player needs outside the program. It decodes each file in
    /// [`RecipeFacts::files`], so that mistakes are found before a game is played. Players share
    /// the decoded values ([`AssetFiles::get`]).
    fn open(&self, assets: &AssetFiles) -> Result<RecipeIdentity, FileMistake> {
        let _ = assets;
        Ok(RecipeIdentity::default())
    }

    /// Returns a contradiction between settings that are each valid alone: the key to blame and
    /// what is wrong. It is shown at the key, or at the player's header if the key is not written.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        None
    }
}

/// Identity of an opened player, in addition to its settings and [`RecipeFacts::files`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecipeIdentity {
    /// Files of [`RecipeFacts::folders`].
    pub files: Vec<FileUsed>,
    /// Digest of its program, or versions of rules that the games of a signature do not cover.
    pub version: Option<String>,
}

impl RecipeIdentity {
    /// Creates the identity of a program.
    pub fn from_program(digest: String) -> RecipeIdentity {
        RecipeIdentity { version: Some(digest), files: Vec::new() }
    }

    /// Adds the version of a rule.
    pub fn add_version(&mut self, version: &str) {
        self.version = Some(match self.version.take() {
            Some(earlier_versions) => format!("{earlier_versions}, {version}"),
            None => version.to_owned(),
        });
    }
}

/// Asset file that a player is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUsed {
    /// Setting that names the file, or its folder.
    pub setting: &'static str,
    /// Path as the experiment writes it.
    pub path: PathBuf,
    /// Digest that covers the content of the file.
    pub digest: String,
}

/// Mismatch between the rules a player was made for and the rules it plays by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RulesMismatch {
    /// What differs, as the end of a sentence about the player.
    pub difference: String,
    /// Setting that would fit, as TOML.
    pub fitting_setting: String,
}

/// Facts about a player, known from its settings before it is built.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeFacts {
    /// Asset files that the player is built from: the setting that names each, and the path as
    /// written.
    pub files: Vec<(&'static str, PathBuf)>,
    /// Folders whose files the player finds when it is opened ([`Recipe::open`]).
    pub folders: Vec<(&'static str, PathBuf)>,
    /// Other algorithms whose searches choose some of its moves.
    pub algorithms: Vec<&'static str>,
    /// Command and arguments, if the player is an external program. It is only started if that is
    /// permitted ([`AssetFiles::programs`]), and is given up after repeated failures.
    pub command: Option<Vec<String>>,
    /// Largest number of games per call, if the player is a function of the host program. One
    /// thread plays all its games, in one batch.
    pub host_batch: Option<usize>,
    /// Memory per player in bytes, in addition to shared data; 0 if little.
    pub memory: u64,
    /// Number of threads that the player uses at once.
    pub threads: usize,
    /// Which time counts as thinking. A player that waits for another program uses next to none of
    /// its own.
    pub time_source: TimeSource,
    /// True if equal seeds make equal games; false if a time limit affects its play.
    pub is_reproducible: bool,
    /// How the player does not fit the rules, such as an end of the game that only its search
    /// assumes.
    pub rules_mismatch: Option<RulesMismatch>,
    /// Normal form of the settings, equal for all settings that make the same choices by
    /// arithmetic. For example, if only the ratios of weights matter, a common factor is removed.
    /// `None` if only equal settings make equal choices.
    pub normal_form: Option<Value>,
}

impl RecipeFacts {
    /// Returns true if the moves come from an external program or from the host program.
    pub fn is_external(&self) -> bool {
        self.command.is_some() || self.host_batch.is_some()
    }

    /// Returns true if journals keep the moves, because nothing can replay them.
    pub fn keeps_moves(&self) -> bool {
        self.is_external() && !self.is_reproducible
    }
}

impl Default for RecipeFacts {
    fn default() -> Self {
        RecipeFacts {
            files: Vec::new(),
            folders: Vec::new(),
            algorithms: Vec::new(),
            command: None,
            host_batch: None,
            memory: 0,
            threads: 1,
            time_source: TimeSource::Thoughts,
            is_reproducible: true,
            rules_mismatch: None,
            normal_form: None,
        }
    }
}

/// Problem with a file or program of a player.
#[derive(Clone, Debug)]
pub struct FileMistake {
    /// Setting that names it; `None` if it concerns the whole player.
    pub setting: Option<&'static str>,
    /// Message, with its causes.
    pub message: String,
}

impl FileMistake {
    /// Creates a mistake about the file or folder that this setting names.
    pub fn new(setting: &'static str, error: &anyhow::Error) -> FileMistake {
        FileMistake { setting: Some(setting), message: format!("{error:#}") }
    }

    /// Creates a mistake about the whole player.
    pub fn for_player(error: &anyhow::Error) -> FileMistake {
        FileMistake { setting: None, message: format!("{error:#}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_has_the_versions_of_all_rules() {
        let mut identity = RecipeIdentity::from_program("tables 1".to_owned());
        identity.add_version("limit 2");
        assert_eq!(identity.version.as_deref(), Some("tables 1, limit 2"));
    }
}
