//! Programs that run under a supervisor: sends lines to them and reads lines from them, with time
//! limits.
//!
//! Pipes never block, so a program that does not read or does not answer cannot hold a thread
//! longer than its time limit. A line and its answer take one write, one wait and one read.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::clock::{self, Reading};
use super::pipes::{Signal, has_ended, request_end, set_nonblocking, signal_group, wait, wake, widen};
use super::stderr_file::{StderrFile, last_line};
use super::supervisor::{FAILURE_MARK, NO_VALUE, SUPERVISE, this_program};
use super::supervisor_set;
use super::termination::{GRACE_PERIOD, KILL_TIMEOUT};
use crate::assets::AssetFiles;
use crate::disk::add_hint;
use crate::player::{Forfeit, NoMove, Stop};
use crate::protocol::shorten_output;
use crate::record::{Fault, ProcessTime};
use crate::text::display_path;

/// Maximum length of a line from a program, in bytes.
pub const MAX_LINE_LENGTH: usize = 1 << 16;

/// Environment variables that every program receives.
const INHERITED_VARIABLES: &[&str] = &["PATH", "HOME", "LANG", "TMPDIR"];

/// Signals that end whole jobs (HUP, INT, TERM). A batch system sends them to all processes, and a
/// program may receive its signal before the run does.
const JOB_SIGNALS: [i32; 3] = [1, 2, 15];

/// Maximum delay after which the run receives such a signal, too.
const MAX_SIGNAL_DELAY: Duration = Duration::from_secs(1);

/// Time that a supervisor has to end its program before it is killed.
const SUPERVISOR_TIMEOUT: Duration =
    GRACE_PERIOD.saturating_add(KILL_TIMEOUT).saturating_add(Duration::from_millis(1500));

/// Longest pause between two checks whether a supervisor has ended.
const MAX_PAUSE: Duration = Duration::from_millis(10);

/// Specification of a program to start.
#[derive(Clone, Copy, Debug)]
pub struct LaunchSpec<'a> {
    /// Program and its arguments.
    pub command: &'a [String],
    /// Working directory.
    pub directory: &'a Path,
    /// Further environment variables: `NAME` passes on the current value, `NAME=VALUE` sets it.
    pub variables: &'a [String],
    /// Memory limit per process, in bytes.
    pub memory: Option<u64>,
    /// First line of the kept standard error.
    pub title: &'a str,
}

/// Running program.
#[derive(Debug)]
pub struct Program {
    supervisor: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// Lines to send, and how much of them was written.
    output: Vec<u8>,
    written_bytes: usize,
    /// Bytes read from the program and not yet consumed.
    input: Vec<u8>,
    pending: Range<usize>,
    /// Process whose time is the program's; `None` until known.
    pid: Option<u32>,
    /// Clock readings at the start and at the end of its time.
    start_reading: Reading,
    end_reading: Option<Reading>,
    /// True after its first line, which shows that it was started.
    is_started: bool,
    stderr_file: Option<StderrFile>,
    /// True while an answer is due, and after a fault.
    is_asked: bool,
    is_suspended: bool,
}

