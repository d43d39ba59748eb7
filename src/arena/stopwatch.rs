//! Times thinking. Reading a clock costs some 25 ns, and some players need less for a move. So of a fast player only
//! one move in a stride is timed, such that the clock costs a hundredth of the thinking.
//!
//! The stride is decided before each game from what was timed before, and each timed move counts for as many moves as
//! the stride has: so all moves of a player weigh the same, however often the stride changed. What the clock itself
//! costs is measured once and subtracted. Clock readings decide nothing but the stride: records do not depend on them.
//!
//! How deep players searched is counted here too, for with some of them it depends on the clock.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::record::Times;

/// One worker's stopwatch for one player.
pub(super) struct Stopwatch {
    clock_ns: u64,
    /// One move in this many is timed. Odd, so as not to fall in step with a player's habits.
    stride: u64,
    until_next: u64,
    slice: Times,
    histogram: BTreeMap<u64, u64>,
    depths: BTreeMap<u32, u64>,
    /// Totals over all slices, which decide the stride.
    total_ns: u64,
    total_thoughts: u64,
    started: (Instant, ThreadTime),
}

impl Stopwatch {
    pub(super) fn new() -> Stopwatch {
        Stopwatch {
            clock_ns: cost_of_clock(),
            stride: 1,
            until_next: 0,
            slice: Times::default(),
            histogram: BTreeMap::new(),
            depths: BTreeMap::new(),
            total_ns: 0,
            total_thoughts: 0,
            started: (Instant::now(), ThreadTime::now()),
        }
    }

    /// An errand begins.
    pub(super) fn start_slice(&mut self) {
        self.started = (Instant::now(), ThreadTime::now());
    }

    /// A game begins.
    pub(super) fn start_game(&mut self) {
        // After the first few moves nothing is known yet, and 1 is right.
        self.stride = if self.total_thoughts < 16 { 1 } else { (100 * self.clock_ns / self.mean_ns()) | 1 };
        self.until_next = self.until_next.min(self.stride - 1);
    }

    /// Thinks, and times it if it is this move's turn.
    #[inline]
    pub(super) fn time<T>(&mut self, think: impl FnOnce() -> T) -> T {
        if self.until_next > 0 {
            self.until_next -= 1;
            return think();
        }
        self.until_next = self.stride - 1;
        let start = Instant::now();
        let thought = think();
        self.note(start.elapsed());
        thought
    }

    /// Takes note of how deep a thought went, timed or not.
    #[inline]
    pub(super) fn note_depth(&mut self, depth: Option<u32>) {
        if let Some(depth) = depth {
            *self.depths.entry(depth).or_default() += 1;
        }
    }

    #[cold]
    fn note(&mut self, elapsed: Duration) {
        let ns = (elapsed.as_nanos() as u64).saturating_sub(self.clock_ns).max(1);
        // Where one move stands for many, a thought a thousand times as long as usual was no thought: the system
        // took the CPU away. It happened once, and must not count as if it happened to all the others.
        let interrupted = self.stride > 1 && ns > 1000 * self.mean_ns();
        let weight = if interrupted { 1 } else { self.stride };
        self.slice.thinking_ns += ns * weight;
        self.slice.thoughts += weight;
        self.slice.max_ns = self.slice.max_ns.max(ns);
        *self.histogram.entry(rounded(ns)).or_default() += weight;
        if !interrupted {
            self.total_ns += ns * weight;
            self.total_thoughts += weight;
        }
    }

    fn mean_ns(&self) -> u64 {
        (self.total_ns / self.total_thoughts.max(1)).max(1)
    }

    /// What was measured since the errand began, in which this number of moves was made.
    pub(super) fn finish_slice(&mut self, moves: u64) -> Times {
        let mut times = std::mem::take(&mut self.slice);
        times.moves = moves;
        // In this order: the CPU time begins later and ends earlier than the wall time, and never exceeds it.
        times.cpu_ns = self.started.1.elapsed().as_nanos() as u64;
        times.wall_ns = self.started.0.elapsed().as_nanos() as u64;
        times.histogram = std::mem::take(&mut self.histogram).into_iter().collect();
        times.depths = std::mem::take(&mut self.depths).into_iter().collect();
        times
    }
}

/// A duration to 1 %: its first seven bits, and half of what the others could be. So a histogram of any length
/// has a few hundred entries.
fn rounded(ns: u64) -> u64 {
    let others = (u64::BITS - ns.leading_zeros()).saturating_sub(7);
    (ns >> others << others) + ((1 << others) >> 1)
}

/// What two readings of the clock cost: the median of many, for now and then one is interrupted.
fn cost_of_clock() -> u64 {
    let mut costs: [u64; 101] = std::array::from_fn(|_| Instant::now().elapsed().as_nanos() as u64);
    costs.sort_unstable();
    costs[50]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_rounded_to_one_per_cent() {
        for ns in (0..2000).chain((0..60).map(|bit| (1 << bit) + 12_345)) {
            assert!(rounded(ns).abs_diff(ns) * 100 <= ns, "{ns} becomes {}", rounded(ns));
        }
    }

    #[test]
    fn a_slow_player_is_timed_at_every_move_and_a_fast_one_is_not() {
        let mut watch = Stopwatch::new();
        watch.clock_ns = 25;
        let thoughts_of = |watch: &mut Stopwatch, ns: u64| {
            watch.total_ns = 1000 * ns;
            watch.total_thoughts = 1000;
            watch.start_slice();
            watch.start_game();
            let mut timed = 0;
            for _ in 0..10_000 {
                let due = watch.until_next == 0;
                watch.time(|| ());
                timed += u64::from(due);
            }
            let times = watch.finish_slice(10_000);
            // Every thought is counted, but for the few after the last timed one.
            assert!(times.thoughts.abs_diff(10_000) <= 2 * watch.stride, "{} thoughts", times.thoughts);
            assert_eq!(times.histogram.iter().map(|(_, count)| count).sum::<u64>(), times.thoughts);
            timed
        };
        assert_eq!(thoughts_of(&mut watch, 1_000_000), 10_000);
        let timed = thoughts_of(&mut watch, 20);
        assert!((50..120).contains(&timed), "{timed} moves timed");
    }

    #[test]
    fn an_interruption_counts_once() {
        let mut watch = Stopwatch::new();
        (watch.total_ns, watch.total_thoughts, watch.stride) = (20_000, 1000, 101);
        watch.note(Duration::from_millis(8));
        let times = watch.finish_slice(1);
        assert_eq!(times.thoughts, 1);
        assert!(times.max_ns > 7_000_000);
    }
}
