//! How far the shards of a run are, by the heads of the lines of their journals: games are counted and not looked at, so a thousand
//! journals take little more than to be read.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rayon::prelude::*;

use super::coverage::Coverage;
use super::journal::Journal;
use super::keyed::Keyed;
use super::{machine, threads};
use crate::plan::Shard;

/// What a shard does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// All its games are there.
    Complete,
    /// A process plays into its journal.
    Plays,
    /// Its last process ended in good order, before it was complete.
    Stopped,
    /// Its last process left no word of its end: it was killed or failed, or it plays on a machine whose locks are not seen here.
    Silent,
}

/// How far a shard is.
#[derive(Clone, Debug)]
pub struct Progress {
    /// The shard.
    pub shard: Shard,
    /// What it does.
    pub state: State,
    /// Its games that are there,
    pub played: u64,
    /// of so many.
    pub all: u64,
    /// Seconds since its journal was written to.
    pub silent: f64,
    /// Games a second of its last process, if that has played any.
    pub pace: Option<f64>,
    /// For each process that played into its journal the processor, the games and the seconds of CPU time.
    pub cost: Vec<(String, u64, f64)>,
    /// Lines that are passed over.
    pub damaged: usize,
    /// Blocks that broke their player's program at least once.
    pub broken: usize,
}

/// A shard that is played is told of if its journal was not written to for so many seconds.
const LONG: f64 = 600.0;

impl Progress {
    /// True if nothing shows that the shard, which is not complete, goes on.
    pub fn is_silent(&self) -> bool {
        match self.state {
            State::Silent => true,
            State::Plays => self.silent > LONG,
            State::Stopped | State::Complete => false,
        }
    }

    /// Games that are left.
    pub fn left(&self) -> u64 {
        self.all - self.played
    }
}

/// How far these shards of a run are, which is over before the block `end`. The first that cannot be read fails.
pub fn progress(plan: &Keyed, shards: &[(Shard, PathBuf)], end: u64) -> anyhow::Result<Vec<Progress>> {
    let of = |(shard, path): &(Shard, PathBuf)| progress_of(plan, *shard, path, end);
    threads::pool(machine::cores())?.install(|| shards.par_iter().map(of).collect())
}

/// The shards among these of which all games are there, and looked at: of a line with a game that cannot be, or that others
/// contradict, none is there.
pub fn played(plan: &Keyed, shards: &[(Shard, PathBuf)], end: u64) -> anyhow::Result<BTreeSet<Shard>> {
    let seem = progress(plan, shards, end)?;
    let is_played = |(progress, (shard, path)): (&Progress, &(Shard, PathBuf))| {
        if progress.left() > 0 {
            return Ok(None);
        }
        let journal = Journal::peek(path)?;
        let coverage = Coverage::of(plan, &journal)?;
        let parts = plan.parts_before(end, Some(*shard));
        let lacks = (0..plan.lineups.len()).any(|lineup| !coverage.missing_in(lineup, &parts).is_empty());
        Ok((!lacks).then_some(*shard))
    };
    let played: Vec<Option<Shard>> = threads::pool(machine::cores())?
        .install(|| seem.par_iter().zip(shards).map(is_played).collect::<anyhow::Result<_>>())?;
    Ok(played.into_iter().flatten().collect())
}

fn progress_of(plan: &Keyed, shard: Shard, path: &Path, end: u64) -> anyhow::Result<Progress> {
    let journal = Journal::peek(path)?;
    let coverage = Coverage::unexamined(plan, &journal)?;
    let parts = plan.parts_before(end, Some(shard));
    let lineups = 0..plan.lineups.len();
    let played = lineups.map(|lineup| coverage.blocks_in(lineup, &parts)).sum::<u64>() * plan.legs();
    let all = plan.lineups.len() as u64 * plan.legs() * length(&parts);
    let written = fs::metadata(path).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let silent = SystemTime::now().duration_since(written).unwrap_or_default().as_secs_f64();
    let last = journal.sessions().last();
    let state = match last.map(|session| session.seconds) {
        _ if Journal::is_in_use(path) => State::Plays,
        _ if played == all => State::Complete,
        Some(Some(_)) => State::Stopped,
        Some(None) | None => State::Silent,
    };
    let pace = last.and_then(|session| {
        let begun = machine::seconds_of(&session.started)?;
        let written = written.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs_f64();
        // The beginning is told in whole seconds.
        let took = session.seconds.unwrap_or((written - begun as f64).max(1.0));
        (session.counted.games > 0).then(|| session.counted.games as f64 / took.max(0.001))
    });
    let cost = journal.sessions().iter().filter(|session| session.counted.games > 0);
    let cost = cost.map(|session| {
        let counted = session.counted;
        (session.cpu.clone(), counted.games, counted.cpu_ns as f64 / 1e9)
    });
    Ok(Progress {
        shard,
        state,
        played,
        all,
        silent,
        pace,
        cost: cost.collect(),
        damaged: journal.damaged(),
        broken: journal.panics().count(),
    })
}

fn length(parts: &[Range<u64>]) -> u64 {
    parts.iter().map(|part| part.end - part.start).sum()
}
