//! Time per move of a player, from games against itself, which are not kept.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gauntlet_core::arena::{self, Entry};
use gauntlet_core::num::Seconds;
use gauntlet_core::player::{BuildContext, Stop};
use gauntlet_core::record::{BatchResult, ClockReadings, Ending};

use super::blocks::BlockSeeds;
use super::tally::player_times::PlayerTimes;
use crate::plan::Plan;

/// The most moves that are measured: about those of a game of a strong 2048 player.
const MAX_MOVES: u32 = 10_000;

/// Number of moves that are measured even if they take longer than [`SAMPLE_TIMES`].
const MIN_MOVES: u32 = 100;

/// Shortest and longest time of a measurement of fewer than [`MAX_MOVES`] moves.
const SAMPLE_TIMES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(1)];

/// If games take too long, one in so many moves is measured, and a stand-in makes the others.
const STRIDE: u32 = 31;

/// If a player with a stand-in makes fewer moves, games without the stand-in are measured.
const MIN_OWN_MOVES: u64 = 20;

/// Largest time of a stand-in, as a part of the time that is looked for.
const STAND_IN_SHARE: f64 = 0.01;

/// Measures players with the same settings and ascending limits, to compare their times with a
/// given time.
pub struct MoveTimer<'p> {
    plan: &'p Plan<'p>,
    /// Milliseconds to compare with.
    move_ms: f64,
    sample_time: Duration,
    /// The last player that was fast enough to make the moves of slower ones.
    stand_in: Option<Entry>,
    /// True if a game takes longer than a measurement.
    has_long_games: bool,
}

/// Measurement of a player.
struct Sample {
    /// Milliseconds per move; infinite if there was none.
    ms: f64,
    moves: u64,
    has_whole_game: bool,
}

impl<'p> MoveTimer<'p> {
    /// Creates a timer for games under the rules of a plan.
    pub fn new(plan: &'p Plan<'p>, move_time: Duration) -> MoveTimer<'p> {
        let [shortest, longest] = SAMPLE_TIMES;
        MoveTimer {
            plan,
            move_ms: 1e3 * move_time.as_secs_f64(),
            sample_time: (move_time * MAX_MOVES).clamp(shortest, longest).max(move_time * MIN_MOVES),
            stand_in: None,
            has_long_games: false,
        }
    }

    /// Returns the mean milliseconds per move of a player, by the stopwatch of runs; infinite if
    /// there was none. The mean is over whole games, because many players need more time for the
    /// first moves than for others: up to seven times as much.
    pub fn measure(&mut self, entry: &Entry) -> anyhow::Result<f64> {
        let mut ms = match &self.stand_in {
            Some(stand_in) if self.has_long_games => self.sample_with_stand_in(entry, stand_in)?,
            _ => None,
        };
        if ms.is_none() {
            let sample = self.sample(entry)?;
            ms = Some(sample.ms);
            if let Some(stand_in) = &self.stand_in
                && !sample.has_whole_game
                && !self.has_long_games
            {
                ms = self.sample_with_stand_in(entry, stand_in)?.or(ms);
                self.has_long_games = true;
            }
        }
        let ms = ms.unwrap_or(f64::INFINITY);
        if ms <= STAND_IN_SHARE * self.move_ms {
            self.stand_in = Some(entry.clone());
        }
        Ok(ms)
    }

    /// Returns the mean milliseconds per move of a player whose other moves a stand-in makes;
    /// `None` if the player makes too few.
    fn sample_with_stand_in(&self, entry: &Entry, stand_in: &Entry) -> anyhow::Result<Option<f64>> {
        let (entry, own_moves) = entry.with_stand_in(stand_in, STRIDE);
        let sample = self.sample(&entry)?;
        let own_moves = own_moves.load(Ordering::Relaxed);
        let ms = sample.ms * sample.moves as f64 / own_moves as f64;
        Ok((own_moves >= MIN_OWN_MOVES).then_some(ms))
    }

    fn sample(&self, entry: &Entry) -> anyhow::Result<Sample> {
        let plan = self.plan;
        let timeout = Seconds::try_from(self.sample_time.as_secs_f64()).expect("a time within bounds");
        let is_shorter = |own: &Seconds| own.get() < self.sample_time;
        let max_seconds = plan.max_seconds.filter(is_shorter).or(Some(timeout));
        let context = BuildContext { max_seconds, ..plan.build_context(&Stop::default()) };
        let lineup = vec![entry; plan.arena.shape.players()];
        let mut worker = arena::build_worker(&lineup, plan.max_moves, &context)?;
        let blocks = BlockSeeds::Derived { seed: plan.blocks.seed(0), games: MAX_MOVES.into() };
        let (mut times, mut has_whole_game) = (PlayerTimes::default(), false);
        let start = Instant::now();
        for block in 0..blocks.len() {
            let BatchResult { records, times: readings, .. } = worker(&[blocks.block(block)]);
            let is_cut = records.iter().any(|record| record.ending == Ending::MaxSeconds);
            let with_cut_move =
                |readings| if is_cut { add_cut_move(readings, lineup.len()) } else { readings };
            readings.into_iter().map(with_cut_move).for_each(|readings| times.add_line((1, 0), &readings));
            has_whole_game |= records.iter().any(|record| record.ending != Ending::MaxSeconds);
            if start.elapsed() >= self.sample_time || times.moves() >= MAX_MOVES.into() {
                break;
            }
        }
        let ms = times.mean_ms().unwrap_or(f64::INFINITY);
        Ok(Sample { ms, moves: times.moves(), has_whole_game })
    }
}

/// Adds the move that a time limit cut. It can be the longest one and is in the CPU time of the
/// thread, which the players of the game share.
fn add_cut_move(readings: ClockReadings, players: usize) -> ClockReadings {
    let thinking_cpu_ns = Some(readings.cpu_ns / players as u64);
    ClockReadings { thoughts: readings.moves + 1, thinking_cpu_ns, ..readings }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three quick moves ended, and a long one was cut.
    #[test]
    fn a_cut_move_counts() {
        let readings = ClockReadings {
            moves: 3,
            thoughts: 3,
            thinking_ns: 3000,
            thinking_cpu_ns: Some(3000),
            cpu_ns: 8_000_000,
            ..ClockReadings::default()
        };
        for (players, expected_ms) in [(1, 2.0), (2, 1.0)] {
            let mut times = PlayerTimes::default();
            times.add_line((1, 0), &add_cut_move(readings.clone(), players));
            assert_eq!(times.mean_ms(), Some(expected_ms));
        }
    }
}
