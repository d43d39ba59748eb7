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

use super::yardstick::CalibrationLoop;
use crate::player::{Choice, NoMove};
use crate::record::{ClockReadings, ProcessTime, TimeSource};

/// Stopwatch of one worker for one player.
pub(super) struct Stopwatch {
    timed: TimeSource,
    clock_ns: u64,
    /// One move in `stride` is timed. It is odd, to avoid resonance with a player's habits.
    stride: u64,
    until_next: u64,
    /// End of the move before the next one, if the next one is timed.
    rest_since: Option<Instant>,
    slice: ClockReadings,
    /// Timed pairs in this slice, and in all slices.
    pairs: Pairs,
    total_pairs: Pairs,
    histogram: BTreeMap<u64, u64>,
    depths: BTreeMap<u32, u64>,
    /// Totals over all slices, which determine the stride.
    total_ns: u64,
    total_thoughts: u64,
    started: (Instant, ThreadTime),
    /// CPU time in other processes in this slice, and the total that the player last reported.
    elsewhere: ProcessTime,
    said: ProcessTime,
    yardstick: CalibrationLoop,
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
        let all = self.thinking_ns + self.rest_ns;
        (all > 0).then(|| self.thinking_ns as f64 / all as f64)
    }
}

/// Minimum number of pairs in a slice. With fewer, the share over all slices is used.
const ENOUGH_PAIRS: u64 = 100;

impl Stopwatch {
    pub(super) fn new(timed: TimeSource, is_untimed: bool) -> Stopwatch {
        Stopwatch {
            timed,
            clock_ns: 0,
            stride: 1,
            until_next: if is_untimed { u64::MAX } else { 0 },
            rest_since: None,
            slice: ClockReadings::default(),
            pairs: Pairs::default(),
            total_pairs: Pairs::default(),
            histogram: BTreeMap::new(),
            depths: BTreeMap::new(),
            total_ns: 0,
            total_thoughts: 0,
            started: (Instant::now(), ThreadTime::now()),
            elsewhere: ProcessTime::default(),
            said: ProcessTime::default(),
            yardstick: CalibrationLoop::new(),
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
        self.started = (Instant::now(), ThreadTime::now());
        self.yardstick.start_slice();
        self.pairs = Pairs::default();
    }

    /// Returns true if the slice began at least this long ago. Without times, always false.
    pub(super) fn has_run_for(&self, time: Duration) -> bool {
        !self.is_untimed && self.started.0.elapsed() >= time
    }

    /// Registers a newly built player, which has used no time yet.
    pub(super) fn start_player(&mut self) {
        self.said = ProcessTime::default();
    }

    /// Records the time that the player reports for other processes since it was built. A coarse
    /// clock may go back, when the time of an ended process is rounded; time once recorded is kept.
    pub(super) fn note_elsewhere(&mut self, said: ProcessTime) {
        self.elsewhere.taken += said.taken.saturating_sub(self.said.taken);
        self.elsewhere.unseen += said.unseen.saturating_sub(self.said.unseen);
        self.said = self.said.max(said);
    }

    /// Starts a game.
    pub(super) fn start_game(&mut self) {
        if self.is_untimed {
            self.until_next = u64::MAX;
            return;
        }
        // In the first few moves the mean is unknown, and every move is timed.
        self.stride = if self.total_thoughts < 16 { 1 } else { (100 * self.clock_ns / self.mean_ns()) | 1 };
        self.until_next = self.until_next.min(self.stride - 1);
        self.rest_since = None;
    }

    /// Runs `think`, and times it if this move is due. An interrupted move has no time.
    #[inline]
    pub(super) fn time<T>(&mut self, think: impl FnOnce() -> Result<T, NoMove>) -> Result<T, NoMove> {
        if self.until_next > 1 {
            self.until_next -= 1;
            return think();
        }
        self.time_soon(think)
    }

    /// Times this move, or prepares to time the next one.
    #[cold]
    fn time_soon<T>(&mut self, think: impl FnOnce() -> Result<T, NoMove>) -> Result<T, NoMove> {
        if self.until_next == 1 {
            self.until_next = 0;
            let thought = think();
            self.rest_since = Some(Instant::now());
            return thought;
        }
        let start = Instant::now();
        let rest = self.rest_since.take().map(|since| start - since);
        let thought = think();
        let elapsed = start.elapsed();
        if matches!(thought, Err(NoMove::Interrupted)) {
            return thought;
        }
        self.note(elapsed, rest);
        self.yardstick.play_if_due(start + elapsed);
        self.until_next = self.stride - 1;
        if self.until_next == 0 {
            self.rest_since = Some(Instant::now());
        }
        thought
    }

    /// Runs `think` for several games at once, and divides its time equally among the moves.
    /// `think` also returns its own time, if it waited for others too.
    pub(super) fn time_all<T>(
        &mut self,
        thoughts: usize,
        think: impl FnOnce() -> (Result<T, NoMove>, Option<Duration>),
    ) -> Result<T, NoMove> {
        if self.is_untimed {
            return think().0;
        }
        let start = Instant::now();
        let (thought, own) = think();
        let elapsed = start.elapsed();
        let elapsed = own.map_or(elapsed, |own| own.min(elapsed));
        if !matches!(thought, Err(NoMove::Interrupted)) {
            let count = thoughts.max(1) as u64;
            let ns = elapsed.as_nanos() as u64;
            self.slice.thinking_ns += ns;
            self.slice.thoughts += count;
            self.slice.max_ns = self.slice.max_ns.max(ns / count);
            *self.histogram.entry(round_ns(ns / count)).or_default() += count;
            self.total_ns += ns;
            self.total_thoughts += count;
            self.yardstick.play_if_due(start + elapsed);
        }
        thought
    }

    /// Returns true if this thread waits while the player thinks.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.timed, TimeSource::Process | TimeSource::Wall)
    }

