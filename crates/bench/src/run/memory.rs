//! The memory that players may take together.

use std::cmp::Reverse;

use anyhow::bail;

use crate::plan::Plan;
use crate::text::Bytes;

/// The threads, of this number at most, on which a plan can be played such that the players of any line-up fit on each; fails
/// where those of a line-up do not even fit on one.
pub fn threads_within(plan: &Plan, threads: usize, memory: u64) -> anyhow::Result<usize> {
    let needs = (0..plan.lineups.len()).map(|lineup| (plan.memory(lineup), Reverse(lineup)));
    let Some((most @ 1.., Reverse(lineup))) = needs.max() else { return Ok(threads) };
    if most > memory {
        bail!(
            "{} needs {} of memory, and players may take {}: --memory sets another limit",
            plan.title(lineup),
            Bytes(most),
            Bytes(memory)
        );
    }
    Ok(threads.min(usize::try_from(memory / most).unwrap_or(usize::MAX)))
}