impl Program {
    /// Starts a program, if that is permitted.
    pub fn start(launch: &LaunchSpec, assets: &Arc<AssetFiles>) -> io::Result<Program> {
        let refuse = |reason: &str| Err(io::Error::new(ErrorKind::PermissionDenied, reason));
        let Some(programs) = assets.programs() else {
            return refuse("external programs need --allow-commands");
        };
        if cfg!(not(unix)) {
            return refuse("external programs need a Unix system such as Linux or macOS");
        }
        if !launch.directory.is_dir() {
            let message = format!("no such folder: {}", display_path(launch.directory));
            return Err(io::Error::new(ErrorKind::NotFound, message));
        }
        let stderr_file =
            StderrFile::open(assets, programs, launch.command, launch.title).map_err(|error| {
                let kind = error.kind();
                io::Error::new(
                    kind,
                    format!("cannot save the standard error of the program: {}", add_hint(error)),
                )
            })?;
        let mut command = match &programs.supervisor {
            Some(supervisor) => Command::new(supervisor),
            None => Command::new(this_program()?),
        };
        command.arg(SUPERVISE);
        match &stderr_file {
            Some(stderr_file) => command.arg(&stderr_file.path),
            None => command.arg(NO_VALUE),
        };
        command.arg(launch.memory.map_or_else(|| NO_VALUE.to_owned(), |bytes| bytes.to_string()));
        command.args(launch.command).current_dir(launch.directory).env_clear();
        let variables =
            INHERITED_VARIABLES.iter().copied().chain(launch.variables.iter().map(String::as_str));
        for variable in variables {
            match variable.split_once('=') {
                Some((name, value)) => _ = command.env(name, value),
                None => _ = std::env::var_os(variable).map(|value| command.env(variable, value)),
            }
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut supervisor =
            supervisor_set::start(&mut command, programs.supervisor.is_none()).map_err(add_hint)?;
        let stdin = supervisor.stdin.take().expect("piped");
        let stdout = supervisor.stdout.take().expect("piped");
        let program = Program {
            supervisor,
            stdin: Some(stdin),
            stdout,
            output: Vec::with_capacity(256),
            written_bytes: 0,
            input: vec![0; 2 * MAX_LINE_LENGTH],
            pending: 0..0,
            pid: None,
            start_reading: Reading::default(),
            end_reading: None,
            is_started: false,
            stderr_file,
            is_asked: false,
            is_suspended: false,
        };
        set_nonblocking(program.stdin.as_ref().expect("open"), &program.stdout)?;
        Ok(program)
    }

    /// Returns the buffer of lines to send, each with its line end. They are sent at the next wait
    /// for an answer.
    pub fn output_buffer(&mut self) -> &mut Vec<u8> {
        if self.written_bytes == self.output.len() {
            self.output.clear();
            self.written_bytes = 0;
        }
        &mut self.output
    }

    /// Enlarges its pipes for batches of questions and answers.
    pub fn widen_pipes(&self) {
        if let Some(stdin) = &self.stdin {
            widen(stdin, &self.stdout);
        }
    }

    /// Returns the next line, if it was read already; then no clock needs to be read.
    pub fn try_read_line(&mut self) -> Option<Result<&str, NoMove>> {
        let line = self.next_line().filter(|_| self.is_started)?;
        Some(self.line_text(line))
    }

    /// Waits at most `timeout` for the next line; then the program is at fault.
    pub fn read_line(&mut self, stop: &Stop, timeout: Duration) -> Result<&str, NoMove> {
        let line = self.wait_for_answer(stop, timeout)?;
        self.line_text(line)
    }

    /// Waits like [`Program::read_line`] for a line in any encoding. Bytes that are not UTF-8 are
    /// replaced.
    pub fn read_line_lossy(&mut self, stop: &Stop, timeout: Duration) -> Result<Cow<'_, str>, NoMove> {
        let line = self.wait_for_answer(stop, timeout)?;
        Ok(String::from_utf8_lossy(&self.input[line]))
    }

    fn wait_for_answer(&mut self, stop: &Stop, timeout: Duration) -> Result<Range<usize>, NoMove> {
        self.is_asked = true;
        if !self.is_started {
            self.wait_for_start(stop, timeout)?;
        }
        let line = self.wait_for_line(stop, timeout)?;
        self.is_asked = false;
        Ok(line)
    }

    /// Returns a line as text.
    fn line_text(&self, line: Range<usize>) -> Result<&str, NoMove> {
        match std::str::from_utf8(&self.input[line]) {
            Ok(text) => Ok(text.strip_suffix('\r').unwrap_or(text)),
            Err(_) => Err(NoMove::fault(Fault::Nonsense, "its reply is not UTF-8")),
        }
    }

    /// Waits for the first line of the program. Before it, the process that becomes the program
    /// reports its process id, or why it cannot start.
    fn wait_for_start(&mut self, stop: &Stop, timeout: Duration) -> Result<(), NoMove> {
        if self.pid.is_none() {
            let line = self.wait_for_line(stop, timeout).map_err(|error| match error {
                NoMove::Forfeit(forfeit) if forfeit.fault == Fault::Crashed => {
                    NoMove::cannot_play(format!("before the start, {}", forfeit.reason))
                }
                other => other,
            })?;
            self.check_start(&line)?;
            let pid = self.text(line).and_then(|pid| pid.parse().ok());
            self.pid = Some(pid.unwrap_or(0));
        }
        let line = self.wait_for_line(stop, timeout)?;
        self.check_start(&line)?;
        // This line is the answer.
        self.pending.start = line.start;
        self.is_started = true;
        Ok(())
    }

    fn check_start(&self, line: &Range<usize>) -> Result<(), NoMove> {
        match self.input[line.clone()].split_first() {
            Some((&FAILURE_MARK, reason)) => Err(NoMove::cannot_play(String::from_utf8_lossy(reason))),
            _ => Ok(()),
        }
    }