    /// Runs `think`, and adds how long this thread waited for it.
    pub(super) fn time_waiting<T>(
        &mut self,
        waited: &mut Duration,
        think: impl FnOnce() -> Result<T, NoMove>,
    ) -> Result<T, NoMove> {
        let (start, cpu) = (Instant::now(), ThreadTime::now());
        let thought = self.time(think);
        // Computation by this thread in the meantime, such as reading an answer or running the
        // calibration loop, is in its CPU time.
        *waited += start.elapsed().saturating_sub(cpu.elapsed());
        thought
    }

    /// Excludes a period since the last move that took no CPU time of this thread.
    pub(super) fn leave_out(&mut self, time: Duration) {
        if let Some(since) = &mut self.rest_since {
            *since += time;
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
        let is_usual = |ns: u64, all: u64| count < 16 || ns / 1000 <= all / count;
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
        match self.timed {
            TimeSource::Wall => return Some(times.thinking_ns),
            TimeSource::Process => {
                let all = self.elsewhere.taken.as_nanos() as f64;
                return (moves > 0).then(|| (all / moves as f64 * times.thoughts as f64) as u64);
            }
            TimeSource::Thoughts | TimeSource::Games => {}
        }
        let pairs = if self.pairs.count < ENOUGH_PAIRS { self.total_pairs } else { self.pairs };
        let share = pairs.share().filter(|_| moves > 0)?;
        let by_share = cpu_ns as f64 * share / moves as f64 * times.thoughts as f64;
        Some(times.thinking_ns.min(by_share as u64))
    }

    fn mean_ns(&self) -> u64 {
        (self.total_ns / self.total_thoughts.max(1)).max(1)
    }

    /// Returns the times since the batch began, in which this number of moves was made, one by one
    /// or all at once.
    pub(super) fn finish_slice(&mut self, moves: u64, at_once: bool) -> ClockReadings {
        if self.is_untimed {
            // Times would be four fifths of the output.
            return ClockReadings::default();
        }
        // Read in this order, so that the CPU time starts later and ends earlier than the wall
        // time, and never exceeds it.
        let (cpu, wall) = (self.started.1.elapsed(), self.started.0.elapsed());
        let aside = self.yardstick.time_in_slice();
        let ns = |time: Duration, aside: Duration| time.saturating_sub(aside).as_nanos() as u64;
        let mut times = std::mem::take(&mut self.slice);
        (times.moves, times.cpu_ns, times.wall_ns) = (moves, ns(cpu, aside.cpu), ns(wall, aside.wall));
        times.timed = if at_once { TimeSource::Games } else { self.timed };
        if at_once {
            (times.thoughts, times.thinking_ns) = (moves, times.wall_ns);
            times.thinking_cpu_ns = Some(times.cpu_ns);
        } else {
            times.thinking_cpu_ns = self.thinking_cpu_ns(times.cpu_ns, moves, &times);
        }
        let elsewhere = std::mem::take(&mut self.elsewhere);
        if times.timed == TimeSource::Process {
            times.unseen_ns = elsewhere.unseen.as_nanos() as u64;
        }
        times.yardsticks = self.yardstick.finish_slice();
        times.histogram = std::mem::take(&mut self.histogram).into_iter().collect();
        times.depths = std::mem::take(&mut self.depths).into_iter().collect();
        times
    }
}

/// Rounds a duration to 1 %: keeps its first seven bits and adds half of the rest's range. This
/// keeps histograms to a few hundred entries.
fn round_ns(ns: u64) -> u64 {
    let others = (u64::BITS - ns.leading_zeros()).saturating_sub(7);
    (ns >> others << others) + ((1 << others) >> 1)
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

    #[test]
    fn durations_are_rounded_to_one_per_cent() {
        for ns in (0..2000).chain((0..60).map(|bit| (1 << bit) + 12_345)) {
            assert!(round_ns(ns).abs_diff(ns) * 100 <= ns, "{ns} becomes {}", round_ns(ns));
        }
    }

    #[test]
    fn a_slow_player_is_timed_at_every_move_and_a_fast_one_is_not() {
        let mut watch = Stopwatch::new(TimeSource::Thoughts, false);
        let thoughts_of = |watch: &mut Stopwatch, ns: u64| {
            watch.total_ns = 1000 * ns;
            watch.total_thoughts = 1000;
            watch.start_slice();
            watch.clock_ns = 25;
            watch.start_game();
            let mut timed = 0;
            for _ in 0..10_000 {
                let due = watch.until_next == 0;
                watch.time(|| Ok(())).unwrap();
                timed += u64::from(due);
            }
            let times = watch.finish_slice(10_000, false);
            // Every move is counted, except for the few after the last timed one.
            assert!(times.thoughts.abs_diff(10_000) <= 2 * watch.stride, "{} thoughts", times.thoughts);
            assert_eq!(times.histogram.iter().map(|(_, count)| count).sum::<u64>(), times.thoughts);
            timed
        };
        assert_eq!(thoughts_of(&mut watch, 1_000_000), 10_000);
        let timed = thoughts_of(&mut watch, 20);
        assert!((50..120).contains(&timed), "{timed} moves timed");
    }

    #[test]
    fn an_untimed_player_never_waits_for_a_clock() {
        let mut watch = Stopwatch::new(TimeSource::Thoughts, true);
        let began = watch.started;
        for _ in 0..3 {
            watch.start_slice();
            watch.start_game();
            (0..1000).for_each(|_| watch.time(|| Ok(())).unwrap());
            watch.note_choice(&Choice { depth: Some(3), ..Choice::new(()) });
            assert!(watch.started.0 == began.0 && watch.rest_since.is_none() && watch.pairs.count == 0);
            assert_eq!(watch.finish_slice(1000, false), ClockReadings::default());
        }
    }

    /// When a process ends, its time is rounded down into its parent's time. The sum goes back, and
    /// its recovery must not count again.
    #[test]
    fn a_clock_that_goes_back_counts_nothing_twice() {
        let mut watch = Stopwatch::new(TimeSource::Process, false);
        let millis = Duration::from_millis;
        for (taken, unseen) in [(10, 0), (3, 20), (8, 20), (12, 20), (12, 40)] {
            watch.note_elsewhere(ProcessTime { taken: millis(taken), unseen: millis(unseen) });
        }
        assert_eq!(watch.elsewhere, ProcessTime { taken: millis(12), unseen: millis(40) });
        watch.start_player();
        watch.note_elsewhere(ProcessTime::from_exact_clock(millis(1)));
        assert_eq!(watch.finish_slice(1, false).unseen_ns, 40_000_000);
    }

    #[test]
    fn an_interruption_counts_once() {
        let mut watch = Stopwatch::new(TimeSource::Thoughts, false);
        (watch.total_ns, watch.total_thoughts, watch.stride) = (20_000, 1000, 101);
        watch.note(Duration::from_millis(8), None);
        let times = watch.finish_slice(1, false);
        assert_eq!(times.thoughts, 1);
        assert!(times.max_ns > 7_000_000);
    }

    /// A thread that waits between two moves uses no CPU time there.
    #[test]
    fn waiting_for_a_rival_is_left_out() {
        let mut watch = Stopwatch::new(TimeSource::Thoughts, false);
        watch.start_slice();
        watch.start_game();
        let (mut waited, mut last) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..20 {
            watch.leave_out(last);
            watch.time(|| Ok(())).unwrap();
            let since = Instant::now();
            std::thread::sleep(Duration::from_millis(1));
            last = since.elapsed();
            waited += last;
        }
        assert!(watch.pairs.count > 10);
        // Almost nothing of the 20 ms remains, even if the system let the thread sleep longer.
        assert!(watch.pairs.rest_ns < waited.as_nanos() as u64 / 2, "{} ns", watch.pairs.rest_ns);
    }

    /// Thinking takes a quarter of the time, and one move or rest in a hundred loses the CPU for a
    /// millisecond.
    #[test]
    fn interruptions_do_not_bend_the_part_that_is_thinking() {
        for crowded in [false, true] {
            let mut watch = Stopwatch::new(TimeSource::Thoughts, false);
            for number in 0..10_000 {
                let lost = |place| if crowded && number % 100 == place { 1_000_000 } else { 0 };
                let thought = Duration::from_nanos(20 + lost(40));
                watch.note(thought, Some(Duration::from_nanos(60 + lost(80))));
            }
            // A million moves in 0.1 s of CPU time, a quarter of it thinking: 25 ns each.
            let times =
                ClockReadings { thoughts: 2_000_000, thinking_ns: u64::MAX, ..ClockReadings::default() };
            assert_eq!(watch.thinking_cpu_ns(100_000_000, 1_000_000, &times), Some(50_000_000), "{crowded}");
            let times = ClockReadings { thinking_ns: 40_000_000, ..times };
            assert_eq!(watch.thinking_cpu_ns(100_000_000, 1_000_000, &times), Some(40_000_000), "{crowded}");
        }
    }
}
