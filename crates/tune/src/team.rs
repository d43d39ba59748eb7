//! Several processes that play the games of one tuning, in a shared folder.
//!
//! The first process leads. It runs the search and writes the journal of the tuning, which alone
//! counts. Each helper runs the same search on that journal. If games are missing, every process
//! knows which step needs them, and each plays its share. Helpers write separate journals, from
//! which the leader copies missing games. The leader plays games that a helper does not deliver in
//! time. So the result equals the result of a single process, even if helpers start late, stop or
//! are killed.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use gauntlet_core::player::Stop;
use gauntlet_core::text::{display_path, format_time_span};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::merge::take_over;
use gauntlet_run::plan::Shard;
use gauntlet_run::{machine, note, paths};
use serde::{Deserialize, Serialize};

use super::task::{MissingGamesReason, TuningJob};

/// Time between two reads of other journals: the shorter one at first, growing to the longer one.
const SHORTEST_WAIT: Duration = Duration::from_millis(2);
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// The leader waits this long for a helper that writes nothing, and at least this many times the
/// time of the leader's own share.
const PATIENCE: Duration = Duration::from_secs(2);
const SHARES: u32 = 3;

/// After this many steps without games, the leader stops waiting for a helper. When the helper
/// writes games again, the leader waits for it for one step.
const MISSED_STEPS: u32 = 2;

/// Default time that a helper waits for a leader without a sign of life.
pub const LEADER: Duration = Duration::from_secs(600);

/// A helper reports that it waits after this time, or after one of [`PART`] parts of its maximum
/// waiting time if that is shorter.
const REPORT_AFTER: Duration = Duration::from_secs(6);
const PART: u32 = 100;

/// What helpers need to know about their leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Team {
    /// Digest of the experiment's file.
    experiment: String,
    /// Games of the search.
    budget: u64,
    /// Digest of the program.
    binary: String,
    /// Number of processes.
    pub(super) workers: u64,
}

/// Name of the file in which the leader describes the team.
pub(super) const TEAM: &str = "workers.jsonl";

/// Line of that file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Note {
    Workers(Team),
}

impl Team {
    fn new(task: &TuningJob, own: Shard) -> Team {
        Team {
            experiment: task.options.experiment.to_owned(),
            budget: task.tune.budget,
            binary: machine::program_digest(),
            workers: own.count(),
        }
    }

    /// Describes how another team differs from this one, if it does.
    fn describe_difference(&self, leader: &Team) -> Option<String> {
        if self.experiment != leader.experiment {
            return Some("plays another version of the experiment".to_owned());
        }
        if self.budget != leader.budget {
            return Some(format!(
                "has a budget of {} games, but this worker has {}",
                leader.budget, self.budget
            ));
        }
        if self.binary != leader.binary {
            return Some("runs another build of the program".to_owned());
        }
        (self.workers != leader.workers)
            .then(|| format!("expects {} workers, but this worker expects {}", leader.workers, self.workers))
    }
}

/// Returns the path of a helper's journal.
pub(super) fn journal_path(folder: &Path, helper: Shard) -> PathBuf {
    folder.join(format!("worker-{}.jsonl", helper.file_part()))
}

/// The leading process, which runs the search.
pub(super) struct Leader {
    own: Shard,
    helpers: Vec<HelperState>,
    /// One line for each helper whose journal could not be read, with the reason.
    unread: Vec<String>,
}

/// A helper from the leader's point of view.
struct HelperState {
    name: Shard,
    path: PathBuf,
    journal: Option<Journal>,
    /// True if its journal was unreadable once.
    is_unread: bool,
    /// Time at which it last delivered requested games.
    heard: Instant,
    /// Consecutive steps for which it delivered nothing in time.
    missed: u32,
}

impl Leader {
    /// Begins to lead, while the journal of the tuning is locked.
    pub(super) fn begin(task: &TuningJob, own: Shard) -> anyhow::Result<Leader> {
        let path = task.folder.join(TEAM);
        note::write(&path, &Note::Workers(Team::new(task, own)))
            .with_context(|| format!("cannot write {}", display_path(&path)))?;
        let helper = |helper| HelperState {
            name: helper,
            path: journal_path(task.folder, helper),
            journal: None,
            is_unread: false,
            heard: Instant::now(),
            missed: MISSED_STEPS,
        };
        let mut leader =
            Leader { own, helpers: own.all_shards().skip(1).map(helper).collect(), unread: Vec::new() };
        // Games that were written before are no sign of life.
        for helper in &mut leader.helpers {
            leader.unread.extend(helper.read());
            helper.missed = MISSED_STEPS;
        }
        Ok(leader)
    }

