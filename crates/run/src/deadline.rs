//! The end of a run with a time limit.

use std::time::{Duration, Instant};

use gauntlet_core::player::Stop;

use super::shutdown::ShutdownSignal;

/// Times after which a run starts no more games, and after which it drops unfinished ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    time: Duration,
    pub(super) end: Instant,
    last: Instant,
}

/// Part of the time limit by which unfinished games may exceed it.
const GRACE: f64 = 0.1;

/// Minimum time by which unfinished games may exceed the limit.
const LEAST_GRACE: Duration = Duration::from_secs(1);

/// Time between two checks of the clock. A request to stop reaches the players with at most this
/// delay.
const LOOK: Duration = Duration::from_millis(20);

impl Deadline {
    /// Starts the limit now. Reading the journal and starting programs, which may take long, happen
    /// before and do not count.
    pub(super) fn new(time: Duration) -> Deadline {
        let end = Instant::now() + time;
        Deadline { time, end, last: end + time.mul_f64(GRACE).max(LEAST_GRACE) }
    }

    /// Returns true if no more games are started.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Returns true if the limit is too short for a block that was dropped after this time. A run
    /// with an equal limit would drop it again.
    pub(super) fn is_too_short_for(&self, block: Duration) -> bool {
        block >= self.time
    }

    /// Stops the players if unfinished games take too long or if the run is stopped, until the
    /// shutdown signal.
    pub(super) fn watch(&self, asked: &Stop, players: &Stop, over: &ShutdownSignal) {
        while !over.wait(LOOK) {
            if asked.is_asked() || Instant::now() >= self.last {
                players.ask();
            }
        }
    }
}
