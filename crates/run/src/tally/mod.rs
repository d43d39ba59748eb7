//! Reads a journal once, block by block in the order of the plan. Writes `games.csv`, sums the
//! games, and passes each block to an observer.
//!
//! Memory is bounded. For each player it keeps one count per score, per value of a fact and per
//! duration. It reads one window of the plan at a time. Lines are parsed and rows formatted on all
//! threads, but joined in order. Sums are integers, so their order does not matter.

mod by_cluster;
pub mod clock;
pub mod meeting;
mod numbers;
pub mod replay;
pub mod rows;
pub mod running;
mod sums;

use std::io::Write;
use std::ops::Range;

use anyhow::Context;
use gauntlet_core::game::Seat;
use gauntlet_core::record::GameRecord;
use rayon::prelude::*;

use crate::block_span::{BlockSpan, group_by_line};
use crate::broken::BlockFailure;
use crate::coverage::Coverage;
use crate::journal::{self, Journal, SessionEntry};
use crate::keyed::KeyedPlan;
use clock::PARTS;
use rows::RowWriter;
pub use sums::{LEVEL, Tally};

/// Bytes of the journal that are parsed together: enough to give every thread some lines.
const BATCH: usize = 8 << 20;

/// Bytes of text that are written at once.
const FLUSHED: usize = 1 << 20;

/// Observer of blocks while a journal is read.
pub trait BlockObserver: Sync {
    /// Returns true if it needs this line-up.
    fn wants(&self, lineup: usize) -> bool;

    /// Receives consecutive blocks of a line-up, beginning with `first`, with the legs of each
    /// block in order. Blocks arrive in order; blocks that broke a player's program are omitted.
    fn on_blocks(&mut self, lineup: usize, first: u64, records: &[GameRecord]);
}

/// Writes `games.csv` and returns the sums of each player's games. `broken` has the blocks without
/// records because they broke a player's program.
pub fn tally(
    plan: &KeyedPlan,
    coverage: &Coverage,
    broken: &[BlockFailure],
    csv: &mut (dyn Write + Send),
    audience: &mut (dyn BlockObserver + Send),
) -> anyhow::Result<Vec<Tally>> {
    let facts = plan.arena.facts.len();
    write_rows(csv, rows::header(plan).as_bytes())?;
    let mut tallies = vec![Tally::new(facts); plan.players.len()];
    for lineup in 0..plan.lineups.len() {
        let rows = RowWriter::new(plan, lineup);
        let wants = audience.wants(lineup);
        let broken: Vec<_> = broken.iter().filter(|broken| broken.lineup == lineup).collect();
        let mut sheet = Sheet { csv: &mut *csv, rows: &rows, broken: &broken, audience: &mut *audience };
        let members = plan.lineups[lineup].members();
        // While all threads parse a window, the previous one is written.
        let mut parsed = Vec::new();
        for window in coverage.windows(lineup) {
            let ready = std::mem::take(&mut parsed);
            let (next, flushed) = rayon::join(
                || tally_window(plan, lineup, coverage.journal, Some(&rows), window, wants),
                || sheet.flush(lineup, &ready),
            );
            flushed?;
            let (parts, sums) = next?;
            members.iter().zip(sums).for_each(|(&player, sum)| tallies[player].merge(sum));
            parsed = parts;
        }
        sheet.flush(lineup, &parsed)?;
        sheet.finish()?;
        for &player in members {
            tallies[player].broken += plan.legs() * broken.len() as u64;
        }
    }
    note_sessions(&mut tallies, coverage.journal.sessions());
    Ok(tallies)
}

/// Adds to the clocks of all players what the sessions show.
fn note_sessions(tallies: &mut [Tally], sessions: &[SessionEntry]) {
    let of_several_machines = journal::are_of_several_machines(sessions);
    let threads: Vec<usize> = sessions.iter().map(|session| session.threads).collect();
    for tally in tallies {
        tally.clock.note_sessions(&threads);
        tally.clock.of_several_machines = of_several_machines;
        tally.clock.cut_games = tally.out_of_time;
    }
}

fn write_rows(csv: &mut (dyn Write + Send), bytes: &[u8]) -> anyhow::Result<()> {
    Ok(csv.write_all(bytes)?)
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

/// Writes the rows of one line-up and passes its blocks to the observer, in order.
struct Sheet<'a> {
    csv: &'a mut (dyn Write + Send),
    rows: &'a RowWriter<'a>,
    /// Blocks without a record that are not written yet.
    broken: &'a [&'a BlockFailure],
    audience: &'a mut (dyn BlockObserver + Send),
}

