//! Games of candidates: candidates and blocks become plans, and games become losses. Candidates
//! that are compared play the same blocks, and no two steps of a search share a block. Trials that
//! play add missing games to the journal; trials that only read end at the first missing game.

use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail};
use gauntlet_core::arena::Entry;
use gauntlet_core::game::Seat;
use gauntlet_core::measure::Measure;
use gauntlet_core::player::Stop;
use gauntlet_core::record::GameRecord;
use gauntlet_core::rng::ChildSeeds;
use gauntlet_core::text::escape;
use gauntlet_methods::loss_comparison::{mean, sample_moments};
use gauntlet_methods::method::{CandidateLosses, MethodStep};
use gauntlet_run::bar::ProgressMode;
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::coverage::{Coverage, read_all};
use gauntlet_run::journal::{Journal, NotJournal};
use gauntlet_run::keyed_plan::{AlgorithmSignatures, KeyedPlan};
use gauntlet_run::plan::{PlannedPlayer, Shard};
use gauntlet_run::{RunOptions, machine, paths};

use super::candidates::{Candidates, root_seed};
use super::task::{MIN_RUN_TIME, MissingGamesReason, TuningJob, time_left};
use super::team::{Helper, Leader, read_until_complete};
use crate::section::{CandidateSpace, TuneSection};

/// Loss of a candidate that visits twice as many nodes as allowed, in logarithms of the score or in
/// games. No setting can gain as much.
const PENALTY: f64 = 10.0;

/// Time between two syncs of the journal.
const SYNC_INTERVAL: Duration = Duration::from_secs(5);

/// Games of candidates, and their journal.
pub(super) struct Trials<'a> {
    tune: &'a TuneSection,
    candidates: Candidates<'a>,
    seeds: ChildSeeds,
    journal: Journal,
    /// Signatures found at earlier steps. A journal of another build does not store them.
    signatures: AlgorithmSignatures,
    /// Digest of everything that losses depend on besides steps and games.
    basis: Option<blake3::Hash>,
    /// Blocks of earlier steps.
    blocks: u64,
    role: Role<'a>,
    /// Games in the journal of the step at which reading ended.
    step_games: u64,
}

/// Role of this process among the processes of a tuning.
enum Role<'a> {
    /// Reads the journal and plays nothing.
    Reader,
    /// Plays all missing games.
    Alone(PlayState<'a>),
    /// Plays a share, and writes the games of all processes to the journal of the tuning.
    Leader(PlayState<'a>, Leader),
    /// Plays a share for the leader, into a journal of its own.
    Helper(PlayState<'a>, Box<Helper>),
}

impl<'a> Role<'a> {
    fn play_state(&self) -> Option<&PlayState<'a>> {
        match self {
            Role::Reader => None,
            Role::Alone(play) | Role::Leader(play, _) | Role::Helper(play, _) => Some(play),
        }
    }

    /// Returns true if this process writes the journal of the tuning.
    fn is_writer(&self) -> bool {
        matches!(self, Role::Alone(_) | Role::Leader(..))
    }
}

/// State for playing games that a journal lacks.
struct PlayState<'a> {
    options: RunOptions<'a>,
    deadline: Option<Instant>,
    /// Start time of the session in the journal, if there is one.
    session: Option<Instant>,
    last_sync: Instant,
    /// Games played by this process, without games found in the journal.
    games_played: u64,
}

/// Summary of the games of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateSummary {
    /// Loss of each block, in order.
    pub losses: Vec<f64>,
    /// The mean score; 0 in a duel.
    pub score: f64,
    /// The share of games won; in a duel, the share of points against the start.
    pub win: f64,
    /// Nodes per move, in a solo game whose player counts nodes.
    pub nodes: Option<f64>,
}

impl CandidateSummary {
    /// Returns the mean loss.
    pub fn loss(&self) -> f64 {
        mean(&self.losses)
    }

    /// Returns the standard error of the mean loss; `None` for a single game.
    pub fn error(&self) -> Option<f64> {
        let spread = sample_moments(self.losses.iter().copied())?;
        Some(spread.deviation / (spread.count as f64).sqrt())
    }
}

/// Returns the share of points that the first player of a line-up gets in a block. It moves first
/// in the first game and second in the second. In a solo game, a win is 1 point.
fn share_of_points(records: &[GameRecord]) -> f64 {
    let seats = records.iter().zip([Seat::First, Seat::Second]);
    let half_points = seats.map(|(record, seat)| record.outcome.result_for(seat).half_points());
    half_points.sum::<u64>() as f64 / 2.0 / records.len() as f64
}

