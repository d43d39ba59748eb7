//! Progress of a run, a shard, a search or a training, as plain data. It is read from a folder or
//! made by the process that plays. The bar, `gauntlet status` and the live page show it.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use gauntlet_core::text::{counted, grouped};

use super::coverage::Coverage;
use super::journal::Journal;
use super::judge;
use super::keyed::KeyedPlan;
use super::machine;
use crate::plan::{Plan, Shard};

/// What a piece of work does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunState {
    /// All of it is done.
    Complete,
    /// A process of this machine works on it.
    Plays,
    /// Its last process ended in good order, before it was complete.
    Stopped,
    /// Its last process did not record its end: it was killed, it failed, or it runs on a machine
    /// whose locks are not visible here.
    #[default]
    Silent,
}

impl RunState {
    /// The state by whether a process is at it and whether all is done.
    pub fn of(is_in_use: bool, is_done: bool) -> RunState {
        match (is_in_use, is_done) {
            (true, _) => RunState::Plays,
            (false, true) => RunState::Complete,
            (false, false) => RunState::Stopped,
        }
    }

    /// The state in words.
    pub fn words(self) -> &'static str {
        match self {
            RunState::Complete => "complete",
            RunState::Plays => "playing now",
            RunState::Stopped | RunState::Silent => "not complete",
        }
    }
}

/// After so many seconds without a write to its journal, work in progress is reported.
const LONG: f64 = 600.0;

/// How far a piece of work is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// What is done,
    pub done: u64,
    /// of so much; 0 if that is not known.
    pub all: u64,
    /// True if moves are counted, and not games.
    pub is_of_moves: bool,
    /// What it does.
    pub state: RunState,
    /// As much a second; of a journal, by its last session.
    pub pace: Option<f64>,
    /// Seconds that are left at this pace,
    pub time_left: Option<f64>,
    /// and before them `≤ ` or `≥ ` if they are a bound.
    pub bound: &'static str,
    /// Games of each line-up of a run that are played.
    pub lineups: Vec<u64>,
    /// Seconds since its journal was written to.
    pub silent: f64,
}

impl Progress {
    /// A number of games among all.
    pub fn of_games(done: u64, all: u64, state: RunState) -> Progress {
        Progress { done, all, state, ..Progress::default() }
    }

    /// A run, or a shard of one, by its journal. It is over before the block `end`.
    pub fn of_journal(plan: &KeyedPlan, coverage: &Coverage, shard: Option<Shard>, end: u64) -> Progress {
        let parts = plan.parts_before(end, shard);
        let games = |lineup| plan.legs() * coverage.blocks_in(lineup, &parts);
        let lineups: Vec<u64> = (0..plan.lineups.len()).map(games).collect();
        let blocks: u64 = parts.iter().map(|part| part.end - part.start).sum();
        let (done, all) = (lineups.iter().sum(), plan.legs() * blocks * lineups.len() as u64);
        let journal = coverage.journal;
        let is_in_order = journal.sessions().last().is_some_and(|session| session.seconds.is_some());
        let state = match RunState::of(Journal::is_in_use(journal.path()), done == all) {
            RunState::Stopped if !is_in_order => RunState::Silent,
            state => state,
        };
        let written = written(journal.path());
        let silent = SystemTime::now().duration_since(written).unwrap_or_default().as_secs_f64();
        let pace = pace_of(journal).filter(|_| state == RunState::Plays);
        Progress { lineups, silent, ..Progress::of_games(done, all, state) }.at_pace(pace)
    }

    /// A run by the journal at a path, which need not be there.
    pub fn of_run(plan: Plan, path: &Path) -> anyhow::Result<Progress> {
        if !path.exists() {
            return Ok(Progress::of_games(0, plan.games(), RunState::Stopped));
        }
        let journal = Journal::peek(path)?;
        let plan = KeyedPlan::of(plan, &[&journal])?;
        let coverage = Coverage::of(&plan, &journal)?;
        let end = judge::heard(&plan, &coverage)?.and_then(|judge| judge.end());
        Ok(Progress::of_journal(&plan, &coverage, None, end.unwrap_or(plan.blocks.len())))
    }

