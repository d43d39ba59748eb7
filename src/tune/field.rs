//! Where candidates play: steps become plans, and games become losses. All candidates of a step play the same blocks, and no step
//! plays the blocks of another.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};

use super::candidates::{Candidates, root};
use super::method::{Losses, Step};
use super::task::{Halt, Task};
use crate::arena::Entrant;
use crate::config::tune::Tune;
use crate::config::{Blocks, Experiment};
use crate::game::Seat;
use crate::measure::Measure;
use crate::plan::{Plan, Planned};
use crate::player::Stop;
use crate::record::GameRecord;
use crate::rng::Children;
use crate::run::coverage::{Coverage, by_line};
use crate::run::journal::Journal;
use crate::run::keyed::Keyed;
use crate::run::{self, Options, places};
use crate::text::escape;

/// What a candidate that looks at twice as many positions as it may loses, in logarithms of the score or in games: more than
/// any setting can win.
const PENALTY: f64 = 10.0;

/// How often the journal is brought to the disk.
const SYNCED: Duration = Duration::from_secs(5);

/// Where candidates play.
pub(super) struct Field<'a> {
    experiment: &'a Experiment,
    tune: &'a Tune,
    candidates: Candidates<'a>,
    seeds: Children,
    journal: Journal,
    options: Options<'a>,
    stop: &'a Stop,
    /// Blocks of steps before.
    blocks: u64,
    has_session: bool,
    started: Instant,
    synced: Instant,
    /// Games played now, and not found in the journal.
    pub(super) played: u64,
}

impl<'a> Field<'a> {
    /// A field whose games go to the journal of the tuning.
    pub(super) fn new(
        candidates: Candidates<'a>,
        task: &Task<'a>,
        stop: &'a Stop,
    ) -> anyhow::Result<Field<'a>> {
        let Task { experiment, tune, folder, options, .. } = *task;
        let seeds = root(experiment).children("tune");
        let journal = Journal::open(&places::path_in(folder, None))?;
        let now = Instant::now();
        Ok(Field {
            experiment,
            tune,
            candidates,
            seeds,
            journal,
            options: Options { is_in_session: true, ..options },
            stop,
            blocks: 0,
            has_session: false,
            started: now,
            synced: now,
            played: 0,
        })
    }

    /// Plays a step, as far as the journal lacks its games, and returns the losses of each candidate.
    pub(super) fn play(&mut self, step: &Step) -> Result<Vec<Losses>, Halt> {
        let entrants: Vec<Option<Entrant>> =
            step.candidates.iter().map(|point| self.candidates.player(point)).collect();
        let names: Vec<String> = (1..=entrants.len()).map(|number| format!("candidate {number}")).collect();
        let players: Vec<Planned> = names
            .iter()
            .zip(&entrants)
            .filter_map(|(name, entrant)| Some(Planned { name, entrant: entrant.as_ref()? }))
            .collect();
        if players.is_empty() {
            return Ok(vec![None; entrants.len()]);
        }
        let seeds = (self.blocks..self.blocks + step.blocks).map(|block| self.seeds.numbered(block).number());
        let blocks = Blocks::Listed(seeds.collect());
        self.blocks += step.blocks;
        let plan = Plan {
            max_moves: self.experiment.max_moves().map(Into::into),
            max_seconds: self.experiment.max_seconds(),
            assets: self.experiment.assets().clone(),
            rules: self.experiment.rules().settings.clone(),
            ..Plan::of(self.experiment.arena(), players, Cow::Owned(blocks))
        };
        let plan = Keyed::of(plan, &[&self.journal])?;
        self.play_missing(&plan)?;
        let mut found = self.losses(&plan)?.into_iter();
        Ok(entrants.iter().map(|entrant| entrant.as_ref().and_then(|_| found.next())).collect())
    }

    fn play_missing(&mut self, plan: &Keyed) -> Result<(), Halt> {
        if Coverage::of(plan, &self.journal)?.is_complete(plan) {
            return Ok(());
        }
        if !self.has_session {
            self.journal.begin(run::session(plan, self.options.threads, &self.options))?;
            self.has_session = true;
        }
        let finish = run::run(plan, &mut self.journal, &self.options, self.stop)?;
        self.played += finish.played;
        if self.synced.elapsed() > SYNCED {
            self.journal.sync()?;
            self.synced = Instant::now();
        }
        if let Some(broken) = finish.panics.first() {
            let settings = &plan.players[broken.lineup].entrant.settings;
            let error = anyhow!(
                "the player with the settings {settings} broke on the seed {}: {}",
                broken.seed,
                escape::line(&broken.message)
            );
            return Err(Halt::Failed(error));
        }
        if finish.interrupted { Err(Halt::Stopped) } else { Ok(()) }
    }

    /// The losses of each player of the plan, in the order of blocks.
    fn losses(&self, plan: &Keyed) -> anyhow::Result<Vec<Vec<f64>>> {
        let coverage = Coverage::of(plan, &self.journal)?;
        (0..plan.lineups.len()).map(|lineup| self.losses_of(plan, &coverage, lineup)).collect()
    }

    fn losses_of(&self, plan: &Keyed, coverage: &Coverage, lineup: usize) -> anyhow::Result<Vec<f64>> {
        let mut losses = vec![f64::NAN; plan.blocks.len() as usize];
        let (mut nodes, mut moves) = (0_u64, 0_u64);
        for window in coverage.windows(lineup) {
            for (line, stretches) in by_line(window) {
                let games = self.journal.read(line)?;
                let records = games.records().context("a line of the journal contradicts itself")?;
                nodes = nodes.saturating_add(games.times.nodes);
                moves += records.iter().map(|record| u64::from(record.moves)).sum::<u64>();
                for stretch in stretches {
                    for (block, record) in stretch.range().zip(stretch.of(&records, 1)?) {
                        losses[block as usize] = self.loss(record);
                    }
                }
            }
        }
        if losses.iter().any(|loss| loss.is_nan()) {
            bail!("games that were played are not in the journal");
        }
        if let Some(most) = self.tune.at_most_nodes {
            if nodes == 0 {
                bail!(
                    "`at_most_nodes` limits the positions that the player looks at, and it does not count them"
                );
            }
            let ratio = nodes as f64 / moves.max(1) as f64 / most;
            if ratio > 1.0 {
                let penalty = PENALTY * libm::log2(ratio);
                losses.iter_mut().for_each(|loss| *loss += penalty);
            }
        }
        Ok(losses)
    }

    /// What a game is worth, less being better.
    fn loss(&self, record: &GameRecord) -> f64 {
        let share = |is_reached: bool| if is_reached { 0.0 } else { 1.0 };
        match self.tune.objective {
            Measure::Reach(reach) => share(reach.is_in(&record.facts)),
            // One point more, for a game may end with none.
            Measure::Score => -libm::log1p(record.score() as f64),
            _ => share(record.is_won_by(Seat::First)),
        }
    }

    /// Ends the session of the journal, and brings it to the disk.
    pub(super) fn close(mut self) -> anyhow::Result<Journal> {
        if self.has_session {
            self.journal.finish(self.started.elapsed().as_secs_f64())?;
        }
        self.journal.sync()?;
        Ok(self.journal)
    }
}
