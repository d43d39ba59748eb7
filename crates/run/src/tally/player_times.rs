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
    pub strata: BTreeMap<TimeStratum, ThinkingTime>,
    /// Which time counts as thinking.
    pub time_source: TimeSource,
    /// True if the sessions are from several machines, or timed with several versions of the
    /// calibration loop.
    pub has_several_machines: bool,
    /// Number of threads that started with cold caches: all threads of each session.
    pub cold_starts: u64,
    /// Largest total error of coarse clocks over all moves, in nanoseconds.
    pub max_error_ns: u64,
    /// True if times of other processes have no recorded error, as in some committed results. Their
    /// clock had ticks of 10 ms.
    pub has_tick_clock: bool,
    /// Games cut by the time limit. The moves that were cut would have been the longest, and are
    /// not included.
    pub cut_games: u64,
}

/// Time of some moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThinkingTime {
    /// Number of moves.
    pub moves: u64,
    /// CPU time in nanoseconds.
    pub ns: u64,
    /// Calibration loops timed next to these moves.
    pub calibration_runs: CalibrationRuns,
}

impl ThinkingTime {
    /// Returns the time as a multiple of the calibration loop.
    pub fn calibration_multiple(&self) -> Option<f64> {
        Some(self.ns as f64 / self.calibration_runs.mean_ns()?)
    }

    /// Adds with saturation: a forged journal may overflow.
    fn add(&mut self, other: ThinkingTime) {
        self.moves = self.moves.saturating_add(other.moves);
        self.ns = self.ns.saturating_add(other.ns);
        self.calibration_runs += other.calibration_runs;
    }
}

impl PlayerTimes {
    /// Returns the number of moves.
    pub fn moves(&self) -> u64 {
        self.total().moves
    }

    /// Returns CPU milliseconds per move; `None` if that is below the clock's resolution.
    pub fn mean_ms(&self) -> Option<f64> {
        let ThinkingTime { moves, ns, .. } = self.total();
        (moves > 0 && self.coarseness() < 1.0).then(|| ns as f64 / moves as f64 / 1e6)
    }

    /// Returns the upper bound of CPU milliseconds per move, if that is below the clock's
    /// resolution.
    pub fn upper_bound_ms(&self) -> Option<f64> {
        let ThinkingTime { moves, ns, .. } = self.total();
        let max_ns = (ns as f64 + self.max_error_ns()).max(1.0);
        (moves > 0 && self.coarseness() >= 1.0).then(|| max_ns / moves as f64 / 1e6)
    }

    /// Returns the largest error of coarse clocks, as a part of the measured time.
    pub fn coarseness(&self) -> f64 {
        match (self.total().ns, self.max_error_ns()) {
            (0, _) => f64::INFINITY,
            (measured, error) => error / measured as f64,
        }
    }

    fn max_error_ns(&self) -> f64 {
        let tick_error = if self.has_tick_clock { TICKS_NS * self.cold_starts.max(1) as f64 } else { 0.0 };
        self.max_error_ns as f64 + tick_error
    }

    fn total(&self) -> ThinkingTime {
        self.strata.values().fold(ThinkingTime::default(), |mut total, &time| {
            total.add(time);
            total
        })
    }

    /// Records the number of threads of each session.
    pub fn note_sessions(&mut self, threads: &[usize]) {
        let sessions: BTreeSet<u64> = self.strata.keys().map(|(session, _)| *session).collect();
        let session_threads = |session: u64| threads.get(usize::try_from(session).ok()?.checked_sub(1)?);
        self.cold_starts = sessions
            .into_iter()
            .map(|session| session_threads(session).map_or(1, |&count| count as u64))
            .sum();
    }

    pub(crate) fn add_line(&mut self, stratum: TimeStratum, times: &ClockReadings) {
        // With too few timed moves, there is only their wall time, which interruptions distort.
        let estimate_ns = || (times.thinking_ns as f64 * times.cpu_ns as f64 / times.wall_ns as f64) as u64;
        let ns = times.thinking_cpu_ns.unwrap_or_else(estimate_ns);
        self.time_source = self.time_source.max(times.timed);
        self.max_error_ns = self.max_error_ns.saturating_add(times.unseen_ns);
        self.add(stratum, ThinkingTime { moves: times.thoughts, ns, calibration_runs: times.yardsticks });
    }

    fn add(&mut self, stratum: TimeStratum, time: ThinkingTime) {
        self.strata.entry(stratum).or_default().add(time);
    }

    pub(super) fn merge(&mut self, other: PlayerTimes) {
        for (stratum, time) in other.strata {
            self.add(stratum, time);
        }
        self.time_source = self.time_source.max(other.time_source);
        self.max_error_ns = self.max_error_ns.saturating_add(other.max_error_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times below the resolution of a coarse clock do not count. This includes a clock with ticks.
    #[test]
    fn a_time_below_the_clock_is_none() {
        let player_times = |time_source, ns, max_error_ns: Option<u64>| {
            let times = ClockReadings {
                thoughts: 10,
                thinking_cpu_ns: Some(ns),
                timed: time_source,
                unseen_ns: max_error_ns.unwrap_or(0),
                ..ClockReadings::default()
            };
            let has_tick_clock = max_error_ns.is_none();
            let mut result = PlayerTimes { cold_starts: 2, has_tick_clock, ..PlayerTimes::default() };
            result.add_line((1, 0), &times);
            result
        };
        let exact = player_times(TimeSource::Process, 38_000, Some(0));
        assert_eq!((exact.mean_ms(), exact.upper_bound_ms(), exact.coarseness()), (Some(0.0038), None, 0.0));
        let coarse = player_times(TimeSource::Process, 5_000_000, Some(20_000_000));
        assert_eq!((coarse.mean_ms(), coarse.upper_bound_ms()), (None, Some(2.5)));
        let precise = player_times(TimeSource::Process, 40_000_000, Some(20_000_000));
        assert_eq!(
            (precise.mean_ms(), precise.upper_bound_ms(), precise.coarseness()),
            (Some(4.0), None, 0.5)
        );
        // Two threads with ticks.
        let with_ticks = player_times(TimeSource::Process, 0, None);
        assert_eq!((with_ticks.mean_ms(), with_ticks.upper_bound_ms()), (None, Some(8.0)));
        assert_eq!(player_times(TimeSource::Process, 160_000_000, None).coarseness(), 0.5);
        assert_eq!(player_times(TimeSource::Thoughts, 1, Some(0)).coarseness(), 0.0);
    }

    #[test]
    fn a_part_counts_by_its_own_yardstick() {
        let readings = |ns, count, yardstick_ns| ClockReadings {
            thoughts: 10,
            thinking_cpu_ns: Some(ns),
            yardsticks: CalibrationRuns { count, ns: yardstick_ns },
            ..ClockReadings::default()
        };
        let mut times = PlayerTimes::default();
        times.add_line((1, 0), &readings(1000, 1, 20_000));
        // Machine and player are both half as fast.
        times.add_line((1, 1), &readings(2000, 3, 120_000));
        times.add_line((1, 1), &readings(2000, 1, 40_000));
        let multiples: Vec<_> = times.strata.values().map(ThinkingTime::calibration_multiple).collect();
        assert_eq!(multiples, [Some(0.05), Some(0.1)]);
        assert_eq!((times.moves(), times.mean_ms()), (30, Some(5e-3 / 30.0)));
        // A line without a calibration loop.
        times.add_line((2, 39), &readings(5000, 0, 0));
        assert!(times.strata[&(2, 39)].calibration_multiple().is_none());
        assert_eq!(PlayerTimes::default().mean_ms(), None);
    }
}
