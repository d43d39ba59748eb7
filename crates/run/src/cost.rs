//! Cost of playing a plan, from games in journals, or else from a few games of each line-up, which
//! are not kept.

use std::time::{Duration, Instant};

use anyhow::Context;
use gauntlet_core::arena;
use gauntlet_core::game::Block;
use gauntlet_core::num::Seconds;
use gauntlet_core::player::{BuildContext, Stop};
use gauntlet_core::record::{BatchResult, ClockReadings, Ending};

use super::coverage::Coverage;
use super::entry::GamesEntry;
use super::journal::Journal;
use super::keyed_plan::KeyedPlan;
use super::machine;
use crate::plan::Plan;

/// Time for sampling a line-up, unless its first block takes longer.
const SAMPLE_TIME: Duration = Duration::from_secs(1);

/// Longest time to wait for a first game, in seconds.
pub const FIRST_GAME_TIMEOUT: f64 = 20.0;

/// Time of the games in one line of the journal: about one batch of a run.
const LINE_TIME: Duration = Duration::from_millis(40);

/// Cost of a line-up's blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockCost {
    /// Number of blocks measured.
    pub blocks: u64,
    /// CPU seconds per block.
    pub seconds: f64,
    /// Bytes per block in the journal.
    pub bytes: f64,
    /// True if the cost is a lower bound, because the first game did not end.
    pub is_lower_bound: bool,
}

/// Measures a line-up by playing some of its first blocks, with at most `timeout` seconds for the
/// first.
pub fn measure_lineup(plan: &Plan, lineup: usize, timeout: f64) -> anyhow::Result<BlockCost> {
    let entries: Vec<_> = plan.members(lineup).map(|player| player.entry).collect();
    let context = plan.build_context(&Stop::default());
    let timeout = Seconds::try_from(timeout).expect("a time within bounds");
    let is_shorter = |own: Seconds| own.get() < timeout.get();
    let limited_context = BuildContext {
        max_seconds: context.max_seconds.filter(|&own| is_shorter(own)).or(Some(timeout)),
        ..context.clone()
    };
    // The first block may take very long. Faster blocks are played as in a run, where a limit may
    // slow them.
    let mut worker = arena::build_worker(&entries, plan.max_moves, &limited_context)?;
    let started = Instant::now();
    let (mut seconds, mut blocks, mut bytes) = (0.0, 0, 0.0);
    let mut max_size = 1;
    let mut is_lower_bound = false;
    while blocks < plan.blocks.len() {
        let batch_size = max_size.min(plan.blocks.len() - blocks);
        let batch: Vec<Block> = (blocks..blocks + batch_size).map(|block| plan.blocks.block(block)).collect();
        let result = worker(&batch);
        let batch_seconds = total_seconds(&result.times);
        is_lower_bound = blocks == 0
            && limited_context.max_seconds != context.max_seconds
            && result.records.iter().any(|record| record.ending == Ending::MaxSeconds);
        bytes = line_length(plan, result) / batch_size as f64;
        blocks += batch_size;
        seconds += batch_seconds;
        if is_lower_bound || started.elapsed() >= SAMPLE_TIME {
            break;
        }
        if blocks == batch_size {
            // Players may be too large to exist twice.
            drop(worker);
            worker = arena::build_worker(&entries, plan.max_moves, &context)?;
        }
        // The next batch is about as long as a batch of a run.
        let fitting_size = (LINE_TIME.as_secs_f64() / (batch_seconds / batch_size as f64).max(1e-9)) as u64;
        max_size = fitting_size.clamp(1, 4 * max_size);
    }
    Ok(BlockCost { blocks, seconds: seconds / blocks.max(1) as f64, bytes, is_lower_bound })
}

/// Largest number of journal lines that are read for an estimate.
const MAX_LINES: usize = 1000;

/// Measures a line-up by games in journals, of the same type of processor. Returns `None` if there
/// are none.
pub fn measure_from_journals(
    plan: &KeyedPlan,
    lineup: usize,
    coverages: &[Coverage],
) -> anyhow::Result<Option<BlockCost>> {
    let cpu = machine::cpu_name();
    let lines = coverages.iter().flat_map(|coverage| {
        let leading = coverage.spans[lineup].iter().filter(|span| span.is_first_in_line);
        leading.map(|span| (coverage.journal, span.line))
    });
    let is_ours = |(journal, line): &(&Journal, usize)| {
        let session = journal.sessions().get(journal.line(*line).session);
        session.is_some_and(|session| session.cpu == cpu)
    };
    let mut cost = BlockCost { blocks: 0, seconds: 0.0, bytes: 0.0, is_lower_bound: false };
    for (journal, line) in lines.filter(is_ours).take(MAX_LINES) {
        let games = journal.read(line)?;
        let times: Vec<ClockReadings> = games.times_of_members().cloned().collect();
        let timed_moves: u64 = times.iter().map(|times| times.moves).sum();
        let records = games.records().context("a line of the journal is inconsistent")?;
        let record_moves: u64 = records.iter().map(|record| u64::from(record.moves)).sum();
        // If a merge cut a line, its first part has the times of all its games.
        if timed_moves == 0 {
            continue;
        }
        cost.blocks += u64::from(games.games) / plan.legs();
        cost.seconds += total_seconds(&times) * (record_moves as f64 / timed_moves as f64).min(1.0);
        cost.bytes += games.to_line().bytes.len() as f64;
    }
    let blocks = cost.blocks as f64;
    let mean = BlockCost { seconds: cost.seconds / blocks, bytes: cost.bytes / blocks, ..cost };
    Ok((cost.blocks > 0 && cost.seconds > 0.0).then_some(mean))
}

/// Returns the time of a line-up's games. A player in another process takes no time of the thread.
fn total_seconds(times: &[ClockReadings]) -> f64 {
    let ns = |times: &ClockReadings| if times.timed.is_elsewhere() { times.wall_ns } else { times.cpu_ns };
    times.iter().map(ns).max().unwrap_or(0) as f64 / 1e9
}

/// Returns the length of a journal line with these games.
fn line_length(plan: &Plan, result: BatchResult) -> f64 {
    let mut games = GamesEntry::new("0123456789abcdef", &result.records, plan.arena.facts.len());
    games.first = Some(plan.blocks.len());
    games.set_times(result.times);
    games.to_line().bytes.len() as f64
}
