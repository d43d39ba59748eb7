//! The end of a run that is played in shards and may end early: decided of the journals of all
//! shards, by whichever task has the turn, and kept in a file beside them, which all tasks look at.
//!
//! The file holds one line, as a journal does. It is no source: what it says follows from the games
//! of the journals, and a command that joins them decides anew. So it may be removed at any time,
//! and one that is of another experiment, of other games or damaged is ignored. A task that finds
//! nothing new in it for some time takes the turn: it reads what the journals have gained since it
//! looked last ([`super::seen`]), and writes what it found. If two do so at a time, both find the
//! same.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gauntlet_core::text::shown;
use serde::{Deserialize, Serialize};

use super::keyed::KeyedPlan;
use super::seen::{Look, Seen};
use super::shutdown::ShutdownSignal;
use super::{machine, note};
use crate::plan::Shard;

/// The name of the file.
const DECISION: &str = "decision.jsonl";

/// A task waits this part of its age between two looks, but not less than the shorter and not more
/// than the longer of these times.
const PART: u32 = 20;
const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// To decide takes at most this part of what all tasks play,
const COST: u64 = 20;

/// and of the task that decides at most a quarter.
const LEAST_PAUSES: u64 = 3;

/// Another task takes the turn after so many times without news.
const PATIENCE: u32 = 3;

/// What was decided so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Decision {
    /// The digest of the experiment's file.
    experiment: String,
    /// The digest of all that identifies the games.
    games: String,
    /// Another number each time.
    look: u64,
    /// Milliseconds until the next look.
    next: u64,
    /// Number of blocks that were looked at.
    blocks: u64,
    /// After how many blocks the run is over, if it is.
    end: Option<u64>,
}

/// The line of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    Decision(Decision),
}

/// The end of a run whose shards lie in a folder.
#[derive(Debug)]
pub struct Deciding<'a> {
    plan: &'a KeyedPlan<'a>,
    folder: &'a Path,
    experiment: &'a str,
    games: String,
    /// Number of shards.
    tasks: u64,
}

impl<'a> Deciding<'a> {
    /// None if the run is to be played to its end.
    pub fn of(
        plan: &'a KeyedPlan<'a>,
        folder: &'a Path,
        experiment: &'a str,
        shard: Shard,
    ) -> Option<Deciding<'a>> {
        plan.stop?;
        let mut hasher = blake3::Hasher::new();
        for lineup in 0..plan.lineups.len() {
            hasher.update(plan.key(lineup).as_bytes());
        }
        let games = hasher.finalize().to_hex()[..16].to_owned();
        Some(Deciding { plan, folder, experiment, games, tasks: shard.of() })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(DECISION)
    }

    /// After how many blocks the run is over, if the folder says so. Fails, in a line, if what it
    /// says does not count.
    pub fn told(&self) -> Result<Option<u64>, String> {
        let decision = self.read().map_err(|why| format!("{} {why}, and is ignored", shown(&self.path())))?;
        Ok(decision.and_then(|decision| decision.end))
    }

    /// What the file holds; none if there is none. Fails with what is wrong with it.
    fn read(&self) -> Result<Option<Decision>, String> {
        let Some(Note::Decision(decision)) = note::read(&self.path())? else { return Ok(None) };
        if decision.experiment != self.experiment {
            return Err("is of another version of the experiment".to_owned());
        }
        if decision.games != self.games {
            return Err("is of the games of another build".to_owned());
        }
        if decision.end.is_some_and(|end| end > self.plan.blocks.len()) {
            return Err("is damaged".to_owned());
        }
        Ok(Some(decision))
    }

    /// Takes back what the folder says of the end, if the journals tell another one, or none where
    /// they hold all blocks up to there: `complete` is how many they hold. Says so in a line.
    pub fn correct(&self, end: Option<u64>, complete: u64) -> Option<String> {
        let told = self.told().ok()??;
        let is_false = end.map_or(complete >= told, |end| end != told);
        let path = self.path();
        is_false.then(|| match fs::remove_file(&path) {
            Ok(()) => format!("{} told another end than the journals do, and is removed", shown(&path)),
            Err(error) => format!(
                "{} tells another end than the journals do, and cannot be removed ({error}): remove it",
                shown(&path)
            ),
        })
    }

    /// Looks at the file until the run is over, decides where it is this task's turn, and tells the
    /// end when it is known. Returns what could not be read or written then, in a line.
    pub(super) fn watch(&self, over: &ShutdownSignal, end_before: impl FnOnce(u64)) -> Option<String> {
        let mut trouble = None;
        let begun = Instant::now();
        let mut turn = Turn { own: None, seen: None, since: begun };
        let mut seen = Seen::nothing(self.plan, self.folder);
        let mut cost = Duration::ZERO;
        let pauses = (COST / self.tasks).max(LEAST_PAUSES) as u32;
        loop {
            let pause = (begun.elapsed() / PART).clamp(SHORTEST, LONGEST_PAUSE).max(pauses * cost);
            if over.wait(pause) {
                return trouble;
            }
            let found = self.read().ok().flatten();
            if let Some(end) = found.as_ref().and_then(|found| found.end) {
                end_before(end);
                return trouble;
            }
            if !turn.is_taken(found.as_ref()) {
                continue;
            }
            let looked = Instant::now();
            let Look { blocks, end, unread } = seen.look(|| over.wait(Duration::ZERO));
            cost = looked.elapsed();
            if over.wait(Duration::ZERO) {
                return trouble;
            }
            // What cannot be read now may be read next time; and at the latest when the journals
            // are joined. The others are told that this task has looked, all the same.
            trouble = trouble.or_else(|| {
                let why = unread?;
                Some(format!("a look for the end of the run passed over what cannot be read: {why:#}"))
            });
            let next = pause.max(pauses * cost).as_millis() as u64;
            let look = machine::any_number();
            turn.own = Some(look);
            let (experiment, games) = (self.experiment.to_owned(), self.games.clone());
            let found = Decision { experiment, games, look, next, blocks, end };
            if let Err(error) = note::write(&self.path(), &Note::Decision(found)) {
                trouble.get_or_insert(format!("{} cannot be written ({error})", shown(&self.path())));
            }
            if let Some(end) = end {
                end_before(end);
                return trouble;
            }
        }
    }
}

/// Whose turn it is to decide.
struct Turn {
    /// What this task wrote last.
    own: Option<u64>,
    /// What was found last,
    seen: Option<u64>,
    /// and since when.
    since: Instant,
}

impl Turn {
    /// True if it is this task's: nothing is there, or what it wrote itself, or something that has
    /// not changed for long.
    fn is_taken(&mut self, found: Option<&Decision>) -> bool {
        let Some(found) = found else { return true };
        if self.own == Some(found.look) {
            return true;
        }
        if self.seen != Some(found.look) {
            (self.seen, self.since) = (Some(found.look), Instant::now());
        }
        self.since.elapsed() > PATIENCE * Duration::from_millis(found.next)
    }
}
