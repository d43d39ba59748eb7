//! A program that runs under a supervisor: lines are said to it and heard from it, each within a
//! time.
//!
//! Its pipes never block: neither a program that does not read nor one that does not answer can
//! hold a thread longer than the time that it has. A line and its answer take one write, one wait
//! and one read.

use std::io::{self, ErrorKind, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::clock::{self, Reading};
use super::ending::{GRACE, MOST_TO_END};
use super::errors::last_lines;
use super::pipes::{Signal, has_ended, never_block, signal_group, tell_to_end, wait, wake, widen};
use super::supervised;
use super::supervisor::{FAILED, NONE, SUPERVISE, this_program};
use crate::assets::{Assets, Programs};
use crate::disk::hinted;
use crate::player::{NoMove, Stop};
use crate::protocol::shortened;
use crate::record::{CpuTime, Fault};
use crate::text::shown;

/// The longest line that a program may answer.
pub const LONGEST: usize = 1 << 16;

/// Variables of the surroundings that every program is given.
const SURROUNDINGS: &[&str] = &["PATH", "HOME", "LANG", "TMPDIR"];

/// Lines of standard error that are told of a program that ended.
const LAST_LINES: usize = 3;

/// Signals that end whole jobs (HUP, INT, TERM): a batch system sends them to all processes, and a
/// program may hear its own before the run does.
const FOR_ALL: [i32; 3] = [1, 2, 15];

/// The longest that the run hears such a signal later than its program.
const LATE: Duration = Duration::from_secs(1);

/// Time that a supervisor has to end its program. One that takes longer is killed.
const PATIENCE: Duration = GRACE.saturating_add(MOST_TO_END).saturating_add(Duration::from_millis(1500));

/// The longest pause between two looks at a supervisor that is to end.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// A program to be started.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// Folder that it is started in.
    pub directory: &'a Path,
    /// Further variables of its surroundings: `NAME` passes on what there is, `NAME=VALUE` sets it.
    pub variables: &'a [String],
    /// The most bytes of memory that each process of it may have.
    pub memory: Option<u64>,
    /// The first line of what is kept of its standard error.
    pub title: &'a str,
}

/// A program that runs.
#[derive(Debug)]
pub struct Program {
    supervisor: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// Lines that are said, and how much of them was written.
    said: Vec<u8>,
    written: usize,
    /// Answers that were read and not yet heard.
    heard: Vec<u8>,
    unheard: Range<usize>,
    /// The process whose time is the program's; none until it is known.
    pid: Option<u32>,
    /// The clocks when its time began, and when it had ended.
    before: Reading,
    after: Option<Reading>,
    /// True after its first line: then it was started.
    is_started: bool,
    errors: Option<Errors>,
    /// True while an answer is waited for, and after a fault.
    is_asked: bool,
    is_suspended: bool,
}

/// The file of a program's standard error.
#[derive(Debug)]
struct Errors {
    of: Arc<Assets>,
    name: String,
    path: PathBuf,
    /// Its length before the program was started.
    length: u64,
}

impl Drop for Errors {
    fn drop(&mut self) {
        if let Some(programs) = self.of.programs() {
            programs.give_back(&self.name);
        }
    }
}

impl Errors {
    fn of(assets: &Arc<Assets>, programs: &Programs, launch: &Launch) -> io::Result<Option<Errors>> {
        let Some(folder) = &programs.errors else { return Ok(None) };
        std::fs::create_dir_all(folder)?;
        let name = programs.take(&name_of(launch.command));
        let path = std::path::absolute(folder)?.join(&name);
        let mut errors = Errors { of: Arc::clone(assets), name, length: length_of(&path), path };
        if errors.length == 0 {
            std::fs::write(&errors.path, format!("{}\n", launch.title))?;
        }
        errors.length = length_of(&errors.path);
        Ok(Some(errors))
    }
}

/// Name of a program: that of the last file among the words of its command, as far as it can be a
/// part of a file's name.
fn name_of(command: &[String]) -> String {
    let word = command.iter().rev().find(|word| !word.starts_with('-')).map_or("program", String::as_str);
    let stem =
        Path::new(word).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = stem.chars().map(plain).take(40).collect();
    if name.is_empty() { "program".to_owned() } else { name }
}

fn length_of(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len())
}

