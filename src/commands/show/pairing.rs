//! All games of a pairing, replayed and written into one file.

use std::path::Path;

use anyhow::bail;
use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::read::Results;
use gauntlet_core::arena::{Entrant, ExportedGame, ReplayRequest, ReplayStep, replay};
use gauntlet_core::game::Seat;
use gauntlet_core::player::{BuildContext, Stop};
use gauntlet_core::record::{Ending, GameRecord};
use gauntlet_core::text::{games, shown};
use gauntlet_run::plan::Plan;
use rayon::prelude::*;

use super::exchanged;
use super::kept;
use gauntlet_cli::exit::Usage;
use gauntlet_cli::say::complain;

/// A line-up of a plan, with the results folder that contains its games.
pub(super) struct Pairing<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) plan: &'a Plan<'a>,
    pub(super) lineup: usize,
    /// Folder of its results.
    pub(super) folder: &'a Path,
}

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

/// Returns the texts of all games, except games that failed.
pub(super) fn texts(catalog: Catalog, of: &Pairing, source: Source) -> anyhow::Result<Vec<String>> {
    let &Pairing { plan, lineup, folder, .. } = of;
    let results = Results::read(catalog, folder)?;
    let mut known: Vec<(u64, usize, GameRecord)> = Vec::new();
    results.hear(plan, &mut |of, block, legs| {
        if of == lineup {
            known.extend(legs.iter().enumerate().map(|(leg, record)| (block, leg, *record)));
        }
    })?;
    known.sort_by_key(|&(block, leg, _)| (block, leg));
    if known.is_empty() {
        return Err(Usage(format!("{} has no games of {}", shown(folder), plan.title(lineup))).into());
    }
    if source != Source::Kept {
        complain(format_args!("gauntlet: will be replayed: {}", games(known.len() as u64)));
    }
    let again = Replay::of(of);
    match source {
        Source::Kept => {
            let asked: Vec<(u64, usize)> = known.iter().map(|&(block, leg, _)| (block, leg)).collect();
            let kept = kept::find(folder, plan, lineup, &asked)?.into_iter().zip(&known);
            let text = |(kept, &(block, leg, _)): (kept::Kept, &(u64, usize, GameRecord))| {
                let moves: Vec<String> = kept.moves().into_iter().map(str::to_owned).collect();
                again.text(block, leg, &kept.record, &moves)
            };
            kept.map(text).collect::<anyhow::Result<Vec<String>>>()
        }
        Source::Asked => known.iter().map(|game| again.play(game)).collect(),
        Source::Played => known.par_iter().map(|game| again.play(game)).collect(),
    }
}

/// Everything needed to replay a game of a pairing, on any thread.
struct Replay<'a> {
    experiment: &'a Experiment,
    title: String,
    members: Vec<(&'a str, &'a Entrant)>,
    max_moves: Option<u32>,
    kit: BuildContext,
    is_reproducible: bool,
}

impl<'a> Replay<'a> {
    fn of(of: &Pairing<'a>) -> Replay<'a> {
        let (plan, lineup) = (of.plan, of.lineup);
        Replay {
            experiment: of.experiment,
            title: plan.title(lineup),
            members: plan.members(lineup).map(|player| (player.name, player.entrant)).collect(),
            max_moves: plan.max_moves,
            kit: plan.kit(&Stop::default()),
            is_reproducible: plan.is_lineup_reproducible(lineup),
        }
    }

    fn play(&self, &(block, leg, known): &(u64, usize, GameRecord)) -> anyhow::Result<String> {
        let mut moves = Vec::new();
        let mut show = |step: &ReplayStep| moves.extend(step.mv.map(str::to_owned));
        let game = ReplayRequest { block: self.experiment.blocks().block(block), leg, weighed: false };
        let entrants: Vec<_> = self.members.iter().map(|(_, entrant)| *entrant).collect();
        let (record, _) = replay(&entrants, self.max_moves, game, &self.kit.clone(), &mut show)?;
        if self.is_reproducible && record != known {
            bail!(
                "block {block} of {} is a different game here, from another version of gauntlet or other settings",
                self.title
            );
        }
        self.text(block, leg, &record, &moves)
    }

    fn text(&self, block: u64, leg: usize, record: &GameRecord, moves: &[String]) -> anyhow::Result<String> {
        let shape = self.experiment.arena().shape;
        let name = |seat| self.members[shape.member_at(leg, seat)].0;
        let is_cut = matches!(record.ending, Ending::MaxMoves | Ending::MaxSeconds);
        let game = ExportedGame {
            block: self.experiment.blocks().block(block),
            title: &title(block, leg),
            moves,
            names: [Seat::First, Seat::Second].map(name),
            outcome: Some(record.outcome).filter(|_| !is_cut),
        };
        exchanged::text(self.experiment, &game)
    }
}

/// Returns the title of a game in its pairing.
pub(super) fn title(block: u64, leg: usize) -> String {
    format!("block {block}, leg {leg}")
}
