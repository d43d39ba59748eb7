//! Progress of a run, a shard, a search or a training, as plain data. It is read from a folder or
//! made by the process that plays. The bar, `gauntlet status` and the live page show it.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, SystemTime};

use gauntlet_core::text::{format_count, group_digits};

use super::coverage::Coverage;
use super::journal::Journal;
use super::judge;
use super::keyed_plan::KeyedPlan;
use super::machine;
use crate::plan::{Plan, Shard};

/// State of a piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    Complete,
    /// A process on this machine is working on it.
    Plays,
    /// Its last process ended in good order before it was complete.
    Stopped,
    /// Its last process did not record its end: it was killed, it failed, or it runs on a machine
    /// whose locks are not visible here.
    #[default]
    Silent,
}

impl RunState {
    /// Returns the state, given whether a process is working on it and whether all is done.
    pub fn from_flags(is_in_use: bool, is_done: bool) -> RunState {
        match (is_in_use, is_done) {
            (true, _) => RunState::Plays,
            (false, true) => RunState::Complete,
            (false, false) => RunState::Stopped,
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            RunState::Complete => "complete",
            RunState::Plays => "playing now",
            RunState::Stopped | RunState::Silent => "not complete",
        }
    }
}

/// Seconds without a write to the journal after which work in progress is reported as silent.
const SILENCE_LIMIT: f64 = 600.0;

/// What the progress of some work counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgressUnit {
    /// Games.
    #[default]
    Game,
    /// Moves.
    Move,
    /// Boards of a table.
    Board,
    /// Players.
    Player,
}

impl ProgressUnit {
    fn word(self) -> &'static str {
        match self {
            ProgressUnit::Game => "game",
            ProgressUnit::Move => "move",
            ProgressUnit::Board => "board",
            ProgressUnit::Player => "player",
        }
    }
}

/// Progress of a piece of work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Amount done,
    pub done: u64,
    /// out of this total; 0 if unknown.
    pub total: u64,
    /// What is counted.
    pub unit: ProgressUnit,
    pub state: RunState,
    /// Amount per second; for a journal, in its last session.
    pub pace: Option<f64>,
    /// Seconds left at this pace,
    pub time_left: Option<f64>,
    /// with prefix `≤ ` or `≥ ` if they are a bound.
    pub bound_prefix: &'static str,
    /// Games played by each line-up of a run.
    pub lineups: Vec<u64>,
    /// Seconds since the last write to the journal.
    pub silent_seconds: f64,
}

impl Progress {
    /// Makes the progress of a number of games.
    pub fn from_games(done: u64, total: u64, state: RunState) -> Progress {
        Progress { done, total, state, ..Progress::default() }
    }

    /// Measures a run, or one of its shards, by its journal. The run ends before the block `end`.
    pub fn from_journal(plan: &KeyedPlan, coverage: &Coverage, shard: Option<Shard>, end: u64) -> Progress {
        let blocks = |lineup, parts: &[Range<u64>]| coverage.count_blocks_in(lineup, parts);
        Progress::from_blocks(plan, coverage.journal, shard, end, blocks)
    }

    /// Measures a run, or one of its shards. `blocks` returns how many blocks of some ranges a
    /// line-up has played. The run ends before the block `end`.
    pub(super) fn from_blocks(
        plan: &KeyedPlan,
        journal: &Journal,
        shard: Option<Shard>,
        end: u64,
        blocks: impl Fn(usize, &[Range<u64>]) -> u64,
    ) -> Progress {
        let parts = plan.parts_before(end, shard);
        let games = |lineup| plan.legs() * blocks(lineup, &parts);
        let lineups: Vec<u64> = (0..plan.lineups.len()).map(games).collect();
        let blocks_each: u64 = parts.iter().map(|part| part.end - part.start).sum();
        let (done, total) = (lineups.iter().sum(), plan.legs() * blocks_each * lineups.len() as u64);
        let is_in_order = journal.sessions().last().is_some_and(|session| session.seconds.is_some());
        let state = match RunState::from_flags(Journal::is_in_use(journal.path()), done == total) {
            RunState::Stopped if !is_in_order => RunState::Silent,
            state => state,
        };
        let silent_seconds = silence(journal.path());
        // Without new games, the pace of earlier ones does not show the time left.
        let pace =
            journal_pace(journal).filter(|_| state == RunState::Plays && silent_seconds <= SILENCE_LIMIT);
        Progress { lineups, silent_seconds, ..Progress::from_games(done, total, state) }.with_pace(pace)
    }

