//! Work of a player that does not count as thinking.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use super::stop::Stop;

/// Time of work that does not count as thinking, such as checking a part of a file before its first
/// use. It is shared by the players of one thread and their stopwatches. It does not count against
/// the time limit of a game either.
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    stop: Stop,
    cpu_ns: Arc<AtomicU64>,
    wall_ns: Arc<AtomicU64>,
}

/// CPU time and wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PreparationTime {
    /// CPU time of the thread.
    pub cpu: Duration,
    /// Wall time.
    pub wall: Duration,
}

impl Preparation {
    /// Creates the account of the games that this stop request ends.
    pub fn new(stop: Stop) -> Preparation {
        Preparation { stop, ..Preparation::default() }
    }

    /// Does some work, whose time is added to the total.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let (wall, cpu) = (Instant::now(), ThreadTime::now());
        let result = work();
        let (cpu, wall) = (cpu.elapsed(), wall.elapsed());
        self.cpu_ns.fetch_add(cpu.as_nanos() as u64, Ordering::Relaxed);
        self.wall_ns.fetch_add(wall.as_nanos() as u64, Ordering::Relaxed);
        self.stop.extend_game(wall);
        result
    }

    /// Returns the total time.
    pub fn time(&self) -> PreparationTime {
        let [cpu, wall] =
            [&self.cpu_ns, &self.wall_ns].map(|ns| Duration::from_nanos(ns.load(Ordering::Relaxed)));
        PreparationTime { cpu, wall }
    }
}
