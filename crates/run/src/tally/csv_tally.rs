//! Sums of games from `games.csv`, which has no clock readings. No function is generic, because the
//! packages that call them are not optimised.

use std::io::Read;

use anyhow::{bail, ensure};
use gauntlet_core::game::Seat;
use gauntlet_core::record::GameRecord;
use gauntlet_core::text::{format_count, format_games, group_digits};

use super::row_reader::{self, ReadRow};
use super::sums::Tally;
use crate::plan::Plan;

/// Reads the rows of the first blocks of a plan, an equal number for every line-up. Returns the
/// sums of each player's games, and the number of blocks. Calls `on_block` for each block of a
/// line-up, with the line-up's index, the block and the records of its legs. Blocks that broke a
/// player's program are included.
pub fn tally_rows(
    plan: &Plan,
    csv: &mut dyn Read,
    on_block: &mut dyn FnMut(usize, u64, &[GameRecord]),
) -> anyhow::Result<(Vec<Tally>, u64)> {
    let mut tallies = vec![Tally::new(plan.arena.facts.len()); plan.players.len()];
    let blocks = read_rows(plan, csv, &mut |lineup, block, legs| {
        for (&player, seat) in plan.lineups[lineup].members().iter().zip([Seat::First, Seat::Second]) {
            if is_broken(legs) {
                tallies[player].failed_games += legs.len() as u64;
            } else {
                tallies[player].add_block(seat, legs);
            }
        }
        on_block(lineup, block, legs);
    })?;
    Ok((tallies, blocks))
}

/// Calls `on_block` with the games of each block, except those that broke a player's program.
pub fn read_whole_blocks(
    plan: &Plan,
    csv: &mut dyn Read,
    on_block: &mut dyn FnMut(usize, u64, &[GameRecord]),
) -> anyhow::Result<()> {
    read_rows(plan, csv, &mut |lineup, block, legs| {
        if !is_broken(legs) {
            on_block(lineup, block, legs);
        }
    })?;
    Ok(())
}

/// Returns true if the program of a player panicked in a game of the block. Such a block counts for
/// neither player.
pub fn is_broken(legs: &[GameRecord]) -> bool {
    legs.iter().any(|record| record.ending.is_panic())
}

/// Reads and validates rows without keeping them, and returns the number of blocks.
pub fn read_rows(
    plan: &Plan,
    csv: &mut dyn Read,
    on_block: &mut dyn FnMut(usize, u64, &[GameRecord]),
) -> anyhow::Result<u64> {
    let mut position = PlanPosition::new(plan);
    let mut legs: Vec<GameRecord> = Vec::with_capacity(2);
    row_reader::read_rows(csv, plan.arena.shape, plan.arena.facts, &mut |row| {
        position.check(&row, legs.len() as u64)?;
        let ReadRow { record, block, .. } = row;
        let entry = plan.players[plan.lineups[position.lineup].members()[0]].entry;
        if !record.ending.is_panic()
            && let Some(reason) = entry.invalid_reason(&record, plan.max_moves)
        {
            bail!("impossible game of {} on block {block}: {reason}", plan.title(position.lineup));
        }
        legs.push(record);
        if legs.len() as u64 == plan.legs() {
            on_block(position.lineup, block, &legs);
            legs.clear();
            position.block += 1;
        }
        Ok(())
    })?;
    ensure!(legs.is_empty(), "the last block of {} has only one game", plan.title(position.lineup));
    position.finish()
}

/// Current position in the plan.
struct PlanPosition<'a> {
    plan: &'a Plan<'a>,
    lineup: usize,
    /// Names of the line-up's players, as seated in each leg; `None` after the last line-up.
    names: Option<[[&'a str; 2]; 2]>,
    /// Blocks read of the current line-up.
    block: u64,
    /// Number of blocks of the first line-up, once all are read.
    blocks: Option<u64>,
}

impl<'a> PlanPosition<'a> {
    fn new(plan: &'a Plan<'a>) -> PlanPosition<'a> {
        PlanPosition { plan, lineup: 0, names: seated_names(plan, 0), block: 0, blocks: None }
    }

    /// Checks that a row is the expected one, after `legs` legs of its block.
    fn check(&mut self, row: &ReadRow, legs: u64) -> anyhow::Result<()> {
        let PlanPosition { plan, .. } = *self;
        if !self.has_names(legs, row) && legs == 0 && self.block > 0 {
            self.end_lineup()?;
            self.lineup += 1;
            self.names = seated_names(plan, self.lineup);
            self.block = 0;
        }
        if !self.has_names(legs, row) {
            let [first, second] = row.names.each_ref().map(|name| String::from_utf8_lossy(name));
            let found_title =
                if first == second { first.into_owned() } else { format!("{first} against {second}") };
            let expected = if self.lineup < plan.lineups.len() {
                plan.title(self.lineup)
            } else {
                "no player".to_owned()
            };
            bail!("expected games of {expected}, found games of {found_title}");
        }
        let ReadRow { block, leg, seed, .. } = *row;
        ensure!(
            (block, leg) == (self.block, legs),
            "found block {block} of {}, expected block {}",
            plan.title(self.lineup),
            self.block
        );
        let plan_blocks = plan.blocks.len();
        ensure!(
            block < plan_blocks,
            "{} has more {} than the experiment ({})",
            plan.title(self.lineup),
            if plan.legs() == 1 { "games" } else { "pairs" },
            group_digits(plan_blocks)
        );
        let block_seed = plan.blocks.seed(block);
        ensure!(
            seed == block_seed,
            "block {block} of {} has the seed {seed}, but the experiment has {block_seed}",
            plan.title(self.lineup)
        );
        Ok(())
    }

    /// Returns true if a row has the names of the line-up, as seated in this leg.
    fn has_names(&self, leg: u64, row: &ReadRow) -> bool {
        self.names.is_some_and(|names| row.names == names[leg as usize].map(str::as_bytes))
    }

    fn end_lineup(&mut self) -> anyhow::Result<()> {
        let blocks = *self.blocks.get_or_insert(self.block);
        if self.block != blocks {
            let count = |blocks| match self.plan.legs() {
                1 => format_games(blocks),
                _ => format_count(blocks, "pair"),
            };
            bail!(
                "{} has {}, but {} has {}",
                self.plan.title(self.lineup),
                count(self.block),
                self.plan.title(0),
                group_digits(blocks)
            );
        }
        Ok(())
    }

    /// Returns the number of blocks of every line-up.
    fn finish(mut self) -> anyhow::Result<u64> {
        self.end_lineup()?;
        if self.lineup + 1 < self.plan.lineups.len() {
            bail!("no games of {}", self.plan.title(self.lineup + 1));
        }
        Ok(self.block)
    }
}

/// Returns the names of a line-up's players, as seated in each leg. A player without a rival has
/// both seats.
fn seated_names<'a>(plan: &'a Plan, lineup: usize) -> Option<[[&'a str; 2]; 2]> {
    plan.lineups.get(lineup)?;
    let names: Vec<&str> = plan.members(lineup).map(|player| player.name).collect();
    let [first, second] = [names[0], names[names.len() - 1]];
    Some([[first, second], [second, first]])
}
