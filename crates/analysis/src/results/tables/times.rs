//! `ms-per-move.csv`: times and depths of moves. `times.csv`: thinking time by parts of the run,
//! for programs: comparisons by time use it. `times-by-processor.csv`: the cost of a move on each
//! processor, if there were several.

use std::collections::BTreeMap;

use gauntlet_core::record::{CalibrationRuns, TimeSource};
use gauntlet_core::table::{Table, TypedRow, table};
use gauntlet_run::journal::SessionEntry;
use gauntlet_run::tally::player_times::{PlayerTimes, ThinkingTime, TimeStratum};
use gauntlet_run::tally::{LEVEL, Tally};
use gauntlet_stats::Estimate;

use crate::compare::time;

table! {
    /// Times and depths of a player.
    pub struct MoveTimeRow("ms-per-move", Some(LEVEL)) of (name, it): (&str, &Tally) {
        /// Name of the player.
        player: String, words() = name;
        /// Number of moves in all games of the player.
        moves: u64, count() = it.moves;
        /// Mean wall time per move.
        mean_ms: Option<f64>, millis().as_first().with_decimals(6) = it.mean_ms();
        /// Median wall time per move.
        p50_ms: Option<f64>, millis().with_decimals(6) = quantile_ms(it, 0.5);
        /// Wall time that 90 % of moves do not exceed.
        p90_ms: Option<f64>, millis().with_decimals(6) = quantile_ms(it, 0.9);
        /// Wall time that 99 % of moves do not exceed.
        p99_ms: Option<f64>, millis().as_first().with_decimals(6) = quantile_ms(it, 0.99);
        /// Longest wall time of a move.
        max_ms: Option<f64>, millis().as_first().with_decimals(6) = (!it.durations.is_empty()).then(|| ms(it.times.max_ns));
        /// Mean CPU time per move, with its 95 % interval.
        cpu_ms_per_move: Option<Estimate>, millis().as_first().with_decimals(6) = time::ms_per_move(&it.move_times, LEVEL);
        /// Moves per second on one thread, including the time for the rules of the game.
        moves_per_second: Option<f64>, number().with_decimals(0) =
            share_of(it.times.moves as f64, it.times.wall_ns).map(|per_ns| per_ns * 1e9);
        /// Mean search depth in plies; empty if the player reports no depth.
        depth_mean: Option<f64>, number().with_decimals(3) = depth_mean(&it.depths);
        /// Smallest search depth.
        depth_min: Option<u64>, count() = it.depths.keys().next().map(|&depth| u64::from(depth));
        /// Largest search depth.
        depth_max: Option<u64>, count() = it.depths.keys().next_back().map(|&depth| u64::from(depth));
        /// Share of moves from endgame tables; empty if there are none.
        from_tables: Option<f64>, share().with_decimals(3) =
            share_of(it.times.table_moves as f64, it.times.moves).filter(|share| *share > 0.0);
        /// Largest number of threads in a session.
        threads: Option<u64>, count() = it.thread_counts.last().map(|&threads| threads as u64);
        /// Kind of measurement.
        timed: TimeSource, words() = it.move_times.time_source;
    }
}

/// Converts nanoseconds to milliseconds for a table, with decimals for a nanosecond.
fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn share_of(part: f64, total: u64) -> Option<f64> {
    (total > 0).then(|| part / total as f64)
}

fn quantile_ms(tally: &Tally, part: f64) -> Option<f64> {
    quantile(&tally.durations, part).map(|ns| ms(ns.min(tally.times.max_ns)))
}

/// Returns the mean depth, given the number of moves searched to each depth.
fn depth_mean(depths: &BTreeMap<u32, u64>) -> Option<f64> {
    let searched_moves = depths.values().fold(0_u64, |sum, &moves| sum.saturating_add(moves));
    share_of(depths.iter().map(|(&depth, &moves)| f64::from(depth) * moves as f64).sum(), searched_moves)
}

/// Returns the smallest duration that at least this part of the moves did not exceed.
fn quantile(durations: &BTreeMap<u64, u64>, part: f64) -> Option<u64> {
    // The sum may overflow a count if the journal is forged.
    let total: u128 = durations.values().copied().map(u128::from).sum();
    let target = (part * total as f64).ceil().max(1.0) as u128;
    let mut count_so_far = 0;
    durations
        .iter()
        .find(|(_, count)| {
            count_so_far += u128::from(**count);
            count_so_far >= target
        })
        .map(|(&ns, _)| ns)
}

/// Name of the table of times by parts of the run.
pub(crate) const TIMES: &str = "times";

/// Thinking time of a player in a part of a session.
struct TimePart<'a> {
    player: &'a str,
    stratum: TimeStratum,
    thinking: &'a ThinkingTime,
    time_source: TimeSource,
    /// Largest error of coarse clocks in the player's time, in its first part; 0 in other parts.
    /// `None` if the player does not compute in other processes.
    unseen_ns: Option<u64>,
}

