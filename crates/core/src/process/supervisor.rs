//! Supervisor of a program: a process between the bench and the program. It ends the program with
//! everything that it has started, as soon as the bench releases it or is gone.
//!
//! The bench writes to a pipe that the program reads, and the supervisor holds a copy of the read
//! end. When no process can write to the pipe any more, the bench has released the program or was
//! killed. On Linux the supervisor adopts orphans, so it finds all descendants of the program, even
//! those with their own session.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(unix)]
use crate::disk::add_hint;

/// Argument that starts this program as a supervisor.
pub(super) const SUPERVISE: &str = "supervise-program";

/// Argument that starts this program as a process that becomes the player's program.
const BECOME: &str = "become-program";

/// First byte of a line that reports why a program was not started.
pub(super) const FAILURE_MARK: u8 = 0;

/// Placeholder for an argument without a value.
pub(super) const NO_VALUE: &str = "-";

/// Runs as a supervisor if the command line requests it; otherwise returns `None`. A program that
/// starts players must call this first.
pub fn main() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let role = words.next()?;
    let is_supervisor = role == OsStr::new(SUPERVISE);
    (is_supervisor || role == OsStr::new(BECOME)).then(|| run_role(is_supervisor, &words.collect::<Vec<_>>()))
}

/// Returns the path of this program, to be called by another name. On Linux it works even after the
/// file was replaced.
pub(super) fn this_program() -> io::Result<PathBuf> {
    let path = Path::new("/proc/self/exe");
    if path.exists() { Ok(path.to_owned()) } else { std::env::current_exe() }
}

#[cfg(not(unix))]
fn run_role(_is_supervisor: bool, _words: &[OsString]) -> ExitCode {
    ExitCode::FAILURE
}

