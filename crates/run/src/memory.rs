//! The memory that players may take together.

use std::cmp::Reverse;

use anyhow::bail;
use gauntlet_core::text::Bytes;

use crate::plan::Plan;

/// What a plan is played with.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Threads that play.
    pub threads: usize,
    /// Bytes that the players of all threads may take together.
    pub memory: u64,
}

/// The room that a plan has: the threads, of this number at most, on which it can be played such
/// that the players of any line-up fit on each. The files of players, which all threads share, come
/// first. Fails where these do not fit, or where the players of a line-up do not even fit on one
/// thread.
pub fn room(plan: &Plan, threads: usize, memory: u64) -> anyhow::Result<Room> {
    let files = plan.assets.held();
    let Some(left) = memory.checked_sub(files) else {
        bail!(
            "the files of players need {} of memory, and players may take {}: --memory sets another limit",
            Bytes(files),
            Bytes(memory)
        );
    };
    let needs = (0..plan.lineups.len()).map(|lineup| (plan.memory(lineup), Reverse(lineup)));
    let threads = match needs.max() {
        None | Some((0, _)) => threads,
        Some((most, Reverse(lineup))) if most > left => {
            let besides = if files == 0 { "" } else { " besides the files of all players" };
            bail!(
                "{} needs {} of memory, and players may take {}{besides}: --memory sets another limit",
                plan.title(lineup),
                Bytes(most),
                Bytes(left)
            );
        }
        Some((most, _)) => threads.min(usize::try_from(left / most).unwrap_or(usize::MAX)),
    };
    Ok(Room { threads, memory: left })
}
