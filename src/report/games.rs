//! The rows of `games.csv`. There may be millions of them, so they are written without the csv crate: 60 ns a row
//! instead of 210. Only the player's name can need quotes, and those the csv crate made, once.

use itoa::Buffer;

use crate::config::Blocks;
use crate::plan::Plan;
use crate::record::GameRecord;

/// The line of column names.
pub(super) fn header(facts: &[&str]) -> String {
    let own: String = facts.iter().map(|fact| format!(",{fact}")).collect();
    format!("player,block,seed,score{own},moves,won,ending\n")
}

/// Writes the rows of one player.
pub(super) struct RowWriter<'a> {
    name: Vec<u8>,
    blocks: &'a Blocks,
    facts: usize,
}

impl<'a> RowWriter<'a> {
    pub(super) fn new(name: &str, plan: &Plan<'a>) -> RowWriter<'a> {
        let mut writer =
            csv::WriterBuilder::new().terminator(csv::Terminator::Any(b',')).from_writer(Vec::new());
        writer.write_record([name]).expect("writing to memory does not fail");
        let name = writer.into_inner().expect("writing to memory does not fail");
        RowWriter { name, blocks: plan.blocks, facts: plan.facts.len() }
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