impl<'a> Trials<'a> {
    /// Opens the journal of the tuning for playing and writing.
    pub(super) fn new(candidates: Candidates<'a>, task: &TuningJob<'a>) -> anyhow::Result<Trials<'a>> {
        let journal = Journal::open(&paths::journal_path(task.folder, None));
        let journal = journal.map_err(|error| match error.downcast::<NotJournal>() {
            Ok(other) => other.into_search_error(),
            Err(error) => error,
        })?;
        let play = PlayState::new(task);
        let role = match task.worker {
            Some(worker) => Role::Leader(play, Leader::begin(task, worker)?),
            None => Role::Alone(play),
        };
        Ok(Trials { role, ..Trials::from_journal(candidates, journal) })
    }

    /// Returns trials that play a share for a leader, whose journal this is.
    pub(super) fn with_helper(
        candidates: Candidates<'a>,
        task: &TuningJob<'a>,
        helper: Helper,
        journal: Journal,
    ) -> Trials<'a> {
        let role = Role::Helper(PlayState::new(task), Box::new(helper));
        Trials { role, ..Trials::from_journal(candidates, journal) }
    }

    /// Returns trials that read the games of a journal and play nothing.
    pub(super) fn from_journal(candidates: Candidates<'a>, journal: Journal) -> Trials<'a> {
        let Candidates { experiment, tune } = candidates;
        Trials {
            tune,
            candidates,
            seeds: root_seed(experiment).children("tune"),
            journal,
            signatures: AlgorithmSignatures::new(),
            basis: loss_basis(candidates),
            blocks: 0,
            role: Role::Reader,
            step_games: 0,
        }
    }

    /// Returns a line for each other process whose games cannot be read, with the reason.
    pub(super) fn read_errors(&self) -> &[String] {
        match &self.role {
            Role::Leader(_, leader) => leader.read_errors(),
            _ => &[],
        }
    }

    /// Returns the games played by this process, without games found in the journal.
    pub(super) fn games_played(&self) -> u64 {
        self.role.play_state().map_or(0, |play| play.games_played)
    }

    /// Returns the games in the journal of the step at which reading ended.
    pub(super) fn games_in_step(&self) -> u64 {
        self.step_games
    }

    /// Plays a step on separate blocks, and returns the losses of each candidate.
    pub(super) fn play_step(
        &mut self,
        step: &MethodStep,
        stop: &Stop,
    ) -> Result<Vec<CandidateLosses>, MissingGamesReason> {
        let Some(basis) = self.basis else { return self.find_or_play(step, stop) };
        let name = step_name(&basis, self.blocks, step);
        let is_complete = |losses: &Vec<f64>| {
            losses.len() as u64 == step.blocks && losses.iter().all(|loss| loss.is_finite())
        };
        let matches_step = |losses: &Vec<CandidateLosses>| {
            losses.len() == step.candidates.len() && losses.iter().flatten().all(is_complete)
        };
        if let Some(losses) = self.journal.take_losses(&name).filter(matches_step) {
            // A step whose candidates were all refused took no blocks.
            self.blocks += if losses.iter().any(Option::is_some) { step.blocks } else { 0 };
            return Ok(losses);
        }
        let losses = self.find_or_play(step, stop)?;
        if self.role.is_writer() && losses.iter().any(Option::is_some) {
            self.journal.append_losses(name, &losses)?;
        }
        Ok(losses)
    }

    fn find_or_play(
        &mut self,
        step: &MethodStep,
        stop: &Stop,
    ) -> Result<Vec<CandidateLosses>, MissingGamesReason> {
        let entries: Vec<Option<Entry>> =
            step.candidates.iter().map(|point| self.candidates.build_player(point)).collect();
        let players: Vec<&Entry> = entries.iter().flatten().collect();
        if players.is_empty() {
            return Ok(vec![None; entries.len()]);
        }
        let blocks = self.blocks..self.blocks + step.blocks;
        self.blocks = blocks.end;
        // No other step plays these blocks. The start and the kept point play in thousands of
        // steps, and searching all their games at each step would be slow.
        let key_suffix = Some(blocks.start);
        let mut games =
            self.play_games(&players, blocks, key_suffix, stop)?.into_iter().map(|games| games.losses);
        Ok(entries.iter().map(|entry| entry.as_ref().and_then(|_| games.next())).collect())
    }

    /// Plays these players on the same blocks and returns the games of each. Games in the journal
    /// are not played again. `key_suffix` gives the games separate keys, so only they are searched.
    pub(super) fn play_games(
        &mut self,
        players: &[&Entry],
        blocks: Range<u64>,
        key_suffix: Option<u64>,
        stop: &Stop,
    ) -> Result<Vec<CandidateSummary>, MissingGamesReason> {
        let names: Vec<String> = (1..=players.len()).map(|number| format!("candidate {number}")).collect();
        let players = names.iter().zip(players).map(|(name, entry)| PlannedPlayer { name, entry }).collect();
        let seeds = blocks.map(|block| self.seeds.get(block).number());
        let plan = self.candidates.plan(players, BlockSeeds::Listed(seeds.collect()));
        let mut plan = KeyedPlan::with_signatures(&self.signatures, plan, &[&self.journal])?;
        self.signatures.extend(plan.signatures().clone());
        if let Some(suffix) = key_suffix {
            plan = plan.with_key_suffix(suffix);
        }
        if let Some(games) = self.find_games(&plan)? {
            return Ok(games);
        }
        self.play_missing(&plan, stop)?;
        let games = self.find_games(&plan)?;
        Ok(games.ok_or_else(|| anyhow!("played games are missing in the journal"))?)
    }

    /// Returns the games of each line-up, if the journal lacks none.
    fn find_games(&self, plan: &KeyedPlan) -> anyhow::Result<Option<Vec<CandidateSummary>>> {
        let coverage = Coverage::from_journal(plan, &self.journal)?;
        if !coverage.is_complete(plan) {
            return Ok(None);
        }
        let games = (0..plan.lineups.len()).map(|lineup| self.sum_games(plan, &coverage, lineup));
        games.collect::<anyhow::Result<_>>().map(Some)
    }

    fn play_missing(&mut self, plan: &KeyedPlan, stop: &Stop) -> Result<(), MissingGamesReason> {
        let candidates = self.candidates;
        match &mut self.role {
            Role::Reader => {
                let coverage = Coverage::from_journal(plan, &self.journal)?;
                let blocks = |lineup| coverage.count_blocks(lineup, &(0..plan.blocks.len()));
                self.step_games = plan.legs() * (0..plan.lineups.len()).map(blocks).sum::<u64>();
                return Err(MissingGamesReason::Stopped(None));
            }
            Role::Alone(play) => {
                play.play_missing(candidates, plan, &mut self.journal, None, stop)?;
                play.sync_if_due(&self.journal)?;
            }
            Role::Leader(play, leader) => {
                let step_start = Instant::now();
                play.play_missing(candidates, plan, &mut self.journal, Some(leader.share()), stop)?;
                leader.collect(plan, &mut self.journal, step_start, stop)?;
                play.play_missing(candidates, plan, &mut self.journal, None, stop)?;
                // Processes on other machines see only what is on the shared disk.
                self.journal.sync()?;
            }
            Role::Helper(play, helper) => {
                if !read_until_complete(plan, &mut self.journal)? {
                    let share = helper.share();
                    play.play_missing(candidates, plan, &mut helper.journal, Some(share), stop)?;
                    helper.journal.sync()?;
                    helper.wait_for_games(plan, &mut self.journal, stop)?;
                }
            }
        }
        Ok(())
    }

    fn sum_games(
        &self,
        plan: &KeyedPlan,
        coverage: &Coverage,
        lineup: usize,
    ) -> anyhow::Result<CandidateSummary> {
        let mut losses = vec![f64::NAN; plan.blocks.len() as usize];
        let (mut nodes, mut moves) = (0_u64, 0_u64);
        let (mut score, mut points) = (0_u64, 0.0);
        let legs = plan.legs() as usize;
        for window in coverage.windows(lineup) {
            read_all(&self.journal, plan.legs(), window, |span, games, records| {
                let indices = span.skip as usize..;
                for ((block, records), index) in span.range().zip(records.chunks(legs)).zip(indices) {
                    losses[block as usize] = self.block_loss(records);
                    nodes = nodes.saturating_add(games.nodes.get(index).copied().unwrap_or_default());
                    moves += records.iter().map(|record| u64::from(record.moves)).sum::<u64>();
                    score += records[0].score();
                    points += share_of_points(records);
                }
            })?;
        }
        if losses.iter().any(|loss| loss.is_nan()) {
            bail!("played games are missing in the journal");
        }
        let nodes = (nodes > 0).then(|| nodes as f64 / moves.max(1) as f64);
        if let Some(max_nodes) = self.tune.at_most_nodes {
            let Some(nodes) = nodes else {
                bail!("`at_most_nodes` needs a player that counts its nodes");
            };
            let ratio = nodes / max_nodes;
            if ratio > 1.0 {
                let penalty = PENALTY * libm::log2(ratio);
                losses.iter_mut().for_each(|loss| *loss += penalty);
            }
        }
        let count = losses.len() as f64;
        Ok(CandidateSummary { losses, score: score as f64 / count, win: points / count, nodes })
    }

    /// Returns the loss of a block's games.
    fn block_loss(&self, records: &[GameRecord]) -> f64 {
        let record = &records[0];
        let loss = |is_reached: bool| if is_reached { 0.0 } else { 1.0 };
        match self.tune.objective {
            Measure::Reach(threshold) => loss(threshold.is_in(&record.facts)),
            // Plus one, because a score may be 0.
            Measure::Score => -libm::log1p(record.score() as f64),
            _ => 1.0 - share_of_points(records),
        }
    }

    /// Ends the session of the journal that is written, and syncs it to disk.
    pub(super) fn close(&mut self) -> anyhow::Result<()> {
        let (play, journal) = match &mut self.role {
            Role::Reader => return Ok(()),
            Role::Helper(play, helper) => (play, &mut helper.journal),
            Role::Alone(play) | Role::Leader(play, _) => (play, &mut self.journal),
        };
        if let Some(started) = play.session.take() {
            journal.finish(started.elapsed().as_secs_f64())?;
        }
        journal.sync()
    }

    /// Returns the journal of the process that leads.
    pub(super) fn journal(&self) -> &Journal {
        &self.journal
    }
}

