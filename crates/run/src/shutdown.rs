//! Wakes threads when the work that they wait for ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An event that happens once, and wakes every thread that waits for it.
#[derive(Debug, Default)]
pub struct ShutdownSignal {
    rung: Mutex<bool>,
    heard: Condvar,
}

impl ShutdownSignal {
    /// Rings it.
    pub fn ring(&self) {
        *lock(&self.rung) = true;
        self.heard.notify_all();
    }

    /// Waits for the bell, but not longer than this; says whether it has rung.
    pub fn wait(&self, at_most: Duration) -> bool {
        let waited = self.heard.wait_timeout_while(lock(&self.rung), at_most, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Rings the bell when it goes out of scope.
pub(super) struct SignalOnDrop<'a>(pub(super) &'a ShutdownSignal);

impl Drop for SignalOnDrop<'_> {
    fn drop(&mut self) {
        self.0.ring();
    }
}

/// A lock is poisoned only by a panic of ours, which ends the run in any case.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
