//! Reads a journal once, block by block in the order of the plan. Writes `games.csv`, sums the
//! games, and passes each block to an observer.
//!
//! Memory is bounded. For each player it keeps one count per score, per value of a fact and per
//! duration. It reads one window of the plan at a time. Lines are parsed and rows formatted on all
//! threads, but joined in order. Sums are integers, so their order does not matter.

mod cluster_sums;
pub mod csv_tally;
pub mod meeting;
mod numbers;
pub mod player_times;
mod row_reader;
pub mod rows;
pub mod running_sums;
mod sums;

use std::io::Write;
use std::ops::Range;

use anyhow::Context;
use gauntlet_core::game::Seat;
use gauntlet_core::record::GameRecord;
use rayon::prelude::*;

use crate::block_span::{BlockSpan, group_by_line};
use crate::coverage::Coverage;
use crate::journal::{self, Journal, SessionEntry};
use crate::keyed_plan::KeyedPlan;
use crate::missing_blocks::BlockFailure;
use player_times::PARTS;
use rows::{RowText, RowWriter};
pub use sums::{LEVEL, Tally};

/// Bytes of the journal that are parsed together: enough to give every thread some lines.
const BATCH_BYTES: usize = 8 << 20;

/// Bytes of short rows that are written together.
const FLUSH_BYTES: usize = 1 << 20;

/// Bytes of rows of consecutive blocks that are written at once.
const MANY_BYTES: usize = 1 << 16;

/// Observer of blocks while a journal is read.
pub trait BlockObserver: Sync {
    /// Returns true if it needs this line-up.
    fn needs(&self, lineup: usize) -> bool;

    /// Receives consecutive blocks of a line-up, beginning with `first`, with the legs of each
    /// block in order. Blocks arrive in order; blocks that broke a player's program are omitted.
    fn on_blocks(&mut self, lineup: usize, first: u64, records: &[GameRecord]);
}

/// Writes `games.csv` and returns the sums of each player's games. `failures` has the blocks
/// without records because they broke a player's program.
pub fn tally(
    plan: &KeyedPlan,
    coverage: &Coverage,
    failures: &[BlockFailure],
    csv: &mut (dyn Write + Send),
    observer: &mut (dyn BlockObserver + Send),
) -> anyhow::Result<Vec<Tally>> {
    csv.write_all(rows::header(plan).as_bytes())?;
    tally_lineups(plan, coverage, failures, Some(csv), observer)
}

/// Returns the sums of each player's games, like [`tally`], without formatting rows.
pub fn tally_without_rows(
    plan: &KeyedPlan,
    coverage: &Coverage,
    failures: &[BlockFailure],
    observer: &mut (dyn BlockObserver + Send),
) -> anyhow::Result<Vec<Tally>> {
    tally_lineups(plan, coverage, failures, None, observer)
}

fn tally_lineups(
    plan: &KeyedPlan,
    coverage: &Coverage,
    failures: &[BlockFailure],
    mut csv: Option<&mut (dyn Write + Send)>,
    observer: &mut (dyn BlockObserver + Send),
) -> anyhow::Result<Vec<Tally>> {
    let mut tallies = vec![Tally::new(plan.arena.facts.len()); plan.players.len()];
    for lineup in 0..plan.lineups.len() {
        let rows = csv.is_some().then(|| RowWriter::new(plan, lineup));
        let needs_records = observer.needs(lineup);
        let lineup_failures: Vec<_> = failures.iter().filter(|failure| failure.lineup == lineup).collect();
        let csv_output = csv.as_deref_mut().zip(rows.as_ref()).map(|(csv, rows)| CsvOutput {
            csv,
            rows,
            failures: &lineup_failures,
            text: RowText::default(),
        });
        let mut output = LineUpOutput { lineup, csv: csv_output, observer: &mut *observer };
        let members = plan.lineups[lineup].members();
        // While all threads parse a window, the previous one is written.
        let mut parsed_parts = Vec::new();
        for window in coverage.windows(lineup) {
            let previous_parts = std::mem::take(&mut parsed_parts);
            let (next, pass_result) = rayon::join(
                || tally_window(plan, lineup, coverage.journal, rows.as_ref(), window, needs_records),
                || output.pass_on(&previous_parts),
            );
            pass_result?;
            let (parts, sums) = next?;
            members.iter().zip(sums).for_each(|(&player, sum)| tallies[player].merge(sum));
            parsed_parts = parts;
        }
        output.pass_on(&parsed_parts)?;
        output.csv.map_or(Ok(()), CsvOutput::finish)?;
        for &player in members {
            tallies[player].failed_games += plan.legs() * lineup_failures.len() as u64;
        }
    }
    note_sessions(&mut tallies, coverage.journal.sessions());
    Ok(tallies)
}

