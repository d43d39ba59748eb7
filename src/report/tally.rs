//! Reads a journal once, game by game in the order of the plan: writes `games.csv` on the way and keeps sums.
//!
//! Memory does not grow with the number of games: what is kept of a player is a count for each score, tile and
//! duration, and what is read at a time is a window of the journal. Lines are parsed and rows formatted on all
//! threads, but joined in order; sums are of whole numbers, so no order could change them either.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use anyhow::Context;
use rayon::prelude::*;

use super::games::{self, RowWriter};
use crate::plan::Plan;
use crate::record::{Ending, GameRecord, Times};
use crate::run::Broken;
use crate::run::coverage::{Coverage, Stretch};
use crate::run::journal::{self, Games, Journal};
use crate::stats::Distribution;

/// So many games are read at a time, or so many lines: some 10 MB.
const WINDOW_GAMES: u64 = 1 << 18;
const WINDOW_LINES: usize = 1 << 13;

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
    /// How many thoughts took how many nanoseconds.
    pub thoughts: BTreeMap<u64, u64>,
    /// How many moves were searched how deep.
    pub depths: BTreeMap<u32, u64>,
    /// Numbers of threads that were at work.
    pub jobs: BTreeSet<usize>,
    /// Games that broke the player's program. They are rows of `games.csv`, and in no sum.
    pub broken: u64,
}

impl Tally {
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
    put(csv, games::header(plan.facts).as_bytes())?;
    let mut tallies = Vec::with_capacity(plan.entries.len());
    for (player, entry) in plan.entries.iter().enumerate() {
        let rows = RowWriter::new(entry.name, plan);
        let mut broken = broken.iter().filter(|broken| broken.player == player).peekable();
        let mut tally = Tally::default();
        let mut flush = |parts: Vec<Part>| {
            for part in parts {
                while let Some(broken) = broken.next_if(|broken| broken.block < part.first) {
                    put(csv, &broken_row(broken, &rows))?;
                    tally.broken += 1;
                }
                put(csv, &part.rows)?;
                tally.merge(part.tally);
            }
            anyhow::Ok(())
        };
        // While one window is parsed on all threads, the one before it is written.
        let mut parsed = Vec::new();
        for window in windows(&coverage.stretches[player]) {
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

/// Rows of `games.csv`, and what the games in them add up to.
struct Part {
    first: u64,
    rows: Vec<u8>,
    tally: Tally,
}

fn parse(plan: &Plan, journal: &Journal, rows: &RowWriter, window: &[Stretch]) -> anyhow::Result<Vec<Part>> {
    let lines = window.iter().map(|stretch| journal.read_raw(stretch.line));
    let lines = lines.collect::<anyhow::Result<Vec<_>>>()?;
    let parts = window.par_iter().zip(lines);
    parts.map(|(stretch, line)| part(plan, rows, stretch, &line)).collect()
}

fn part(plan: &Plan, rows: &RowWriter, stretch: &Stretch, line: &[u8]) -> anyhow::Result<Part> {
    let games = journal::parse(line)?;
    let records = games.records().context("a line of the journal contradicts itself")?;
    let mut tally = Tally { facts: vec![BTreeMap::new(); plan.facts.len()], ..Tally::default() };
    // The times are of the whole line, however many stretches of it are in the plan.
    if stretch.leads {
        tally.add_times(&games);
    }
    let asked = stretch.skip as usize..(stretch.skip + stretch.blocks) as usize;
    let records = records.get(asked).context("a line of the journal changed while it was read")?;
    let mut text = Vec::with_capacity(64 * records.len());
    for (block, record) in (stretch.first..).zip(records) {
        rows.write(block, record, &mut text);
        tally.add(record);
    }
    Ok(Part { first: stretch.first, rows: text, tally })
}

/// A game that broke its player's program has a row, and is in no sum: it says nothing about the player.
fn broken_row(broken: &Broken, rows: &RowWriter) -> Vec<u8> {
    let mut row = Vec::new();
    let record =
        GameRecord { score: 0, facts: Default::default(), moves: 0, won: false, ending: Ending::Panic };
    rows.write(broken.block, &record, &mut row);
    row
}

/// Consecutive stretches, as many at a time as may be in memory.
fn windows<'a, 'b>(stretches: &'b [Stretch<'a>]) -> impl Iterator<Item = &'b [Stretch<'a>]> {
    let mut rest = stretches;
    std::iter::from_fn(move || {
        let mut games = 0;
        let fits = rest.iter().take(WINDOW_LINES).take_while(|stretch| {
            games += stretch.blocks;
            games <= WINDOW_GAMES || games == stretch.blocks
        });
        let (window, left) = rest.split_at(fits.count());
        rest = left;
        (!window.is_empty()).then_some(window)
    })
}
