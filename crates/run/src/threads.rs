//! Starts threads and returns errors. `std::thread::spawn` and `Scope::spawn` panic if the system
//! has no room for another thread, and code that waits for that thread would wait forever.

use std::thread::{Builder, Scope, ScopedJoinHandle};

use anyhow::Context;

/// Suggestion if a thread cannot be started.
const START_ERROR: &str =
    "cannot start a thread: raise the limit on processes or memory, or use fewer --threads";

/// Starts a thread in a scope.
pub fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> anyhow::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, work).context(START_ERROR)
}

/// Creates a pool for evenly divided work, with at most as many threads as cores: idle threads look
/// for work all the time.
pub fn build_pool(max_threads: usize) -> anyhow::Result<rayon::ThreadPool> {
    let threads = max_threads.min(super::machine::cores());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().context(START_ERROR)
}

/// Starts a detached thread, which ends with the program.
pub fn start_detached(work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    Builder::new().spawn(work).map(drop).context(START_ERROR)
}
