//! Running supervisors, and killing of programs whose supervisor was killed, perhaps by the
//! program.
//!
//! On Linux this process adopts what a killed supervisor leaves behind, even if it has its own
//! process group or session. As a library it adopts nothing, because the host program, such as
//! Python, has its own children.

use std::collections::BTreeSet;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pipes::{Signal, signal_group};

/// Process ids of this process's supervisors.
static SUPERVISORS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn lock_supervisors() -> MutexGuard<'static, BTreeSet<u32>> {
    SUPERVISORS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a supervisor. With `adopts`, this process adopts what killed supervisors leave behind.
pub(super) fn start(command: &mut Command, adopts: bool) -> io::Result<Child> {
    // Hold the lock until it is registered; otherwise it could be mistaken for an orphan.
    let mut supervisors = lock_supervisors();
    if adopts {
        system::adopt();
    }
    let child = command.spawn()?;
    supervisors.insert(child.id());
    Ok(child)
}

/// Unregisters a supervisor that has ended by itself.
pub(super) fn unregister(supervisor: u32) {
    lock_supervisors().remove(&supervisor);
}

/// Kills the processes of a program whose supervisor was killed.
pub(super) fn end_orphans(supervisor: u32, program: Option<u32>) {
    let mut supervisors = lock_supervisors();
    supervisors.remove(&supervisor);
    program.map(|program| signal_group(program, Signal::Kill));
    system::end_adopted(&supervisors);
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeSet;
    use std::sync::OnceLock;

    use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};

    use crate::process::process_table::children;
    use crate::process::termination::{kill, kill_descendants, repeat_until_ended};

    /// Children that this process had before it adopted any. The program that this process ran
    /// before has started them.
    static INHERITED: OnceLock<BTreeSet<u32>> = OnceLock::new();

    pub(super) fn adopt() {
        INHERITED.get_or_init(|| {
            let inherited = children(std::process::id()).into_iter().collect();
            let _ = set_child_subreaper(Some(getpid()));
            inherited
        });
    }

    /// Kills adopted children: all except supervisors and the children that this process started
    /// with.
    pub(super) fn end_adopted(supervisors: &BTreeSet<u32>) {
        let Some(inherited) = INHERITED.get() else { return };
        repeat_until_ended(|| {
            let mut adopted = children(std::process::id());
            adopted.retain(|child| !supervisors.contains(child) && !inherited.contains(child));
            for &child in &adopted {
                kill_descendants(child);
                kill(child);
                let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
                let _ = pid.map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
            }
            !adopted.is_empty()
        });
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::collections::BTreeSet;

    pub(super) fn adopt() {}

    pub(super) fn end_adopted(_supervisors: &BTreeSet<u32>) {}
}