#[cfg(unix)]
fn run_role(is_supervisor: bool, words: &[OsString]) -> ExitCode {
    use std::io::Write;
    let result = if is_supervisor { unix::supervise(words) } else { unix::become_program(words) };
    result.unwrap_or_else(|error| {
        let error = add_hint(error);
        let message = match words.get(if is_supervisor { 2 } else { 1 }) {
            Some(program) => format!("cannot start {}: {error}", program.to_string_lossy()),
            None => error.to_string(),
        };
        let _ = writeln!(std::io::stderr(), "{message}");
        let mut stdout = std::io::stdout();
        let _ = stdout.write_all(&[FAILURE_MARK]).and_then(|()| writeln!(stdout, "{message}"));
        let _ = stdout.flush();
        ExitCode::from(127)
    })
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::fs::File;
    use std::io::{self, ErrorKind, Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{ChildStderr, Command, ExitCode, Stdio};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::ioctl_fionbio;
    use rustix::process::{Pid, Resource, Rlimit, Signal, WaitOptions, getpid, setrlimit, wait};
    use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
    use signal_hook::{flag, low_level};

    use super::{BECOME, NO_VALUE, this_program};
    use crate::process::stderr_file::StderrWriter;
    use crate::process::termination::{GRACE_PERIOD, kill_descendants, repeat_until_ended};

    /// Runs a supervisor. Arguments: file for standard error, memory limit in bytes, command.
    pub(super) fn supervise(words: &[OsString]) -> io::Result<ExitCode> {
        let [stderr_path, rest @ ..] = words else { return Err(too_few_error()) };
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(getpid()))?;
        let (wake_receiver, wake_sender) = UnixStream::pair()?;
        wake_receiver.set_nonblocking(true)?;
        let is_end_requested = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            flag::register(signal, is_end_requested.clone())?;
            low_level::pipe::register(signal, wake_sender.try_clone()?)?;
        }
        low_level::pipe::register(SIGCHLD, wake_sender)?;
        let stderr_writer =
            StderrWriter::open(Some(stderr_path).filter(|path| *path != NO_VALUE).map(Path::new))?;

        let mut command = Command::new(this_program()?);
        command.arg(BECOME).args(rest).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn()?;
        let stderr = child.stderr.take().expect("piped");
        ioctl_fionbio(&stderr, true)?;
        // The end of the program's output should be visible when the program ends, not when its
        // supervisor does.
        rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;

        let program = Pid::from_child(&child);
        let mut supervised = SupervisedProgram { program, status: None, stderr_writer, stderr: Some(stderr) };
        supervised.wait_until_end(&wake_receiver, &is_end_requested);
        supervised.end_all();
        supervised.save_stderr();
        supervised.stderr_writer.finish();
        // The program may have received the same signal, and have ended by itself.
        let end_status = is_end_requested.load(Ordering::Relaxed).then_some(128 + SIGTERM as u8);
        Ok(ExitCode::from(end_status.or(supervised.status).unwrap_or(1)))
    }

    /// Becomes the program. Arguments: memory limit in bytes, command.
    pub(super) fn become_program(words: &[OsString]) -> io::Result<ExitCode> {
        let [memory, program, arguments @ ..] = words else { return Err(too_few_error()) };
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        if let Some(bytes) = memory.to_str().and_then(|memory| memory.parse().ok()) {
            setrlimit(Resource::Data, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
        }
        // Process id whose CPU time is the program's. It is the first output of the program.
        let mut stdout = io::stdout();
        writeln!(stdout, "{}", std::process::id())?;
        stdout.flush()?;
        Err(Command::new(program).args(arguments).exec())
    }

    fn too_few_error() -> io::Error {
        io::Error::new(
            ErrorKind::InvalidInput,
            "internal command of gauntlet: it supervises external programs",
        )
    }

    struct SupervisedProgram {
        program: Pid,
        /// Exit status of the program after it has ended; 128 plus the signal, as in shells, if a
        /// signal ended it.
        status: Option<u8>,
        stderr_writer: StderrWriter,
        /// Standard error of the program, until it ends.
        stderr: Option<ChildStderr>,
    }

    impl SupervisedProgram {
        /// Waits until the program has ended or must be ended.
        fn wait_until_end(&mut self, wake_receiver: &UnixStream, is_end_requested: &AtomicBool) {
            let stdin = io::stdin();
            let mut end: Option<Instant> = None;
            loop {
                self.reap();
                let left = end.map(|end| end.saturating_duration_since(Instant::now()));
                if self.status.is_some()
                    || is_end_requested.load(Ordering::Relaxed)
                    || left.is_some_and(|left| left.is_zero())
                {
                    return;
                }
                let mut poll_fds = vec![PollFd::new(wake_receiver, PollFlags::IN)];
                let stderr = self.stderr.as_ref().map(|output| output.as_fd());
                poll_fds.extend(stderr.map(|stderr| PollFd::from_borrowed_fd(stderr, PollFlags::IN)));
                let is_open = end.is_none();
                if is_open {
                    // `poll` reports without a request that no process can write any more.
                    poll_fds.push(PollFd::new(&stdin, PollFlags::empty()));
                }
                let left = left.and_then(|left| Timespec::try_from(left).ok());
                if poll(&mut poll_fds, left.as_ref()).is_err() {
                    continue;
                }
                let are_ready: Vec<bool> =
                    poll_fds.iter().map(|poll_fd| !poll_fd.revents().is_empty()).collect();
                drop(poll_fds);
                if are_ready[0] {
                    let _ = (&*wake_receiver).read(&mut [0; 64]);
                }
                if is_open && *are_ready.last().expect("one for each") {
                    end = Some(Instant::now() + GRACE_PERIOD);
                }
                self.save_stderr();
            }
        }

        /// Ends the program with its process group and all descendants.
        fn end_all(&mut self) {
            // The leader of a group may be gone while others remain.
            let _ = rustix::process::kill_process_group(self.program, Signal::KILL);
            repeat_until_ended(|| {
                self.save_stderr();
                let are_left = self.reap();
                if are_left {
                    kill_descendants(std::process::id());
                }
                are_left
            });
        }

        /// Reaps ended children. Returns true if there are others.
        fn reap(&mut self) -> bool {
            loop {
                match wait(WaitOptions::NOHANG) {
                    Ok(Some((pid, status))) if pid == self.program => {
                        let signal = || status.terminating_signal().map(|signal| 128 + signal);
                        self.status = status.exit_status().or_else(signal).map(|status| status as u8);
                    }
                    Ok(Some(_)) => {}
                    Ok(None) => return true,
                    Err(rustix::io::Errno::INTR) => {}
                    Err(_) => return false,
                }
            }
        }

        /// Keeps the next part of what was written to standard error so far.
        fn save_stderr(&mut self) {
            const MAX_PARTS: usize = 16;
            let mut buffer = [0; 1 << 16];
            for _ in 0..MAX_PARTS {
                let Some(stderr) = &mut self.stderr else { return };
                match stderr.read(&mut buffer) {
                    Ok(0) => self.stderr = None,
                    Ok(length) => self.stderr_writer.add(&buffer[..length]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                    Err(_) => return,
                }
            }
        }
    }
}