    /// Measures a run by the journal at a path, if there is one.
    pub fn from_path(plan: Plan, path: &Path) -> anyhow::Result<Progress> {
        if !path.exists() {
            return Ok(Progress::from_games(0, plan.games(), RunState::Stopped));
        }
        let journal = Journal::peek(path)?;
        let plan = KeyedPlan::new(plan, &[&journal])?;
        let coverage = Coverage::from_journal(&plan, &journal)?;
        let end = judge::judge_journal(&plan, &coverage)?.and_then(|judge| judge.end());
        Ok(Progress::from_journal(&plan, &coverage, None, end.unwrap_or(plan.blocks.len())))
    }

    /// Sums several parts of one plan, which has this number of games.
    pub fn sum(parts: &[Progress], total: u64) -> Progress {
        let done = parts.iter().map(|part| part.done).sum();
        let playing = || parts.iter().filter(|part| part.state == RunState::Plays && part.remaining() > 0);
        let pace = Some(playing().filter_map(|part| part.pace).sum()).filter(|pace| *pace > 0.0);
        let state = RunState::from_flags(playing().next().is_some(), done >= total);
        let mut lineups = vec![0; parts.first().map_or(0, |part| part.lineups.len())];
        for part in parts {
            lineups.iter_mut().zip(&part.lineups).for_each(|(sum, games)| *sum += games);
        }
        let mut sum = Progress { lineups, ..Progress::from_games(done, total, state) }.with_pace(pace);
        // No shard is played by two tasks.
        let slowest = playing().filter_map(|part| part.time_left);
        sum.time_left = sum.time_left.map(|left| slowest.fold(left, f64::max));
        sum
    }

    /// Sets the pace.
    #[must_use]
    pub fn with_pace(self, pace: Option<f64>) -> Progress {
        let left = self.remaining() as f64;
        Progress { pace, time_left: pace.filter(|_| left > 0.0).map(|pace| left / pace), ..self }
    }

    /// Returns the amount done in percent.
    pub fn percent(&self) -> u64 {
        (100 * u128::from(self.done) / u128::from(self.total.max(1))) as u64
    }

    /// Returns the amount left.
    pub fn remaining(&self) -> u64 {
        self.total.saturating_sub(self.done)
    }

    /// Returns true if this work is incomplete and shows no sign of activity.
    pub fn is_silent(&self) -> bool {
        match self.state {
            RunState::Silent => true,
            RunState::Plays => self.silent_seconds > SILENCE_LIMIT,
            RunState::Stopped | RunState::Complete => false,
        }
    }

    /// Formats the amount done and the total.
    pub fn words(&self) -> String {
        let unit = self.unit.word();
        match self.total {
            0 => format_count(self.done, unit),
            total => format!("{} of {}", group_digits(self.done), format_count(total, unit)),
        }
    }

    /// Formats the amount done, the total and the percentage.
    pub fn format_done(&self) -> String {
        let unit = self.unit.word();
        format!("{} of {} {unit}s ({} %)", group_digits(self.done), group_digits(self.total), self.percent())
    }

    /// Formats the amount done, the pace and the time left.
    pub fn clauses(&self) -> Vec<String> {
        std::iter::once(self.words()).chain(self.pace_words()).collect()
    }

    /// Formats the pace and the time left.
    pub fn pace_words(&self) -> Vec<String> {
        let unit = self.unit.word();
        let pace = self.pace.map(|per_second| format!("{} {unit}s/s", format_pace(per_second)));
        let left = self.time_left.map(|left| Duration::from_secs_f64(left.min(1e9)));
        pace.into_iter()
            .chain(left.map(|left| format!("{}{} left", self.bound_prefix, format_clock(left))))
            .collect()
    }
}

/// Returns games per second in the last session of a journal, if it played any.
pub fn journal_pace(journal: &Journal) -> Option<f64> {
    let session = journal.sessions().last().filter(|session| session.sums.games > 0)?;
    let start = machine::parse_time(&session.started)?;
    let last_write =
        last_write_time(journal.path()).duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64();
    // The start is recorded in whole seconds.
    let duration = session.seconds.unwrap_or((last_write - start as f64).max(1.0));
    Some(session.sums.games as f64 / duration.max(0.001))
}

/// Returns the time of the last write to a file; the epoch if it is unknown.
pub fn last_write_time(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Returns the seconds since the last write to a file.
pub fn silence(path: &Path) -> f64 {
    SystemTime::now().duration_since(last_write_time(path)).unwrap_or_default().as_secs_f64()
}

/// Formats games per second, with a decimal for small numbers.
pub fn format_pace(pace: f64) -> String {
    if pace < 10.0 { format!("{pace:.1}") } else { group_digits(pace as u64) }
}

/// Formats a time like a clock.
pub fn format_clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{:02}", seconds % 60),
        (0, _) => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
        _ => format!("{days} d {hours} h"),
    }
}
