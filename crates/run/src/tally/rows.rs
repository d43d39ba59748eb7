//! Writes the rows of `games.csv`. There may be millions of rows, so they are written without the
//! csv crate, which takes several times as long. Only names of players can need quotes, which the
//! csv crate makes once.

use gauntlet_core::game::{Fact, Outcome, Seat, Shape};
use gauntlet_core::record::{GameRecord, PANIC};

use crate::decimal::{self, MAX_DIGITS};
use crate::plan::Plan;

/// Columns of a solo game with the manual's text; the facts of the game follow the score.
pub const SOLO_COLUMNS: &[(&str, &str)] = &[
    ("player", "Name of the player."),
    ("block", "Block number, from 0."),
    ("seed", "Seed of the block."),
    ("score", "Final score."),
    ("moves", "Number of moves."),
    ("won", "`true` if the game was won, otherwise `false`."),
    ("ending", "Reason for the end of the game."),
];

/// Columns of a duel with the manual's text; the facts of the game follow the winner.
pub const DUEL_COLUMNS: &[(&str, &str)] = &[
    ("first", "Player in the first seat; in Gomoku, black."),
    ("second", "Player in the second seat; in Gomoku, white."),
    ("block", "Block number, from 0."),
    ("leg", "Game of the block, 0 or 1; in game 1, the seats are swapped."),
    ("seed", "Seed of the block."),
    ("opening", "Cells of the opening."),
    ("winner", "Seat of the winner: `first`, `second` or `none`."),
    ("moves", "Number of moves of both players, without the opening."),
    ("ending", "Reason for the end of the game."),
    ("at_fault", "Seat of the player at fault; empty if neither was at fault."),
];

/// Returns the columns of a game's table with the manual's text.
pub fn columns(shape: Shape, facts: &[Fact]) -> Vec<(&'static str, String)> {
    let (columns, preceding) = match shape {
        Shape::Solo => (SOLO_COLUMNS, "score"),
        Shape::Duel => (DUEL_COLUMNS, "winner"),
    };
    let fact_columns = facts.iter().map(|fact| (fact.column, format!("Final {}.", fact.noun)));
    let index = columns.iter().position(|(name, _)| *name == preceding).expect("this column") + 1;
    let mut columns: Vec<_> = columns.iter().map(|&(name, meaning)| (name, meaning.to_owned())).collect();
    columns.splice(index..index, fact_columns);
    columns
}

/// Returns the line of column names.
pub fn header(plan: &Plan) -> String {
    let columns = columns(plan.arena.shape, plan.arena.facts);
    columns.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(",") + "\n"
}

pub struct RowWriter<'a> {
    /// Names of the players, each followed by a comma, as seated in each leg.
    names: Vec<Vec<u8>>,
    plan: &'a Plan<'a>,
    fact_count: usize,
    shape: Shape,
}

