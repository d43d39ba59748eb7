//! The rows of `games.csv`, written and read. There may be millions of them, so they are written without the csv crate:
//! 60 ns a row instead of 210. Only the player's name can need quotes, and those the csv crate made, once.

use std::io::Read;

use anyhow::{Context, bail};
use itoa::Buffer;

use crate::config::Blocks;
use crate::measure::{REACHED, What};
use crate::plan::Plan;
use crate::record::{Ending, GameRecord};

/// The line of column names.
pub fn header(facts: &[&str]) -> String {
    let own: String = facts.iter().map(|fact| format!(",{fact}")).collect();
    format!("player,block,seed,score{own},moves,won,ending\n")
}

/// Writes the rows of one player.
pub struct RowWriter<'a> {
    name: Vec<u8>,
    blocks: &'a Blocks,
    facts: usize,
}

impl<'a> RowWriter<'a> {
    pub(super) fn new(name: &str, plan: &'a Plan<'_>) -> RowWriter<'a> {
        let mut writer =
            csv::WriterBuilder::new().terminator(csv::Terminator::Any(b',')).from_writer(Vec::new());
        writer.write_record([name]).expect("writing to memory does not fail");
        let name = writer.into_inner().expect("writing to memory does not fail");
        RowWriter { name, blocks: &plan.blocks, facts: plan.facts.len() }
    }

    pub(super) fn write(&self, block: u64, record: &GameRecord, text: &mut Vec<u8>) {
        let mut buffer = Buffer::new();
        text.extend_from_slice(&self.name);
        for number in [block, self.blocks.seed(block), record.score] {
            text.extend_from_slice(buffer.format(number).as_bytes());
            text.push(b',');
        }
        for &fact in &record.facts[..self.facts] {
            text.extend_from_slice(buffer.format(fact).as_bytes());
            text.push(b',');
        }
        text.extend_from_slice(buffer.format(record.moves).as_bytes());
        text.extend_from_slice(if record.won { b",true," } else { b",false," });
        text.extend_from_slice(record.ending.name().as_bytes());
        text.push(b'\n');
    }
}

/// The games of one player.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The player.
    pub name: String,
    /// Its games, in the order of blocks.
    pub games: Vec<Game>,
}

/// What comparisons ask of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    /// The seed of its block: games of equal seeds met the same tiles.
    pub seed: u64,
    /// The score.
    pub score: u64,
    /// How far it came, where the game tells.
    pub reached: i64,
    /// Whether it was won.
    pub won: bool,
}

impl Game {
    /// Whether it counts as a success where a rate is asked for.
    ///
    /// # Panics
    /// If it is not a rate that is asked for.
    pub fn succeeds(&self, by: What) -> bool {
        match by {
            What::Win => self.won,
            What::Reach(tile) => self.reached >= i64::from(tile),
            _ => unreachable!("{by} is no rate"),
        }
    }
}

/// Reads the rows again. Games that broke their player's program are left out.
pub fn read(csv: impl Read) -> anyhow::Result<Vec<Played>> {
    let mut reader = csv::Reader::from_reader(csv);
    let heads = reader.headers()?.clone();
    let place = |name: &str| heads.iter().position(|head| head == name);
    let needed = |name: &str| place(name).with_context(|| format!("it has no column `{name}`"));
    let (player, seed, score) = (needed("player")?, needed("seed")?, needed("score")?);
    let (won, ending, reached) = (needed("won")?, needed("ending")?, place(REACHED));
    let mut all: Vec<Played> = Vec::new();
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row)? {
        let (name, line) =
            (&row[player], || format!("line {}", row.position().map_or(0, csv::Position::line)));
        if all.last().is_none_or(|last| last.name != *name) {
            if all.iter().any(|known| known.name == *name) {
                bail!("the games of {name} do not follow each other, in {}", line());
            }
            all.push(Played { name: name.to_owned(), games: Vec::new() });
        }
        if row[ending] == *Ending::Panic.name() {
            continue;
        }
        let number = |place: usize| row[place].parse().with_context(line);
        let reached = reached.map_or(Ok(0), |place| row[place].parse().with_context(line))?;
        let game = Game { seed: number(seed)?, score: number(score)?, reached, won: row[won] == *"true" };
        all.last_mut().expect("just pushed").games.push(game);
    }
    Ok(all)
}
