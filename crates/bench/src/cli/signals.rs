//! Handling of SIGINT and SIGTERM: they end the program on the spot, but for work that can be asked to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::exit::STOPPED;
use crate::player::Stop;

/// The signals that end a program, listened to.
pub(super) struct Signals {
    /// True if work was asked to stop.
    stop: Arc<AtomicBool>,
    /// True if a signal ends the program on the spot. A file that it was writing then is half written under
    /// another name, or torn at the end of a journal, and the next run mends it.
    ends: Arc<AtomicBool>,
    /// True if SIGTERM came.
    terminated: Arc<AtomicBool>,
}

impl Signals {
    pub(super) fn listen() -> anyhow::Result<Signals> {
        let signals = Signals {
            stop: Arc::default(),
            ends: Arc::new(AtomicBool::new(true)),
            terminated: Arc::default(),
        };
        flag::register(SIGTERM, signals.terminated.clone()).context("cannot listen to signals")?;
        for signal in [SIGINT, SIGTERM] {
            // In this order: when the first signal comes by, it does not end what it asks to stop.
            flag::register_conditional_shutdown(signal, STOPPED.into(), signals.ends.clone())
                .and_then(|_| flag::register(signal, signals.stop.clone()))
                .and_then(|_| flag::register(signal, signals.ends.clone()))
                .context("cannot listen to signals")?;
        }
        Ok(signals)
    }

    /// True if work was asked to stop.
    pub(super) fn have_come(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// True if it was SIGTERM that asked work to stop: a batch system, most often.
    pub(super) fn are_of_system(&self) -> bool {
        self.terminated.load(Ordering::Relaxed)
    }

    /// Does work that the first signal asks to stop. The second ends the program.
    pub(super) fn let_stop<T>(&self, work: impl FnOnce(&Stop) -> T) -> T {
        self.ends.store(false, Ordering::Relaxed);
        let done = work(&Stop::from_flag(self.stop.clone()));
        self.ends.store(true, Ordering::Relaxed);
        done
    }
}