    /// Returns true if more output was read than consumed.
    pub fn has_buffered_input(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns true if there is more output than consumed.
    pub fn has_input(&mut self) -> bool {
        if self.pending.is_empty() && self.pid.is_some() {
            let _ = self.read();
        }
        !self.pending.is_empty()
    }

    /// Suspends the program with its process group.
    pub fn suspend(&mut self) {
        self.is_suspended = self.pid.is_some_and(|pid| signal_group(pid, Signal::Suspend));
    }

    /// Resumes a suspended program, and waits `delay` until it is sent anything.
    pub fn resume(&mut self, delay: Duration) {
        if !std::mem::take(&mut self.is_suspended) {
            return;
        }
        // A process that was just starting when its group was stopped occasionally misses the first
        // signal.
        for pause in [delay / 2, delay - delay / 2] {
            self.pid.map(|pid| signal_group(pid, Signal::Resume));
            std::thread::sleep(pause);
        }
        self.pid.map(|pid| signal_group(pid, Signal::Resume));
    }

    /// Starts counting its CPU time.
    pub fn start_clock(&mut self) {
        self.start_reading = clock::read(self.supervisor.id()).unwrap_or_default();
    }

    /// Returns the CPU time of all its processes since the clock started, if the system reports it.
    pub fn cpu_time(&self) -> ProcessTime {
        let reading = self.end_reading.clone().or_else(|| clock::read(self.supervisor.id()));
        reading.map_or(ProcessTime::default(), |reading| reading.time_since(&self.start_reading))
    }

    /// Ends the program: at once if an answer is due; otherwise it receives `farewell` and has a
    /// moment to end.
    pub fn dismiss(self, farewell: &str) {
        if self.is_asked { drop(self) } else { self.quit(farewell) }
    }

    /// Sends `farewell` and gives the program a moment to end.
    pub fn quit(mut self, farewell: &str) {
        self.resume(Duration::ZERO);
        self.output_buffer().extend_from_slice(farewell.as_bytes());
        let _ = self.write();
        drop(self.stdin.take());
        self.end();
    }

    /// Waits until the supervisor has ended the program. If the program has stopped its supervisor,
    /// the supervisor is continued; if the program has killed it, the program is ended here.
    fn end(&mut self) -> Option<(ExitStatus, Option<Duration>)> {
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        while !has_ended(&self.supervisor) {
            wake(&self.supervisor);
            if start.elapsed() > SUPERVISOR_TIMEOUT {
                let _ = self.supervisor.kill();
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(MAX_PAUSE);
        }
        let supervisor = self.supervisor.id();
        let result = clock::wait(&mut self.supervisor);
        match result {
            Some((status, _)) if status.code().is_none() => supervisor_set::end_orphans(supervisor, self.pid),
            _ => supervisor_set::unregister(supervisor),
        }
        result
    }

    fn text(&self, line: Range<usize>) -> Option<&str> {
        std::str::from_utf8(&self.input[line]).ok()
    }

    /// Returns the position of the next line in the input buffer, waiting for it if needed.
    fn wait_for_line(&mut self, stop: &Stop, timeout: Duration) -> Result<Range<usize>, NoMove> {
        let line = stop.wait(timeout, |max_wait| self.exchange(max_wait));
        match line.map_err(|error| self.add_partial_line(error))? {
            Ok(line) => Ok(line),
            Err(ReadError::Ended) => {
                let (description, is_job_signal) = self.describe_end();
                if is_job_signal && is_stop_requested_within(MAX_SIGNAL_DELAY, stop) {
                    return Err(NoMove::Interrupted);
                }
                Err(NoMove::fault(Fault::Crashed, description))
            }
            Err(ReadError::TooLong) => Err(NoMove::fault(
                Fault::Nonsense,
                format!("the reply is longer than {MAX_LINE_LENGTH} bytes"),
            )),
        }
    }

    /// Adds the part of the line that was received to the message of a timeout.
    fn add_partial_line(&self, error: NoMove) -> NoMove {
        let partial_line = String::from_utf8_lossy(&self.input[self.pending.clone()]);
        match error {
            NoMove::Forfeit(forfeit) if forfeit.fault == Fault::TimedOut && !partial_line.is_empty() => {
                let reason = format!(
                    "{}: its output {:?} has no end of line",
                    forfeit.reason,
                    shorten_output(&partial_line)
                );
                let (fault, reason) = (forfeit.fault, reason.into());
                NoMove::Forfeit(Box::new(Forfeit { fault, reason, has_partial_line: true }))
            }
            other => other,
        }
    }

    /// Sends pending lines and waits a moment for a line.
    fn exchange(&mut self, max_wait: Duration) -> Option<Result<Range<usize>, ReadError>> {
        if let Some(line) = self.next_line() {
            return Some(Ok(line));
        }
        let is_all_written = self.write();
        wait(&self.stdout, self.stdin.as_ref().filter(|_| !is_all_written), max_wait);
        match self.read() {
            Ok(0) => Some(Err(ReadError::Ended)),
            Ok(_) => match self.next_line() {
                Some(line) => Some(Ok(line)),
                None => (self.pending.len() >= MAX_LINE_LENGTH).then_some(Err(ReadError::TooLong)),
            },
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                self.is_lost().then_some(Err(ReadError::Ended))
            }
            Err(_) => Some(Err(ReadError::Ended)),
        }
    }

    /// Returns true if the supervisor has ended and no output is left. The end of the output may
    /// not be visible then, because a process started by the program may hold the pipe. A stopped
    /// supervisor could not notice that the program ended, so it is continued.
    fn is_lost(&mut self) -> bool {
        let is_silent = |result: io::Result<usize>| result.map_or(true, |bytes| bytes == 0);
        wake(&self.supervisor);
        has_ended(&self.supervisor) && is_silent(self.read())
    }

    /// Consumes the next line in the buffer and returns its position, without its end.
    fn next_line(&mut self) -> Option<Range<usize>> {
        let pending = &self.input[self.pending.clone()];
        let length = pending.iter().position(|&byte| byte == b'\n')?;
        let start = self.pending.start;
        self.pending.start += length + 1;
        Some(start..start + length)
    }

    fn read(&mut self) -> io::Result<usize> {
        if self.pending.is_empty() {
            self.pending = 0..0;
        } else if self.input.len() - self.pending.end < MAX_LINE_LENGTH {
            self.input.copy_within(self.pending.clone(), 0);
            self.pending = 0..self.pending.len();
        }
        let count = self.stdout.read(&mut self.input[self.pending.end..])?;
        self.pending.end += count;
        Ok(count)
    }

    /// Writes as much as the program accepts. Returns true if that is everything. A program that
    /// has closed its input is not at fault yet: it may still answer.
    fn write(&mut self) -> bool {
        while self.written_bytes < self.output.len() {
            let Some(stdin) = &mut self.stdin else { return true };
            match stdin.write(&self.output[self.written_bytes..]) {
                Ok(0) => return false,
                Ok(count) => self.written_bytes += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(_) => self.written_bytes = self.output.len(),
            }
        }
        true
    }

    /// Describes how the program ended, after its output has ended, and returns whether a signal
    /// ended it that may be meant for the whole run.
    fn describe_end(&mut self) -> (String, bool) {
        drop(self.stdin.take());
        // In the end the program and everything that it has started are children of its supervisor.
        let (status, cpu_time) = self.end().unzip();
        self.end_reading = Some(cpu_time.flatten().map_or_else(Reading::default, Reading::from_total));
        let is_killed = status.is_some_and(|status| status.code().is_none());
        let status = status.and_then(|status| status.code());
        let mut description = match status {
            Some(0) => "the program exited with status 0 before the reply".to_owned(),
            Some(code @ 129..=192) => format!("the program was killed by signal {}", code - 128),
            Some(code) => format!("the program exited with status {code}"),
            None if is_killed => "the supervisor of the program was killed".to_owned(),
            None => "the program exited".to_owned(),
        };
        if let Some(StderrFile { path, length, .. }) = &self.stderr_file
            && let Some(last) = last_line(path, *length)
        {
            description += &format!("; last line of standard error: {last}");
        }
        (description, status.is_some_and(|code| JOB_SIGNALS.contains(&(code - 128))))
    }
}

/// Returns true if a stop is requested within this time.
fn is_stop_requested_within(timeout: Duration, stop: &Stop) -> bool {
    let result = stop.wait(timeout, |max_wait| {
        std::thread::sleep(max_wait);
        None::<()>
    });
    matches!(result, Err(NoMove::Interrupted))
}

enum ReadError {
    Ended,
    TooLong,
}

/// Kills the program without a farewell: its output after a fault or a stop does not matter.
impl Drop for Program {
    fn drop(&mut self) {
        if self.stdin.take().is_some() {
            request_end(&self.supervisor);
            self.end();
        }
    }
}
