//! Wakes waiting threads when the work ends.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A signal that is given once and wakes every thread that waits for it.
#[derive(Debug, Default)]
pub struct ShutdownSignal {
    is_triggered: Mutex<bool>,
    condvar: Condvar,
}

impl ShutdownSignal {
    /// Gives the signal.
    pub fn trigger(&self) {
        *lock(&self.is_triggered) = true;
        self.condvar.notify_all();
    }

    /// Waits for the signal, for `timeout` this time; returns whether it was given.
    pub fn wait(&self, timeout: Duration) -> bool {
        let wait_result =
            self.condvar.wait_timeout_while(lock(&self.is_triggered), timeout, |is_triggered| !*is_triggered);
        *wait_result.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Gives the signal when it is dropped.
pub(super) struct SignalOnDrop<'a>(pub(super) &'a ShutdownSignal);

impl Drop for SignalOnDrop<'_> {
    fn drop(&mut self) {
        self.0.trigger();
    }
}

/// Locks a mutex and ignores poisoning, which only follows a panic that ends the run anyway.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
