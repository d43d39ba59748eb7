//! Cost of playing a plan: from games that journals hold, or else from a few games of each line-up,
//! of which nothing is kept.

use std::time::{Duration, Instant};

use anyhow::Context;
use gauntlet_core::arena;
use gauntlet_core::game::Block;
use gauntlet_core::num::Seconds;
use gauntlet_core::player::{Kit, Stop};
use gauntlet_core::record::{Ending, Slice, Times};

use super::coverage::Coverage;
use super::entry::GamesEntry;
use super::journal::Journal;
use super::keyed::KeyedPlan;
use super::machine;
use crate::plan::Plan;

/// Time of a line-up's sample, unless its first block takes longer.
const SAMPLE: Duration = Duration::from_secs(1);

/// The longest that a person waits for a first game, in seconds.
pub const PATIENCE: f64 = 20.0;

/// Time taken for a line of the journal: about as much as a run deals at a time.
const LINE: Duration = Duration::from_millis(40);

/// Cost of the blocks of a line-up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The blocks by which that is known.
    pub blocks: u64,
    /// Seconds of one processor that a block takes.
    pub seconds: f64,
    /// Bytes of the journal.
    pub bytes: f64,
    /// True if it is more than that: the first game did not come to its end.
    pub is_at_least: bool,
}

/// Plays some of the first blocks of a line-up, and no longer than `patience` seconds at the first
/// of them.
pub fn of(plan: &Plan, lineup: usize, patience: f64) -> anyhow::Result<Cost> {
    let entrants: Vec<_> = plan.members(lineup).map(|player| player.entrant).collect();
    let kit = plan.kit(&Stop::default());
    let patience = Seconds::try_from(patience).expect("a time within bounds");
    let is_shorter = |own: Seconds| own.get() < patience.get();
    let limited =
        Kit { max_seconds: kit.max_seconds.filter(|&own| is_shorter(own)).or(Some(patience)), ..kit.clone() };
    // The first block may take for ever; what is faster is played as in a run, where a limit may be
    // slower.
    let mut worker = arena::worker(&entrants, plan.max_moves, &limited)?;
    let started = Instant::now();
    let (mut seconds, mut blocks, mut bytes) = (0.0, 0, 0.0);
    let mut size = 1;
    let mut is_at_least = false;
    while blocks < plan.blocks.len() {
        let size_now = size.min(plan.blocks.len() - blocks);
        let blocks_now: Vec<Block> =
            (blocks..blocks + size_now).map(|block| plan.blocks.block(block)).collect();
        let slice = worker(&blocks_now);
        let took = seconds_of(&slice.times);
        is_at_least = blocks == 0
            && limited.max_seconds != kit.max_seconds
            && slice.records.iter().any(|record| record.ending == Ending::MaxSeconds);
        bytes = line_of(plan, slice) / size_now as f64;
        blocks += size_now;
        seconds += took;
        if is_at_least || started.elapsed() >= SAMPLE {
            break;
        }
        if blocks == size_now {
            // Players may be too large to be there twice.
            drop(worker);
            worker = arena::worker(&entrants, plan.max_moves, &kit)?;
        }
        // The next batch is about as long as one of a run.
        let fitting = (LINE.as_secs_f64() / (took / size_now as f64).max(1e-9)) as u64;
        size = fitting.clamp(1, 4 * size);
    }
    Ok(Cost { blocks, seconds: seconds / blocks.max(1) as f64, bytes, is_at_least })
}

/// The most lines of a journal that are read to find out.
const LINES: usize = 1000;

/// The same by games that journals hold, of a processor like this one; none where they hold none.
pub fn of_held(plan: &KeyedPlan, lineup: usize, held: &[Coverage]) -> anyhow::Result<Option<Cost>> {
    let cpu = machine::cpu();
    let lines = held.iter().flat_map(|coverage| {
        let leading = coverage.stretches[lineup].iter().filter(|stretch| stretch.leads);
        leading.map(|stretch| (coverage.journal, stretch.line))
    });
    let is_ours = |(journal, line): &(&Journal, usize)| {
        let session = journal.sessions().get(journal.line(*line).session);
        session.is_some_and(|session| session.cpu == cpu)
    };
    let mut cost = Cost { blocks: 0, seconds: 0.0, bytes: 0.0, is_at_least: false };
    for (journal, line) in lines.filter(is_ours).take(LINES) {
        let games = journal.read(line)?;
        let times: Vec<Times> = games.times_of_members().cloned().collect();
        let timed: u64 = times.iter().map(|times| times.moves).sum();
        let records = games.records().context("a line of a journal contradicts itself")?;
        let made: u64 = records.iter().map(|record| u64::from(record.moves)).sum();
        // A line that was cut on its way from another journal keeps the times of all its games in
        // its first part.
        if timed == 0 {
            continue;
        }
        cost.blocks += u64::from(games.games) / plan.legs();
        cost.seconds += seconds_of(&times) * (made as f64 / timed as f64).min(1.0);
        cost.bytes += games.framed().bytes.len() as f64;
    }
    let blocks = cost.blocks as f64;
    let mean = Cost { seconds: cost.seconds / blocks, bytes: cost.bytes / blocks, ..cost };
    Ok((cost.blocks > 0 && cost.seconds > 0.0).then_some(mean))
}

/// Time of the games of a line-up. A player that thinks elsewhere takes none of the thread's own
/// time.
fn seconds_of(times: &[Times]) -> f64 {
    let ns = |times: &Times| if times.timed.is_elsewhere() { times.wall_ns } else { times.cpu_ns };
    times.iter().map(ns).max().unwrap_or(0) as f64 / 1e9
}

/// Length of a line of the journal with these games.
fn line_of(plan: &Plan, slice: Slice) -> f64 {
    let mut games = GamesEntry::of("0123456789abcdef", &slice.records, plan.arena.facts.len());
    games.first = Some(plan.blocks.len());
    games.set_times(slice.times);
    games.framed().bytes.len() as f64
}
