//! Reads a journal once, game by game in the order of the plan: writes `games.csv` on the way and keeps sums.
//!
//! Records do not pile up: what is kept of a player is a count for each score, tile and duration, and what is read at
//! a time is a window of the plan. Lines are parsed and rows formatted on all threads, but joined in order; sums are
//! of whole numbers, so no order could change them either.

pub mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Range;

use anyhow::Context;
use rayon::prelude::*;

use crate::plan::Plan;
use crate::record::{Ending, GameRecord, Times};
use crate::rng::Seed;
use crate::run::broken::Broken;
use crate::run::coverage::{Coverage, Stretch, by_line};
use crate::run::journal::{self, Games, Journal};
use crate::stats::{Distribution, Interval, Mean, ratio_of_sums};
use rows::RowWriter;

/// The level of every interval in the tables.
pub const LEVEL: f64 = 0.95;

/// So many bytes of the journal are parsed at a time: enough for every thread to have lines of its own.
const BATCH: usize = 8 << 20;

/// What the games of one player add up to.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Scores of all games.
    pub scores: Distribution,
    /// Games won.
    pub wins: u64,
    /// Moves of all games.
    pub moves: u64,
    /// Games that the player ended by its own fault.
    pub forfeits: u64,
    /// For each of the game's own columns, how many games ended with which value.
    pub facts: Vec<BTreeMap<i64, u64>>,
    /// Clock readings.
    pub times: Times,
    /// For each line of the journal, in their order: nanoseconds of the processor spent thinking, and of how many
    /// thoughts. Moves of one game are much alike, so a line is what says how much times differ.
    lines: Vec<(f64, f64)>,
    /// How many thoughts took how many nanoseconds.
    pub thoughts: BTreeMap<u64, u64>,
    /// How many moves were searched how deep.
    pub depths: BTreeMap<u32, u64>,
    /// Numbers of threads that were at work.
    pub jobs: BTreeSet<usize>,
    /// Games that broke the player's program. They are rows of `games.csv`, and in no sum.
    pub broken: u64,
}

/// What the bounds of times are drawn with: the same bounds from the same journal.
const RESAMPLING: u64 = 2048;

/// So many samples are drawn for them, from at most so many groups of lines: enough, and it takes milliseconds.
pub const RESAMPLES: usize = 1000;
const MOST_GROUPS: usize = 500;

/// Of fewer lines no sample says how much others would differ.
const LEAST_LINES: usize = 20;

/// Nanoseconds and thoughts of some lines, in their order.
fn sums(lines: &[(f64, f64)]) -> (f64, f64) {
    lines.iter().fold((0.0, 0.0), |(ns, thoughts), line| (ns + line.0, thoughts + line.1))
}

impl Tally {
    /// In how many games this column of the game's own was at least so much.
    pub fn at_least(&self, fact: usize, value: i64) -> u64 {
        self.facts[fact].range(value..).map(|(_, games)| games).sum()
    }

    /// Moves of a game.
    pub fn mean_moves(&self) -> Option<f64> {
        let games = self.scores.count();
        (games > 0).then(|| self.moves as f64 / games as f64)
    }

    /// Milliseconds of thinking for a move.
    pub fn mean_ms(&self) -> Option<f64> {
        let Times { thinking_ns, thoughts, .. } = self.times;
        (thoughts > 0).then(|| thinking_ns as f64 / thoughts as f64 / 1e6)
    }

    /// The same in time of the processor, which does not grow where others are at work: in what a thread played in one
    /// go, thinking had the same part of it as all of the playing.
    pub fn mean_cpu_ms(&self) -> Option<f64> {
        let (ns, thoughts) = sums(&self.lines);
        (thoughts > 0.0).then(|| ns / thoughts / 1e6)
    }

    /// The same with bounds, if there are lines enough of the journal to tell how much they differ.
    pub fn cpu_ms(&self) -> Option<Mean> {
        let estimate = self.mean_cpu_ms()?;
        Some(self.cpu_ms_within().map_or(Mean::Alone(estimate), Mean::Within))
    }

