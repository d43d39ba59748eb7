//! Sums of one player's games.

use std::collections::{BTreeMap, BTreeSet};

use gauntlet_core::game::{Outcome, Seat, WinDrawLoss};
use gauntlet_core::record::{ClockReadings, Ending, Fault, GameRecord};
use gauntlet_stats::Histogram;

use super::player_times::{PlayerTimes, TimeStratum};

/// Level of every interval in the tables.
pub const LEVEL: f64 = 0.95;

/// Sums of one player's games.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Scores of solo games.
    pub scores: Histogram,
    pub games: u64,
    pub wins: u64,
    pub draws: u64,
    pub moves: u64,
    /// Positions visited in solo games; 0 if the player does not count them.
    pub nodes: u64,
    /// Numbers of moves of games.
    pub game_lengths: Histogram,
    /// Games that the player forfeited, by reason.
    pub faults: BTreeMap<Fault, u64>,
    /// Games that were cut by the move limit.
    pub out_of_moves: u64,
    /// Games that were cut by the time limit.
    pub out_of_time: u64,
    /// For each fact of the game, how many games ended with each value.
    pub facts: Vec<BTreeMap<i64, u64>>,
    pub times: ClockReadings,
    /// CPU time of its moves.
    pub move_times: PlayerTimes,
    /// Number of moves by duration in nanoseconds.
    pub durations: BTreeMap<u64, u64>,
    /// Number of moves by search depth.
    pub depths: BTreeMap<u32, u64>,
    /// Numbers of threads of its lines in the journal.
    pub thread_counts: BTreeSet<usize>,
    /// Games of blocks that broke a player's program. They are rows of `games.csv`, but not in the
    /// sums.
    pub failed_games: u64,
}

impl Tally {
    /// Counts the games in which this fact was at least this value.
    pub fn count_at_least(&self, fact: usize, value: i64) -> u64 {
        self.facts[fact].range(value..).map(|(_, games)| games).sum()
    }

    /// Returns the number of games that the player forfeited.
    pub fn forfeits(&self) -> u64 {
        self.faults.values().sum()
    }

    /// Returns the mean number of moves per game.
    pub fn mean_moves(&self) -> Option<f64> {
        (self.games > 0).then(|| self.moves as f64 / self.games as f64)
    }

    /// Returns the mean number of positions per move; `None` if the player does not count them.
    pub fn mean_nodes(&self) -> Option<f64> {
        (self.nodes > 0).then(|| self.nodes as f64 / self.moves.max(1) as f64)
    }

    /// Returns the mean thinking time per move in milliseconds.
    pub fn mean_ms(&self) -> Option<f64> {
        let ClockReadings { thinking_ns, thoughts: moves, .. } = self.times;
        (moves > 0).then(|| thinking_ns as f64 / moves as f64 / 1e6)
    }

    /// Returns the mean CPU time per move in milliseconds, which does not include waiting for other
    /// programs.
    pub fn mean_cpu_ms(&self) -> Option<f64> {
        self.move_times.mean_ms()
    }

    /// Adds a block, in which the player has this seat in the first leg and the other one in the
    /// second.
    pub(super) fn add_block(&mut self, first_seat: Seat, legs: &[GameRecord]) {
        let mut seat = first_seat;
        for record in legs {
            let result = record.outcome.result_for(seat);
            self.games += 1;
            self.wins += u64::from(result == WinDrawLoss::Win);
            self.draws += u64::from(result == WinDrawLoss::Draw);
            self.moves += u64::from(record.moves);
            self.game_lengths.add(u64::from(record.moves));
            if let Ending::Fault(seat_at_fault, fault) = record.ending
                && seat_at_fault == seat
            {
                *self.faults.entry(fault).or_default() += 1;
            }
            self.out_of_moves += u64::from(record.ending == Ending::MaxMoves);
            self.out_of_time += u64::from(record.ending == Ending::MaxSeconds);
            if let Outcome::Points { score, .. } = record.outcome {
                self.scores.add(score);
            }
            for (counts, &value) in self.facts.iter_mut().zip(&record.facts) {
                *counts.entry(value).or_default() += 1;
            }
            seat = seat.other();
        }
    }

    /// Adds the positions visited in some games. Sums saturate, because a journal may be forged.
    pub(super) fn add_nodes(&mut self, games: &[u64]) {
        games.iter().for_each(|&nodes| add_saturating(&mut self.nodes, nodes));
    }

    /// Adds the clock readings of one line of the journal.
    pub(super) fn add_times(&mut self, stratum: TimeStratum, times: &ClockReadings, threads: usize) {
        if times.wall_ns == 0 {
            return; // The first line of a slice has its times.
        }
        self.times.add_sums(times);
        for &(ns, count) in &times.histogram {
            add_saturating(self.durations.entry(ns).or_default(), count);
        }
        for &(depth, moves) in &times.depths {
            add_saturating(self.depths.entry(depth).or_default(), moves);
        }
        self.thread_counts.insert(threads);
        if times.thoughts > 0 {
            self.move_times.add_line(stratum, times);
        }
    }

    /// Creates an empty tally for a game with this number of facts.
    pub(super) fn new(fact_count: usize) -> Tally {
        Tally { facts: vec![BTreeMap::new(); fact_count], ..Tally::default() }
    }

    /// Adds the counts of another tally.
    pub(super) fn merge(&mut self, other: Tally) {
        self.scores.merge(&other.scores);
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.moves += other.moves;
        add_saturating(&mut self.nodes, other.nodes);
        self.game_lengths.merge(&other.game_lengths);
        for (fault, games) in other.faults {
            *self.faults.entry(fault).or_default() += games;
        }
        self.out_of_moves += other.out_of_moves;
        self.out_of_time += other.out_of_time;
        self.facts.resize(self.facts.len().max(other.facts.len()), BTreeMap::new());
        for (counts, other_counts) in self.facts.iter_mut().zip(other.facts) {
            for (value, games) in other_counts {
                *counts.entry(value).or_default() += games;
            }
        }
        self.times.add_sums(&other.times);
        for (ns, count) in other.durations {
            add_saturating(self.durations.entry(ns).or_default(), count);
        }
        for (depth, moves) in other.depths {
            add_saturating(self.depths.entry(depth).or_default(), moves);
        }
        self.thread_counts.extend(other.thread_counts);
        self.move_times.merge(other.move_times);
        self.failed_games += other.failed_games;
    }
}

/// Adds a count with saturation, because a journal may be forged.
fn add_saturating(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}
