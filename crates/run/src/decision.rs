//! Early end of a run in shards. One task at a time decides it from the journals of all shards, and
//! writes it to a file in their folder. All tasks read that file.
//!
//! The file has one line, in the format of a journal. It is not a source of results: a command that
//! merges the journals computes it again. So it may be removed at any time. It is ignored if it is
//! damaged, or belongs to another experiment or other games.
//!
//! If a task finds nothing new in the file for some time, it takes over. It reads what was added to
//! the journals since its last look ([`super::folder_journals`]), and writes the result. If two
//! tasks take over at once, both find the same result.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gauntlet_core::disk::system_disk;
use gauntlet_core::text::display_path;
use serde::{Deserialize, Serialize};

use super::folder_journals::{FolderJournals, ReadPurpose, ScanResult};
use super::keyed_plan::KeyedPlan;
use super::shutdown::ShutdownSignal;
use super::{machine, note};
use crate::plan::Shard;

/// Name of the file.
const DECISION: &str = "decision.jsonl";

/// Divisor of a task's age: the quotient is the pause between two looks, but at least
/// [`SHORTEST_PAUSE`] and at most [`LONGEST_PAUSE`].
const PAUSE_DIVISOR: u32 = 20;
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Deciding takes at most the playing time of all tasks divided by this number.
const COST_DIVISOR: u64 = 20;

/// Minimum pause after deciding, as a multiple of the time that it took. So deciding takes at most
/// a quarter of a task's time, even with many tasks.
const MIN_PAUSES: u64 = 3;

/// Number of pauses without news after which another task takes over.
const PAUSES_BEFORE_TAKEOVER: u32 = 3;

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
            self.read().map_err(|reason| format!("ignoring {}: it {reason}", display_path(&self.path())))?;
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
        let recorded_end = self.read_end().ok()??;
        let is_false = end.map_or(complete >= recorded_end, |end| end != recorded_end);
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
    pub(super) fn watch(&self, shutdown: &ShutdownSignal, end_before: impl FnOnce(u64)) -> Option<String> {
        let mut warning = None;
        let start = Instant::now();
        let mut turn = Turn { own_look: None, last_look: None, first_seen: start };
        let mut journals = FolderJournals::new(system_disk(), self.folder, ReadPurpose::End);
        let mut cost = Duration::ZERO;
        let pauses = (COST_DIVISOR / self.tasks).max(MIN_PAUSES) as u32;
        loop {
            let pause =
                (start.elapsed() / PAUSE_DIVISOR).clamp(SHORTEST_PAUSE, LONGEST_PAUSE).max(pauses * cost);
            if shutdown.wait(pause) {
                return warning;
            }
            let decision = self.read().ok().flatten();
            if let Some(end) = decision.as_ref().and_then(|decision| decision.end) {
                end_before(end);
                return warning;
            }
            if !turn.has_turn(decision.as_ref()) {
                continue;
            }
            let scan_start = Instant::now();
            // A skipped player does not delay the decision.
            let _ = journals.read(|| shutdown.wait(Duration::ZERO));
            let plan = journals.without_failing(self.plan);
            let ScanResult { blocks, end, read_error } =
                journals.scan(&plan, || shutdown.wait(Duration::ZERO));
            cost = scan_start.elapsed();
            if shutdown.wait(Duration::ZERO) {
                return warning;
            }
            // A file that cannot be read now may be readable next time, or when the journals are
            // merged. The look is recorded for the other tasks in any case.
            warning = warning.or_else(|| {
                let error = read_error?;
                Some(format!("cannot read all journals to find the end of the run: {error:#}"))
            });
            let next = pause.max(pauses * cost).as_millis() as u64;
            let look_id = machine::unique_number();
            turn.own_look = Some(look_id);
            let (experiment, games) = (self.experiment.to_owned(), self.games.clone());
            let decision = Decision { experiment, games, look: look_id, next, blocks, end };
            if let Err(error) = note::write(&self.path(), &Note::Decision(decision)) {
                warning.get_or_insert(format!("cannot write {}: {error}", display_path(&self.path())));
            }
            if let Some(end) = end {
                end_before(end);
                return warning;
            }
        }
    }
}

/// Determines which task decides.
struct Turn {
    /// Number of this task's last look.
    own_look: Option<u64>,
    /// Number of the last look in the file.
    last_look: Option<u64>,
    /// Time at which that look was first seen.
    first_seen: Instant,
}

impl Turn {
    /// Returns true if it is this task's turn: there is no decision, or its own, or one that has
    /// not changed for long.
    fn has_turn(&mut self, decision: Option<&Decision>) -> bool {
        let Some(decision) = decision else { return true };
        if self.own_look == Some(decision.look) {
            return true;
        }
        if self.last_look != Some(decision.look) {
            (self.last_look, self.first_seen) = (Some(decision.look), Instant::now());
        }
        self.first_seen.elapsed() > PAUSES_BEFORE_TAKEOVER * Duration::from_millis(decision.next)
    }
}
