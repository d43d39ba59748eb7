//! The games of a pairing: where each game comes from, its replay, and all games in one file.

use std::path::Path;

use anyhow::bail;
use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::arena::{Entry, ExportedGame, ReplayRequest, ReplayStep, replay};
use gauntlet_core::game::{Block, Seat};
use gauntlet_core::player::BuildContext;
use gauntlet_core::record::{Ending, GameRecord};
use gauntlet_core::text::{display_path, format_games};
use gauntlet_run::plan::Plan;
use rayon::prelude::*;

use super::journal_games;
use super::sgf;
use gauntlet_cli::exit::Usage;
use gauntlet_cli::output::print_message;

/// Source of the games of a pairing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Replayed, several at a time.
    BuiltInReplay,
    /// Replayed by external programs, one at a time.
    ExternalReplay,
    /// Moves from the journal.
    Journal,
}

/// A line-up of a plan, with the source of its games.
pub(super) struct Pairing<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) plan: &'a Plan<'a>,
    pub(super) lineup: usize,
    /// Folder of its results.
    pub(super) folder: &'a Path,
    pub(super) source: Source,
}

impl<'a> Pairing<'a> {
    pub(super) fn new(
        experiment: &'a Experiment,
        plan: &'a Plan<'a>,
        lineup: usize,
        folder: &'a Path,
    ) -> Pairing<'a> {
        let has_program = plan.members(lineup).any(|player| player.entry.facts().is_external());
        let source = match (has_program, plan.is_lineup_reproducible(lineup)) {
            (false, _) => Source::BuiltInReplay,
            (true, true) => Source::ExternalReplay,
            (true, false) => Source::Journal,
        };
        Pairing { experiment, plan, lineup, folder, source }
    }

    pub(super) fn title(&self) -> String {
        self.plan.title(self.lineup)
    }

    pub(super) fn is_reproducible(&self) -> bool {
        self.plan.is_lineup_reproducible(self.lineup)
    }

    pub(super) fn entries(&self) -> Vec<&'a Entry> {
        self.plan.members(self.lineup).map(|player| player.entry).collect()
    }

    /// Returns the names of the players by seat; in a solo game both are its player.
    pub(super) fn names(&self, leg: usize) -> [&'a str; 2] {
        let names: Vec<&str> = self.plan.members(self.lineup).map(|player| player.name).collect();
        [Seat::First, Seat::Second].map(|seat| names[self.plan.arena.shape.member_at(leg, seat)])
    }

    /// Writes a game in an exchange format.
    pub(super) fn export(
        &self,
        block: Block,
        leg: usize,
        title: &str,
        record: &GameRecord,
        moves: &[String],
    ) -> anyhow::Result<String> {
        let is_cut = matches!(record.ending, Ending::MaxMoves | Ending::MaxSeconds);
        let outcome = Some(record.outcome).filter(|_| !is_cut);
        sgf::format_game(
            self.experiment,
            &ExportedGame { block, title, moves, names: self.names(leg), outcome },
        )
    }

    /// Returns the texts of all games, except games that failed.
    pub(super) fn export_all(&self, catalog: Catalog, context: &BuildContext) -> anyhow::Result<Vec<String>> {
        let results = Results::read(catalog, self.folder)?;
        let mut records: Vec<(u64, usize, GameRecord)> = Vec::new();
        results.visit_blocks(self.plan, &mut |lineup, block, legs| {
            if lineup == self.lineup {
                records.extend(legs.iter().enumerate().map(|(leg, record)| (block, leg, *record)));
            }
        })?;
        records.sort_by_key(|&(block, leg, _)| (block, leg));
        if records.is_empty() {
            return Err(
                Usage(format!("{} has no games of {}", display_path(self.folder), self.title())).into()
            );
        }
        if self.source != Source::Journal {
            print_message(format_args!("gauntlet: will be replayed: {}", format_games(records.len() as u64)));
        }
        let replay_one = |&(block, leg, record): &(u64, usize, GameRecord)| {
            self.replay_exactly(context.clone(), (block, leg), record)
        };
        match self.source {
            Source::Journal => {
                let block_legs: Vec<(u64, usize)> =
                    records.iter().map(|&(block, leg, _)| (block, leg)).collect();
                let mut texts = Vec::with_capacity(block_legs.len());
                for (game, &(block, leg)) in
                    journal_games::find_games(self.folder, self.plan, self.lineup, &block_legs)?
                        .iter()
                        .zip(&block_legs)
                {
                    let moves: Vec<String> = game.moves().into_iter().map(str::to_owned).collect();
                    let position = self.plan.blocks.block(block);
                    texts.push(self.export(position, leg, &game_title(block, leg), &game.record, &moves)?);
                }
                Ok(texts)
            }
            Source::ExternalReplay => records.iter().map(replay_one).collect(),
            Source::BuiltInReplay => records.par_iter().map(replay_one).collect(),
        }
    }

    /// Replays a game, which must have this record if it is reproducible, and writes it.
    fn replay_exactly(
        &self,
        context: BuildContext,
        (block, leg): (u64, usize),
        expected: GameRecord,
    ) -> anyhow::Result<String> {
        let mut moves = Vec::new();
        let mut collect_move = |step: &ReplayStep| moves.extend(step.mv.map(str::to_owned));
        let position = self.plan.blocks.block(block);
        let game = ReplayRequest { block: position, leg, asks_values: false };
        let (record, _) = replay(&self.entries(), self.plan.max_moves, game, &context, &mut collect_move)?;
        if self.is_reproducible() && record != expected {
            bail!(
                "block {block} of {} is a different game here, from another version of gauntlet or other settings",
                self.title()
            );
        }
        self.export(position, leg, &game_title(block, leg), &record, &moves)
    }
}

/// Returns the title of a game in its pairing.
pub(super) fn game_title(block: u64, leg: usize) -> String {
    format!("block {block}, leg {leg}")
}