impl<'a> RowWriter<'a> {
    /// Creates the writer of a line-up.
    pub fn new(plan: &'a Plan<'_>, lineup: usize) -> RowWriter<'a> {
        let names: Vec<&str> = plan.members(lineup).map(|player| player.name).collect();
        let format_names = |names: &mut dyn Iterator<Item = &&str>| {
            let mut writer =
                csv::WriterBuilder::new().terminator(csv::Terminator::Any(b',')).from_writer(Vec::new());
            writer.write_record(names).expect("writing to memory does not fail");
            writer.into_inner().expect("writing to memory does not fail")
        };
        // In the second leg of a duel the seats are swapped.
        let names = match plan.arena.shape {
            Shape::Solo => vec![format_names(&mut names.iter())],
            Shape::Duel => vec![format_names(&mut names.iter()), format_names(&mut names.iter().rev())],
        };
        RowWriter { names, plan, fact_count: plan.arena.facts.len(), shape: plan.arena.shape }
    }

    /// Writes the games of a block, one per leg.
    pub(super) fn write(&self, block: u64, legs: &[GameRecord], text: &mut RowText) {
        for (leg, record) in legs.iter().enumerate() {
            self.write_row(block, leg, record, text);
        }
    }

    fn write_row(&self, block: u64, leg: usize, record: &GameRecord, text: &mut RowText) {
        match self.shape {
            Shape::Solo => self.write_solo(block, record, text),
            Shape::Duel => self.write_duel(block, leg, record, text),
        }
    }

    /// Formats the row of one game, without the end of the line.
    pub fn format_row(&self, block: u64, leg: usize, record: &GameRecord) -> String {
        let mut text = RowText::default();
        self.write_row(block, leg, record, &mut text);
        String::from_utf8_lossy(text.bytes()).trim_end().to_owned()
    }

    /// Formats the beginning of the row of one game, which is unique.
    pub fn row_start(&self, block: u64, leg: usize) -> String {
        let mut text = RowText::default();
        text.push(&self.names[leg]);
        text.push_number(block);
        if self.shape == Shape::Duel {
            text.push_number(leg as u64);
        }
        String::from_utf8_lossy(text.bytes()).into_owned()
    }

    /// Returns true if a row belongs to a block that broke a player's program.
    pub fn is_broken(&self, row: &str) -> bool {
        let up_to_ending = match self.shape {
            Shape::Solo => Some(row),
            Shape::Duel => row.strip_suffix(','),
        };
        up_to_ending.is_some_and(|row| row.ends_with(&format!(",{PANIC}")))
    }

    /// Writes the rows of a block that broke a player's program, which count for no player.
    pub(super) fn write_broken(&self, block: u64, text: &mut RowText) {
        self.write(block, &vec![GameRecord::from_panic(Seat::First); self.shape.legs()], text);
    }

    fn write_solo(&self, block: u64, record: &GameRecord, text: &mut RowText) {
        text.push(&self.names[0]);
        text.push_number(block);
        text.push_number(self.plan.blocks.seed(block));
        text.push_number(record.score());
        text.push_facts(&record.facts[..self.fact_count]);
        text.push_number(record.moves.into());
        text.push(if record.is_won_by(Seat::First) { b"true," } else { b"false," });
        text.push(record.ending.name().as_bytes());
        text.push(b"\n");
    }

    fn write_duel(&self, block: u64, leg: usize, record: &GameRecord, text: &mut RowText) {
        text.push(&self.names[leg]);
        text.push_number(block);
        text.push_number(leg as u64);
        text.push_number(self.plan.blocks.seed(block));
        text.push(self.plan.opening(block).map_or(String::new(), |opening| opening.text).as_bytes());
        text.push(b",");
        text.push(match record.outcome {
            Outcome::Won(winner) => seat_name(winner),
            _ => b"none",
        });
        text.push(b",");
        text.push_facts(&record.facts[..self.fact_count]);
        text.push_number(record.moves.into());
        text.push(record.ending.name().as_bytes());
        text.push(b",");
        // Both games of a broken block are rows, and no seat is at fault: the run has reported
        // which player broke.
        let at_fault = record.ending.seat_at_fault().filter(|_| !record.ending.is_panic());
        text.push(at_fault.map_or(b"", seat_name));
        text.push(b"\n");
    }
}

/// Text of rows. Its buffer is longer than the text, so that most additions need no new memory.
#[derive(Default)]
pub(super) struct RowText {
    buffer: Vec<u8>,
    length: usize,
}

impl RowText {
    /// Creates an empty text with room for this many bytes.
    pub(super) fn with_capacity(capacity: usize) -> RowText {
        RowText { buffer: vec![0; capacity], length: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.room(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    /// Adds a number and a comma.
    fn push_number(&mut self, number: u64) {
        let room = self.room(MAX_DIGITS + 1);
        let digits = decimal::write_number(number, room);
        room[digits] = b',';
        self.length += digits + 1;
    }

    /// Adds facts, each followed by a comma.
    fn push_facts(&mut self, facts: &[i64]) {
        for &fact in facts {
            if fact < 0 {
                self.push(b"-");
            }
            self.push_number(fact.unsigned_abs());
        }
    }

    /// Returns the buffer after the text, which has at least this many bytes.
    fn room(&mut self, bytes: usize) -> &mut [u8] {
        if self.buffer.len() < self.length + bytes {
            self.buffer.resize(2 * self.length + bytes, 0);
        }
        &mut self.buffer[self.length..]
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    pub(super) fn clear(&mut self) {
        self.length = 0;
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        let RowText { mut buffer, length } = self;
        buffer.truncate(length);
        buffer
    }
}

/// Names a seat as in `games.csv`.
pub(super) fn seat_name(seat: Seat) -> &'static [u8] {
    match seat {
        Seat::First => b"first",
        Seat::Second => b"second",
    }
}
