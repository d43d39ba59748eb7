//! The rows of `games.csv`, written and read. There may be millions of rows, so they are written
//! without the csv crate: 60 ns per row instead of 210. Only names of players can need quotes,
//! which the csv crate makes once.

use std::io::{self, Read};

use anyhow::{Context, bail};
use gauntlet_core::disk::MAX_LINE_LENGTH;
use gauntlet_core::game::{Fact, Facts, Outcome, Seat, Shape};
use gauntlet_core::record::{Ending, GameRecord, PANIC};
use itoa::Buffer;

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
pub(super) fn header(plan: &Plan) -> String {
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
    pub(super) fn write(&self, block: u64, legs: &[GameRecord], text: &mut Vec<u8>) {
        for (leg, record) in legs.iter().enumerate() {
            self.write_row(block, leg, record, text);
        }
    }

    fn write_row(&self, block: u64, leg: usize, record: &GameRecord, text: &mut Vec<u8>) {
        match self.shape {
            Shape::Solo => self.write_solo(block, record, text),
            Shape::Duel => self.write_duel(block, leg, record, text),
        }
    }

    /// Formats the row of one game, without the end of the line.
    pub fn format_row(&self, block: u64, leg: usize, record: &GameRecord) -> String {
        let mut text = Vec::new();
        self.write_row(block, leg, record, &mut text);
        String::from_utf8_lossy(&text).trim_end().to_owned()
    }

    /// Formats the beginning of the row of one game, which is unique.
    pub fn row_start(&self, block: u64, leg: usize) -> String {
        let mut text = self.names[leg].clone();
        match self.shape {
            Shape::Solo => write_numbers(&[block], &mut text),
            Shape::Duel => write_numbers(&[block, leg as u64], &mut text),
        }
        String::from_utf8_lossy(&text).into_owned()
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
    pub(super) fn write_broken(&self, block: u64, text: &mut Vec<u8>) {
        self.write(block, &vec![GameRecord::from_panic(Seat::First); self.shape.legs()], text);
    }

    fn write_solo(&self, block: u64, record: &GameRecord, text: &mut Vec<u8>) {
        text.extend_from_slice(&self.names[0]);
        write_numbers(&[block, self.plan.blocks.seed(block), record.score()], text);
        write_numbers(&record.facts[..self.fact_count], text);
        let mut buffer = Buffer::new();
        text.extend_from_slice(buffer.format(record.moves).as_bytes());
        text.extend_from_slice(if record.is_won_by(Seat::First) { b",true," } else { b",false," });
        text.extend_from_slice(record.ending.name().as_bytes());
        text.push(b'\n');
    }

    fn write_duel(&self, block: u64, leg: usize, record: &GameRecord, text: &mut Vec<u8>) {
        text.extend_from_slice(&self.names[leg]);
        write_numbers(&[block, leg as u64, self.plan.blocks.seed(block)], text);
        text.extend_from_slice(
            self.plan.opening(block).map_or(String::new(), |opening| opening.text).as_bytes(),
        );
        text.push(b',');
        text.extend_from_slice(match record.outcome {
            Outcome::Won(winner) => seat_name(winner),
            _ => b"none",
        });
        text.push(b',');
        write_numbers(&record.facts[..self.fact_count], text);
        write_numbers(&[record.moves], text);
        text.extend_from_slice(record.ending.name().as_bytes());
        text.push(b',');
        // Both games of a broken block are rows, and no seat is at fault: the run has reported
        // which player broke.
        let at_fault = record.ending.seat_at_fault().filter(|_| !record.ending.is_panic());
        text.extend_from_slice(at_fault.map_or(b"", seat_name));
        text.push(b'\n');
    }
}

/// Names a seat as in `games.csv`.
fn seat_name(seat: Seat) -> &'static [u8] {
    match seat {
        Seat::First => b"first",
        Seat::Second => b"second",
    }
}

/// Writes numbers, each followed by a comma.
fn write_numbers<N: itoa::Integer + Copy>(numbers: &[N], text: &mut Vec<u8>) {
    let mut buffer = Buffer::new();
    for &number in numbers {
        text.extend_from_slice(buffer.format(number).as_bytes());
        text.push(b',');
    }
}

/// A row of `games.csv`, parsed.
pub(super) struct ReadRow<'a> {
    /// Names of the players, as seated in this game.
    pub(super) names: [&'a str; 2],
    pub(super) block: u64,
    /// Leg of the block.
    pub(super) leg: u64,
    pub(super) seed: u64,
    pub(super) record: GameRecord,
}

/// Reads rows one by one; the number limits the bytes of the next row. A row has several lines if a
/// name has.
struct LimitedReader<'a>(&'a mut dyn Read, usize);

impl Read for LimitedReader<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let max_length = bytes.len().min(self.1);
        if max_length == 0 {
            let message = format!("a row is longer than {} MiB", MAX_LINE_LENGTH >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        let length = self.0.read(&mut bytes[..max_length])?;
        self.1 -= length;
        Ok(length)
    }
}