    /// Returns the leader's share of the games of a step.
    pub(super) fn share(&self) -> Shard {
        self.own
    }

    /// Returns a line for each helper whose journal could not be read, with the reason.
    pub(super) fn read_errors(&self) -> &[String] {
        &self.unread
    }

    /// Collects games of helpers for a step that began at a given time and whose own share is
    /// played. Ends when all games are there, or when all missing helpers have been silent for too
    /// long.
    pub(super) fn collect(
        &mut self,
        plan: &KeyedPlan,
        journal: &mut Journal,
        begun: Instant,
        stop: &Stop,
    ) -> Result<(), MissingGamesReason> {
        let patience = PATIENCE.max(SHARES * begun.elapsed());
        let mut pause = SHORTEST_WAIT;
        loop {
            for helper in &mut self.helpers {
                self.unread.extend(helper.read());
                if let Some(theirs) = &helper.journal
                    // Skips a line that is still being written or that another build wrote.
                    && let Ok(offered) = Coverage::from_journal(plan, theirs)
                    && take_over(plan, journal, &offered)? > 0
                {
                    helper.heard = Instant::now();
                    helper.missed = 0;
                }
            }
            if Coverage::from_journal(plan, journal)?.is_complete(plan) {
                return Ok(());
            }
            if stop.is_asked() {
                return Err(MissingGamesReason::Stopped(None));
            }
            let is_waited_for =
                |it: &HelperState| it.missed < MISSED_STEPS && it.heard.max(begun).elapsed() < patience;
            if !self.helpers.iter().any(is_waited_for) {
                let late = self.helpers.iter_mut().filter(|it| it.heard < begun);
                late.for_each(|helper| helper.missed = helper.missed.saturating_add(1));
                return Ok(());
            }
            thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_WAIT);
        }
    }
}

impl HelperState {
    /// Reads new lines of the helper's journal. A helper that only restarts repeatedly writes no
    /// games. Returns why its journal cannot be read, the first time that this happens.
    fn read(&mut self) -> Option<String> {
        let lines = |journal: &Option<Journal>| journal.as_ref().map_or(0, |journal| journal.lines().len());
        let before = lines(&self.journal);
        let read = match &mut self.journal {
            Some(journal) => journal.read_appended(),
            None if self.path.exists() => {
                Journal::peek(&self.path).map(|journal| self.journal = Some(journal))
            }
            None => return None,
        };
        if lines(&self.journal) > before {
            self.missed = self.missed.min(MISSED_STEPS - 1);
        }
        let why = read.err()?;
        let is_new = !std::mem::replace(&mut self.is_unread, true);
        is_new.then(|| format!("playing the share of worker {} here: {why:#}", self.name))
    }
}

/// A helper process: it plays shares of the steps of the leader's search.
pub(super) struct Helper {
    share: Shard,
    /// The journal that it writes.
    pub(super) own: Journal,
    signs: LeaderActivity,
    /// Its deadline.
    until: Option<Instant>,
}

/// Time limit for a helper that waits for the leader.
#[derive(Clone, Copy, Debug)]
pub struct LeaderTimeout {
    /// Maximum time without a new line in the leader's journal.
    pub time: Duration,
    /// Called once to report that the helper waits.
    pub waits: fn(),
}

/// Activity of the leader, as observed by a waiting helper.
struct LeaderActivity {
    patience: Duration,
    /// Length of the leader's journal when last read.
    length: u64,
    /// Time of the last sign.
    seen: Instant,
    /// True if the leader was active while this helper waited.
    was_at_work: bool,
    /// Reports that there was no sign for some time; `None` once reported.
    waits: Option<fn()>,
}

impl LeaderActivity {
    fn new(LeaderTimeout { time, waits }: LeaderTimeout) -> LeaderActivity {
        LeaderActivity {
            patience: time,
            length: 0,
            seen: Instant::now(),
            was_at_work: false,
            waits: Some(waits),
        }
    }

    /// Returns the longest silence allowed. A leader that was active and fell silent gets less time
    /// than one that may still be queued: it may have failed permanently.
    fn patience(&self) -> Duration {
        if self.was_at_work { self.patience.min(LEADER) } else { self.patience }
    }