    /// Several parts of one plan with so many games in all.
    pub fn together(parts: &[Progress], all: u64) -> Progress {
        let done = parts.iter().map(|part| part.done).sum();
        let playing = || parts.iter().filter(|part| part.state == RunState::Plays && part.left() > 0);
        let pace = Some(playing().filter_map(|part| part.pace).sum()).filter(|pace| *pace > 0.0);
        let state = RunState::of(playing().next().is_some(), done >= all);
        let mut lineups = vec![0; parts.first().map_or(0, |part| part.lineups.len())];
        for part in parts {
            lineups.iter_mut().zip(&part.lineups).for_each(|(sum, games)| *sum += games);
        }
        let mut sum = Progress { lineups, ..Progress::of_games(done, all, state) }.at_pace(pace);
        // No shard is played by two tasks.
        let slowest = playing().filter_map(|part| part.time_left);
        sum.time_left = sum.time_left.map(|left| slowest.fold(left, f64::max));
        sum
    }

    /// The same at this pace.
    #[must_use]
    pub fn at_pace(self, pace: Option<f64>) -> Progress {
        let left = self.left() as f64;
        Progress { pace, time_left: pace.filter(|_| left > 0.0).map(|pace| left / pace), ..self }
    }

    /// What is done, in percent of all.
    pub fn percent(&self) -> u64 {
        (100 * u128::from(self.done) / u128::from(self.all.max(1))) as u64
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.all.saturating_sub(self.done)
    }

    /// True if nothing shows that this work, which is not complete, goes on.
    pub fn is_silent(&self) -> bool {
        match self.state {
            RunState::Silent => true,
            RunState::Plays => self.silent > LONG,
            RunState::Stopped | RunState::Complete => false,
        }
    }

    /// What is done of all, in words.
    pub fn words(&self) -> String {
        let unit = if self.is_of_moves { "move" } else { "game" };
        match self.all {
            0 => counted(self.done, unit),
            all => format!("{} of {}", grouped(self.done), counted(all, unit)),
        }
    }

    /// The same with its part of the whole.
    pub fn part(&self) -> String {
        let unit = if self.is_of_moves { "moves" } else { "games" };
        format!("{} of {} {unit} ({} %)", grouped(self.done), grouped(self.all), self.percent())
    }

    /// Its pace and the time that is left, in words.
    pub fn pace_words(&self) -> Vec<String> {
        let unit = if self.is_of_moves { "moves" } else { "games" };
        let pace = self.pace.map(|a_second| format!("{} {unit}/s", pace(a_second)));
        let left = self.time_left.map(|left| Duration::from_secs_f64(left.min(1e9)));
        pace.into_iter().chain(left.map(|left| format!("{}{} left", self.bound, clock(left)))).collect()
    }
}

/// Games a second of the last session of a journal, if that has played any.
pub fn pace_of(journal: &Journal) -> Option<f64> {
    let session = journal.sessions().last().filter(|session| session.counted.games > 0)?;
    let begun = machine::seconds_of(&session.started)?;
    let written = written(journal.path()).duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64();
    // The beginning is told in whole seconds.
    let took = session.seconds.unwrap_or((written - begun as f64).max(1.0));
    Some(session.counted.games as f64 / took.max(0.001))
}

/// When a file was written last; long ago if that is not known.
pub fn written(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Games a second, with a decimal where there are few.
pub fn pace(pace: f64) -> String {
    if pace < 10.0 { format!("{pace:.1}") } else { grouped(pace as u64) }
}

/// A time as a clock shows it.
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{:02}", seconds % 60),
        (0, _) => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
        _ => format!("{days} d {hours} h"),
    }
}
