//! The end of a run with a time limit.

use std::time::{Duration, Instant};

use gauntlet_core::player::Stop;

use super::shutdown::ShutdownSignal;

/// Times after which a run starts no more games, and after which it drops unfinished ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    time_limit: Duration,
    pub(super) end: Instant,
    grace_end: Instant,
}

/// Part of the time limit by which unfinished games may exceed it.
const GRACE_SHARE: f64 = 0.1;

/// Minimum time by which unfinished games may exceed the limit.
const MIN_GRACE: Duration = Duration::from_secs(1);

/// Time between two checks of the clock. A request to stop reaches the players with at most this
/// delay.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

impl Deadline {
    /// Starts the limit now. Reading the journal and starting programs, which may take long, happen
    /// before and do not count.
    pub(super) fn new(time_limit: Duration) -> Deadline {
        let end = Instant::now() + time_limit;
        Deadline { time_limit, end, grace_end: end + time_limit.mul_f64(GRACE_SHARE).max(MIN_GRACE) }
    }

    /// Returns true if no more games are started.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Returns true if the limit is too short for a block that was dropped after this time. A run
    /// with an equal limit would drop it again.
    pub(super) fn is_too_short_for(&self, block_time: Duration) -> bool {
        block_time >= self.time_limit
    }

    /// Stops the players if unfinished games take too long or if the run is stopped, until the
    /// shutdown signal.
    pub(super) fn watch(&self, run_stop: &Stop, player_stop: &Stop, shutdown: &ShutdownSignal) {
        while !shutdown.wait(CHECK_INTERVAL) {
            if run_stop.is_requested() || Instant::now() >= self.grace_end {
                player_stop.request();
            }
        }
    }
}
