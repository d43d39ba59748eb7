//! The settings that build a player.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::contract::Player;
use super::stop::Stop;
use crate::assets::Assets;
use crate::game::Game;
use crate::num::Seconds;
use crate::record::Timed;

/// Kit that a player is built with, besides its settings.
#[derive(Clone, Debug, Default)]
pub struct Kit {
    /// Large constant files.
    pub assets: Arc<Assets>,
    /// The request to stop, at which every search looks.
    pub stop: Stop,
    /// Time that each game may take.
    pub max_seconds: Option<Seconds>,
    /// Counter of the moves of the game in play.
    pub moves: Moves,
    /// True if no one will ask how long the player thought: then the yardstick is not played beside
    /// it.
    pub is_untimed: bool,
}

/// Number of moves of the game in play, which the one thread that plays it shows to others: one
/// plain store for each move.
#[derive(Clone, Debug, Default)]
pub struct Moves(Arc<Alone>);

/// In cache lines of its own: other threads write to the next ones.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Alone(AtomicU64);

impl Moves {
    /// The game has this number of moves.
    #[inline]
    pub fn set(&self, moves: u64) {
        self.0.0.store(moves, Ordering::Relaxed);
    }

    /// Number of moves.
    pub fn get(&self) -> u64 {
        self.0.0.load(Ordering::Relaxed)
    }
}

/// Checked settings of a player.
pub trait Recipe<G: Game>: Debug + Send + Sync {
    /// Builds a player.
    fn build(&self, kit: &Kit) -> anyhow::Result<Box<dyn Player<G>>>;

    /// What is known of the player under these rules without building it.
    fn facts(&self, rules: &G::Rules) -> RecipeFacts {
        let _ = rules;
        RecipeFacts::default()
    }

    /// Opens what the player needs outside the program: decodes each file in
    /// [`RecipeFacts::files`], so that a mistake in one is found before a game is played, and
    /// returns what identifies the player besides its settings and files, such as the digest of a
    /// program. Players share the decoded values ([`Assets::get`]).
    fn open(&self, assets: &Assets) -> Result<Option<String>, FileMistake> {
        let _ = assets;
        Ok(None)
    }

    /// A contradiction between settings each of which is valid alone: the key to blame and what is
    /// wrong. It is shown at the key, or at the head of the player if that key is not written.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        None
    }
}

/// A difference between the game that a player was made for and the rules that it plays by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EndMismatch {
    /// What differs, as the end of a sentence about the player.
    pub what: String,
    /// The setting that fits, as in TOML.
    pub fitting: String,
}

/// What is known of a player from its settings, before it is built.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeFacts {
    /// The large constant files that it is built from: the setting that names each, and the path as
    /// written.
    pub files: Vec<(&'static str, PathBuf)>,
    /// The program and its arguments, if the player is another program. It starts only if that is
    /// permitted ([`Assets::programs`]), and is given up when it fails in game after game.
    pub command: Option<Vec<String>>,
    /// Bytes that one player needs, besides what it shares with others; 0 if they are few.
    pub memory: u64,
    /// Threads that it thinks with at once.
    pub threads: usize,
    /// The time that counts as its thinking. A player that waits for another program uses next to
    /// none of its own.
    pub timed: Timed,
    /// True if equal seeds make equal games. Not so if its thinking is limited by time.
    pub is_reproducible: bool,
    /// True if all it does is `random_move` with its own stream, so that a game may play many such
    /// games at once ([`RandomPlay::random_games`](crate::game::RandomPlay::random_games)).
    pub is_pure_chance: bool,
    /// What of the player does not fit the rules, such as an end of the game that only its search
    /// knows.
    pub misfit: Option<EndMismatch>,
    /// The settings in a form that is the same for all that choose alike by arithmetic. For
    /// example, weights of which only the proportions count lose their common factor. None if only
    /// equal settings choose alike.
    pub normal_form: Option<Value>,
}

impl Default for RecipeFacts {
    fn default() -> Self {
        RecipeFacts {
            files: Vec::new(),
            command: None,
            memory: 0,
            threads: 1,
            timed: Timed::Thoughts,
            is_reproducible: true,
            is_pure_chance: false,
            misfit: None,
            normal_form: None,
        }
    }
}

/// What is wrong with a file or a program of a player.
#[derive(Clone, Debug)]
pub struct FileMistake {
    /// The setting that names it; none if the mistake is in the player as a whole.
    pub setting: Option<&'static str>,
    /// What is wrong, with its causes.
    pub message: String,
}

impl FileMistake {
    /// A mistake in the file or folder that this setting names.
    pub fn at(setting: &'static str, error: &anyhow::Error) -> FileMistake {
        FileMistake { setting: Some(setting), message: format!("{error:#}") }
    }

    /// A mistake in the player as a whole.
    pub fn of_player(error: &anyhow::Error) -> FileMistake {
        FileMistake { setting: None, message: format!("{error:#}") }
    }
}