    fn cpu_ms_within(&self) -> Option<Interval> {
        if self.lines.len() < LEAST_LINES {
            return None;
        }
        let mut rng = Seed::root(RESAMPLING).rng();
        let groups = self.lines.chunks(self.lines.len().div_ceil(MOST_GROUPS));
        let groups: Vec<_> = groups.map(sums).collect();
        let ns = ratio_of_sums(&groups, LEVEL, RESAMPLES, &mut |n| rng.below(n))?;
        let [low, estimate, high] = [ns.low, ns.estimate, ns.high].map(|ns| ns / 1e6);
        Some(Interval { low, estimate, high, ..ns })
    }

    fn add(&mut self, record: &GameRecord) {
        self.scores.add(record.score);
        self.wins += u64::from(record.won);
        self.moves += u64::from(record.moves);
        self.forfeits += u64::from(record.ending.is_forfeit());
        for (counts, &fact) in self.facts.iter_mut().zip(&record.facts) {
            *counts.entry(fact).or_default() += 1;
        }
    }

    fn add_times(&mut self, games: &Games) {
        let times = &games.times;
        if times.wall_ns == 0 {
            return; // The rest of a slice whose times stand with its first line.
        }
        self.times.moves += times.moves;
        self.times.wall_ns += times.wall_ns;
        self.times.cpu_ns += times.cpu_ns;
        self.times.thinking_ns += times.thinking_ns;
        self.times.thoughts += times.thoughts;
        self.times.max_ns = self.times.max_ns.max(times.max_ns);
        for &(ns, count) in &times.histogram {
            *self.thoughts.entry(ns).or_default() += count;
        }
        for &(depth, moves) in &times.depths {
            *self.depths.entry(depth).or_default() += moves;
        }
        self.jobs.insert(games.jobs);
        if times.thoughts > 0 {
            let part = times.cpu_ns as f64 / times.wall_ns as f64;
            self.lines.push((times.thinking_ns as f64 * part, times.thoughts as f64));
        }
    }

    fn merge(&mut self, other: Tally) {
        self.scores.merge(&other.scores);
        self.wins += other.wins;
        self.moves += other.moves;
        self.forfeits += other.forfeits;
        self.facts.resize(self.facts.len().max(other.facts.len()), BTreeMap::new());
        for (counts, more) in self.facts.iter_mut().zip(other.facts) {
            for (fact, games) in more {
                *counts.entry(fact).or_default() += games;
            }
        }
        self.times.moves += other.times.moves;
        self.times.wall_ns += other.times.wall_ns;
        self.times.cpu_ns += other.times.cpu_ns;
        self.times.thinking_ns += other.times.thinking_ns;
        self.times.thoughts += other.times.thoughts;
        self.times.max_ns = self.times.max_ns.max(other.times.max_ns);
        for (ns, count) in other.thoughts {
            *self.thoughts.entry(ns).or_default() += count;
        }
        for (depth, moves) in other.depths {
            *self.depths.entry(depth).or_default() += moves;
        }
        self.jobs.extend(other.jobs);
        self.lines.extend(other.lines);
        self.broken += other.broken;
    }
}

