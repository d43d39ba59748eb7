//! Progress of the shards of a run. Only the heads of lines are read, without examining games, so a
//! thousand journals take little more time than reading them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gauntlet_core::text::format_count;
use rayon::prelude::*;

use super::coverage::Coverage;
use super::journal::Journal;
use super::keyed_plan::KeyedPlan;
use super::progress::{Progress, RunState};
use super::snapshot::format_state_counts;
use super::{machine, threads};
use crate::plan::Shard;

/// Progress of a shard, and what happened in its tasks.
#[derive(Clone, Debug)]
pub struct ShardProgress {
    pub shard: Shard,
    pub progress: Progress,
    /// For each process that wrote to its journal, the processor, the games and the CPU seconds.
    pub cost: Vec<(String, u64, f64)>,
    /// Number of lines that are skipped.
    pub damaged_lines: usize,
    /// Number of blocks that ever failed.
    pub failed_blocks: usize,
}

/// Reads the progress of these shards of a run, which ends before the block `end`. Fails at the
/// first unreadable journal.
pub fn read_progress(
    plan: &KeyedPlan,
    shards: &[(Shard, PathBuf)],
    end: u64,
) -> anyhow::Result<Vec<ShardProgress>> {
    let read_one = |(shard, path): &(Shard, PathBuf)| read_shard_progress(plan, *shard, path, end);
    threads::build_pool(machine::cores())?.install(|| shards.par_iter().map(read_one).collect())
}

/// Sums the progress of shards that share no game.
pub fn sum_progress(plan: &KeyedPlan, shards: &[ShardProgress], end: u64) -> Progress {
    let parts: Vec<Progress> = shards.iter().map(|shard| shard.progress.clone()).collect();
    Progress::sum(&parts, plan.lineups.len() as u64 * plan.legs() * end)
}

/// Describes a run of this number of shards: how many of them are in each state.
pub fn states(shard_count: u64, started: &[RunState]) -> String {
    let count = |state: RunState| started.iter().filter(|&&own| own == state).count() as u64;
    let states = format_state_counts(&[
        (count(RunState::Complete), "complete"),
        (count(RunState::Plays), "playing now"),
        (count(RunState::Stopped), "stopped"),
        (count(RunState::Silent), "ended unexpectedly"),
        (shard_count.saturating_sub(started.len() as u64), "not started here"),
    ]);
    format!("{}: {states}", format_count(shard_count, "shard"))
}

/// Returns the shards of which all games are played. Lines with impossible or contradicted games do
/// not count.
pub fn complete_shards(
    plan: &KeyedPlan,
    shards: &[(Shard, PathBuf)],
    end: u64,
) -> anyhow::Result<BTreeSet<Shard>> {
    let estimates = read_progress(plan, shards, end)?;
    let complete_shard = |(estimate, (shard, path)): (&ShardProgress, &(Shard, PathBuf))| {
        if estimate.progress.remaining() > 0 {
            return Ok(None);
        }
        let journal = Journal::peek(path)?;
        let coverage = Coverage::from_journal(plan, &journal)?;
        let parts = plan.parts_before(end, Some(*shard));
        let lacks_games =
            (0..plan.lineups.len()).any(|lineup| !coverage.missing_blocks_in(lineup, &parts).is_empty());
        Ok((!lacks_games).then_some(*shard))
    };
    let complete: Vec<Option<Shard>> = threads::build_pool(machine::cores())?
        .install(|| estimates.par_iter().zip(shards).map(complete_shard).collect::<anyhow::Result<_>>())?;
    Ok(complete.into_iter().flatten().collect())
}

fn read_shard_progress(
    plan: &KeyedPlan,
    shard: Shard,
    path: &Path,
    end: u64,
) -> anyhow::Result<ShardProgress> {
    let journal = Journal::peek(path)?;
    let coverage = Coverage::without_validation(plan, &journal)?;
    let cost = journal.sessions().iter().filter(|session| session.sums.games > 0);
    let cost = cost.map(|session| {
        let sums = session.sums;
        (session.cpu.clone(), sums.games, sums.cpu_ns as f64 / 1e9)
    });
    Ok(ShardProgress {
        shard,
        progress: Progress::from_journal(plan, &coverage, Some(shard), end),
        cost: cost.collect(),
        damaged_lines: journal.damaged_lines(),
        failed_blocks: journal.panics().count(),
    })
}
