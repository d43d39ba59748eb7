//! Thinking time of a player by parts of the run, for comparisons by time.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_core::record::{CalibrationRuns, ClockReadings, TimeSource};

/// Number of parts of an experiment's blocks. All players play a part at about the same time, so
/// changes in the machine's speed affect all of them.
pub const PARTS: u64 = 40;

/// Largest number of parts that a batch covers, unless its players are rebuilt for each batch or
/// play many games at once. A player that begins no batch for longer does not take turns.
pub const LONGEST_BATCH: u64 = 4;

/// Largest error of a clock with ticks in the time of a program. Four values are each rounded down
/// to a tick of 10 ms: user and system time, of the process and of its ended children.
const TICKS_NS: f64 = 40e6;

/// Session, counted from 1, and part of the blocks: times of equal places are paired.
pub type TimeStratum = (u64, u64);

/// Thinking time of a player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerTimes {
    /// Time by session and part of the blocks.
    pub places: BTreeMap<TimeStratum, ThinkingTime>,
    /// Which time counts as thinking.
    pub timed: TimeSource,
    /// True if the sessions are from several machines, or timed with several versions of the
    /// calibration loop.
    pub of_several_machines: bool,
    /// Number of threads that started with cold caches: all threads of each session.
    pub starts: u64,
    /// Largest total error of coarse clocks over all moves, in nanoseconds.
    pub unseen_ns: u64,
    /// True if times of other processes have no recorded error, as in some committed results. Their
    /// clock had ticks of 10 ms.
    pub is_by_ticks: bool,
    /// Games cut by the time limit. The moves that were cut would have been the longest, and are
    /// not included.
    pub cut_games: u64,
}

/// Time of some moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkingTime {
    /// Number of moves.
    pub thoughts: u64,
    /// CPU time in nanoseconds.
    pub ns: u64,
    /// Calibration loops timed next to these moves.
    pub yardsticks: CalibrationRuns,
}

impl ThinkingTime {
    /// Returns the time as a multiple of the calibration loop.
    pub fn calibration_multiple(&self) -> Option<f64> {
        Some(self.ns as f64 / self.yardsticks.mean_ns()?)
    }

    /// Adds with saturation: a forged journal may overflow.
    fn add(&mut self, other: ThinkingTime) {
        self.thoughts = self.thoughts.saturating_add(other.thoughts);
        self.ns = self.ns.saturating_add(other.ns);
        self.yardsticks += other.yardsticks;
    }
}

impl PlayerTimes {
    /// Returns the number of moves.
    pub fn moves(&self) -> u64 {
        self.total().thoughts
    }

    /// Returns CPU milliseconds per move; `None` if that is below the clock's resolution.
    pub fn mean_ms(&self) -> Option<f64> {
        let ThinkingTime { thoughts, ns, .. } = self.total();
        (thoughts > 0 && self.coarseness() < 1.0).then(|| ns as f64 / thoughts as f64 / 1e6)
    }

    /// Returns the upper bound of CPU milliseconds per move, if that is below the clock's
    /// resolution.
    pub fn upper_bound_ms(&self) -> Option<f64> {
        let ThinkingTime { thoughts, ns, .. } = self.total();
        let most = (ns as f64 + self.unseen_ns()).max(1.0);
        (thoughts > 0 && self.coarseness() >= 1.0).then(|| most / thoughts as f64 / 1e6)
    }

    /// Returns the largest error of coarse clocks, as a part of the measured time.
    pub fn coarseness(&self) -> f64 {
        match (self.total().ns, self.unseen_ns()) {
            (0, _) => f64::INFINITY,
            (seen, unseen) => unseen / seen as f64,
        }
    }

    fn unseen_ns(&self) -> f64 {
        let by_ticks = if self.is_by_ticks { TICKS_NS * self.starts.max(1) as f64 } else { 0.0 };
        self.unseen_ns as f64 + by_ticks
    }

    fn total(&self) -> ThinkingTime {
        self.places.values().fold(ThinkingTime::default(), |mut total, &thinking| {
            total.add(thinking);
            total
        })
    }

