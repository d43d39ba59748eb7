//! Blocks without records: those that broke a player's program, and those that were not played.

use std::ops::Range;

use super::coverage::Coverage;
use super::journal::PanicEntry;
use super::keyed::KeyedPlan;

/// A block with a game that ended as it should not, and what was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenGame {
    /// The line-up, by its place in the plan.
    pub lineup: usize,
    /// The block.
    pub block: u64,
    /// The block's seed.
    pub seed: u64,
    /// The leg of the block, where it has two.
    pub leg: usize,
    /// Message of the player or its program.
    pub message: String,
}

/// The blocks among these that are not in the journal: those that broke a player's program, and how
/// many others.
pub fn broken(plan: &KeyedPlan, coverage: &Coverage, among: &Range<u64>) -> (Vec<BrokenGame>, u64) {
    let mut broken = Vec::new();
    let mut missing = 0;
    for lineup in 0..plan.lineups.len() {
        let key = plan.key(lineup);
        let blocks = coverage.missing(lineup, among);
        missing += blocks.iter().map(|range| range.end - range.start).sum::<u64>();
        let known = coverage.journal.panics_of(key);
        // A block's number does not follow from its seed, so blocks are gone through until all are
        // found.
        let blocks = if known > 0 { blocks } else { Vec::new() };
        let blocks = blocks.into_iter().flatten().filter_map(|block| {
            let seed = plan.blocks.seed(block);
            let PanicEntry { leg, message, .. } = coverage.journal.panic(key, seed)?.clone();
            Some(BrokenGame { lineup, block, seed, leg, message })
        });
        broken.extend(blocks.take(known));
    }
    missing -= broken.len() as u64;
    (broken, missing)
}

/// Number of blocks, from the first on, that every line-up of a plan has played or tried. A block
/// that broke a player's program counts, as in the tables of a whole run.
pub fn complete(plan: &KeyedPlan, coverage: &Coverage) -> u64 {
    let all = plan.blocks.len();
    let of_lineup = |lineup: usize| {
        let key = plan.key(lineup);
        let is_broken = |block: u64| coverage.journal.panic(key, plan.blocks.seed(block)).is_some();
        let missing = coverage.missing(lineup, &(0..all));
        missing.into_iter().flatten().find(|&block| !is_broken(block)).unwrap_or(all)
    };
    (0..plan.lineups.len()).map(of_lineup).min().unwrap_or(0)
}
