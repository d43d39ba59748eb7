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
pub(super) const FAILED: u8 = 0;

/// Placeholder for an argument without a value.
pub(super) const NONE: &str = "-";

/// Runs as a supervisor if the command line requests it; otherwise returns `None`. A program that
/// starts players must call this first.
pub fn main() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let role = words.next()?;
    let supervise = role == OsStr::new(SUPERVISE);
    (supervise || role == OsStr::new(BECOME)).then(|| run_role(supervise, &words.collect::<Vec<_>>()))
}

/// Returns the path of this program, to be called by another name. On Linux it works even after the
/// file was replaced.
pub(super) fn this_program() -> io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    if own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() }
}

#[cfg(not(unix))]
fn run_role(_supervise: bool, _words: &[OsString]) -> ExitCode {
    ExitCode::FAILURE
}

#[cfg(unix)]
fn run_role(supervise: bool, words: &[OsString]) -> ExitCode {
    use std::io::Write;
    let done = if supervise { unix::supervise(words) } else { unix::become_program(words) };
    done.unwrap_or_else(|error| {
        let error = add_hint(error);
        let why = match words.get(if supervise { 2 } else { 1 }) {
            Some(program) => format!("cannot start {}: {error}", program.to_string_lossy()),
            None => error.to_string(),
        };
        let _ = writeln!(std::io::stderr(), "{why}");
        let mut out = std::io::stdout();
        let _ = out.write_all(&[FAILED]).and_then(|()| writeln!(out, "{why}"));
        let _ = out.flush();
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

    use super::{BECOME, NONE, this_program};
    use crate::process::ending::{GRACE, kill_descendants, repeat_until_ended};
    use crate::process::errors::Errors;

    /// Runs a supervisor. Arguments: file for standard error, memory limit in bytes, command.
    pub(super) fn supervise(words: &[OsString]) -> io::Result<ExitCode> {
        let [errors, rest @ ..] = words else { return Err(too_few_error()) };
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(getpid()))?;
        let (wakes, waker) = UnixStream::pair()?;
        wakes.set_nonblocking(true)?;
        let is_told_to_end = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            flag::register(signal, is_told_to_end.clone())?;
            low_level::pipe::register(signal, waker.try_clone()?)?;
        }
        low_level::pipe::register(SIGCHLD, waker)?;
        let errors = Errors::open(Some(errors).filter(|path| *path != NONE).map(Path::new))?;

        let mut command = Command::new(this_program()?);
        command.arg(BECOME).args(rest).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn()?;
        let output = child.stderr.take().expect("piped");
        ioctl_fionbio(&output, true)?;
        // The end of the program's output should be visible when the program ends, not when its
        // supervisor does.
        rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;

        let main = Pid::from_child(&child);
        let mut watch = Watch { main, status: None, errors, output: Some(output) };
        watch.wait_until_end(&wakes, &is_told_to_end);
        watch.end_all();
        watch.keep_errors();
        watch.errors.finish();
        // The program may have received the same signal, and have ended by itself.
        let told = is_told_to_end.load(Ordering::Relaxed).then_some(128 + SIGTERM as u8);
        Ok(ExitCode::from(told.or(watch.status).unwrap_or(1)))
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
        let mut out = io::stdout();
        writeln!(out, "{}", std::process::id())?;
        out.flush()?;
        Err(Command::new(program).args(arguments).exec())
    }

    fn too_few_error() -> io::Error {
        io::Error::new(
            ErrorKind::InvalidInput,
            "internal command of gauntlet: it supervises external programs",
        )
    }

    struct Watch {
        main: Pid,
        /// Exit status of the program after it has ended; 128 plus the signal, as in shells, if a
        /// signal ended it.
        status: Option<u8>,
        errors: Errors,
        /// Standard error of the program, until it ends.
        output: Option<ChildStderr>,
    }

    impl Watch {
        /// Waits until the program has ended or must be ended.
        fn wait_until_end(&mut self, wakes: &UnixStream, is_told_to_end: &AtomicBool) {
            let stdin = io::stdin();
            let mut end: Option<Instant> = None;
            loop {
                self.reap();
                let left = end.map(|end| end.saturating_duration_since(Instant::now()));
                if self.status.is_some()
                    || is_told_to_end.load(Ordering::Relaxed)
                    || left.is_some_and(|left| left.is_zero())
                {
                    return;
                }
                let mut waits = vec![PollFd::new(wakes, PollFlags::IN)];
                let output = self.output.as_ref().map(|output| output.as_fd());
                waits.extend(output.map(|output| PollFd::from_borrowed_fd(output, PollFlags::IN)));
                let is_open = end.is_none();
                if is_open {
                    // `poll` reports without a request that no process can write any more.
                    waits.push(PollFd::new(&stdin, PollFlags::empty()));
                }
                let left = left.and_then(|left| Timespec::try_from(left).ok());
                if poll(&mut waits, left.as_ref()).is_err() {
                    continue;
                }
                let told: Vec<bool> = waits.iter().map(|wait| !wait.revents().is_empty()).collect();
                drop(waits);
                if told[0] {
                    let _ = (&*wakes).read(&mut [0; 64]);
                }
                if is_open && *told.last().expect("one for each") {
                    end = Some(Instant::now() + GRACE);
                }
                self.keep_errors();
            }
        }

        /// Ends the program with its process group and all descendants.
        fn end_all(&mut self) {
            // The leader of a group may be gone while others remain.
            let _ = rustix::process::kill_process_group(self.main, Signal::KILL);
            repeat_until_ended(|| {
                self.keep_errors();
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
                    Ok(Some((pid, status))) if pid == self.main => {
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
        fn keep_errors(&mut self) {
            const PARTS: usize = 16;
            let mut part = [0; 1 << 16];
            for _ in 0..PARTS {
                let Some(output) = &mut self.output else { return };
                match output.read(&mut part) {
                    Ok(0) => self.output = None,
                    Ok(length) => self.errors.add(&part[..length]),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                    Err(_) => return,
                }
            }
        }
    }
}
