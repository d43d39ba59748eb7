//! Artificial load that changes.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use gauntlet::rng::Seed;

/// Runs `work` while the load of the machine changes: other threads are idle, compute, or access
/// memory, each for a while.
pub(crate) fn under_changing_load(work: impl FnOnce()) {
    let cores = thread::available_parallelism().map_or(2, usize::from) as u64;
    let stop = AtomicBool::new(false);
    // Number of threads that compute, and number that access memory.
    let load = [const { AtomicU64::new(0) }; 2];
    thread::scope(|scope| {
        for number in 0..2 * cores {
            let (stop, load) = (&stop, &load);
            scope.spawn(move || {
                let mut memory = vec![1_u64; 1 << 22];
                let mut state = number;
                while !stop.load(Ordering::Relaxed) {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    if number < load[0].load(Ordering::Relaxed) {
                        black_box(state);
                    } else if number < load[0].load(Ordering::Relaxed) + load[1].load(Ordering::Relaxed) {
                        memory[(state >> 42) as usize] += 1;
                    } else {
                        thread::sleep(Duration::from_millis(20));
                    }
                }
                black_box(memory);
            });
        }
        scope.spawn(|| {
            let mut rng = Seed::root(1).rng();
            while !stop.load(Ordering::Relaxed) {
                for load in &load {
                    load.store(rng.below(cores + 1), Ordering::Relaxed);
                }
                thread::sleep(Duration::from_millis(200 + rng.below(3000)));
            }
        });
        let _guard = StopOnDrop(&stop);
        work();
    });
}

/// Stops the load when dropped, even if the work panics.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