/// Adds to the clocks of all players what the sessions show.
fn note_sessions(tallies: &mut [Tally], sessions: &[SessionEntry]) {
    let has_several_machines = journal::are_of_several_machines(sessions);
    let threads: Vec<usize> = sessions.iter().map(|session| session.threads).collect();
    for tally in tallies {
        tally.move_times.note_sessions(&threads);
        tally.move_times.has_several_machines = has_several_machines;
        tally.move_times.cut_games = tally.out_of_time;
    }
}

/// Part of a window that is in one line of the journal.
struct Part {
    /// Rows of `games.csv`, in the order of the line.
    rows: Vec<u8>,
    /// Blocks of these rows.
    pieces: Vec<Piece>,
}

/// Consecutive blocks.
struct Piece {
    first: u64,
    rows: Range<usize>,
    /// Records, if the observer needs them.
    records: Vec<GameRecord>,
}

/// Receives the blocks of one line-up, in order.
struct LineUpOutput<'a> {
    lineup: usize,
    /// Where rows are written, if they are needed.
    csv: Option<CsvOutput<'a>>,
    observer: &'a mut (dyn BlockObserver + Send),
}

impl LineUpOutput<'_> {
    fn pass_on(&mut self, parts: &[Part]) -> anyhow::Result<()> {
        let pieces = parts.iter().flat_map(|part| part.pieces.iter().map(move |piece| (piece, &part.rows)));
        let mut pieces: Vec<_> = pieces.collect();
        pieces.sort_unstable_by_key(|(piece, _)| piece.first);
        for (piece, part_rows) in pieces {
            if let Some(csv) = &mut self.csv {
                csv.write(piece.first, &part_rows[piece.rows.clone()])?;
            }
            if !piece.records.is_empty() {
                self.observer.on_blocks(self.lineup, piece.first, &piece.records);
            }
        }
        self.csv.as_mut().map_or(Ok(()), CsvOutput::flush)
    }
}

/// Writes the rows of one line-up.
struct CsvOutput<'a> {
    csv: &'a mut (dyn Write + Send),
    rows: &'a RowWriter<'a>,
    /// Blocks without a record that are not written yet.
    failures: &'a [&'a BlockFailure],
    /// Rows that are not written yet.
    text: RowText,
}