table! {
    /// Thinking time of a player in a part of a session.
    pub struct TimeRow(TIMES, None) of it: TimePart {
        /// Name of the player.
        player: String, words() = it.player;
        /// Number of the session, from 1, as in the manifest.
        session: u64, count() = it.stratum.0;
        /// Part of the run, from 0; a part has one fortieth of the blocks.
        part: u64, count() = it.stratum.1;
        /// Number of timed moves. One timed move may represent several very fast moves.
        thoughts: u64, count() = it.thinking.moves;
        /// CPU time of the timed moves, in milliseconds.
        cpu_ms: Option<f64>, number().with_decimals(6) = ms(it.thinking.ns);
        /// Number of calibration loops that ran during the part.
        yardsticks: u64, count() = it.thinking.calibration_runs.count;
        /// CPU time of the calibration loops, in milliseconds.
        yardstick_ms: Option<f64>, number().with_decimals(6) = ms(it.thinking.calibration_runs.ns);
        /// Kind of measurement, as in `ms-per-move.csv`.
        timed: TimeSource, words() = it.time_source;
        /// CPU time that coarse clocks may have missed; only for players in other processes on
        /// Linux.
        unseen_ms: Option<f64>, number().with_decimals(6).as_optional() = it.unseen_ns.map(ms);
    }
}

/// Makes the table of these players.
pub(crate) fn table<'a>(players: impl Iterator<Item = (&'a str, &'a PlayerTimes)>) -> Table {
    TimeRow::table(players.flat_map(|(player, clock)| {
        let missed_ns = (clock.time_source == TimeSource::Process).then_some(clock.max_error_ns);
        let part = move |(number, (&stratum, thinking))| {
            let unseen_ns = if number == 0 { missed_ns } else { missed_ns.map(|_| 0) };
            TimeRow::new(TimePart { player, stratum, thinking, time_source: clock.time_source, unseen_ns })
        };
        clock.strata.iter().enumerate().map(part)
    }))
}

/// Reads the times of each player from the table.
pub(crate) fn read_times(table: &Table) -> BTreeMap<String, PlayerTimes> {
    let ns = |ms: Option<f64>| ms.map_or(0, |ms| (1e6 * ms).round() as u64);
    let mut clocks: BTreeMap<String, PlayerTimes> = BTreeMap::new();
    for row in table.read_rows::<TimeRow>() {
        let calibration = CalibrationRuns { count: row.yardsticks, ns: ns(row.yardstick_ms) };
        let clock = clocks.entry(row.player).or_default();
        clock.time_source = row.timed;
        match row.unseen_ms {
            None => clock.has_tick_clock |= clock.time_source == TimeSource::Process,
            unseen_ms => clock.max_error_ns = clock.max_error_ns.saturating_add(ns(unseen_ms)),
        }
        let thinking =
            ThinkingTime { moves: row.thoughts, ns: ns(row.cpu_ms), calibration_runs: calibration };
        clock.strata.insert((row.session, row.part), thinking);
    }
    clocks
}

table! {
    /// Thinking time of a player on a processor.
    pub struct ProcessorTimeRow("times-by-processor", Some(LEVEL)) of
        (player, processor, clock): (&str, &str, PlayerTimes)
    {
        /// Name of the player.
        player: String, words() = player;
        /// Processor of the sessions.
        processor: String, words() = processor;
        /// Number of timed moves.
        thoughts: u64, count() = clock.moves();
        /// Mean CPU time per move on this processor, with its 95 % interval.
        cpu_ms_per_move: Option<Estimate>, millis().as_first().with_decimals(6) = time::ms_per_move(&clock, LEVEL);
        /// Kind of measurement, as in `ms-per-move.csv`.
        timed: TimeSource, words() = clock.time_source;
    }
}

/// Makes the table of times by processor, with processors in the order of the sessions. `None` if
/// all timed games ran on one processor.
pub(crate) fn table_by_processor<'a>(
    players: impl Iterator<Item = (&'a str, &'a PlayerTimes)>,
    sessions: &'a [SessionEntry],
) -> Option<Table> {
    let processor = |session: u64| {
        let index = usize::try_from(session).ok()?.checked_sub(1)?;
        Some(&*sessions.get(index)?.cpu)
    };
    let mut rows = Vec::new();
    for (player, clock) in players {
        let mut times_by_processor: BTreeMap<&str, BTreeMap<TimeStratum, ThinkingTime>> = BTreeMap::new();
        for (&stratum, &thinking) in &clock.strata {
            if let Some(processor) = processor(stratum.0) {
                times_by_processor.entry(processor).or_default().insert(stratum, thinking);
            }
        }
        let mut processor_times: Vec<_> = times_by_processor.into_iter().collect();
        // Sort processors by first use.
        processor_times.sort_by_key(|(_, times)| times.keys().next().copied());
        rows.extend(processor_times.into_iter().map(|(processor, places)| {
            let PlayerTimes { time_source, max_error_ns: unseen_ns, .. } = *clock;
            let clock = PlayerTimes {
                strata: places,
                time_source,
                max_error_ns: unseen_ns,
                ..PlayerTimes::default()
            };
            ProcessorTimeRow::new((player, processor, clock))
        }));
    }
    let is_single = rows.windows(2).all(|pair| pair[0].processor == pair[1].processor);
    (!is_single).then(|| ProcessorTimeRow::table(rows))
}
