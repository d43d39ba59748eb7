//! The end of a run that may last only a time.

use std::time::{Duration, Instant};

use gauntlet_core::player::Stop;

use super::shutdown::ShutdownSignal;

/// Times after which a run asks for no more games, and after which it drops those in hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    time: Duration,
    pub(super) end: Instant,
    last: Instant,
}

/// Games in hand may take this part of the time longer,
const GRACE: f64 = 0.1;

/// and at least this much.
const LEAST_GRACE: Duration = Duration::from_secs(1);

/// Time between two looks at the clock. This much later a request to stop comes to the players.
const LOOK: Duration = Duration::from_millis(20);

impl Deadline {
    /// From now on. The journal is read and programs are tried before: that may take long, and
    /// takes none of the time.
    pub(super) fn of(time: Duration) -> Deadline {
        let end = Instant::now() + time;
        Deadline { time, end, last: end + time.mul_f64(GRACE).max(LEAST_GRACE) }
    }

    /// True if no more games are asked for.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// True if a block that was dropped after this time would be dropped again in another run as
    /// long: the whole time is too short for it.
    pub(super) fn is_too_short_for(&self, block: Duration) -> bool {
        block >= self.time
    }

    /// Asks the players to stop when games in hand take too long, or when the run itself was asked,
    /// until the bell rings.
    pub(super) fn watch(&self, asked: &Stop, players: &Stop, over: &ShutdownSignal) {
        while !over.wait(LOOK) {
            if asked.is_asked() || Instant::now() >= self.last {
                players.ask();
            }
        }
    }
}