    /// Records the number of threads of each session.
    pub fn note_sessions(&mut self, threads: &[usize]) {
        let sessions: BTreeSet<u64> = self.places.keys().map(|(session, _)| *session).collect();
        let threads = |session: u64| threads.get(usize::try_from(session).ok()?.checked_sub(1)?);
        self.starts = sessions.into_iter().map(|session| threads(session).map_or(1, |&own| own as u64)).sum();
    }

    pub(super) fn add_line(&mut self, place: TimeStratum, times: &ClockReadings) {
        // With too few timed moves, there is only their wall time, which interruptions distort.
        let by_part = || (times.thinking_ns as f64 * times.cpu_ns as f64 / times.wall_ns as f64) as u64;
        let ns = times.thinking_cpu_ns.unwrap_or_else(by_part);
        self.timed = self.timed.max(times.timed);
        self.unseen_ns = self.unseen_ns.saturating_add(times.unseen_ns);
        self.add(place, ThinkingTime { thoughts: times.thoughts, ns, yardsticks: times.yardsticks });
    }

    fn add(&mut self, place: TimeStratum, thinking: ThinkingTime) {
        self.places.entry(place).or_default().add(thinking);
    }

    pub(super) fn merge(&mut self, other: PlayerTimes) {
        for (place, thinking) in other.places {
            self.add(place, thinking);
        }
        self.timed = self.timed.max(other.timed);
        self.unseen_ns = self.unseen_ns.saturating_add(other.unseen_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times below the resolution of a coarse clock do not count. This includes a clock with ticks.
    #[test]
    fn a_time_below_the_clock_is_none() {
        let of = |timed, ns, unseen_ns: Option<u64>| {
            let times = ClockReadings {
                thoughts: 10,
                thinking_cpu_ns: Some(ns),
                timed,
                unseen_ns: unseen_ns.unwrap_or(0),
                ..ClockReadings::default()
            };
            let is_by_ticks = unseen_ns.is_none();
            let mut clock = PlayerTimes { starts: 2, is_by_ticks, ..PlayerTimes::default() };
            clock.add_line((1, 0), &times);
            clock
        };
        let exact = of(TimeSource::Process, 38_000, Some(0));
        assert_eq!((exact.mean_ms(), exact.upper_bound_ms(), exact.coarseness()), (Some(0.0038), None, 0.0));
        let coarse = of(TimeSource::Process, 5_000_000, Some(20_000_000));
        assert_eq!((coarse.mean_ms(), coarse.upper_bound_ms()), (None, Some(2.5)));
        let better = of(TimeSource::Process, 40_000_000, Some(20_000_000));
        assert_eq!((better.mean_ms(), better.upper_bound_ms(), better.coarseness()), (Some(4.0), None, 0.5));
        // Two threads with ticks.
        let old = of(TimeSource::Process, 0, None);
        assert_eq!((old.mean_ms(), old.upper_bound_ms()), (None, Some(8.0)));
        assert_eq!(of(TimeSource::Process, 160_000_000, None).coarseness(), 0.5);
        assert_eq!(of(TimeSource::Thoughts, 1, Some(0)).coarseness(), 0.0);
    }

    #[test]
    fn a_part_counts_by_its_own_yardstick() {
        let line = |ns, count, yardstick_ns| ClockReadings {
            thoughts: 10,
            thinking_cpu_ns: Some(ns),
            yardsticks: CalibrationRuns { count, ns: yardstick_ns },
            ..ClockReadings::default()
        };
        let mut clock = PlayerTimes::default();
        clock.add_line((1, 0), &line(1000, 1, 20_000));
        // Machine and player are both half as fast.
        clock.add_line((1, 1), &line(2000, 3, 120_000));
        clock.add_line((1, 1), &line(2000, 1, 40_000));
        let in_yardsticks: Vec<_> = clock.places.values().map(ThinkingTime::calibration_multiple).collect();
        assert_eq!(in_yardsticks, [Some(0.05), Some(0.1)]);
        assert_eq!((clock.moves(), clock.mean_ms()), (30, Some(5e-3 / 30.0)));
        // A line without a calibration loop.
        clock.add_line((2, 39), &line(5000, 0, 0));
        assert!(clock.places[&(2, 39)].calibration_multiple().is_none());
        assert_eq!(PlayerTimes::default().mean_ms(), None);
    }
}
