//! Progress of the shards of a run. Only the heads of lines are read, without examining games, so a
//! thousand journals take little more time than reading them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gauntlet_core::text::format_count;
use rayon::prelude::*;

use super::coverage::Coverage;
use super::journal::Journal;
use super::keyed::KeyedPlan;
use super::progress::{Progress, RunState};
use super::snapshot::counted_states;
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
    pub damaged: usize,
    /// Number of blocks that ever failed.
    pub broken: usize,
}

/// Reads the progress of these shards of a run, which ends before the block `end`. Fails at the
/// first unreadable journal.
pub fn read_progress(
    plan: &KeyedPlan,
    shards: &[(Shard, PathBuf)],
    end: u64,
) -> anyhow::Result<Vec<ShardProgress>> {
    let of = |(shard, path): &(Shard, PathBuf)| read_shard_progress(plan, *shard, path, end);
    threads::build_pool(machine::cores())?.install(|| shards.par_iter().map(of).collect())
}

/// Sums the progress of shards that share no game.
pub fn sum_progress(plan: &KeyedPlan, shards: &[ShardProgress], end: u64) -> Progress {
    let parts: Vec<Progress> = shards.iter().map(|shard| shard.progress.clone()).collect();
    Progress::sum(&parts, plan.lineups.len() as u64 * plan.legs() * end)
}

/// Describes a run of this number of shards: how many of them are in each state.
pub fn states(of: u64, begun: &[RunState]) -> String {
    let count = |state: RunState| begun.iter().filter(|&&own| own == state).count() as u64;
    let states = counted_states(&[
        (count(RunState::Complete), "complete"),
        (count(RunState::Plays), "playing now"),
        (count(RunState::Stopped), "stopped"),
        (count(RunState::Silent), "ended unexpectedly"),
        (of.saturating_sub(begun.len() as u64), "not started here"),
    ]);
    format!("{}: {states}", format_count(of, "shard"))
}

/// Returns the shards of which all games are played. Lines with impossible or contradicted games do
/// not count.
pub fn complete_shards(
    plan: &KeyedPlan,
    shards: &[(Shard, PathBuf)],
    end: u64,
) -> anyhow::Result<BTreeSet<Shard>> {
    let seem = read_progress(plan, shards, end)?;
    let is_played = |(seems, (shard, path)): (&ShardProgress, &(Shard, PathBuf))| {
        if seems.progress.remaining() > 0 {
            return Ok(None);
        }
        let journal = Journal::peek(path)?;
        let coverage = Coverage::from_journal(plan, &journal)?;
        let parts = plan.parts_before(end, Some(*shard));
        let lacks =
            (0..plan.lineups.len()).any(|lineup| !coverage.missing_blocks_in(lineup, &parts).is_empty());
        Ok((!lacks).then_some(*shard))
    };
    let played: Vec<Option<Shard>> = threads::build_pool(machine::cores())?
        .install(|| seem.par_iter().zip(shards).map(is_played).collect::<anyhow::Result<_>>())?;
    Ok(played.into_iter().flatten().collect())
}

fn read_shard_progress(
    plan: &KeyedPlan,
    shard: Shard,
    path: &Path,
    end: u64,
) -> anyhow::Result<ShardProgress> {
    let journal = Journal::peek(path)?;
    let coverage = Coverage::without_validation(plan, &journal)?;
    let cost = journal.sessions().iter().filter(|session| session.counted.games > 0);
    let cost = cost.map(|session| {
        let counted = session.counted;
        (session.cpu.clone(), counted.games, counted.cpu_ns as f64 / 1e9)
    });
    Ok(ShardProgress {
        shard,
        progress: Progress::from_journal(plan, &coverage, Some(shard), end),
        cost: cost.collect(),
        damaged: journal.damaged_lines(),
        broken: journal.panics().count(),
    })
}
