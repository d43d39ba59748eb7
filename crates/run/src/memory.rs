//! The memory of players.

use std::cmp::Reverse;

use anyhow::bail;
use gauntlet_core::text::Bytes;

use crate::plan::Plan;

/// Threads and memory for playing a plan.
#[derive(Clone, Copy, Debug)]
pub struct ThreadBudget {
    /// Number of threads that play.
    pub threads: usize,
    /// Bytes available to the players of all threads together.
    pub memory: u64,
}

/// Computes the number of threads, up to `threads`, such that the players of any line-up fit in the
/// memory of each. Files of players, which all threads share, are subtracted first. Fails if the
/// files, or the players of a line-up on one thread, do not fit.
pub fn thread_budget(plan: &Plan, threads: usize, memory: u64) -> anyhow::Result<ThreadBudget> {
    let files = plan.assets.decoded_bytes();
    let Some(available) = memory.checked_sub(files) else {
        bail!(
            "the files of players need {} of memory, but the limit is {}; raise it with --memory",
            Bytes(files),
            Bytes(memory)
        );
    };
    let needs = (0..plan.lineups.len()).map(|lineup| (plan.memory(lineup), Reverse(lineup)));
    let threads = match needs.max() {
        None | Some((0, _)) => threads,
        Some((needed, Reverse(lineup))) if needed > available => {
            let addition = if files == 0 { "" } else { " in addition to the files of all players" };
            bail!(
                "{} needs {} of memory, but the limit is {}{addition}; raise it with --memory",
                plan.title(lineup),
                Bytes(needed),
                Bytes(available)
            );
        }
        Some((needed, _)) => threads.min(usize::try_from(available / needed).unwrap_or(usize::MAX)),
    };
    Ok(ThreadBudget { threads, memory: available })
}
