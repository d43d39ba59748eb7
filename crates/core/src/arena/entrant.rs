//! A player as an experiment enters it, and what it asks of its game.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::audience::Step;
use super::contest::{Again, Worker};
use super::described::{Exchange, Manual, Read, Rules, Sight};
use super::position::{PositionInWords, Setup};
use crate::assets::Assets;
use crate::diagnostic::Diagnostic;
use crate::game::{Block, Diagram, Opening, Shape};
use crate::player::{FileMistake, Kit, RecipeFacts, Served};
use crate::record::GameRecord;
use crate::settings::Written;

/// A player as an experiment enters it: settings checked, rules known.
#[derive(Clone)]
pub struct Entrant {
    /// Its algorithm.
    pub algorithm: &'static str,
    /// All its settings, defaults included: what identifies the player, with its files.
    pub settings: Value,
    /// The large constant files that it is built from; empty until they are opened.
    pub files: Vec<FileUsed>,
    /// What identifies it besides ([`Recipe::open`](crate::player::Recipe::open)); none until its
    /// files are opened.
    pub identity: Option<String>,
    pub(super) facts: RecipeFacts,
    pub(super) shape: Shape,
    pub(super) game: &'static dyn AnyGame,
    pub(super) seated: Arc<dyn Any + Send + Sync>,
}

/// A large constant file that a player is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUsed {
    /// The setting that names it.
    pub setting: &'static str,
    /// Its path, as the experiment writes it.
    pub path: PathBuf,
    /// Its digest ([`Assets::identity`]).
    pub digest: String,
}

impl Entrant {
    /// Shape of its game.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// What is known of the player without building it.
    pub fn facts(&self) -> &RecipeFacts {
        &self.facts
    }

    /// True if the player needs anything that lies outside the program: files, or an identity besides its
    /// settings.
    pub fn needs_files(&self) -> bool {
        let is_plain = || matches!(self.game.open(self, &Assets::default()), Ok(None));
        let RecipeFacts { command, files, .. } = &self.facts;
        self.identity.is_some() || command.is_some() || !files.is_empty() || !is_plain()
    }

    /// Words of its program about itself when it is started
    /// ([`Remote::greeting`](crate::player::Remote::greeting)).
    pub fn greeting(&self, kit: &Kit) -> anyhow::Result<Option<String>> {
        self.game.greeting(self, kit)
    }

    /// Opens the files that the player is built from, and keeps their digests.
    pub fn open_files(&mut self, assets: &Assets) -> Result<(), Vec<FileMistake>> {
        let mut mistakes = Vec::new();
        match self.game.open(self, assets) {
            Ok(identity) => self.identity = identity,
            Err(mistake) => mistakes.push(mistake),
        }
        self.files.clear();
        for (setting, path) in &self.facts.files {
            if mistakes.iter().any(|mistake| mistake.setting == Some(*setting)) {
                continue;
            }
            match assets.identity(path) {
                Ok(digest) => self.files.push(FileUsed { setting, path: path.clone(), digest }),
                Err(error) => mistakes.push(FileMistake::at(setting, &error)),
            }
        }
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }

    /// Reason why no game of this player's can have this record; none if one can.
    pub fn flaw(&self, record: &GameRecord, max_moves: Option<u32>) -> Option<String> {
        self.game.flaw(self, record, max_moves)
    }

    /// Shows every step of a game of which the moves are known. The player is not asked.
    pub fn retell(&self, block: Block, moves: &[&str], show: &mut dyn FnMut(&Step)) -> anyhow::Result<()> {
        self.game.retell(self, block, moves, show)
    }

    /// The player as other programs ask it, under this name.
    pub fn served(&self, name: &str, kit: &Kit) -> Box<dyn Served> {
        self.game.served(self, name, kit)
    }

    /// Asks the player, freshly begun, for its move.
    pub fn ponder(&self, diagram: &Diagram, seed: u64, kit: &Kit) -> anyhow::Result<Value> {
        self.game.ponder(self, diagram, seed, kit)
    }
}

/// Builds the players of a line-up, for one thread. `max_moves` ends a game early.
///
/// # Panics
/// If the line-up has not one player for each seat of one game.
pub fn worker(lineup: &[&Entrant], max_moves: Option<u32>, kit: &Kit) -> anyhow::Result<Worker> {
    game_of(lineup).worker(lineup, max_moves, kit)
}

/// Plays a game again and shows every step of it.
///
/// # Panics
/// If the line-up has not one player for each seat of one game.
pub fn replay(
    lineup: &[&Entrant],
    max_moves: Option<u32>,
    game: Again,
    kit: &Kit,
    show: &mut dyn FnMut(&Step),
) -> anyhow::Result<(GameRecord, Option<String>)> {
    game_of(lineup).replay(lineup, max_moves, game, kit, show)
}

fn game_of(lineup: &[&Entrant]) -> &'static dyn AnyGame {
    lineup.first().expect("a line-up has a player").game
}

impl fmt::Debug for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, self.settings)
    }
}

/// A game with its players, without its type. Players and rules that it is given must be its own.
pub(super) trait AnyGame: Sync {
    fn rule_keys(&self) -> &'static [&'static str];
    fn rules(&self, written: &Written) -> (Rules, Vec<Diagnostic>);
    fn manual(&self) -> Vec<Manual>;
    fn enter(
        &'static self,
        rules: &Rules,
        algorithm: &str,
        written: &Written,
    ) -> Result<Entrant, Vec<Diagnostic>>;

    fn opening(&self, rules: &Rules, block: Block) -> Option<Opening>;
    fn position(&self, rules: &Rules, setup: &Setup, moves: &[String]) -> Result<PositionInWords, String>;
    fn look(&self, rules: &Rules, diagram: &Diagram) -> Result<Sight, String>;
    fn exchanged(&self, rules: &Rules, game: &Exchange) -> Option<String>;
    fn read_exchanged(&self, text: &str, number: usize) -> Option<Result<Read, String>>;

    fn open(&self, player: &Entrant, assets: &Assets) -> Result<Option<String>, FileMistake>;
    fn greeting(&self, player: &Entrant, kit: &Kit) -> anyhow::Result<Option<String>>;
    fn worker(&self, lineup: &[&Entrant], max_moves: Option<u32>, kit: &Kit) -> anyhow::Result<Worker>;
    fn replay(
        &self,
        lineup: &[&Entrant],
        max_moves: Option<u32>,
        game: Again,
        kit: &Kit,
        show: &mut dyn FnMut(&Step),
    ) -> anyhow::Result<(GameRecord, Option<String>)>;
    fn retell(
        &self,
        player: &Entrant,
        block: Block,
        moves: &[&str],
        show: &mut dyn FnMut(&Step),
    ) -> anyhow::Result<()>;
    fn served(&self, player: &Entrant, name: &str, kit: &Kit) -> Box<dyn Served>;
    fn flaw(&self, player: &Entrant, record: &GameRecord, max_moves: Option<u32>) -> Option<String>;
    fn ponder(&self, player: &Entrant, diagram: &Diagram, seed: u64, kit: &Kit) -> anyhow::Result<Value>;
}
