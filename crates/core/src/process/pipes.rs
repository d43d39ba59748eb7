//! Pipes and signals to a program. On systems other than Unix, no program is started that could
//! need them.

use std::process::{Child, ChildStdin, ChildStdout};
use std::time::Duration;

/// Makes pipes non-blocking.
#[cfg(unix)]
pub(super) fn set_nonblocking(stdin: &ChildStdin, stdout: &ChildStdout) -> std::io::Result<()> {
    rustix::io::ioctl_fionbio(stdin, true)?;
    Ok(rustix::io::ioctl_fionbio(stdout, true)?)
}

/// Enlarges the pipes as far as the system allows, so that a batch of questions needs fewer writes.
#[cfg(target_os = "linux")]
pub(super) fn widen(stdin: &ChildStdin, stdout: &ChildStdout) {
    // Default limit for users without privileges.
    const PIPE_SIZE: usize = 1 << 20;
    let _ = rustix::pipe::fcntl_setpipe_size(stdin, PIPE_SIZE);
    let _ = rustix::pipe::fcntl_setpipe_size(stdout, PIPE_SIZE);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn widen(_stdin: &ChildStdin, _stdout: &ChildStdout) {}

/// Waits until output can be read, or the given pipe can be written to, but at most `timeout`.
#[cfg(unix)]
pub(super) fn wait(stdout: &ChildStdout, stdin: Option<&ChildStdin>, timeout: Duration) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec::try_from(timeout).ok();
    let stdout_poll = PollFd::new(stdout, PollFlags::IN);
    // Errors of the pipe show up when reading from it.
    let _ = match stdin {
        None => poll(&mut [stdout_poll], timeout.as_ref()),
        Some(stdin) => poll(&mut [stdout_poll, PollFd::new(stdin, PollFlags::OUT)], timeout.as_ref()),
    };
}

/// Signals a supervisor to end its program now.
#[cfg(unix)]
pub(super) fn request_end(supervisor: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let _ = kill_process(Pid::from_child(supervisor), Signal::TERM);
}

/// Continues a stopped supervisor.
#[cfg(unix)]
pub(super) fn wake(supervisor: &Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let _ = kill_process(Pid::from_child(supervisor), Signal::CONT);
}

/// Returns true if a supervisor has ended. It is not reaped.
#[cfg(unix)]
pub(super) fn has_ended(supervisor: &Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    !matches!(waitid(WaitId::Pid(Pid::from_child(supervisor)), options), Ok(None))
}

/// Signal to all processes of a program.
#[derive(Clone, Copy)]
pub(super) enum Signal {
    Suspend,
    Resume,
    Kill,
}

/// Sends a signal to the process group of a leader. Returns true if it was sent.
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
pub(super) fn set_nonblocking(_stdin: &ChildStdin, _stdout: &ChildStdout) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
pub(super) fn wait(_stdout: &ChildStdout, _stdin: Option<&ChildStdin>, _timeout: Duration) {}

#[cfg(not(unix))]
pub(super) fn request_end(_supervisor: &Child) {}

#[cfg(not(unix))]
pub(super) fn wake(_supervisor: &Child) {}

#[cfg(not(unix))]
pub(super) fn has_ended(_supervisor: &Child) -> bool {
    true
}