impl Program {
    /// Starts a program, if that is permitted.
    pub fn start(launch: &Launch, assets: &Arc<Assets>) -> io::Result<Program> {
        let refused = |why: &str| Err(io::Error::new(ErrorKind::PermissionDenied, why));
        let Some(programs) = assets.programs() else {
            return refused("no command may be started here: --allow-commands permits it");
        };
        if cfg!(not(unix)) {
            return refused("players that are other programs need a system such as Linux or macOS");
        }
        if !launch.directory.is_dir() {
            let why = format!("there is no folder {}", shown(launch.directory));
            return Err(io::Error::new(ErrorKind::NotFound, why));
        }
        let errors = Errors::of(assets, programs, launch).map_err(|error| {
            let kind = error.kind();
            io::Error::new(kind, format!("its standard error cannot be kept: {}", hinted(error)))
        })?;
        let mut command = match &programs.supervisor {
            Some(supervisor) => Command::new(supervisor),
            None => Command::new(this_program()?),
        };
        command.arg(SUPERVISE);
        match &errors {
            Some(errors) => command.arg(&errors.path),
            None => command.arg(NONE),
        };
        command.arg(launch.memory.map_or_else(|| NONE.to_owned(), |bytes| bytes.to_string()));
        command.args(launch.command).current_dir(launch.directory).env_clear();
        let passed = SURROUNDINGS.iter().copied().chain(launch.variables.iter().map(String::as_str));
        for variable in passed {
            match variable.split_once('=') {
                Some((name, value)) => _ = command.env(name, value),
                None => _ = std::env::var_os(variable).map(|value| command.env(variable, value)),
            }
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut supervisor = supervised::start(&mut command).map_err(hinted)?;
        let stdin = supervisor.stdin.take().expect("piped");
        let stdout = supervisor.stdout.take().expect("piped");
        let program = Program {
            supervisor,
            stdin: Some(stdin),
            stdout,
            said: Vec::with_capacity(256),
            written: 0,
            heard: vec![0; 2 * LONGEST],
            unheard: 0..0,
            pid: None,
            before: Reading::default(),
            after: None,
            is_started: false,
            errors,
            is_asked: false,
            is_suspended: false,
        };
        never_block(program.stdin.as_ref().expect("open"), &program.stdout)?;
        Ok(program)
    }

    /// The lines that it is told next, each with its end; they go off with the next wait for an
    /// answer.
    pub fn to_say(&mut self) -> &mut Vec<u8> {
        if self.written == self.said.len() {
            self.said.clear();
            self.written = 0;
        }
        &mut self.said
    }

    /// Lets its pipes hold a batch of questions and their answers.
    pub fn widen_pipes(&self) {
        if let Some(stdin) = &self.stdin {
            widen(stdin, &self.stdout);
        }
    }

    /// Its next line, if that was read already: then no clock need be asked.
    pub fn heard(&mut self) -> Option<Result<&str, NoMove>> {
        let line = self.next_line().filter(|_| self.is_started)?;
        Some(self.text_of(line))
    }

    /// Waits for its next line, and no longer than this; then the program is at fault.
    pub fn hear(&mut self, stop: &Stop, most: Duration) -> Result<&str, NoMove> {
        self.is_asked = true;
        if !self.is_started {
            self.wait_for_start(stop, most)?;
        }
        let line = self.line(stop, most)?;
        self.is_asked = false;
        self.text_of(line)
    }

    /// A line as text.
    fn text_of(&self, line: Range<usize>) -> Result<&str, NoMove> {
        match std::str::from_utf8(&self.heard[line]) {
            Ok(text) => Ok(text.strip_suffix('\r').unwrap_or(text)),
            Err(_) => Err(NoMove::fault(Fault::Nonsense, "its answer is no text in UTF-8")),
        }
    }

    /// Waits for the first line of the program. Before it the process that becomes the program says
    /// its number, or why it cannot.
    fn wait_for_start(&mut self, stop: &Stop, most: Duration) -> Result<(), NoMove> {
        if self.pid.is_none() {
            let line = self.line(stop, most).map_err(|error| match error {
                NoMove::Forfeit(forfeit) if forfeit.fault == Fault::Crashed => {
                    NoMove::cannot_start(format!("before it was started, {}", forfeit.why))
                }
                other => other,
            })?;
            self.check_start(&line)?;
            let pid = self.text(line).and_then(|pid| pid.parse().ok());
            self.pid = Some(pid.unwrap_or(0));
        }
        let line = self.line(stop, most)?;
        self.check_start(&line)?;
        // It is the answer.
        self.unheard.start = line.start;
        self.is_started = true;
        Ok(())
    }

    fn check_start(&self, line: &Range<usize>) -> Result<(), NoMove> {
        match self.heard[line.clone()].split_first() {
            Some((&FAILED, why)) => Err(NoMove::cannot_start(String::from_utf8_lossy(why))),
            _ => Ok(()),
        }
    }

    /// True if more of what it has said was read than was heard.
    pub fn has_heard_more(&self) -> bool {
        !self.unheard.is_empty()
    }

    /// True if it has said more than was heard.
    pub fn has_more(&mut self) -> bool {
        if self.unheard.is_empty() && self.pid.is_some() {
            let _ = self.read();
        }
        !self.unheard.is_empty()
    }

    /// Lets the program stand still, with the processes of its group.
    pub fn suspend(&mut self) {
        self.is_suspended = self.pid.is_some_and(|pid| signal_group(pid, Signal::Suspend));
    }

    /// Lets a program that stands still go on, and gives it this time before it is told anything.
    pub fn resume(&mut self, before: Duration) {
        if !std::mem::take(&mut self.is_suspended) {
            return;
        }
        // A process that was just being started when its group was stopped misses the first signal,
        // now and then.
        for pause in [before / 2, before - before / 2] {
            self.pid.map(|pid| signal_group(pid, Signal::Resume));
            std::thread::sleep(pause);
        }
        self.pid.map(|pid| signal_group(pid, Signal::Resume));
    }

    /// From now on its CPU time counts.
    pub fn start_clock(&mut self) {
        self.before = clock::read(self.supervisor.id()).unwrap_or_default();
    }

    /// CPU time that it has taken since then, with all of its processes, where the system tells
    /// that.
    pub fn cpu_time(&self) -> CpuTime {
        let reading = self.after.clone().or_else(|| clock::read(self.supervisor.id()));
        reading.map_or(CpuTime::default(), |reading| reading.since(&self.before))
    }

    /// Lets go of the program: in the middle of a question at once; else it is told this, and has a
    /// moment to end.
    pub fn part(self, farewell: &str) {
        if self.is_asked { drop(self) } else { self.quit(farewell) }
    }

    /// Lets go of the program: it is told this, and has a moment to end.
    pub fn quit(mut self, farewell: &str) {
        self.resume(Duration::ZERO);
        self.to_say().extend_from_slice(farewell.as_bytes());
        let _ = self.write();
        drop(self.stdin.take());
        self.end();
    }

    /// Waits until the supervisor has ended the program. The program may have stopped its
    /// supervisor, which goes on then, or killed it: then the program ends here.
    fn end(&mut self) -> Option<(ExitStatus, Option<Duration>)> {
        let begin = Instant::now();
        let mut pause = Duration::from_millis(1);
        while !has_ended(&self.supervisor) {
            wake(&self.supervisor);
            if begin.elapsed() > PATIENCE {
                let _ = self.supervisor.kill();
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
        let supervisor = self.supervisor.id();
        let ended = clock::wait(&mut self.supervisor);
        match ended {
            Some((status, _)) if status.code().is_none() => supervised::end_orphans(supervisor, self.pid),
            _ => supervised::note_end(supervisor),
        }
        ended
    }

    fn text(&self, line: Range<usize>) -> Option<&str> {
        std::str::from_utf8(&self.heard[line]).ok()
    }

    /// The place of the next line among what was read.
    fn line(&mut self, stop: &Stop, most: Duration) -> Result<Range<usize>, NoMove> {
        let line = stop.wait(most, |moment| self.exchange(moment));
        match line.map_err(|error| self.with_half_a_line(error))? {
            Ok(line) => Ok(line),
            Err(Broken::Ended) => {
                let (told, is_struck) = self.last_words();
                if is_struck && is_asked_within(LATE, stop) {
                    return Err(NoMove::Interrupted);
                }
                Err(NoMove::fault(Fault::Crashed, told))
            }
            Err(Broken::TooLong) => {
                Err(NoMove::fault(Fault::Nonsense, format!("its answer is longer than {LONGEST} bytes")))
            }
        }
    }

    /// An answer that did not come in time, with what came of it.
    fn with_half_a_line(&self, error: NoMove) -> NoMove {
        let begun = String::from_utf8_lossy(&self.heard[self.unheard.clone()]);
        match error {
            NoMove::Forfeit(forfeit) if forfeit.fault == Fault::TimedOut && !begun.is_empty() => {
                let why = format!("{}: it wrote {:?} and no end of the line", forfeit.why, shortened(&begun));
                NoMove::fault(Fault::TimedOut, why)
            }
            other => other,
        }
    }

    /// Writes what is to be said, and waits a moment for a line.
    fn exchange(&mut self, moment: Duration) -> Option<Result<Range<usize>, Broken>> {
        if let Some(line) = self.next_line() {
            return Some(Ok(line));
        }
        let all = self.write();
        wait(&self.stdout, self.stdin.as_ref().filter(|_| !all), moment);
        match self.read() {
            Ok(0) => Some(Err(Broken::Ended)),
            Ok(_) => match self.next_line() {
                Some(line) => Some(Ok(line)),
                None => (self.unheard.len() >= LONGEST).then_some(Err(Broken::TooLong)),
            },
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                self.is_lost().then_some(Err(Broken::Ended))
            }
            Err(_) => Some(Err(Broken::Ended)),
        }
    }

    /// True if its supervisor has ended and nothing is left to be read. The end of the output need
    /// not be seen then: what the program has started may hold the pipe. A supervisor that was
    /// stopped could not notice the end of the program, so it goes on.
    fn is_lost(&mut self) -> bool {
        let is_silent = |read: io::Result<usize>| read.map_or(true, |bytes| bytes == 0);
        wake(&self.supervisor);
        has_ended(&self.supervisor) && is_silent(self.read())
    }

    /// Takes the next line of what was read, without its end.
    fn next_line(&mut self) -> Option<Range<usize>> {
        let unheard = &self.heard[self.unheard.clone()];
        let length = unheard.iter().position(|&byte| byte == b'\n')?;
        let start = self.unheard.start;
        self.unheard.start += length + 1;
        Some(start..start + length)
    }

    fn read(&mut self) -> io::Result<usize> {
        if self.unheard.is_empty() {
            self.unheard = 0..0;
        } else if self.heard.len() - self.unheard.end < LONGEST {
            self.heard.copy_within(self.unheard.clone(), 0);
            self.unheard = 0..self.unheard.len();
        }
        let read = self.stdout.read(&mut self.heard[self.unheard.end..])?;
        self.unheard.end += read;
        Ok(read)
    }

    /// Writes as much as the program takes. Returns true if that is all. That it reads no more is
    /// no fault: it may answer.
    fn write(&mut self) -> bool {
        while self.written < self.said.len() {
            let Some(stdin) = &mut self.stdin else { return true };
            match stdin.write(&self.said[self.written..]) {
                Ok(0) => return false,
                Ok(written) => self.written += written,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(_) => self.written = self.said.len(),
            }
        }
        true
    }

    /// Its end in words, after its output has ended, and whether it was ended by a signal that may
    /// be for this whole run.
    fn last_words(&mut self) -> (String, bool) {
        drop(self.stdin.take());
        // The program and all that it has started are children of its supervisor in the end.
        let (status, taken) = self.end().unzip();
        self.after = Some(taken.flatten().map_or_else(Reading::default, Reading::at_the_end));
        let is_killed = status.is_some_and(|status| status.code().is_none());
        let status = status.and_then(|status| status.code());
        let mut told = match status {
            Some(0) => "it ended with exit status 0 before it answered".to_owned(),
            Some(code @ 129..=192) => format!("it was ended by signal {}", code - 128),
            Some(code) => format!("it ended with exit status {code}"),
            None if is_killed => "its supervisor was killed".to_owned(),
            None => "it ended".to_owned(),
        };
        if let Some(Errors { path, length, .. }) = &self.errors {
            let last = last_lines(path, *length, LAST_LINES);
            if !last.is_empty() {
                told += &format!("; its last words: {}", last.join(" | "));
            }
        }
        let is_struck = status.is_some_and(|code| FOR_ALL.contains(&(code - 128)));
        (told, is_struck)
    }
}

/// True if the request to stop is made before this time is over.
fn is_asked_within(most: Duration, stop: &Stop) -> bool {
    let heard = stop.wait(most, |moment| {
        std::thread::sleep(moment);
        None::<()>
    });
    matches!(heard, Err(NoMove::Interrupted))
}

/// Reason why there is no line.
enum Broken {
    /// The output has ended.
    Ended,
    /// The line has no end within reason.
    TooLong,
}

/// Without further ado: what comes after a fault, or after a stop in the middle of a move, is of no
/// interest.
impl Drop for Program {
    fn drop(&mut self) {
        if self.stdin.take().is_some() {
            tell_to_end(&self.supervisor);
            self.end();
        }
    }
}