    /// Checks the leader's journal, given its current length. Fails if it has been neither locked
    /// nor growing for too long.
    fn check_leader(&mut self, path: &Path, length: u64) -> anyhow::Result<()> {
        let silent = self.seen.elapsed();
        if length != self.length {
            self.was_at_work |= self.length != 0;
            (self.length, self.seen) = (length, Instant::now());
        } else if silent >= REPORT_AFTER.min(self.patience / PART) {
            // Testing the lock holds it for a moment, so it is tested only after a silence.
            if Journal::is_in_use(path) {
                (self.was_at_work, self.seen) = (true, Instant::now());
            } else if let Some(say) = self.waits.take() {
                say();
            } else if silent >= self.patience() {
                bail!(
                    "worker 1 has not started or written to {} for {}: restart worker 1, then this worker (--wait sets how long to wait)",
                    display_path(path),
                    format_time_span(self.patience().as_secs_f64())
                );
            }
        }
        Ok(())
    }
}

impl Helper {
    /// Waits for the leader and returns its journal; `None` if stopped or out of time before.
    pub(super) fn begin(
        task: &TuningJob,
        share: Shard,
        stop: &Stop,
        patience: LeaderTimeout,
    ) -> anyhow::Result<Option<(Helper, Journal)>> {
        let own = Journal::open(&journal_path(task.folder, share))?;
        let (path, journal) = (task.folder.join(TEAM), paths::journal_path(task.folder, None));
        let team = Team::new(task, share);
        let mut signs = LeaderActivity::new(patience);
        while !stop.is_asked() && !has_passed(task.until) {
            // The file of an earlier leader is replaced by the next leader, which then holds its
            // journal.
            let leader = note::read::<Note>(&path).ok().flatten().filter(|_| journal.exists());
            match leader.map(|Note::Workers(leader)| team.describe_difference(&leader)) {
                Some(None) => {
                    let helper = Helper { share, own, signs, until: task.until };
                    return Ok(Some((helper, Journal::peek(&journal)?)));
                }
                Some(Some(difference)) if Journal::is_in_use(&journal) => {
                    bail!("worker {share} cannot help: worker 1 {difference}")
                }
                Some(Some(_)) | None => {
                    signs.check_leader(&journal, 0)?;
                    thread::sleep(LONGEST_WAIT);
                }
            }
        }
        Ok(None)
    }

    /// Returns the helper's share of the games of a step.
    pub(super) fn share(&self) -> Shard {
        self.share
    }

    /// Waits until the leader's journal has all games of a plan.
    pub(super) fn wait_for(
        &mut self,
        plan: &KeyedPlan,
        journal: &mut Journal,
        stop: &Stop,
    ) -> Result<(), MissingGamesReason> {
        self.signs.seen = Instant::now();
        let mut pause = SHORTEST_WAIT;
        while !has_all(plan, journal)? {
            if stop.is_asked() || has_passed(self.until) {
                return Err(MissingGamesReason::Stopped(None));
            }
            self.signs.check_leader(journal.path(), journal.length())?;
            thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_WAIT);
        }
        Ok(())
    }
}

/// Returns true if a deadline has passed.
fn has_passed(until: Option<Instant>) -> bool {
    until.is_some_and(|until| Instant::now() >= until)
}

/// Reads new lines of the leader's journal and returns true if it has all games of a plan.
pub(super) fn has_all(plan: &KeyedPlan, journal: &mut Journal) -> anyhow::Result<bool> {
    journal.read_appended()?;
    Ok(Coverage::from_journal(plan, journal)?.is_complete(plan))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    static SAYS: AtomicU32 = AtomicU32::new(0);

    #[test]
    fn a_leader_without_a_sign_of_life_is_given_up_and_said_so_once() {
        let nowhere = Path::new("no journal is here");
        let waits = || _ = SAYS.fetch_add(1, Ordering::Relaxed);
        let mut signs = LeaderActivity::new(LeaderTimeout { time: Duration::ZERO, waits });
        // A leader whose journal grows is waited for.
        for length in 1..5 {
            signs.check_leader(nowhere, length).expect("it grows");
        }
        assert_eq!(SAYS.load(Ordering::Relaxed), 0);
        signs.check_leader(nowhere, 4).expect("it is said first");
        signs.check_leader(nowhere, 5).expect("it grows again");
        assert!(signs.was_at_work, "its journal grew");
        let given_up = signs.check_leader(nowhere, 5).expect_err("it is silent").to_string();
        assert!(given_up.starts_with("worker 1 has not started or written to "), "{given_up}");
        assert_eq!(SAYS.load(Ordering::Relaxed), 1);
    }
}
