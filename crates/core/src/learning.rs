//! Contract of players that learn: training settings, learners, and the description of what they
//! learned.

use std::fmt::Debug;
use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::rng::Seed;
use crate::settings::section::KeyDeclaration;
use crate::settings::{self, SettingsTable};

/// Checked training settings of one game.
pub trait TrainingSettings: Debug + Send + Sync {
    /// Returns the bytes of memory that a learner needs.
    fn memory(&self) -> u64;

    /// Creates an untrained learner. Fails if there is not enough memory.
    fn begin(&self, seed: Seed) -> Result<Box<dyn Learner>, String>;

    /// Returns why a learner cannot be tested and saved after this number of games, if it cannot.
    fn check_pause(&self, _games: u64) -> Result<(), String> {
        Ok(())
    }

    /// Returns true if the result of training does not depend on the number of threads.
    fn is_thread_independent(&self) -> bool {
        false
    }

    /// Returns a contradiction between settings that are each valid alone: the key to blame and
    /// what is wrong.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        None
    }
}

/// Runs a task for each index below a number, on all available threads, in ascending order of the
/// indices.
pub type ParallelFor<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) + Sync));

/// Learner that plays against itself. What it has learned after a number of games depends only on
/// the settings and the seed.
pub trait Learner {
    /// Plays the next games and learns from them, up to the next number of games at which it can
    /// [pause](TrainingSettings::check_pause).
    fn learn(&mut self, parallel_for: ParallelFor) -> Vec<Episode>;

    /// Plays a game for each seed without learning from it.
    fn test(&mut self, seeds: &[Seed]) -> Vec<Episode>;

    /// Returns the number of games learned from.
    fn games(&self) -> u64;

    /// Writes what was learned, as a file that players are built from. Returns the digest of what
    /// was learned.
    fn write_network(&self, origin: &NetworkOrigin, out: &mut dyn Write) -> io::Result<String>;

    /// Writes the full state needed to resume.
    fn write_state(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Resumes from the state that another learner of the same settings and seed has written.
    fn read_state(&mut self, games: u64, input: &mut dyn Read) -> io::Result<()>;
}

/// Result of a game played for training or for a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Episode {
    /// Score of the game.
    pub score: u64,
    /// Number of moves.
    pub moves: u64,
}

/// Origin of a network, as its file records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkOrigin {
    /// Experiment that contains the training.
    pub experiment: String,
    /// All training settings, including defaults.
    pub training: Value,
    /// Command that started the training.
    pub command: String,
    /// Number of training games.
    pub games: u64,
    /// Seed of the training.
    pub seed: u64,
    /// Build of the program.
    pub build: String,
}

/// Description of a file, one label and value per line.
pub type FileDescription = Vec<(&'static str, String)>;

/// Reader that prepares a conversion: it reads a file of the given length in bytes, in parts.
pub type FileConverter = fn(&mut dyn Read, u64) -> anyhow::Result<ConversionWriter>;

/// Writer of a converted file. The origin is that of an imported file.
pub type ConversionWriter = Box<dyn Fn(&NetworkOrigin, &mut dyn Write) -> io::Result<()> + Send + Sync>;

/// Conversion from and to another program's file format.
#[derive(Clone, Copy, Debug)]
pub struct ForeignFormat {
    /// Name of the other program.
    pub program: &'static str,
    /// Converts its file to ours.
    pub import: FileConverter,
    /// Converts our file to its format.
    pub export: FileConverter,
}

/// Training of a game: its settings and its files.
#[derive(Clone, Copy, Debug)]
pub struct TrainingSupport {
    /// TOML example that explains every setting.
    pub example: &'static str,
    /// Names of the settings.
    pub keys: fn() -> &'static [&'static str],
    /// The settings with the manual's text.
    pub manual: &'static [KeyDeclaration],
    read_settings: ReadTrainingSettings,
    /// Describes the content of a trained file, or returns what is wrong with it.
    pub describe: Describe,
    /// Conversion from and to another program's files, if there is one.
    pub exchange: Option<ForeignFormat>,
}

/// Describes a file of the given length in bytes, reading it in parts.
type Describe = fn(&mut dyn Read, u64) -> anyhow::Result<FileDescription>;

/// Reader of settings, given an example of them. It also returns them with their defaults.
type ReadTrainingSettings =
    fn(&SettingsTable, &str) -> Result<(Box<dyn TrainingSettings>, Value), Vec<Diagnostic>>;

impl TrainingSupport {
    /// Declares a training with settings of type `C`.
    pub const fn new<C>(example: &'static str, describe: Describe) -> TrainingSupport
    where
        C: TrainingSettings + Serialize + DeserializeOwned + 'static,
    {
        TrainingSupport {
            example,
            keys: settings::fields::<C>,
            manual: &[],
            read_settings: |table, example| {
                let training: C = settings::read(table, example)?;
                if let Some((key, message)) = training.contradiction() {
                    return Err(vec![table.blame(key, message)]);
                }
                let settings = serde_json::to_value(&training).expect("settings are plain data");
                Ok((Box::new(training), settings))
            },
            describe,
            exchange: None,
        }
    }

    /// Adds the manual of the settings.
    pub const fn with_manual(self, manual: &'static [KeyDeclaration]) -> TrainingSupport {
        TrainingSupport { manual, ..self }
    }

    /// Adds a conversion from and to another program's files.
    pub const fn with_exchange(self, exchange: ForeignFormat) -> TrainingSupport {
        TrainingSupport { exchange: Some(exchange), ..self }
    }

    /// Reads the settings of a training, and reports every mistake in them.
    pub fn read(&self, table: &SettingsTable) -> Result<(Box<dyn TrainingSettings>, Value), Vec<Diagnostic>> {
        (self.read_settings)(table, self.example)
    }
}
