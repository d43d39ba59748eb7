//! The session of a command that plays: SIGINT and SIGTERM, and how the session is resumed.
//!
//! Signals end the program at once, unless the current work can be stopped.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use std::{env, io};

use anyhow::Context;
use gauntlet_analysis::config::time::DurationArg;
use gauntlet_core::player::Stop;
use gauntlet_run::threads::start_detached;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::exit::{AGAIN, STOPPED};
use crate::output::print_message;

/// Environment variable: a file that ends when the program that started this one ends. The Python
/// package sets it. Without it, a run continues after its notebook is killed.
const CALLER: &str = "GAUNTLET_CALLER";

/// A session of a command that plays.
pub struct CommandSession {
    /// True if the work was asked to stop.
    stop: Arc<AtomicBool>,
    /// True if a signal ends the program at once. A file being written is then partial under a
    /// temporary name, or the journal has a torn last line, which the next run repairs.
    is_killable: Arc<AtomicBool>,
    /// True if SIGTERM was received.
    has_sigterm: Arc<AtomicBool>,
}

impl CommandSession {
    /// Begins a session: from now on, signals are handled.
    pub fn begin() -> anyhow::Result<CommandSession> {
        let signals = CommandSession {
            stop: Arc::default(),
            is_killable: Arc::new(AtomicBool::new(true)),
            has_sigterm: Arc::default(),
        };
        flag::register(SIGTERM, signals.has_sigterm.clone()).context("cannot install signal handlers")?;
        for signal in [SIGINT, SIGTERM] {
            // In this order, the first signal does not end work that it asks to stop.
            flag::register_conditional_shutdown(signal, STOPPED.into(), signals.is_killable.clone())
                .and_then(|_| flag::register(signal, signals.stop.clone()))
                .and_then(|_| flag::register(signal, signals.is_killable.clone()))
                .context("cannot install signal handlers")?;
        }
        if let Some(caller) = env::var_os(CALLER) {
            let stop = signals.stop.clone();
            start_detached(move || {
                let Ok(mut file) = File::open(caller) else { return };
                let _ = io::copy(&mut file, &mut io::sink());
                // A second signal would end the program at once.
                if !stop.load(Ordering::Relaxed) {
                    let _ = low_level::raise(SIGINT);
                }
            })?;
        }
        Ok(signals)
    }

    /// Returns the exit status of a stopped session. If `is_part` of several processes, a batch
    /// system may restart it.
    pub fn stop_status(&self, is_part: bool) -> ExitCode {
        ExitCode::from(if is_part && self.has_sigterm.load(Ordering::Relaxed) { AGAIN } else { STOPPED })
    }

    /// Returns true if a signal asked the work to stop.
    pub fn is_asked_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs `work`. The first signal asks it to stop, the second ends the program. The result is
    /// true if a signal came.
    pub fn run_stoppable<T>(&self, work: impl FnOnce(&Stop) -> T) -> (T, bool) {
        self.is_killable.store(false, Ordering::Relaxed);
        let stop = Stop::from_flag(self.stop.clone());
        let result = work(&stop);
        let is_requested = stop.is_requested();
        self.is_killable.store(true, Ordering::Relaxed);
        (result, is_requested)
    }

    /// Does work that may be killed at any time, in another thread. At a signal, calls `on_signal`
    /// and ends the program immediately, even if the work waits for a disk or for a reader of its
    /// output.
    pub fn run_killable<T: Send + 'static>(
        &self,
        on_signal: impl FnOnce(),
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        self.is_killable.store(false, Ordering::Relaxed);
        let (sender, receiver) = mpsc::channel();
        start_detached(move || {
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        })?;
        let stop = Stop::from_flag(self.stop.clone());
        let Ok(result) = stop.wait(Duration::MAX, |max_wait| receiver.recv_timeout(max_wait).ok()) else {
            on_signal();
            // Nothing is flushed, because the thread may hold standard output.
            exit(STOPPED.into())
        };
        self.is_killable.store(true, Ordering::Relaxed);
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Prints how to resume a tuning or a training that stopped early. `resume_command` is the command,
/// and `saved_work` names the work that is saved. If `time` ended it, calls `progress` first, and
/// prints the time.
pub fn print_stopped(
    saved_work: &str,
    resume_command: &str,
    time: Option<&DurationArg>,
    progress: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(time) = time else {
        print_message(format_args!("stopped; {saved_work}; to resume:\n  {resume_command}"));
        return Ok(());
    };
    progress()?;
    print_message(format_args!("{}", out_of_time_message(resume_command, time)));
    Ok(())
}

/// Message for a session that ended by `--for`, with the command that resumes it for as long again.
pub fn out_of_time_message(resume_command: &str, time: &DurationArg) -> String {
    format!("stopped by --for; to resume for the same time:\n  {resume_command} --for {time}")
}
