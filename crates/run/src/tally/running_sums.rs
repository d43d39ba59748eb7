//! Sums of the complete blocks of a run in progress, to which each look adds the new ones.

use super::meeting::Meetings;
use super::{Tally, note_sessions, tally_window};
use crate::block_span::BlockSpan;
use crate::complete_blocks::BlockWindow;
use crate::journal::{Journal, SessionEntry};
use crate::keyed_plan::KeyedPlan;
use crate::plan::{LineUp, Shard};

/// Sums of the first blocks of a run, which are complete for all players.
#[derive(Debug)]
pub struct RunningSums {
    /// Number of blocks.
    pub blocks: u64,
    /// Sums of each player's games. Their parts of the run are those of a whole run.
    pub tallies: Vec<Tally>,
    /// Sums of each pairing's games; empty in a solo game.
    pub meetings: Meetings,
}

impl RunningSums {
    /// Creates the sums of no games.
    pub(crate) fn new(plan: &KeyedPlan) -> RunningSums {
        let tallies = vec![Tally::new(plan.arena.facts.len()); plan.players.len()];
        RunningSums { blocks: 0, tallies, meetings: Meetings::new(plan) }
    }

    /// Adds the next blocks. `journal_of` returns the journal of a shard, or of the whole run.
    pub(crate) fn add<'j>(
        &mut self,
        plan: &KeyedPlan,
        window: &BlockWindow,
        journal_of: impl Fn(Option<Shard>) -> &'j Journal,
    ) -> anyhow::Result<()> {
        for lineup_window in &window.sides {
            let members = plan.lineups[lineup_window.lineup].members();
            for (&shard, spans) in &lineup_window.spans {
                self.add_spans(plan, lineup_window.lineup, journal_of(shard), spans)?;
            }
            for &player in members {
                self.tallies[player].failed_games += plan.legs() * lineup_window.failed_blocks.len() as u64;
            }
        }
        self.blocks = window.end;
        Ok(())
    }

    fn add_spans(
        &mut self,
        plan: &KeyedPlan,
        lineup: usize,
        journal: &Journal,
        spans: &[BlockSpan],
    ) -> anyhow::Result<()> {
        let is_duel = matches!(plan.lineups[lineup], LineUp::Pair(_));
        let (line_parts, sums) = tally_window(plan, lineup, journal, None, spans, is_duel)?;
        let members = plan.lineups[lineup].members();
        members.iter().zip(sums).for_each(|(&player, sum)| self.tallies[player].merge(sum));
        if is_duel {
            let block_runs = line_parts.iter().flat_map(|part| &part.pieces);
            block_runs.for_each(|piece| self.meetings.add(plan, lineup, piece.first, &piece.records));
        }
        Ok(())
    }

    /// Adds to the clocks what the sessions of the journals show.
    pub(crate) fn note_sessions(&mut self, sessions: &[SessionEntry]) {
        note_sessions(&mut self.tallies, sessions);
    }
}
