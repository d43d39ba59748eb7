//! Measures thinking time. Reading a clock costs some 25 ns, and some players need less for a move.
//! Therefore only one move per stride is timed for a fast player, so that the clock costs less than
//! 2 % of the thinking.
//!
//! The stride is chosen before each game from earlier timings. Each timed move counts for a whole
//! stride, so all moves of a player have equal weight, however often the stride changed. The
//! clock's own cost is measured before each slice and subtracted. Clock readings only determine the
//! stride and when the calibration loop runs, so records do not depend on them.
//!
//! CPU time is only known for a whole slice, and only part of it is thinking. The rest is spent on
//! the rules and on the loop around them. So the period between two timed moves is timed as well,
//! and the CPU time is divided in proportion to the two sums. If the system preempts a fast player,
//! during a move or between two, that pair is left out. So the ratio does not depend on machine
//! load. Time in which this thread waits for an opponent in another process is left out, too.
//!
//! Games played at once have no separately timed moves: their time is the time of the whole slice,
//! including the rules.
//!
//! While a player computes in other processes, this thread waits. Its moves are timed by wall
//! clock, and it reports the CPU time of these processes itself ([`TimeSource`]).
//!
//! Search depths are counted here too, because for some players they depend on the clock.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use super::calibration::CalibrationLoop;
use crate::player::{Choice, NoMove, Preparation, PreparationTime};
use crate::record::{ClockReadings, ProcessTime, TimeSource};

/// Stopwatch of one worker for one player.
pub(super) struct Stopwatch {
    time_source: TimeSource,
    clock_ns: u64,
    /// One move in `stride` is timed. It is odd, to avoid resonance with a player's habits.
    stride: u64,
    moves_until_timed: u64,
    /// End of the move before the next one, if the next one is timed.
    rest_start: Option<Instant>,
    slice: ClockReadings,
    /// Timed pairs in this slice, and in all slices.
    pairs: Pairs,
    total_pairs: Pairs,
    histogram: BTreeMap<u64, u64>,
    depths: BTreeMap<u32, u64>,
    /// Totals over all slices, which determine the stride.
    total_ns: u64,
    total_thoughts: u64,
    slice_start: (Instant, ThreadTime),
    /// CPU time in other processes in this slice, and the total that the player last reported.
    process_time: ProcessTime,
    reported_time: ProcessTime,
    calibration: CalibrationLoop,
    /// Work of the player that does not count, and its time before this slice.
    preparation: Preparation,
    earlier_preparation: PreparationTime,
    /// True if no times are requested; then no clock is read.
    is_untimed: bool,
}

/// Moves that were timed together with the period before each.
#[derive(Clone, Copy, Default)]
struct Pairs {
    count: u64,
    thinking_ns: u64,
    rest_ns: u64,
}

impl Pairs {
    /// Returns the share of thinking in the time; `None` if nothing was timed.
    fn share(self) -> Option<f64> {
        let total_ns = self.thinking_ns + self.rest_ns;
        (total_ns > 0).then(|| self.thinking_ns as f64 / total_ns as f64)
    }
}

/// Minimum number of pairs in a slice. With fewer, the share over all slices is used.
const ENOUGH_PAIRS: u64 = 100;

impl Stopwatch {
    pub(super) fn new(time_source: TimeSource, is_untimed: bool, preparation: Preparation) -> Stopwatch {
        Stopwatch {
            time_source,
            clock_ns: 0,
            stride: 1,
            moves_until_timed: if is_untimed { u64::MAX } else { 0 },
            rest_start: None,
            slice: ClockReadings::default(),
            pairs: Pairs::default(),
            total_pairs: Pairs::default(),
            histogram: BTreeMap::new(),
            depths: BTreeMap::new(),
            total_ns: 0,
            total_thoughts: 0,
            slice_start: (Instant::now(), ThreadTime::now()),
            process_time: ProcessTime::default(),
            reported_time: ProcessTime::default(),
            calibration: CalibrationLoop::new(),
            preparation,
            earlier_preparation: PreparationTime::default(),
            is_untimed,
        }
    }

    /// Starts a batch.
    pub(super) fn start_slice(&mut self) {
        if self.is_untimed {
            return;
        }
        // Reading the clock takes twice as long while the other thread of the core is busy, and
        // longer than some players' moves.
        self.clock_ns = measure_clock_cost();
        self.slice_start = (Instant::now(), ThreadTime::now());
        self.earlier_preparation = self.preparation.time();
        self.calibration.start_slice();
        self.pairs = Pairs::default();
    }

