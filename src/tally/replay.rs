//! What games add up to, from their rows in `games.csv`. Clock readings are not among them.

use std::io::Read;

use anyhow::{bail, ensure};

use super::rows;
use super::sums::Tally;
use crate::game::Seat;
use crate::plan::Plan;
use crate::record::GameRecord;
use crate::text::{games, grouped};

/// Reads the rows of a solo game, which must be those of the first blocks of a plan, the same number of every player.
/// Returns what the games of each player add up to, and how many blocks there are. `hear` is told of each game: the place
/// of its player, its block and its record; of one that broke its player's program as well.
pub fn tally_rows(
    plan: &Plan,
    csv: impl Read,
    mut hear: impl FnMut(usize, u64, &GameRecord),
) -> anyhow::Result<(Vec<Tally>, u64)> {
    let mut tallies = vec![Tally::new(plan.arena.facts.len()); plan.players.len()];
    let blocks = hear_rows(plan, csv, |player, block, record| {
        let tally = &mut tallies[player];
        if record.ending.is_panic() {
            tally.broken += 1;
        } else {
            tally.add_block(Seat::First, std::slice::from_ref(record));
        }
        hear(player, block, record);
    })?;
    Ok((tallies, blocks))
}

/// Reads the same rows, each of a game that can be, and returns how many blocks there are; nothing is kept of them here.
pub fn hear_rows(
    plan: &Plan,
    csv: impl Read,
    mut hear: impl FnMut(usize, u64, &GameRecord),
) -> anyhow::Result<u64> {
    let mut place = Place { plan, player: 0, block: 0, blocks: None };
    rows::read(csv, plan.arena.facts, |name, block, seed, record| {
        place.advance(name, block, seed)?;
        if !record.ending.is_panic()
            && let Some(flaw) = plan.players[place.player].entrant.flaw(record, plan.max_moves)
        {
            bail!("the game of {name} on block {block} cannot be: {flaw}");
        }
        hear(place.player, block, record);
        Ok(())
    })?;
    place.finish()
}

/// How far the rows of a plan are read.
struct Place<'a> {
    plan: &'a Plan<'a>,
    player: usize,
    /// Blocks of this player that are read.
    block: u64,
    /// Blocks of the first player, when all are read.
    blocks: Option<u64>,
}

impl Place<'_> {
    /// Goes on to the next row.
    fn advance(&mut self, name: &str, block: u64, seed: u64) -> anyhow::Result<()> {
        let Place { plan, .. } = *self;
        if name != self.name() {
            if self.block > 0 {
                self.end_player()?;
                self.player += 1;
                self.block = 0;
            }
            let expected = plan.players.get(self.player).map_or("no player", |player| player.name);
            ensure!(name == expected, "games of {name} stand where {expected} belongs");
        }
        ensure!(block == self.block, "block {block} of {name} stands where block {} belongs", self.block);
        let of_plan = plan.blocks.len();
        ensure!(block < of_plan, "{name} has more games than the {} of the experiment", grouped(of_plan));
        let of_block = plan.blocks.seed(block);
        ensure!(
            seed == of_block,
            "block {block} of {name} has the seed {seed}, and the experiment's has {of_block}"
        );
        self.block += 1;
        Ok(())
    }

    fn name(&self) -> &str {
        self.plan.players[self.player].name
    }

    fn end_player(&mut self) -> anyhow::Result<()> {
        let blocks = *self.blocks.get_or_insert(self.block);
        if self.block != blocks {
            bail!(
                "{} has {}, and {} has {}",
                self.name(),
                games(self.block),
                self.plan.players[0].name,
                grouped(blocks)
            );
        }
        Ok(())
    }

    /// How many blocks every player has.
    fn finish(mut self) -> anyhow::Result<u64> {
        self.end_player()?;
        if let Some(missing) = self.plan.players.get(self.player + 1) {
            bail!("no game of {} is there", missing.name);
        }
        Ok(self.block)
    }
}
