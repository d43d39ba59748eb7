//! The session of a command that plays: SIGINT and SIGTERM, and how the session is resumed.
//!
//! Signals end the program at once, unless the current work can be stopped.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{ExitCode, exit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use anyhow::Context;
use gauntlet_analysis::config::time::DurationArg;
use gauntlet_core::player::Stop;
use gauntlet_run::threads::start_detached;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::{AGAIN, STOPPED};
use crate::say::complain;

/// A session of a command that plays.
pub struct CommandSession {
    /// True if the work was asked to stop.
    stop: Arc<AtomicBool>,
    /// True if a signal ends the program at once. A file being written is then partial under a
    /// temporary name, or the journal has a torn last line, which the next run repairs.
    ends: Arc<AtomicBool>,
    /// True if SIGTERM was received.
    terminated: Arc<AtomicBool>,
}

impl CommandSession {
    /// Begins a session: from now on, signals are handled.
    pub fn begin() -> anyhow::Result<CommandSession> {
        let signals = CommandSession {
            stop: Arc::default(),
            ends: Arc::new(AtomicBool::new(true)),
            terminated: Arc::default(),
        };
        flag::register(SIGTERM, signals.terminated.clone()).context("cannot install signal handlers")?;
        for signal in [SIGINT, SIGTERM] {
            // In this order, the first signal does not end work that it asks to stop.
            flag::register_conditional_shutdown(signal, STOPPED.into(), signals.ends.clone())
                .and_then(|_| flag::register(signal, signals.stop.clone()))
                .and_then(|_| flag::register(signal, signals.ends.clone()))
                .context("cannot install signal handlers")?;
        }
        Ok(signals)
    }

    /// Returns the exit status of a stopped session. If `is_part` of several processes, a batch
    /// system may restart it.
    pub fn stop_status(&self, is_part: bool) -> ExitCode {
        ExitCode::from(if is_part && self.terminated.load(Ordering::Relaxed) { AGAIN } else { STOPPED })
    }

    /// Returns true if a signal asked the work to stop.
    pub fn is_asked_to_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs `work`. The first signal asks it to stop, the second ends the program. The result is
    /// true if a signal came.
    pub fn run_stoppable<T>(&self, work: impl FnOnce(&Stop) -> T) -> (T, bool) {
        self.ends.store(false, Ordering::Relaxed);
        let stop = Stop::from_flag(self.stop.clone());
        let done = work(&stop);
        let is_asked = stop.is_asked();
        self.ends.store(true, Ordering::Relaxed);
        (done, is_asked)
    }

    /// Does work that may be killed at any time, in another thread. At a signal, calls `tell` and
    /// ends the program immediately, even if the work waits for a disk or for a reader of its
    /// output.
    pub fn run_killable<T: Send + 'static>(
        &self,
        tell: impl FnOnce(),
        work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        self.ends.store(false, Ordering::Relaxed);
        let (sender, receiver) = mpsc::channel();
        start_detached(move || {
            let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
        })?;
        let stop = Stop::from_flag(self.stop.clone());
        let Ok(done) = stop.wait(Duration::MAX, |moment| receiver.recv_timeout(moment).ok()) else {
            tell();
            // Nothing is flushed, because the thread may hold standard output.
            exit(STOPPED.into())
        };
        self.ends.store(true, Ordering::Relaxed);
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

/// Prints how to resume a tuning or a training that stopped early. `again` is the command, and
/// `kept` names the work that is saved. If `time` ended it, calls `progress` first, and prints the
/// time.
pub fn print_stopped(
    kept: &str,
    again: &str,
    time: Option<&DurationArg>,
    progress: impl FnOnce() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(time) = time else {
        complain(format_args!("stopped; {kept}; to resume:\n  {again}"));
        return Ok(());
    };
    progress()?;
    complain(format_args!("{}", out_of_time_message(again, time)));
    Ok(())
}

/// Message for a session that ended by `--for`, with the command that resumes it for as long again.
pub fn out_of_time_message(again: &str, time: &DurationArg) -> String {
    format!("stopped by --for; to resume for the same time:\n  {again} --for {time}")
}
