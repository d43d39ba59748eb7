//! Supervisors that run, and the end of what has lost its supervisor: a program may kill it.
//!
//! On Linux this process adopts what a killed supervisor leaves behind, wherever that has gone: into a group or a session of its own.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pipes::{Signal, signal_group};

/// The numbers of the supervisors of this process.
static SUPERVISORS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn supervisors() -> MutexGuard<'static, BTreeSet<u32>> {
    SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a supervisor.
pub(super) fn start(command: &mut Command) -> io::Result<Child> {
    // Until it is noted it could be taken for what another one has left behind.
    let mut supervisors = supervisors();
    system::adopt();
    let child = command.spawn()?;
    supervisors.insert(child.id());
    Ok(child)
}

/// A supervisor has ended by itself.
pub(super) fn note_end(supervisor: u32) {
    supervisors().remove(&supervisor);
}

/// Ends the processes of a program whose supervisor was killed.
pub(super) fn end_orphans(supervisor: u32, program: Option<u32>) {
    let mut supervisors = supervisors();
    supervisors.remove(&supervisor);
    program.map(|program| signal_group(program, Signal::Kill));
    system::end_adopted(&supervisors);
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};

    use crate::process::table::{children, descendants, group};

    /// Time in which everything can be ended that can be ended at all.
    const MOST_TO_END: Duration = Duration::from_secs(10);

    pub(super) fn adopt() {
        let _ = set_child_subreaper(Some(getpid()));
    }

    /// Ends the children of this process that it has not started: what it starts is a supervisor, or of its own group.
    pub(super) fn end_adopted(supervisors: &BTreeSet<u32>) {
        let own = std::process::id();
        let own_group = group(own);
        let begin = Instant::now();
        while begin.elapsed() < MOST_TO_END {
            let mut adopted = children(own);
            adopted.retain(|child| !supervisors.contains(child) && group(*child) != own_group);
            if adopted.is_empty() {
                return;
            }
            for child in adopted {
                let all = descendants(child).into_iter().chain([child]);
                for pid in all.filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
                    let _ = kill_process(pid, Signal::KILL);
                }
                let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
                let _ = waitpid(pid, WaitOptions::NOHANG);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::BTreeSet;

    pub(super) fn adopt() {}

    pub(super) fn end_adopted(_supervisors: &BTreeSet<u32>) {}
}