/// Returns the digest of everything that losses depend on besides steps and games. `None` if
/// players may be built from files, whose content has no digest here.
fn loss_basis(Candidates { experiment, tune }: Candidates) -> Option<blake3::Hash> {
    let may_name_files = match &tune.field {
        CandidateSpace::Params { params, .. } => {
            params.iter().flat_map(|param| &param.choices).any(serde_json::Value::is_string)
        }
        CandidateSpace::Players { .. } => false,
    };
    let binary = machine::program_identity();
    let mut players = Candidates { experiment, tune }.original_players();
    if binary.is_empty() || may_name_files || players.any(|(_, player)| player.needs_files()) {
        return None;
    }
    // The text determines `[tune]`, except a `--budget`: with a larger one the same steps come
    // first.
    Some(blake3::hash(format!("{binary} {}", experiment.text()).as_bytes()))
}

/// Returns the name of a step: a digest of its candidates, their blocks and its basis.
fn step_name(basis: &blake3::Hash, first_block: u64, step: &MethodStep) -> String {
    let mut digest = blake3::Hasher::new();
    digest.update(basis.as_bytes());
    digest.update(format!("{first_block} {} {} ", step.blocks, step.kind.name()).as_bytes());
    for point in &step.candidates {
        digest.update(&(point.len() as u64).to_le_bytes());
        point.iter().for_each(|x| _ = digest.update(&x.to_bits().to_le_bytes()));
    }
    digest.finalize().to_hex()[..32].to_owned()
}

