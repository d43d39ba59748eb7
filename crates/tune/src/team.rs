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
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::merge::copy_games;
use gauntlet_run::plan::Shard;
use gauntlet_run::{machine, note, paths};
use serde::{Deserialize, Serialize};

use super::task::{MissingGamesReason, TuningJob};

/// First time between two reads of other journals.
const SHORTEST_WAIT: Duration = Duration::from_millis(2);

/// Time between two reads of other journals after it has grown.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// Minimum time that the leader waits for a helper that writes nothing.
const HELPER_TIMEOUT: Duration = Duration::from_secs(2);

/// The leader also waits at least this many times the time of its own share.
const SHARE_TIME_FACTOR: u32 = 3;

/// After this many steps without games, the leader stops waiting for a helper. When the helper
/// writes games again, the leader waits for it for one step.
const MISSED_STEPS: u32 = 2;

/// Default time that a helper waits for a leader without a sign of life.
pub const LEADER_TIMEOUT: Duration = Duration::from_secs(600);

/// Maximum time after which a helper reports that it waits.
const REPORT_AFTER: Duration = Duration::from_secs(6);

/// A helper reports after one of so many parts of its maximum waiting time, if that is shorter.
const REPORT_PARTS: u32 = 100;

/// What helpers need to know about their leader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Team {
    /// Digest of the experiment's file.
    experiment: String,
    /// Games of the search.
    budget: u64,
    /// Identity of the program.
    binary: String,
    /// Number of processes.
    pub(super) workers: u64,
}

/// Name of the file in which the leader describes the team.
pub(super) const TEAM_FILE: &str = "workers.jsonl";

/// Line of that file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TeamNote {
    Workers(Team),
}