/// Reads the rows of games of this shape with these facts. In a solo game both names are the
/// player's.
pub(super) fn read_rows(
    csv: &mut dyn Read,
    shape: Shape,
    facts: &[Fact],
    on_row: &mut dyn FnMut(ReadRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut reader = csv::Reader::from_reader(LimitedReader(csv, MAX_LINE_LENGTH));
    let headers = reader.headers()?.clone();
    let find_column = |name: &str| headers.iter().position(|column| column == name);
    let require_column = |name: &str| find_column(name).with_context(|| format!("it has no column `{name}`"));
    let (block_column, seed_column) = (require_column("block")?, require_column("seed")?);
    let (moves_column, ending_column) = (require_column("moves")?, require_column("ending")?);
    let columns: Vec<Option<usize>> = facts.iter().map(|fact| find_column(fact.column)).collect();
    let shape_columns = match shape {
        Shape::Solo => ShapeColumns::Solo {
            player: require_column("player")?,
            score: require_column("score")?,
            won: require_column("won")?,
        },
        Shape::Duel => ShapeColumns::Duel {
            names: [require_column("first")?, require_column("second")?],
            leg: require_column("leg")?,
            winner: require_column("winner")?,
            at_fault: require_column("at_fault")?,
        },
    };
    let mut row = csv::StringRecord::new();
    loop {
        reader.get_mut().1 = MAX_LINE_LENGTH;
        if !reader.read_record(&mut row)? {
            break;
        }
        let line = || format!("line {}", row.position().map_or(0, csv::Position::line));
        let parse_number = |column: usize| row[column].parse().with_context(line);
        let (names, leg, outcome, seat) = match shape_columns {
            ShapeColumns::Solo { player, score, won } => {
                let outcome = Outcome::Points { score: parse_number(score)?, won: row[won] == *"true" };
                ([&row[player]; 2], 0, outcome, Seat::First)
            }
            ShapeColumns::Duel { names, leg, winner, at_fault } => {
                let outcome = match parse_seat(&row[winner]) {
                    Some(seat) => Outcome::Won(seat),
                    None if &row[winner] == "none" => Outcome::Drawn,
                    None => bail!("invalid winner: {}", line()),
                };
                (
                    names.map(|name| &row[name]),
                    parse_number(leg)?,
                    outcome,
                    parse_seat(&row[at_fault]).unwrap_or(Seat::First),
                )
            }
        };
        let ending = Ending::ALL.into_iter().find(|candidate| {
            candidate.name() == &row[ending_column]
                && candidate.seat_at_fault().is_none_or(|at_fault| at_fault == seat)
        });
        let ending = ending.with_context(|| format!("invalid ending: {}", line()))?;
        let moves = row[moves_column].parse().with_context(line)?;
        let mut facts = Facts::default();
        for (fact, column) in facts.iter_mut().zip(&columns) {
            *fact = column.map_or(Ok(0), |column| row[column].parse().with_context(line))?;
        }
        let record = GameRecord { outcome, facts, moves, ending };
        on_row(ReadRow {
            names,
            block: parse_number(block_column)?,
            leg,
            seed: parse_number(seed_column)?,
            record,
        })?;
    }
    Ok(())
}

/// Indices of the columns that only games of one shape have.
#[derive(Clone, Copy)]
enum ShapeColumns {
    Solo { player: usize, score: usize, won: usize },
    Duel { names: [usize; 2], leg: usize, winner: usize, at_fault: usize },
}

/// Parses a seat as in `games.csv`.
fn parse_seat(text: &str) -> Option<Seat> {
    [Seat::First, Seat::Second].into_iter().find(|&seat| seat_name(seat) == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use gauntlet_core::arena::Arena;
    use gauntlet_games::GAMES;

    use super::*;

    /// A quoted name may contain line breaks. A quote that is never closed is read only up to the
    /// longest row.
    #[test]
    fn a_row_without_end_is_refused() {
        let arena = Arena::find(&GAMES, "2048").expect("a game");
        let row = |name: &str| {
            format!("player,block,seed,score,max_tile,moves,won,ending\n{name},0,7,16,8,3,false,game-over\n")
        };
        let read_names = |csv: &mut dyn Read| {
            let mut names = Vec::new();
            let result = read_rows(csv, Shape::Solo, arena.facts, &mut |row| {
                names.push(row.names[0].to_owned());
                Ok(())
            });
            result.map(|()| names)
        };
        assert_eq!(read_names(&mut row("\"a\nb\"").as_bytes()).expect("rows"), ["a\nb"]);
        let unclosed = row("a") + "\"b";
        let error = read_names(&mut unclosed.as_bytes().chain(io::repeat(b'\n'))).expect_err("no end");
        assert!(format!("{error:#}").contains("a row is longer than 16 MiB"), "{error:#}");
    }
}