impl Sheet<'_> {
    fn flush(&mut self, lineup: usize, parts: &[Part]) -> anyhow::Result<()> {
        let pieces = parts.iter().flat_map(|part| part.pieces.iter().map(move |piece| (piece, &part.rows)));
        let mut pieces: Vec<_> = pieces.collect();
        pieces.sort_unstable_by_key(|(piece, _)| piece.first);
        let mut text = Vec::with_capacity(2 * FLUSHED);
        for (piece, rows_of_part) in pieces {
            while let Some((broken, rest)) =
                self.broken.split_first().filter(|(one, _)| one.block < piece.first)
            {
                self.rows.write_broken(broken.block, &mut text);
                self.broken = rest;
            }
            text.extend_from_slice(&rows_of_part[piece.rows.clone()]);
            if !piece.records.is_empty() {
                self.audience.on_blocks(lineup, piece.first, &piece.records);
            }
            if text.len() > FLUSHED {
                write_rows(self.csv, &text)?;
                text.clear();
            }
        }
        write_rows(self.csv, &text)
    }

    /// Writes the broken blocks after the last block with records.
    fn finish(&mut self) -> anyhow::Result<()> {
        let mut text = Vec::new();
        for broken in std::mem::take(&mut self.broken) {
            self.rows.write_broken(broken.block, &mut text);
        }
        write_rows(self.csv, &text)
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
    wants: bool,
) -> anyhow::Result<(Vec<Part>, Vec<Tally>)> {
    let empty = || vec![Tally::new(plan.arena.facts.len()); plan.lineups[lineup].members().len()];
    let lines: Vec<_> = group_by_line(window).into_iter().collect();
    let (mut parts, mut tallies) = (Vec::with_capacity(lines.len()), empty());
    let mut rest = &lines[..];
    while !rest.is_empty() {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while let Some(((line, stretches), left)) = rest.split_first()
            && (bytes == 0 || bytes + journal.line(*line).bytes() <= BATCH)
        {
            bytes += journal.line(*line).bytes();
            batch.push((journal.line(*line).session, journal.read_raw(*line)?, stretches));
            rest = left;
        }
        // Sums take kilobytes, and a line may have only a few games.
        let together = (batch.len() / TOGETHER).clamp(1, TOGETHER);
        let some = batch.par_chunks(together).map(|lines| {
            let mut tallies = empty();
            let parts = lines
                .iter()
                .map(|(session, line, of)| parse_part(plan, rows, of, (*session, line), wants, &mut tallies));
            parts.collect::<anyhow::Result<Vec<_>>>().map(|parts| (parts, tallies))
        });
        for (some, sums) in some.collect::<anyhow::Result<Vec<_>>>()? {
            parts.extend(some);
            tallies.iter_mut().zip(sums).for_each(|(tally, sum)| tally.merge(sum));
        }
    }
    Ok((parts, tallies))
}

/// Largest number of lines that are summed together; for few lines, the largest number of such
/// sums.
const TOGETHER: usize = 64;

fn parse_part(
    plan: &KeyedPlan,
    rows: Option<&RowWriter>,
    stretches: &[BlockSpan],
    (session, line): (usize, &[u8]),
    wants: bool,
    tallies: &mut [Tally],
) -> anyhow::Result<Part> {
    let games = journal::parse(line)?;
    let records = games.records().context("a line of the journal is inconsistent")?;
    // Times are those of the whole line, even if several of its stretches are in the plan.
    if let Some(stretch) = stretches.iter().find(|stretch| stretch.leads) {
        let part = stretch.first * PARTS / plan.blocks.len();
        let place = ((session as u64).saturating_add(1), part);
        for (tally, times) in tallies.iter_mut().zip(games.times_of_members()) {
            tally.add_times(place, times, games.threads);
        }
    }
    let legs = plan.legs();
    let blocks = stretches.iter().map(|stretch| stretch.blocks).sum::<u64>();
    let mut text = Vec::with_capacity(rows.map_or(0, |_| (64 * legs * blocks) as usize));
    let mut pieces = Vec::with_capacity(stretches.len());
    for stretch in stretches {
        let records = stretch.entries(&records, legs)?;
        // In duels it is unknown which player visited how many positions.
        if let [tally] = &mut *tallies
            && !games.nodes.is_empty()
        {
            tally.add_nodes(stretch.entries(&games.nodes, legs)?);
        }
        let start = text.len();
        for (block, of_block) in (stretch.first..).zip(records.chunks(legs as usize)) {
            if let Some(rows) = rows {
                rows.write(block, of_block, &mut text);
            }
            for (tally, seat) in tallies.iter_mut().zip([Seat::First, Seat::Second]) {
                tally.add_block(seat, of_block);
            }
        }
        let records = if wants { records.to_vec() } else { Vec::new() };
        pieces.push(Piece { first: stretch.first, rows: start..text.len(), records });
    }
    Ok(Part { rows: text, pieces })
}
