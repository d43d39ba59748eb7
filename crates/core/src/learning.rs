//! The contract of players that learn: what trains, and what is told of a training.

use std::error::Error;
use std::fmt::{self, Debug};
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::anyhow;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::rng::Seed;
use crate::settings::{self, Written};
use crate::text::quoted_path;

/// Checked settings of a training, as far as they are the game's own.
pub trait Course: Debug + Send + Sync {
    /// Bytes that a learner needs.
    fn memory(&self) -> u64;

    /// A learner that has learned nothing yet. Fails where there is no memory for it.
    fn begin(&self, seed: Seed) -> Result<Box<dyn Learner>, String>;

    /// What is wrong with testing and keeping what was learned after this number of games, if
    /// anything is.
    fn pause_after(&self, _games: u64) -> Result<(), String> {
        Ok(())
    }

    /// True if many threads learn the same as one.
    fn is_for_threads(&self) -> bool {
        false
    }

    /// A contradiction between settings each of which is valid alone: the key to blame and what is
    /// wrong.
    fn contradiction(&self) -> Option<(&'static str, String)> {
        None
    }
}

/// Does a piece of work for each number below another one, on as many threads as there are, the
/// first numbers first.
pub type Together<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) + Sync));

/// Something that learns from games against itself. What it has learned after a number of games
/// depends on the settings and the seed alone.
pub trait Learner {
    /// Plays the next games and learns from them, up to the next number after which it can
    /// [pause](Course::pause_after).
    fn learn(&mut self, together: Together) -> Vec<Lesson>;

    /// Plays a game without learning from it.
    fn test(&mut self, seed: Seed) -> Lesson;

    /// Number of games that it has learned from.
    fn games(&self) -> u64;

    /// Writes what it has learned, as a file that players are built from. Returns the digest of
    /// what was learned.
    fn write_network(&self, origin: &Origin, out: &mut dyn Write) -> io::Result<String>;

    /// Writes all that it needs to go on.
    fn write_state(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Goes on from what another learner of the same settings and seed has written.
    fn read_state(&mut self, games: u64, from: &mut dyn Read) -> io::Result<()>;
}

/// A game that was played to learn, or to see what was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// Its score.
    pub score: u64,
    /// Number of its moves.
    pub moves: u64,
}

/// Origin of something learned, as its file tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// Name of the experiment that holds the training.
    pub experiment: String,
    /// All settings of the training, defaults included.
    pub training: Value,
    /// The command.
    pub command: String,
    /// Games that were learned from.
    pub games: u64,
    /// Seed of the training.
    pub seed: u64,
    /// The program.
    pub build: String,
}

/// A description of a file, line by line: what is told, and its value.
pub type Described = Vec<(&'static str, String)>;

/// Error of a file from an earlier version, which has no digest of the whole file.
#[derive(Debug)]
pub struct Outdated;

impl fmt::Display for Outdated {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("was written by an earlier version, without a digest of the whole file")
    }
}

impl Error for Outdated {}

/// What is wrong with a file, with the command that helps if the file is [`Outdated`].
pub fn with_remedy(wrong: anyhow::Error, file: &Path) -> anyhow::Error {
    match wrong.is::<Outdated>() {
        true => anyhow!("{wrong}; to add it: `gauntlet network upgrade {}`", quoted_path(file)),
        false => wrong,
    }
}

/// Reads a file part by part, given its length in bytes, in order to write it in another form.
pub type Convert = fn(&mut dyn Read, u64) -> anyhow::Result<Conversion>;

/// Writes what was read. The origin is that of an imported file.
pub type Conversion = Box<dyn Fn(&Origin, &mut dyn Write) -> io::Result<()> + Send + Sync>;

/// Exchange with another program: its files as ours, and ours as its.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The other program.
    pub what: &'static str,
    /// A file of ours from one of its.
    pub import: Convert,
    /// A file of its from one of ours.
    pub export: Convert,
}

/// Training of a game: its settings, and what it makes.
#[derive(Clone, Copy, Debug)]
pub struct Training {
    /// A TOML snippet with every setting explained.
    pub example: &'static str,
    /// The names of its settings.
    pub keys: fn() -> &'static [&'static str],
    read: ReadCourse,
    /// Describes the content of a file that a training made, or says what is wrong with it.
    pub describe: Describe,
    /// A file of this version from one of an earlier version, if there were earlier ones.
    pub upgrade: Option<Convert>,
    /// Exchange with another program, where there is one.
    pub exchange: Option<Exchange>,
}

/// Describes a file from its content, which is read part by part, and its length in bytes.
type Describe = fn(&mut dyn Read, u64) -> anyhow::Result<Described>;

/// Reads settings, given an example of them; returns them with their defaults, too.
type ReadCourse = fn(&Written, &str) -> Result<(Box<dyn Course>, Value), Vec<Diagnostic>>;

impl Training {
    /// The training whose settings are a `C`.
    pub const fn of<C>(example: &'static str, describe: Describe) -> Training
    where
        C: Course + Serialize + DeserializeOwned + 'static,
    {
        Training {
            example,
            keys: settings::fields::<C>,
            read: |written, example| {
                let course: C = settings::read(written, example)?;
                if let Some((key, message)) = course.contradiction() {
                    return Err(vec![written.blame(key, message)]);
                }
                let settings = serde_json::to_value(&course).expect("settings are plain data");
                Ok((Box::new(course), settings))
            },
            describe,
            upgrade: None,
            exchange: None,
        }
    }

    /// The same with files of earlier versions.
    pub const fn upgrading(self, upgrade: Convert) -> Training {
        Training { upgrade: Some(upgrade), ..self }
    }

    /// The same with an exchange.
    pub const fn exchanging(self, exchange: Exchange) -> Training {
        Training { exchange: Some(exchange), ..self }
    }

    /// Reads the settings of a training, and reports every mistake in them.
    pub fn read(&self, written: &Written) -> Result<(Box<dyn Course>, Value), Vec<Diagnostic>> {
        (self.read)(written, self.example)
    }
}