    /// Returns true if the slice began at least this long ago. Without times, always false.
    pub(super) fn has_run_for(&self, time: Duration) -> bool {
        !self.is_untimed && self.slice_start.0.elapsed() >= time
    }

    /// Registers a newly built player, which has used no time yet.
    pub(super) fn start_player(&mut self) {
        self.reported_time = ProcessTime::default();
    }

    /// Records the time that the player reports for other processes since it was built. A coarse
    /// clock may go back, when the time of an ended process is rounded; time once recorded is kept.
    pub(super) fn record_process_time(&mut self, reported_time: ProcessTime) {
        self.process_time.time += reported_time.time.saturating_sub(self.reported_time.time);
        self.process_time.max_error += reported_time.max_error.saturating_sub(self.reported_time.max_error);
        self.reported_time = self.reported_time.max(reported_time);
    }

    /// Starts a game.
    pub(super) fn start_game(&mut self) {
        if self.is_untimed {
            self.moves_until_timed = u64::MAX;
            return;
        }
        // In the first few moves the mean is unknown, and every move is timed.
        self.stride = if self.total_thoughts < 16 { 1 } else { (100 * self.clock_ns / self.mean_ns()) | 1 };
        self.moves_until_timed = self.moves_until_timed.min(self.stride - 1);
        self.rest_start = None;
    }

    /// Runs `think`, and times it if this move is due. An interrupted move has no time.
    #[inline]
    pub(super) fn time<T>(&mut self, think: impl FnOnce() -> Result<T, NoMove>) -> Result<T, NoMove> {
        if self.moves_until_timed > 1 {
            self.moves_until_timed -= 1;
            return think();
        }
        self.time_or_prepare(think)
    }

    /// Times this move, or prepares to time the next one.
    #[cold]
    fn time_or_prepare<T>(&mut self, think: impl FnOnce() -> Result<T, NoMove>) -> Result<T, NoMove> {
        if self.moves_until_timed == 1 {
            self.moves_until_timed = 0;
            let answer = think();
            self.rest_start = Some(Instant::now());
            return answer;
        }
        let start = Instant::now();
        let rest = self.rest_start.take().map(|rest_start| start - rest_start);
        let preparation_before = self.preparation.time().wall;
        let answer = think();
        let elapsed = start.elapsed();
        if matches!(answer, Err(NoMove::Interrupted)) {
            return answer;
        }
        self.note(elapsed.saturating_sub(self.preparation.time().wall - preparation_before), rest);
        self.calibration.play_if_due(start + elapsed);
        self.moves_until_timed = self.stride - 1;
        if self.moves_until_timed == 0 {
            self.rest_start = Some(Instant::now());
        }
        answer
    }

    /// Runs `think` for several games at once, and divides its time equally among the moves.
    /// `think` also returns its own time, if it waited for others too.
    pub(super) fn time_all<T>(
        &mut self,
        moves: usize,
        think: impl FnOnce() -> (Result<T, NoMove>, Option<Duration>),
    ) -> Result<T, NoMove> {
        if self.is_untimed {
            return think().0;
        }
        let start = Instant::now();
        let (answer, own_time) = think();
        let elapsed = start.elapsed();
        let elapsed = own_time.map_or(elapsed, |own_time| own_time.min(elapsed));
        if !matches!(answer, Err(NoMove::Interrupted)) {
            let count = moves.max(1) as u64;
            let ns = elapsed.as_nanos() as u64;
            self.slice.thinking_ns += ns;
            self.slice.thoughts += count;
            self.slice.max_ns = self.slice.max_ns.max(ns / count);
            *self.histogram.entry(round_ns(ns / count)).or_default() += count;
            self.total_ns += ns;
            self.total_thoughts += count;
            self.calibration.play_if_due(start + elapsed);
        }
        answer
    }