/// Writes `games.csv` and returns what each player's games add up to. Games in `broken` are those that have no
/// record because they broke the player's program.
pub fn tally(
    plan: &Plan,
    journal: &Journal,
    coverage: &Coverage,
    broken: &[Broken],
    csv: &mut (dyn Write + Send),
) -> anyhow::Result<Vec<Tally>> {
    let put =
        |csv: &mut (dyn Write + Send), bytes: &[u8]| csv.write_all(bytes).context("cannot write games.csv");
    put(csv, rows::header(plan.facts).as_bytes())?;
    let mut tallies = Vec::with_capacity(plan.entries.len());
    for (player, entry) in plan.entries.iter().enumerate() {
        let rows = RowWriter::new(entry.name, plan);
        let mut broken = broken.iter().filter(|broken| broken.player == player).peekable();
        let mut tally = Tally { facts: vec![BTreeMap::new(); plan.facts.len()], ..Tally::default() };
        let mut flush = |parts: Vec<Part>| {
            let pieces =
                parts.iter().flat_map(|part| part.pieces.iter().map(move |piece| (piece, &part.rows)));
            let mut pieces: Vec<_> = pieces.collect();
            pieces.sort_unstable_by_key(|(piece, _)| piece.first);
            let mut text = Vec::with_capacity(2 * FLUSHED);
            for (piece, rows_of_part) in pieces {
                while let Some(broken) = broken.next_if(|broken| broken.block < piece.first) {
                    text.extend(broken_row(broken, &rows));
                    tally.broken += 1;
                }
                text.extend_from_slice(&rows_of_part[piece.rows.clone()]);
                if text.len() > FLUSHED {
                    put(csv, &text)?;
                    text.clear();
                }
            }
            put(csv, &text)?;
            parts.into_iter().for_each(|part| tally.merge(part.tally));
            anyhow::Ok(())
        };
        // While one window is parsed on all threads, the one before it is written.
        let mut parsed = Vec::new();
        for window in coverage.windows(player) {
            let ready = std::mem::take(&mut parsed);
            let (next, flushed) = rayon::join(|| parse(plan, journal, &rows, window), || flush(ready));
            flushed?;
            parsed = next?;
        }
        flush(parsed)?;
        for broken in broken {
            put(csv, &broken_row(broken, &rows))?;
            tally.broken += 1;
        }
        tallies.push(tally);
    }
    Ok(tallies)
}

/// So much text is written at a time.
const FLUSHED: usize = 1 << 20;

/// What one line of the journal has to say about a window.
struct Part {
    /// Rows of `games.csv`, in the order of the line.
    rows: Vec<u8>,
    /// The blocks they are of.
    pieces: Vec<Piece>,
    /// What the games in them add up to.
    tally: Tally,
}

/// Rows of consecutive blocks.
struct Piece {
    first: u64,
    rows: Range<usize>,
}

fn parse(plan: &Plan, journal: &Journal, rows: &RowWriter, window: &[Stretch]) -> anyhow::Result<Vec<Part>> {
    let lines = by_line(window);
    let mut parts = Vec::with_capacity(lines.len());
    let mut rest = &lines[..];
    while !rest.is_empty() {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while let Some(((line, stretches), left)) = rest.split_first()
            && (bytes == 0 || bytes + line.bytes() <= BATCH)
        {
            bytes += line.bytes();
            batch.push((journal.read_raw(line)?, stretches));
            rest = left;
        }
        let batch = batch.par_iter().map(|(line, stretches)| part(plan, rows, stretches, line));
        parts.extend(batch.collect::<anyhow::Result<Vec<_>>>()?);
    }
    Ok(parts)
}

fn part(plan: &Plan, rows: &RowWriter, stretches: &[Stretch], line: &[u8]) -> anyhow::Result<Part> {
    let games = journal::parse(line)?;
    let records = games.records().context("a line of the journal contradicts itself")?;
    let mut tally = Tally { facts: vec![BTreeMap::new(); plan.facts.len()], ..Tally::default() };
    // The times are of the whole line, however many stretches of it are in the plan.
    if stretches.iter().any(|stretch| stretch.leads) {
        tally.add_times(&games);
    }
    let blocks = stretches.iter().map(|stretch| stretch.blocks).sum::<u64>();
    let mut text = Vec::with_capacity(64 * blocks as usize);
    let mut pieces = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let asked = stretch.skip as usize..(stretch.skip + stretch.blocks) as usize;
        let records = records.get(asked).context("a line of the journal changed while it was read")?;
        let start = text.len();
        for (block, record) in (stretch.first..).zip(records) {
            rows.write(block, record, &mut text);
            tally.add(record);
        }
        pieces.push(Piece { first: stretch.first, rows: start..text.len() });
    }
    Ok(Part { rows: text, pieces, tally })
}

/// A game that broke its player's program has a row, and is in no sum: it says nothing about the player.
fn broken_row(broken: &Broken, rows: &RowWriter) -> Vec<u8> {
    let mut row = Vec::new();
    let record =
        GameRecord { score: 0, facts: Default::default(), moves: 0, won: false, ending: Ending::Panic };
    rows.write(broken.block, &record, &mut row);
    row
}