impl Team {
    fn new(task: &TuningJob, worker: Shard) -> Team {
        Team {
            experiment: task.options.experiment_digest.to_owned(),
            budget: task.tune.budget,
            binary: machine::program_identity(),
            workers: worker.count(),
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
    share: Shard,
    helpers: Vec<HelperState>,
    /// One line for each helper whose journal could not be read, with the reason.
    read_errors: Vec<String>,
}

/// A helper from the leader's point of view.
struct HelperState {
    shard: Shard,
    path: PathBuf,
    journal: Option<Journal>,
    /// True if its journal was unreadable once.
    was_unreadable: bool,
    /// Time at which it last delivered requested games.
    last_delivery: Instant,
    /// Consecutive steps for which it delivered nothing in time.
    missed_steps: u32,
}

impl Leader {
    /// Begins to lead, while the journal of the tuning is locked.
    pub(super) fn begin(task: &TuningJob, share: Shard) -> anyhow::Result<Leader> {
        let path = task.folder.join(TEAM_FILE);
        note::write(&path, &TeamNote::Workers(Team::new(task, share)))
            .with_context(|| format!("cannot write {}", display_path(&path)))?;
        let new_helper = |helper| HelperState {
            shard: helper,
            path: journal_path(task.folder, helper),
            journal: None,
            was_unreadable: false,
            last_delivery: Instant::now(),
            missed_steps: MISSED_STEPS,
        };
        let mut leader = Leader {
            share,
            helpers: share.all_shards().skip(1).map(new_helper).collect(),
            read_errors: Vec::new(),
        };
        // Games that were written before are no sign of life.
        for helper in &mut leader.helpers {
            leader.read_errors.extend(helper.read_new_lines());
            helper.missed_steps = MISSED_STEPS;
        }
        Ok(leader)
    }

    /// Returns the leader's share of the games of a step.
    pub(super) fn share(&self) -> Shard {
        self.share
    }

    /// Returns a line for each helper whose journal could not be read, with the reason.
    pub(super) fn read_errors(&self) -> &[String] {
        &self.read_errors
    }

    /// Collects games of helpers for a step that began at a given time and whose own share is
    /// played. Ends when all games are there, or when all missing helpers have been silent for too
    /// long.
    pub(super) fn collect(
        &mut self,
        plan: &KeyedPlan,
        journal: &mut Journal,
        step_start: Instant,
        stop: &Stop,
    ) -> Result<(), MissingGamesReason> {
        let timeout = HELPER_TIMEOUT.max(SHARE_TIME_FACTOR * step_start.elapsed());
        let mut pause = SHORTEST_WAIT;
        loop {
            for helper in &mut self.helpers {
                self.read_errors.extend(helper.read_new_lines());
                if let Some(helper_journal) = &helper.journal
                    // Skips a line that is still being written or that another build wrote.
                    && let Ok(coverage) = Coverage::from_journal(plan, helper_journal)
                    && copy_games(plan, journal, &coverage)? > 0
                {
                    helper.last_delivery = Instant::now();
                    helper.missed_steps = 0;
                }
            }
            if Coverage::from_journal(plan, journal)?.is_complete(plan) {
                return Ok(());
            }
            if stop.is_requested() {
                return Err(MissingGamesReason::Stopped(None));
            }
            let is_expected = |helper: &HelperState| {
                helper.missed_steps < MISSED_STEPS && helper.last_delivery.max(step_start).elapsed() < timeout
            };
            if !self.helpers.iter().any(is_expected) {
                let late_helpers = self.helpers.iter_mut().filter(|helper| helper.last_delivery < step_start);
                late_helpers.for_each(|helper| helper.missed_steps = helper.missed_steps.saturating_add(1));
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
    fn read_new_lines(&mut self) -> Option<String> {
        let count_lines =
            |journal: &Option<Journal>| journal.as_ref().map_or(0, |journal| journal.lines().len());
        let line_count = count_lines(&self.journal);
        let result = match &mut self.journal {
            Some(journal) => journal.read_appended(),
            None if self.path.exists() => {
                Journal::peek(&self.path).map(|journal| self.journal = Some(journal))
            }
            None => return None,
        };
        if count_lines(&self.journal) > line_count {
            self.missed_steps = self.missed_steps.min(MISSED_STEPS - 1);
        }
        let error = result.err()?;
        let is_new = !std::mem::replace(&mut self.was_unreadable, true);
        is_new.then(|| format!("playing the share of worker {} here: {error:#}", self.shard))
    }
}

/// A helper process: it plays shares of the steps of the leader's search.
pub(super) struct Helper {
    share: Shard,
    /// The journal that it writes.
    pub(super) journal: Journal,
    leader_activity: LeaderActivity,
    /// Its deadline.
    deadline: Option<Instant>,
}

/// Time limit for a helper that waits for the leader.
#[derive(Clone, Copy, Debug)]
pub struct LeaderTimeout {
    /// Maximum time without a new line in the leader's journal.
    pub max_silence: Duration,
    /// Called once to report that the helper waits.
    pub on_wait: fn(),
}

/// Activity of the leader, as observed by a waiting helper.
struct LeaderActivity {
    max_silence: Duration,
    /// Length of the leader's journal when last read.
    journal_length: u64,
    /// Time of the last sign.
    last_sign_of_life: Instant,
    /// True if the leader was active while this helper waited.
    was_active: bool,
    /// Reports that there was no sign for some time; `None` once reported.
    on_wait: Option<fn()>,
}

impl LeaderActivity {
    fn new(LeaderTimeout { max_silence, on_wait }: LeaderTimeout) -> LeaderActivity {
        LeaderActivity {
            max_silence,
            journal_length: 0,
            last_sign_of_life: Instant::now(),
            was_active: false,
            on_wait: Some(on_wait),
        }
    }

    /// Returns the longest silence allowed. A leader that was active and fell silent gets less time
    /// than one that may still be queued: it may have failed permanently.
    fn allowed_silence(&self) -> Duration {
        if self.was_active { self.max_silence.min(LEADER_TIMEOUT) } else { self.max_silence }
    }

    /// Checks the leader's journal, given its current length. Fails if it has been neither locked
    /// nor growing for too long.
    fn check_leader(&mut self, path: &Path, length: u64) -> anyhow::Result<()> {
        let silence = self.last_sign_of_life.elapsed();
        if length != self.journal_length {
            self.was_active |= self.journal_length != 0;
            (self.journal_length, self.last_sign_of_life) = (length, Instant::now());
        } else if silence >= REPORT_AFTER.min(self.max_silence / REPORT_PARTS) {
            // Testing the lock holds it for a moment, so it is tested only after a silence.
            if Journal::is_in_use(path) {
                (self.was_active, self.last_sign_of_life) = (true, Instant::now());
            } else if let Some(report) = self.on_wait.take() {
                report();
            } else if silence >= self.allowed_silence() {
                bail!(
                    "worker 1 has not started or written to {} for {}: restart worker 1, then this worker (--wait sets how long to wait)",
                    display_path(path),
                    format_time_span(self.allowed_silence().as_secs_f64())
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
        timeout: LeaderTimeout,
    ) -> anyhow::Result<Option<(Helper, Journal)>> {
        let journal = Journal::open(&journal_path(task.folder, share))?;
        let (team_path, leader_path) = (task.folder.join(TEAM_FILE), paths::journal_path(task.folder, None));
        let team = Team::new(task, share);
        let mut leader_activity = LeaderActivity::new(timeout);
        while !stop.is_requested() && !has_passed(task.deadline) {
            // The file of an earlier leader is replaced by the next leader, which then holds its
            // journal.
            let leader = note::read::<TeamNote>(&team_path).ok().flatten().filter(|_| leader_path.exists());
            match leader.map(|TeamNote::Workers(leader)| team.describe_difference(&leader)) {
                Some(None) => {
                    let helper = Helper { share, journal, leader_activity, deadline: task.deadline };
                    return Ok(Some((helper, Journal::peek(&leader_path)?)));
                }
                Some(Some(difference)) if Journal::is_in_use(&leader_path) => {
                    bail!("worker {share} cannot help: worker 1 {difference}")
                }
                Some(Some(_)) | None => {
                    leader_activity.check_leader(&leader_path, 0)?;
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
    pub(super) fn wait_for_games(
        &mut self,
        plan: &KeyedPlan,
        journal: &mut Journal,
        stop: &Stop,
    ) -> Result<(), MissingGamesReason> {
        self.leader_activity.last_sign_of_life = Instant::now();
        let mut pause = SHORTEST_WAIT;
        while !read_until_complete(plan, journal)? {
            if stop.is_requested() || has_passed(self.deadline) {
                return Err(MissingGamesReason::Stopped(None));
            }
            self.leader_activity.check_leader(journal.path(), journal.length())?;
            thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_WAIT);
        }
        Ok(())
    }
}

/// Returns true if a deadline has passed.
fn has_passed(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Reads new lines of the leader's journal and returns true if it has all games of a plan.
pub(super) fn read_until_complete(plan: &KeyedPlan, journal: &mut Journal) -> anyhow::Result<bool> {
    journal.read_appended()?;
    Ok(Coverage::from_journal(plan, journal)?.is_complete(plan))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    static REPORTS: AtomicU32 = AtomicU32::new(0);

    #[test]
    fn a_leader_without_a_sign_of_life_is_given_up_and_said_so_once() {
        let missing_path = Path::new("no journal is here");
        let on_wait = || _ = REPORTS.fetch_add(1, Ordering::Relaxed);
        let mut leader_activity = LeaderActivity::new(LeaderTimeout { max_silence: Duration::ZERO, on_wait });
        // A leader whose journal grows is waited for.
        for length in 1..5 {
            leader_activity.check_leader(missing_path, length).expect("it grows");
        }
        assert_eq!(REPORTS.load(Ordering::Relaxed), 0);
        leader_activity.check_leader(missing_path, 4).expect("it is said first");
        leader_activity.check_leader(missing_path, 5).expect("it grows again");
        assert!(leader_activity.was_active, "its journal grew");
        let message = leader_activity.check_leader(missing_path, 5).expect_err("it is silent").to_string();
        assert!(message.starts_with("worker 1 has not started or written to "), "{message}");
        assert_eq!(REPORTS.load(Ordering::Relaxed), 1);
    }
}