    /// Returns true if this thread waits while the player thinks.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.time_source, TimeSource::Process | TimeSource::Wall)
    }

    /// Runs `think`, and adds how long this thread waited for it.
    pub(super) fn time_waiting<T>(
        &mut self,
        waiting_time: &mut Duration,
        think: impl FnOnce() -> Result<T, NoMove>,
    ) -> Result<T, NoMove> {
        let (start, cpu) = (Instant::now(), ThreadTime::now());
        let answer = self.time(think);
        // Computation by this thread in the meantime, such as reading an answer or running the
        // calibration loop, is in its CPU time.
        *waiting_time += start.elapsed().saturating_sub(cpu.elapsed());
        answer
    }

    /// Excludes a period since the last move that took no CPU time of this thread.
    pub(super) fn exclude_time(&mut self, time: Duration) {
        if let Some(rest_start) = &mut self.rest_start {
            *rest_start += time;
        }
    }

    /// Records the search depth of a move and whether a table chose it, whether or not it was
    /// timed.
    #[inline]
    pub(super) fn note_choice<M>(&mut self, choice: &Choice<M>) {
        if let Some(depth) = choice.depth.filter(|_| !self.is_untimed) {
            *self.depths.entry(depth).or_default() += 1;
        }
        self.slice.table_moves += u64::from(choice.is_from_table);
    }

    fn note(&mut self, elapsed: Duration, rest: Option<Duration>) {
        let without_clock = |time: Duration| (time.as_nanos() as u64).saturating_sub(self.clock_ns).max(1);
        let (ns, rest_ns) = (without_clock(elapsed), rest.map(without_clock));
        if let Some(rest_ns) = rest_ns {
            self.note_pair(ns, rest_ns);
        }
        // If one move counts for many, a time of a thousand times the mean is not thinking time:
        // the system preempted the thread. That happened once and must not count for the whole
        // stride.
        let interrupted = self.stride > 1 && ns > 1000 * self.mean_ns();
        let weight = if interrupted { 1 } else { self.stride };
        self.slice.thinking_ns += ns * weight;
        self.slice.thoughts += weight;
        self.slice.max_ns = self.slice.max_ns.max(ns);
        *self.histogram.entry(round_ns(ns)).or_default() += weight;
        if !interrupted {
            self.total_ns += ns * weight;
            self.total_thoughts += weight;
        }
    }

    /// Records a pair of times, unless one of them is a thousand times the mean.
    fn note_pair(&mut self, thinking_ns: u64, rest_ns: u64) {
        let Pairs { count, thinking_ns: thinking, rest_ns: rest } = self.total_pairs;
        let is_usual = |ns: u64, total: u64| count < 16 || ns / 1000 <= total / count;
        if !is_usual(thinking_ns, thinking) || !is_usual(rest_ns, rest) {
            return;
        }
        for pairs in [&mut self.pairs, &mut self.total_pairs] {
            pairs.count += 1;
            pairs.thinking_ns += thinking_ns;
            pairs.rest_ns += rest_ns;
        }
    }

    /// Returns the thinking CPU time of a slice in which the player made `moves` moves one by one.
    /// The cost of a game outside its moves is in the CPU time but in no pair, so the result is
    /// capped at the wall time.
    fn thinking_cpu_ns(&self, cpu_ns: u64, moves: u64, times: &ClockReadings) -> Option<u64> {
        match self.time_source {
            TimeSource::Wall => return Some(times.thinking_ns),
            TimeSource::Process => {
                let process_ns = self.process_time.time.as_nanos() as f64;
                return (moves > 0).then(|| (process_ns / moves as f64 * times.thoughts as f64) as u64);
            }
            TimeSource::Thoughts | TimeSource::Games => {}
        }
        let pairs = if self.pairs.count < ENOUGH_PAIRS { self.total_pairs } else { self.pairs };
        let share = pairs.share().filter(|_| moves > 0)?;
        let estimate = cpu_ns as f64 * share / moves as f64 * times.thoughts as f64;
        Some(times.thinking_ns.min(estimate as u64))
    }

    fn mean_ns(&self) -> u64 {
        (self.total_ns / self.total_thoughts.max(1)).max(1)
    }

    /// Returns the times since the batch began, in which this number of moves was made, one by one
    /// or all at once.
    pub(super) fn finish_slice(&mut self, moves: u64, is_parallel: bool) -> ClockReadings {
        if self.is_untimed {
            // Times would be four fifths of the output.
            return ClockReadings::default();
        }
        // Read in this order, so that the CPU time starts later and ends earlier than the wall
        // time, and never exceeds it.
        let (cpu, wall) = (self.slice_start.1.elapsed(), self.slice_start.0.elapsed());
        let calibration_time = self.calibration.time_in_slice();
        let (preparation_time, earlier_time) = (self.preparation.time(), self.earlier_preparation);
        let excluded_cpu = calibration_time.cpu + (preparation_time.cpu - earlier_time.cpu);
        let excluded_wall = calibration_time.wall + (preparation_time.wall - earlier_time.wall);
        let ns = |time: Duration, excluded: Duration| time.saturating_sub(excluded).as_nanos() as u64;
        let mut times = std::mem::take(&mut self.slice);
        (times.moves, times.cpu_ns, times.wall_ns) = (moves, ns(cpu, excluded_cpu), ns(wall, excluded_wall));
        times.timed = if is_parallel { TimeSource::Games } else { self.time_source };
        if is_parallel {
            (times.thoughts, times.thinking_ns) = (moves, times.wall_ns);
            times.thinking_cpu_ns = Some(times.cpu_ns);
        } else {
            times.thinking_cpu_ns = self.thinking_cpu_ns(times.cpu_ns, moves, &times);
        }
        let process_time = std::mem::take(&mut self.process_time);
        if times.timed == TimeSource::Process {
            times.unseen_ns = process_time.max_error.as_nanos() as u64;
        }
        times.yardsticks = self.calibration.finish_slice();
        times.histogram = std::mem::take(&mut self.histogram).into_iter().collect();
        times.depths = std::mem::take(&mut self.depths).into_iter().collect();
        times
    }
}

