//! Blocks without records: those that broke a player's program, and those not played yet.

use std::ops::Range;

use gauntlet_core::text::escape;

use super::coverage::{Coverage, lineups_with_distinct_keys};
use super::journal::PanicEntry;
use super::keyed_plan::KeyedPlan;
use super::plan::Plan;

/// A block with a game that broke or was forfeited, and the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockFailure {
    /// Index of the line-up in the plan.
    pub lineup: usize,
    pub block: u64,
    /// Seed of the block.
    pub seed: u64,
    /// Leg of the block, in a duel.
    pub leg: usize,
    /// Message of the player or its program.
    pub message: String,
    /// Position of an illegal move, as lines of text.
    pub position: Option<String>,
}

impl BlockFailure {
    /// Formats the message about a forfeited game. In a duel it names the player at fault.
    pub fn forfeit_message(&self, plan: &Plan) -> String {
        let mut message = escape::line(&self.message).into_owned();
        for row in self.position.iter().flat_map(|position| position.lines()) {
            message += &format!("\n  {row}");
        }
        let (title, block) = (plan.title(self.lineup), self.block);
        match plan.members(self.lineup).count() {
            1 => format!("gauntlet: {title} forfeited a game (block {block}): {message}"),
            _ => format!("gauntlet: {title}: forfeit in a game of block {block}: {message}"),
        }
    }
}

/// Finds the blocks in a range that are missing from the journal. Returns those that broke a
/// player's program, and the number of others.
pub fn find_failures(
    plan: &KeyedPlan,
    coverage: &Coverage,
    block_range: &Range<u64>,
) -> (Vec<BlockFailure>, u64) {
    let mut failures = Vec::new();
    let mut missing = 0;
    for lineup in 0..plan.lineups.len() {
        let key = plan.key(lineup);
        let blocks = coverage.missing_blocks(lineup, block_range);
        missing += blocks.iter().map(|range| range.end - range.start).sum::<u64>();
        let panic_count = coverage.journal.count_panics(key);
        // The number of a block cannot be computed from its seed: search blocks until all are
        // found.
        let blocks = if panic_count > 0 { blocks } else { Vec::new() };
        let blocks = blocks.into_iter().flatten().filter_map(|block| {
            let seed = plan.blocks.seed(block);
            let PanicEntry { leg, message, .. } = coverage.journal.panic(key, seed)?.clone();
            Some(BlockFailure { lineup, block, seed, leg, message, position: None })
        });
        failures.extend(blocks.take(panic_count));
    }
    missing -= failures.len() as u64;
    (failures, missing)
}

/// Returns the blocks in a range that a line-up has neither played nor tried. A block that broke a
/// player's program counts as tried.
pub fn find_gaps(
    plan: &KeyedPlan,
    coverage: &Coverage,
    lineup: usize,
    block_range: &Range<u64>,
) -> Vec<Range<u64>> {
    let (key, missing) = (plan.key(lineup), coverage.missing_blocks(lineup, block_range));
    if coverage.journal.count_panics(key) == 0 {
        return missing;
    }
    let mut gaps: Vec<Range<u64>> = Vec::new();
    for block in missing.into_iter().flatten() {
        if coverage.journal.panic(key, plan.blocks.seed(block)).is_none() {
            match gaps.last_mut().filter(|last| last.end == block) {
                Some(last) => last.end += 1,
                None => gaps.push(block..block + 1),
            }
        }
    }
    gaps
}

/// Returns the blocks that every line-up has played or tried, up to the first gap that no damaged
/// line explains. Beyond it, complete blocks would favour short games: in a run that was stopped,
/// games that end early are finished first. A block that broke a player's program counts, as in the
/// tables of a whole run. `source_damage` is the number of damaged lines in the sources of the
/// journal.
pub fn complete_ranges(plan: &KeyedPlan, coverage: &Coverage, source_damage: usize) -> Vec<Range<u64>> {
    let all = 0..plan.blocks.len();
    if plan.lineups.is_empty() {
        return Vec::new();
    }
    let mut missing: Vec<_> =
        lineups_with_distinct_keys(plan).flat_map(|lineup| find_gaps(plan, coverage, lineup, &all)).collect();
    missing.sort_by_key(|range| range.start);
    let disputed_lines = coverage.conflict.as_ref().map_or(0, |conflict| conflict.lines.len());
    let lost_lines = coverage.journal.damaged_lines() + disputed_lines + source_damage;
    let end = missing.get(lost_lines).map_or(all.end, |gap| gap.start);
    let mut complete = Vec::new();
    let mut next = all.start;
    for gap in missing.into_iter().take(lost_lines) {
        if gap.start.min(end) > next {
            complete.push(next..gap.start.min(end));
        }
        next = next.max(gap.end);
    }
    if next < end {
        complete.push(next..end);
    }
    complete
}
