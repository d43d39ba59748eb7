//! Ends processes: time limits, and killing all descendants of a process.

use std::time::Duration;

/// Time that a program has to end after its input was closed.
pub(super) const GRACE_PERIOD: Duration = Duration::from_millis(500);

/// Time limit for killing processes, after which those left cannot be killed.
pub(super) const KILL_TIMEOUT: Duration = Duration::from_secs(10);

#[cfg(unix)]
pub(super) use unix::{kill, kill_descendants, repeat_until_ended};

#[cfg(unix)]
mod unix {
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, kill_process};

    use super::KILL_TIMEOUT;
    use crate::process::process_table::descendants;

    /// Repeats a step as long as it reports that processes are left. It gives up after a while,
    /// because a process of another user cannot be killed and must not block the run.
    pub(in crate::process) fn repeat_until_ended(mut are_left: impl FnMut() -> bool) {
        let mut pause = Duration::from_millis(1);
        let start = Instant::now();
        while are_left() && start.elapsed() < KILL_TIMEOUT {
            thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(100));
        }
    }

    /// Kills all descendants of a process.
    pub(in crate::process) fn kill_descendants(ancestor: u32) {
        descendants(ancestor).into_iter().for_each(kill);
    }

    pub(in crate::process) fn kill(pid: u32) {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
    }
}