impl CsvOutput<'_> {
    /// Writes the rows of consecutive blocks after those of earlier broken blocks.
    fn write(&mut self, first: u64, rows: &[u8]) -> anyhow::Result<()> {
        while let Some((failure, rest)) = self.failures.split_first().filter(|(one, _)| one.block < first) {
            self.rows.write_broken(failure.block, &mut self.text);
            self.failures = rest;
        }
        // Many rows are written without a copy.
        let are_many = rows.len() >= MANY_BYTES;
        if are_many || self.text.length() >= FLUSH_BYTES {
            self.flush()?;
        }
        if are_many {
            self.csv.write_all(rows)?;
        } else {
            self.text.push(rows);
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.csv.write_all(self.text.bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Writes the broken blocks after the last block with records.
    fn finish(mut self) -> anyhow::Result<()> {
        for failure in self.failures {
            self.rows.write_broken(failure.block, &mut self.text);
        }
        self.flush()
    }
}

/// Parses a window, and sums its games for each member of the line-up. Without `rows`, no rows are
/// formatted.
fn tally_window(
    plan: &KeyedPlan,
    lineup: usize,
    journal: &Journal,
    rows: Option<&RowWriter>,
    window: &[BlockSpan],
    needs_records: bool,
) -> anyhow::Result<(Vec<Part>, Vec<Tally>)> {
    let empty = || vec![Tally::new(plan.arena.facts.len()); plan.lineups[lineup].members().len()];
    let lines: Vec<_> = group_by_line(window).into_iter().collect();
    let (mut parts, mut tallies) = (Vec::with_capacity(lines.len()), empty());
    let mut rest = &lines[..];
    while !rest.is_empty() {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while let Some(((line, spans), remaining)) = rest.split_first()
            && (bytes == 0 || bytes + journal.line(*line).bytes() <= BATCH_BYTES)
        {
            bytes += journal.line(*line).bytes();
            batch.push((journal.line(*line).session, journal.read_raw(*line)?, spans));
            rest = remaining;
        }
        // Sums take kilobytes, and a line may have only a few games.
        let chunk_size = (batch.len() / MAX_CHUNK).clamp(1, MAX_CHUNK);
        let chunk_results = batch.par_chunks(chunk_size).map(|lines| {
            let mut tallies = empty();
            let parts = lines.iter().map(|(session, line, spans)| {
                parse_part(plan, rows, spans, (*session, line), needs_records, &mut tallies)
            });
            parts.collect::<anyhow::Result<Vec<_>>>().map(|parts| (parts, tallies))
        });
        for (chunk_parts, sums) in chunk_results.collect::<anyhow::Result<Vec<_>>>()? {
            parts.extend(chunk_parts);
            tallies.iter_mut().zip(sums).for_each(|(tally, sum)| tally.merge(sum));
        }
    }
    Ok((parts, tallies))
}

/// Largest number of lines that are summed together; for few lines, the largest number of such
/// sums.
const MAX_CHUNK: usize = 64;

fn parse_part(
    plan: &KeyedPlan,
    rows: Option<&RowWriter>,
    spans: &[BlockSpan],
    (session, line): (usize, &[u8]),
    needs_records: bool,
    tallies: &mut [Tally],
) -> anyhow::Result<Part> {
    let games = journal::parse(line)?;
    let records = games.records().context("a line of the journal is inconsistent")?;
    // Times are those of the whole line, even if several of its stretches are in the plan.
    if let Some(span) = spans.iter().find(|stretch| stretch.is_first_in_line) {
        let time_part = span.first * PARTS / plan.blocks.len();
        let stratum = ((session as u64).saturating_add(1), time_part);
        for (tally, times) in tallies.iter_mut().zip(games.times_of_members()) {
            tally.add_times(stratum, times, games.threads);
        }
    }
    let legs = plan.legs();
    let blocks = spans.iter().map(|span| span.blocks).sum::<u64>();
    let mut text = RowText::with_capacity(rows.map_or(0, |_| (64 * legs * blocks) as usize));
    let mut pieces = Vec::with_capacity(spans.len());
    for span in spans {
        let records = span.entries(&records, legs)?;
        // In duels it is unknown which player visited how many positions.
        if let [tally] = &mut *tallies
            && !games.nodes.is_empty()
        {
            tally.add_nodes(span.entries(&games.nodes, legs)?);
        }
        let start = text.length();
        for (block, block_records) in (span.first..).zip(records.chunks(legs as usize)) {
            if let Some(rows) = rows {
                rows.write(block, block_records, &mut text);
            }
            for (tally, seat) in tallies.iter_mut().zip([Seat::First, Seat::Second]) {
                tally.add_block(seat, block_records);
            }
        }
        let records = if needs_records { records.to_vec() } else { Vec::new() };
        pieces.push(Piece { first: span.first, rows: start..text.length(), records });
    }
    Ok(Part { rows: text.into_bytes(), pieces })
}