impl<'a> PlayState<'a> {
    fn new(task: &TuningJob<'a>) -> PlayState<'a> {
        let options = RunOptions { is_within_session: true, progress: ProgressMode::Quiet, ..task.options };
        PlayState {
            options,
            deadline: task.deadline,
            session: None,
            last_sync: Instant::now(),
            games_played: 0,
        }
    }

    /// Plays the games of a plan, or of a share of it, that a journal lacks.
    fn play_missing(
        &mut self,
        candidates: Candidates,
        plan: &KeyedPlan,
        journal: &mut Journal,
        share: Option<Shard>,
        stop: &Stop,
    ) -> Result<(), MissingGamesReason> {
        if self.session.is_none() {
            // A candidate differs from the player in the file only by its settings.
            let lineups = Vec::from_iter(0..plan.lineups.len());
            let (players, options) = (candidates.original_players(), &self.options);
            if !gauntlet_run::begin_session(plan, journal, players, &lineups, options.threads, options, stop)?
            {
                return Err(MissingGamesReason::Stopped(None));
            }
            self.session = Some(Instant::now());
        }
        // A call that has played nothing yet gets a minimum of time, so that every call makes
        // progress.
        let min_time = if self.games_played == 0 { MIN_RUN_TIME } else { Duration::ZERO };
        let time_limit = time_left(self.deadline).map(|left| left.max(min_time));
        let options = RunOptions { game_share: share, time_limit, ..self.options };
        let run_end = gauntlet_run::run(plan, journal, &options, stop)?;
        self.games_played += run_end.games_played;
        if let Some(failure) = run_end.panics.first() {
            let candidate = plan.lineups[failure.lineup].members()[0];
            let settings = &plan.players[candidate].entry.settings;
            let error = anyhow!(
                "the player with the settings {settings} failed on seed {}: {}",
                failure.seed,
                escape::line(&failure.message)
            );
            return Err(MissingGamesReason::Failed(error));
        }
        if run_end.is_interrupted {
            Err(MissingGamesReason::from_interrupted_run(plan, &run_end, self.games_played))
        } else {
            Ok(())
        }
    }

    /// Syncs the journal to disk, if the last sync was long ago.
    fn sync_if_due(&mut self, journal: &Journal) -> anyhow::Result<()> {
        if self.last_sync.elapsed() > SYNC_INTERVAL {
            journal.sync()?;
            self.last_sync = Instant::now();
        }
        Ok(())
    }
}
