//! Starts threads by a way that returns an error: `std::thread::spawn` and `Scope::spawn` panic
//! where the system has no room for another thread, and what waits for that thread would wait for
//! ever.

use std::thread::{Builder, Scope, ScopedJoinHandle};

use anyhow::Context;

/// Remedy where no thread can be started.
const HELP: &str =
    "cannot start a thread: raise the limit on processes or on memory, or ask for fewer --threads";

/// Starts a thread of a scope.
pub fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> anyhow::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new().spawn_scoped(scope, work).context(HELP)
}

/// Threads for work that is dealt out evenly: not more than there are cores, for idle ones look for
/// work all the time.
pub fn pool(at_most: usize) -> anyhow::Result<rayon::ThreadPool> {
    let threads = at_most.min(super::machine::cores());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().context(HELP)
}

/// Starts a thread that nothing waits for: it ends with the program.
pub fn start_apart(work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    Builder::new().spawn(work).map(drop).context(HELP)
}