/// Rounds a duration to 1 %: keeps its first seven bits and adds half of the rest's range. This
/// keeps histograms to a few hundred entries.
fn round_ns(ns: u64) -> u64 {
    let dropped_bits = (u64::BITS - ns.leading_zeros()).saturating_sub(7);
    (ns >> dropped_bits << dropped_bits) + ((1 << dropped_bits) >> 1)
}

/// Returns the cost of two clock readings: the median of many, because some are interrupted.
fn measure_clock_cost() -> u64 {
    let mut costs: [u64; 101] = std::array::from_fn(|_| Instant::now().elapsed().as_nanos() as u64);
    costs.sort_unstable();
    costs[50]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_stopwatch(time_source: TimeSource, is_untimed: bool) -> Stopwatch {
        Stopwatch::new(time_source, is_untimed, Preparation::default())
    }

    /// Every fifth move prepares something for a thousand times as long as it thinks.
    #[test]
    fn preparation_is_no_thinking() {
        let preparation = Preparation::default();
        let mut watch = Stopwatch::new(TimeSource::Thoughts, false, preparation.clone());
        watch.start_slice();
        watch.start_game();
        let work = || {
            let start = ThreadTime::now();
            while start.elapsed() < Duration::from_millis(5) {}
        };
        for number in 0..20 {
            let prepare = || {
                if number % 5 == 0 {
                    preparation.run(work);
                }
                Ok(())
            };
            watch.time(prepare).unwrap();
        }
        let prepared = preparation.time();
        assert!(prepared.cpu >= Duration::from_millis(20) && prepared.wall >= prepared.cpu, "{prepared:?}");
        let (cpu_before, total_cpu) = (prepared.cpu.as_nanos() as u64, watch.slice_start.1.elapsed());
        let times = watch.finish_slice(20, false);
        assert!(times.cpu_ns <= total_cpu.as_nanos() as u64 + 1_000_000 - cpu_before, "{times:?}");
        // What was prepared in a slice counts in no other slice.
        watch.start_slice();
        let think = || {
            work();
            Ok(())
        };
        watch.time(think).unwrap();
        assert!(watch.finish_slice(1, false).cpu_ns >= 5_000_000);
    }

    #[test]
    fn durations_are_rounded_to_one_per_cent() {
        for ns in (0..2000).chain((0..60).map(|bit| (1 << bit) + 12_345)) {
            assert!(round_ns(ns).abs_diff(ns) * 100 <= ns, "{ns} becomes {}", round_ns(ns));
        }
    }

    #[test]
    fn a_slow_player_is_timed_at_every_move_and_a_fast_one_is_not() {
        let mut watch = new_stopwatch(TimeSource::Thoughts, false);
        let count_timed_moves = |watch: &mut Stopwatch, ns: u64| {
            watch.total_ns = 1000 * ns;
            watch.total_thoughts = 1000;
            watch.start_slice();
            watch.clock_ns = 25;
            watch.start_game();
            let mut timed_count = 0;
            for _ in 0..10_000 {
                let due = watch.moves_until_timed == 0;
                watch.time(|| Ok(())).unwrap();
                timed_count += u64::from(due);
            }
            let times = watch.finish_slice(10_000, false);
            // Every move is counted, except for the few after the last timed one.
            assert!(times.thoughts.abs_diff(10_000) <= 2 * watch.stride, "{} thoughts", times.thoughts);
            assert_eq!(times.histogram.iter().map(|(_, count)| count).sum::<u64>(), times.thoughts);
            timed_count
        };
        assert_eq!(count_timed_moves(&mut watch, 1_000_000), 10_000);
        let timed_count = count_timed_moves(&mut watch, 20);
        assert!((50..120).contains(&timed_count), "{timed_count} moves timed");
    }

    #[test]
    fn an_untimed_player_never_waits_for_a_clock() {
        let mut watch = new_stopwatch(TimeSource::Thoughts, true);
        let start = watch.slice_start;
        for _ in 0..3 {
            watch.start_slice();
            watch.start_game();
            (0..1000).for_each(|_| watch.time(|| Ok(())).unwrap());
            watch.note_choice(&Choice { depth: Some(3), ..Choice::new(()) });
            assert!(watch.slice_start.0 == start.0 && watch.rest_start.is_none() && watch.pairs.count == 0);
            assert_eq!(watch.finish_slice(1000, false), ClockReadings::default());
        }
    }

    /// When a process ends, its time is rounded down into its parent's time. The sum goes back, and
    /// its recovery must not count again.
    #[test]
    fn a_clock_that_goes_back_counts_nothing_twice() {
        let mut watch = new_stopwatch(TimeSource::Process, false);
        let millis = Duration::from_millis;
        for (time, max_error) in [(10, 0), (3, 20), (8, 20), (12, 20), (12, 40)] {
            watch.record_process_time(ProcessTime { time: millis(time), max_error: millis(max_error) });
        }
        assert_eq!(watch.process_time, ProcessTime { time: millis(12), max_error: millis(40) });
        watch.start_player();
        watch.record_process_time(ProcessTime::from_exact_clock(millis(1)));
        assert_eq!(watch.finish_slice(1, false).unseen_ns, 40_000_000);
    }

    #[test]
    fn an_interruption_counts_once() {
        let mut watch = new_stopwatch(TimeSource::Thoughts, false);
        (watch.total_ns, watch.total_thoughts, watch.stride) = (20_000, 1000, 101);
        watch.note(Duration::from_millis(8), None);
        let times = watch.finish_slice(1, false);
        assert_eq!(times.thoughts, 1);
        assert!(times.max_ns > 7_000_000);
    }

    /// A thread that waits between two moves uses no CPU time there.
    #[test]
    fn waiting_for_a_rival_is_left_out() {
        let mut watch = new_stopwatch(TimeSource::Thoughts, false);
        watch.start_slice();
        watch.start_game();
        let (mut waiting_time, mut last_wait) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..20 {
            watch.exclude_time(last_wait);
            watch.time(|| Ok(())).unwrap();
            let start = Instant::now();
            std::thread::sleep(Duration::from_millis(1));
            last_wait = start.elapsed();
            waiting_time += last_wait;
        }
        assert!(watch.pairs.count > 10);
        // Almost nothing of the 20 ms remains, even if the system let the thread sleep longer.
        assert!(watch.pairs.rest_ns < waiting_time.as_nanos() as u64 / 2, "{} ns", watch.pairs.rest_ns);
    }

    /// Thinking takes a quarter of the time, and one move or rest in a hundred loses the CPU for a
    /// millisecond.
    #[test]
    fn interruptions_do_not_bend_the_part_that_is_thinking() {
        for is_busy in [false, true] {
            let mut watch = new_stopwatch(TimeSource::Thoughts, false);
            for number in 0..10_000 {
                let lost_ns = |index| if is_busy && number % 100 == index { 1_000_000 } else { 0 };
                let thinking_time = Duration::from_nanos(20 + lost_ns(40));
                watch.note(thinking_time, Some(Duration::from_nanos(60 + lost_ns(80))));
            }
            // A million moves in 0.1 s of CPU time, a quarter of it thinking: 25 ns each.
            let times =
                ClockReadings { thoughts: 2_000_000, thinking_ns: u64::MAX, ..ClockReadings::default() };
            assert_eq!(watch.thinking_cpu_ns(100_000_000, 1_000_000, &times), Some(50_000_000), "{is_busy}");
            let times = ClockReadings { thinking_ns: 40_000_000, ..times };
            assert_eq!(watch.thinking_cpu_ns(100_000_000, 1_000_000, &times), Some(40_000_000), "{is_busy}");
        }
    }
}
