//! How far the shards of a run are, by the heads of the lines of their journals: games are counted
//! and not looked at, so a thousand journals take little more than to be read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::coverage::Coverage;
use super::journal::Journal;
use super::keyed::KeyedPlan;
use super::progress::Progress;
use super::{machine, threads};
use crate::plan::Shard;

/// How far a shard is, and what became of its tasks.
#[derive(Clone, Debug)]
pub struct ShardProgress {
    /// The shard.
    pub shard: Shard,
    /// How far it is.
    pub progress: Progress,
    /// For each process that played into its journal the processor, the games and the seconds of
    /// CPU time.
    pub cost: Vec<(String, u64, f64)>,
    /// Lines that are passed over.
    pub damaged: usize,
    /// Blocks that broke their player's program at least once.
    pub broken: usize,
}

/// How far these shards of a run are, which is over before the block `end`. The first that cannot
/// be read fails.
pub fn progress(
    plan: &KeyedPlan,
    shards: &[(Shard, PathBuf)],
    end: u64,
) -> anyhow::Result<Vec<ShardProgress>> {
    let of = |(shard, path): &(Shard, PathBuf)| progress_of(plan, *shard, path, end);
    threads::pool(machine::cores())?.install(|| shards.par_iter().map(of).collect())
}

/// How far they are together, if each game is in one of them.
pub fn together(plan: &KeyedPlan, shards: &[ShardProgress], end: u64) -> Progress {
    let parts: Vec<Progress> = shards.iter().map(|shard| shard.progress.clone()).collect();
    Progress::together(&parts, plan.lineups.len() as u64 * plan.legs() * end)
}

/// The shards among these of which all games are there, and looked at: of a line with a game that
/// cannot be, or that others contradict, none is there.
pub fn played(plan: &KeyedPlan, shards: &[(Shard, PathBuf)], end: u64) -> anyhow::Result<BTreeSet<Shard>> {
    let seem = progress(plan, shards, end)?;
    let is_played = |(seems, (shard, path)): (&ShardProgress, &(Shard, PathBuf))| {
        if seems.progress.left() > 0 {
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

fn progress_of(plan: &KeyedPlan, shard: Shard, path: &Path, end: u64) -> anyhow::Result<ShardProgress> {
    let journal = Journal::peek(path)?;
    let coverage = Coverage::unexamined(plan, &journal)?;
    let cost = journal.sessions().iter().filter(|session| session.counted.games > 0);
    let cost = cost.map(|session| {
        let counted = session.counted;
        (session.cpu.clone(), counted.games, counted.cpu_ns as f64 / 1e9)
    });
    Ok(ShardProgress {
        shard,
        progress: Progress::of_journal(plan, &coverage, Some(shard), end),
        cost: cost.collect(),
        damaged: journal.damaged(),
        broken: journal.panics().count(),
    })
}
