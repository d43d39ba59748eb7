//! How far a run, a shard or a validation is.

use std::ops::Range;

use crate::plan::Shard;
use crate::run::coverage::Coverage;
use crate::run::judge::Judge;
use crate::run::keyed::Keyed;

/// How far a run or a shard is.
pub(super) struct Far {
    /// The blocks that it has, up to the end that a judge found.
    pub(super) parts: Vec<Range<u64>>,
    /// Games of these that are played.
    pub(super) played: u64,
    /// All of them.
    pub(super) all: u64,
}

impl Far {
    pub(super) fn of(plan: &Keyed, coverage: &Coverage, shard: Option<Shard>, judge: Option<&Judge>) -> Far {
        let end = judge.and_then(Judge::end).unwrap_or(plan.blocks.len());
        let parts = plan.parts_before(end, shard);
        let games = |blocks: u64| blocks * plan.legs();
        let of_lineup = |lineup| games(coverage.blocks_in(lineup, &parts));
        let played = (0..plan.lineups.len()).map(of_lineup).sum();
        let all = games(blocks_in(&parts)) * plan.lineups.len() as u64;
        Far { parts, played, all }
    }

    /// The blocks that it has.
    pub(super) fn blocks(&self) -> u64 {
        blocks_in(&self.parts)
    }
}

fn blocks_in(parts: &[Range<u64>]) -> u64 {
    parts.iter().map(|part| part.end - part.start).sum()
}
