//! Early end of a run in shards. One task at a time decides it from the journals of all shards, and
//! writes it to a file in their folder. All tasks read that file.
//!
//! The file has one line, in the format of a journal. It is not a source of results: a command that
//! merges the journals computes it again. So it may be removed at any time. It is ignored if it is
//! damaged, or belongs to another experiment or other games.
//!
//! If a task finds nothing new in the file for some time, it takes over. It reads what was added to
//! the journals since its last look ([`super::seen`]), and writes the result. If two tasks take
//! over at once, both find the same result.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gauntlet_core::disk::system_disk;
use gauntlet_core::text::display_path;
use serde::{Deserialize, Serialize};

use super::keyed::KeyedPlan;
use super::seen::{FolderJournals, ReadPurpose, ScanResult};
use super::shutdown::ShutdownSignal;
use super::{machine, note};
use crate::plan::Shard;

/// Name of the file.
const DECISION: &str = "decision.jsonl";

/// Divisor of a task's age: the quotient is the pause between two looks, but at least [`SHORTEST`]
/// and at most [`LONGEST_PAUSE`].
const PART: u32 = 20;
const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Deciding takes at most the playing time of all tasks divided by this number.
const COST: u64 = 20;

/// Minimum pause after deciding, as a multiple of the time that it took. So deciding takes at most
/// a quarter of a task's time, even with many tasks.
const LEAST_PAUSES: u64 = 3;

/// Number of pauses without news after which another task takes over.
const PATIENCE: u32 = 3;

/// Decision so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Decision {
    /// Digest of the experiment's file.
    experiment: String,
    /// Digest of everything that identifies the games.
    games: String,
    /// Random number of the look.
    look: u64,
    /// Milliseconds until the next look.
    next: u64,
    /// Number of blocks judged.
    blocks: u64,
    /// Number of blocks after which the run ends, if decided.
    end: Option<u64>,
}

/// The line of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note {
    Decision(Decision),
}

/// Early end of a run whose shards are in a folder.
#[derive(Debug)]
pub struct ShardEarlyStop<'a> {
    plan: &'a KeyedPlan<'a>,
    folder: &'a Path,
    experiment: &'a str,
    games: String,
    tasks: u64,
}

impl<'a> ShardEarlyStop<'a> {
    /// Returns `None` if the run has no early end.
    pub fn new(
        plan: &'a KeyedPlan<'a>,
        folder: &'a Path,
        experiment: &'a str,
        shard: Shard,
    ) -> Option<ShardEarlyStop<'a>> {
        plan.stop?;
        let mut hasher = blake3::Hasher::new();
        for lineup in 0..plan.lineups.len() {
            hasher.update(plan.key(lineup).as_bytes());
        }
        let games = hasher.finalize().to_hex()[..16].to_owned();
        Some(ShardEarlyStop { plan, folder, experiment, games, tasks: shard.count() })
    }

    fn path(&self) -> PathBuf {
        self.folder.join(DECISION)
    }

    /// Returns the number of blocks after which the run ends, if the folder has a valid decision.
    /// Fails with one line if the decision does not count.
    pub fn read_end(&self) -> Result<Option<u64>, String> {
        let decision =
            self.read().map_err(|why| format!("ignoring {}: it {why}", display_path(&self.path())))?;
        Ok(decision.and_then(|decision| decision.end))
    }

    /// Reads the file; `None` if there is none. Fails with the reason if it is invalid.
    fn read(&self) -> Result<Option<Decision>, String> {
        let Some(Note::Decision(decision)) = note::read(&self.path())? else { return Ok(None) };
        if decision.experiment != self.experiment {
            return Err("belongs to another version of the experiment".to_owned());
        }
        if decision.games != self.games {
            return Err("belongs to another build".to_owned());
        }
        if decision.end.is_some_and(|end| end > self.plan.blocks.len()) {
            return Err("is damaged".to_owned());
        }
        Ok(Some(decision))
    }

    /// Removes the decision if the journals lead to another end, or to none although they hold all
    /// blocks up to it. `complete` is the number of blocks that they hold. Returns a line about it.
    pub fn correct(&self, end: Option<u64>, complete: u64) -> Option<String> {
        let told = self.read_end().ok()??;
        let is_false = end.map_or(complete >= told, |end| end != told);
        let path = self.path();
        is_false.then(|| match fs::remove_file(&path) {
            Ok(()) => {
                format!("removed {}: the journals show a different end of the run", display_path(&path))
            }
            Err(error) => format!(
                "cannot remove {}, although the journals show a different end of the run: {error}",
                display_path(&path)
            ),
        })
    }

    /// Watches the file until the run is over, decides if it is this task's turn, and calls
    /// `end_before` when the end is known. Returns a line about a failure to read or write.
    pub(super) fn watch(&self, over: &ShutdownSignal, end_before: impl FnOnce(u64)) -> Option<String> {
        let mut trouble = None;
        let begun = Instant::now();
        let mut turn = Turn { own: None, seen: None, since: begun };
        let mut seen = FolderJournals::new(system_disk(), self.folder, ReadPurpose::End);
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
            if !turn.has_turn(found.as_ref()) {
                continue;
            }
            let looked = Instant::now();
            // A skipped player does not delay the decision.
            let _ = seen.read(|| over.wait(Duration::ZERO));
            let plan = seen.without_failing(self.plan);
            let ScanResult { blocks, end, unread } = seen.scan(&plan, || over.wait(Duration::ZERO));
            cost = looked.elapsed();
            if over.wait(Duration::ZERO) {
                return trouble;
            }
            // A file that cannot be read now may be readable next time, or when the journals are
            // merged. The look is recorded for the other tasks in any case.
            trouble = trouble.or_else(|| {
                let why = unread?;
                Some(format!("cannot read all journals to find the end of the run: {why:#}"))
            });
            let next = pause.max(pauses * cost).as_millis() as u64;
            let look = machine::unique_number();
            turn.own = Some(look);
            let (experiment, games) = (self.experiment.to_owned(), self.games.clone());
            let found = Decision { experiment, games, look, next, blocks, end };
            if let Err(error) = note::write(&self.path(), &Note::Decision(found)) {
                trouble.get_or_insert(format!("cannot write {}: {error}", display_path(&self.path())));
            }
            if let Some(end) = end {
                end_before(end);
                return trouble;
            }
        }
    }
}

/// Determines which task decides.
struct Turn {
    /// Number of this task's last look.
    own: Option<u64>,
    /// Number of the last look in the file.
    seen: Option<u64>,
    /// Time at which that look was first seen.
    since: Instant,
}

impl Turn {
    /// Returns true if it is this task's turn: there is no decision, or its own, or one that has
    /// not changed for long.
    fn has_turn(&mut self, found: Option<&Decision>) -> bool {
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
