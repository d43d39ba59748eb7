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

use super::exchanged;
use super::kept;
use gauntlet_cli::exit::Usage;
use gauntlet_cli::say::complain;

/// Source of the games of a pairing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// Replayed, several at a time.
    Played,
    /// Replayed by external programs, one at a time.
    Asked,
    /// Moves from the journal.
    Kept,
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
        let has_program = plan.members(lineup).any(|player| player.entrant.facts().is_external());
        let source = match (has_program, plan.is_lineup_reproducible(lineup)) {
            (false, _) => Source::Played,
            (true, true) => Source::Asked,
            (true, false) => Source::Kept,
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
        self.plan.members(self.lineup).map(|player| player.entrant).collect()
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
        exchanged::format_game(
            self.experiment,
            &ExportedGame { block, title, moves, names: self.names(leg), outcome },
        )
    }

    /// Returns the texts of all games, except games that failed.
    pub(super) fn export_all(&self, catalog: Catalog, kit: &BuildContext) -> anyhow::Result<Vec<String>> {
        let results = Results::read(catalog, self.folder)?;
        let mut all: Vec<(u64, usize, GameRecord)> = Vec::new();
        results.visit_blocks(self.plan, &mut |lineup, block, legs| {
            if lineup == self.lineup {
                all.extend(legs.iter().enumerate().map(|(leg, record)| (block, leg, *record)));
            }
        })?;
        all.sort_by_key(|&(block, leg, _)| (block, leg));
        if all.is_empty() {
            return Err(
                Usage(format!("{} has no games of {}", display_path(self.folder), self.title())).into()
            );
        }
        if self.source != Source::Kept {
            complain(format_args!("gauntlet: will be replayed: {}", format_games(all.len() as u64)));
        }
        let play = |&(block, leg, record): &(u64, usize, GameRecord)| {
            self.replay_exactly(kit.clone(), (block, leg), record)
        };
        match self.source {
            Source::Kept => {
                let games: Vec<(u64, usize)> = all.iter().map(|&(block, leg, _)| (block, leg)).collect();
                let mut texts = Vec::with_capacity(games.len());
                for (game, &(block, leg)) in
                    kept::find_games(self.folder, self.plan, self.lineup, &games)?.iter().zip(&games)
                {
                    let moves: Vec<String> = game.moves().into_iter().map(str::to_owned).collect();
                    let position = self.plan.blocks.block(block);
                    texts.push(self.export(position, leg, &game_title(block, leg), &game.record, &moves)?);
                }
                Ok(texts)
            }
            Source::Asked => all.iter().map(play).collect(),
            Source::Played => all.par_iter().map(play).collect(),
        }
    }

    /// Replays a game, which must have this record if it is reproducible, and writes it.
    fn replay_exactly(
        &self,
        kit: BuildContext,
        (block, leg): (u64, usize),
        expected: GameRecord,
    ) -> anyhow::Result<String> {
        let mut moves = Vec::new();
        let mut see = |step: &ReplayStep| moves.extend(step.mv.map(str::to_owned));
        let position = self.plan.blocks.block(block);
        let game = ReplayRequest { block: position, leg, weighed: false };
        let (record, _) = replay(&self.entries(), self.plan.max_moves, game, &kit, &mut see)?;
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
