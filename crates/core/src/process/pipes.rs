//! Pipes to a program, and signals to it. Where there is no Unix, no program is started that could
//! need them.

use std::process::{Child, ChildStdin, ChildStdout};
use std::time::Duration;

/// Makes pipes return at once where nothing can be written or read.
#[cfg(unix)]
pub(super) fn never_block(stdin: &ChildStdin, stdout: &ChildStdout) -> std::io::Result<()> {
    rustix::io::ioctl_fionbio(stdin, true)?;
    Ok(rustix::io::ioctl_fionbio(stdout, true)?)
}

/// Lets pipes hold more than they do by default, as far as the system grants it: a batch of
/// questions goes off in fewer parts.
#[cfg(target_os = "linux")]
pub(super) fn widen(stdin: &ChildStdin, stdout: &ChildStdout) {
    // The default limit of what a user without privileges may ask for.
    const WIDE: usize = 1 << 20;
    let _ = rustix::pipe::fcntl_setpipe_size(stdin, WIDE);
    let _ = rustix::pipe::fcntl_setpipe_size(stdout, WIDE);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn widen(_stdin: &ChildStdin, _stdout: &ChildStdout) {}

/// Waits until something can be read, or written to the pipe that is given, and no longer than
/// this.
#[cfg(unix)]
pub(super) fn wait(stdout: &ChildStdout, stdin: Option<&ChildStdin>, most: Duration) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let most = Timespec::try_from(most).ok();
    let read = PollFd::new(stdout, PollFlags::IN);
    // What went wrong with the pipe is told by reading from it.
    let _ = match stdin {
        None => poll(&mut [read], most.as_ref()),
        Some(stdin) => poll(&mut [read, PollFd::new(stdin, PollFlags::OUT)], most.as_ref()),
    };
}

/// Tells a supervisor to end its program now.
#[cfg(unix)]
pub(super) fn tell_to_end(supervisor: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let _ = kill_process(Pid::from_child(supervisor), Signal::TERM);
}

/// Lets a supervisor go on that was stopped.
#[cfg(unix)]
pub(super) fn wake(supervisor: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let _ = kill_process(Pid::from_child(supervisor), Signal::CONT);
}

/// True if a supervisor has ended. It is left in the table of processes.
#[cfg(unix)]
pub(super) fn has_ended(supervisor: &Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(Pid::from_child(supervisor)), options), Ok(None))
}

/// A signal to all processes of a program.
#[derive(Clone, Copy)]
pub(super) enum Signal {
    Suspend,
    Resume,
    Kill,
}

/// Sends a signal to the group of processes that one of them leads. Returns true if it was sent.
#[cfg(unix)]
pub(super) fn signal_group(leader: u32, signal: Signal) -> bool {
    use rustix::process::{Pid, Signal as Unix, kill_process_group};
    let signal = match signal {
        Signal::Suspend => Unix::STOP,
        Signal::Resume => Unix::CONT,
        Signal::Kill => Unix::KILL,
    };
    let leader = i32::try_from(leader).ok().and_then(Pid::from_raw);
    leader.is_some_and(|leader| kill_process_group(leader, signal).is_ok())
}

#[cfg(not(unix))]
pub(super) fn signal_group(_leader: u32, _signal: Signal) -> bool {
    false
}

#[cfg(not(unix))]
pub(super) fn never_block(_stdin: &ChildStdin, _stdout: &ChildStdout) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
pub(super) fn wait(_stdout: &ChildStdout, _stdin: Option<&ChildStdin>, _most: Duration) {}

#[cfg(not(unix))]
pub(super) fn tell_to_end(_supervisor: &Child) {}

#[cfg(not(unix))]
pub(super) fn wake(_supervisor: &Child) {}

#[cfg(not(unix))]
pub(super) fn has_ended(_supervisor: &Child) -> bool {
    true
}
