//! Threads of a run and their shared state. Each thread has a worker for each line-up that it
//! plays.

use std::collections::{BTreeMap, btree_map};
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread::Scope;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use gauntlet_core::arena::{self, StreamWorker};
use gauntlet_core::disk::DiskFile;
use gauntlet_core::game::{Block, Shape};
use gauntlet_core::player::BuildContext;
use gauntlet_core::record::{BatchResult, Complaint, GameRecord};
use gauntlet_core::text::escape;

use super::bar::Counters;
use super::coverage::Coverage;
use super::deadline::Deadline;
use super::failing_players::FailingPlayers;
use super::game_sums::GameSums;
use super::journal::{FailureEntry, GamesEntry, Journal, PanicEntry};
use super::judge::Judge;
use super::keyed_plan::KeyedPlan;
use super::missing_blocks::BlockFailure;
use super::queue::{BlockBatch, Queue};
use super::shutdown::{ShutdownSignal, lock};
use super::threads;
use crate::blocks::BlockSeeds;

/// Largest number of workers that a thread keeps: players may be large, and an experiment may have
/// thousands.
const MAX_WORKERS: usize = 32;

/// Largest number of forfeits reported for a line-up.
const MAX_SHOWN_FORFEITS: usize = 3;

/// A block that takes longer than the time limit of the run.
#[derive(Clone, Copy, Debug)]
pub struct OverlongBlock {
    pub lineup: usize,
    /// Time after which it was dropped, including the start of its players.
    pub dropped_after: Duration,
    /// Moves of the unfinished game.
    pub moves: u64,
}

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub struct RunEnd {
    /// Number of games played in this run.
    pub games_played: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// True if it was stopped before the last game.
    pub is_interrupted: bool,
    /// True if it was stopped by its time limit.
    pub is_out_of_time: bool,
    /// Blocks that were dropped because they took longer than the time limit. A run with an equal
    /// limit would drop them again.
    pub overlong_blocks: Vec<OverlongBlock>,
    /// Games of this run that failed.
    pub panics: Vec<BlockFailure>,
    /// First few games of each line-up that a player forfeited, with the reason.
    pub forfeits: Vec<BlockFailure>,
    /// Players that were skipped. Their remaining games were not played.
    pub skipped_players: FailingPlayers,
    /// For a shard: the number of blocks after which the run ends, if that is decided.
    pub end: Option<u64>,
    /// For a shard: a line about a decision in its folder that does not count, or about an
    /// unreadable journal there.
    pub warning: Option<String>,
    /// Describes games that lines of the journal disagreed about, in words that continue a
    /// sentence. These lines no longer count.
    pub conflict: Option<String>,
}

/// Part of a batch: numbers of its blocks in the plan, and the blocks.
struct BatchPart<'a> {
    lineup: usize,
    numbers: &'a [u64],
    blocks: &'a [Block],
}

/// State shared by the threads.
pub(super) struct Crew<'a> {
    pub(super) plan: &'a KeyedPlan<'a>,
    pub(super) threads: usize,
    /// Bytes available to the players of each thread.
    pub(super) memory: u64,
    pub(super) context: BuildContext,
    /// Time after which no more batches are dealt, if the time is limited.
    pub(super) deadline: Option<Deadline>,
    pub(super) queue: Mutex<Queue>,
    pub(super) journal: Mutex<&'a mut Journal>,
    pub(super) counters: &'a Counters,
    /// Judge that may end the run early, and the plan of the players that it may need.
    pub(super) judge: Mutex<Option<(KeyedPlan<'a>, Judge)>>,
    /// Results of the run so far.
    pub(super) run_end: Mutex<RunEnd>,
    pub(super) skipped_players: Mutex<FailingPlayers>,
    /// Line-ups whose first unfinished block was dropped after more than the time limit of the run.
    pub(super) overlong_blocks: Mutex<BTreeMap<usize, OverlongBlock>>,
    /// First system error; after it no thread continues.
    pub(super) error: Mutex<Option<anyhow::Error>>,
}

impl Crew<'_> {
    /// Starts all threads and waits for them. If one cannot be started, none plays.
    pub(super) fn play_all<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        // Each thread first locks `first_error`, so none starts playing before all threads exist.
        let mut first_error = lock(&self.error);
        let threads: anyhow::Result<Vec<_>> =
            (0..self.threads).map(|thread| threads::start(scope, move || self.work(thread))).collect();
        let threads = threads.unwrap_or_else(|error| {
            *first_error = Some(error);
            Vec::new()
        });
        drop(first_error);
        for thread in threads {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    }

    /// Plays batches on one thread until none is left, the run is stopped, or its time is over.
    pub(super) fn work(&self, thread: usize) {
        let mut workers = BTreeMap::new();
        let is_over =
            || self.context.stop.is_requested() || self.deadline.is_some_and(|deadline| deadline.is_over());
        while !is_over() && lock(&self.error).is_none() {
            let Some(batch) = lock(&self.queue).next() else { return };
            if let Err(error) = self.play(thread, &batch, &mut workers) {
                lock(&self.error).get_or_insert(error);
            }
        }
    }

    fn play(
        &self,
        thread: usize,
        batch: &BlockBatch,
        workers: &mut BTreeMap<usize, StreamWorker>,
    ) -> anyhow::Result<()> {
        let lineup = batch.lineup;
        let batch_start = Instant::now();
        let used_memory = workers.keys().fold(0, |sum, &other| self.plan.memory(other).saturating_add(sum));
        let is_full = workers.len() >= MAX_WORKERS
            || used_memory.saturating_add(self.plan.memory(lineup)) > self.memory;
        let is_rebuilt = is_full && !workers.contains_key(&lineup);
        if is_rebuilt {
            workers.clear();
        }
        let worker = match workers.entry(lineup) {
            btree_map::Entry::Occupied(occupied) => occupied.into_mut(),
            btree_map::Entry::Vacant(vacant) => {
                let entries: Vec<_> = self.plan.members(lineup).map(|player| player.entry).collect();
                let context = BuildContext {
                    moves: self.counters.move_counter(thread).clone(),
                    ..self.context.clone()
                };
                let start = Instant::now();
                let worker = arena::build_stream_worker(&entries, self.plan.max_moves, &context);
                if is_rebuilt {
                    lock(&self.queue).note_build(lineup, start.elapsed());
                }
                vacant.insert(worker.with_context(|| format!("cannot build {:?}", self.plan.title(lineup)))?)
            }
        };
        let numbers: Vec<u64> = batch.blocks.iter().cloned().flatten().collect();
        let blocks: Vec<Block> = numbers.iter().map(|&block| self.plan.blocks.block(block)).collect();
        let part = |first: usize| BatchPart { lineup, numbers: &numbers[first..], blocks: &blocks[first..] };
        let start = Instant::now();
        self.counters.begin(thread, lineup, self.plan.legs() * blocks.len() as u64);
        let (mut blocks_played, mut write_result) = (0, Ok(()));
        let mut last_reason = None;
        let mut write_early = |first: usize, games: BatchResult| {
            last_reason = last_failure_reason(&games).or(last_reason.take());
            blocks_played += games.records.len() / self.plan.legs() as usize;
            if write_result.is_ok() {
                write_result = self.write(&part(first), games);
            }
            if write_result.is_err() {
                self.context.stop.request();
            }
        };
        let mut result = worker(&blocks, Some(&mut write_early));
        write_result?;
        self.counters.end(thread);
        blocks_played += result.records.len() / self.plan.legs() as usize;
        let play_time = start.elapsed();
        let batch_time = batch_start.elapsed();
        if blocks_played == 0 && self.deadline.is_some_and(|deadline| deadline.is_too_short_for(batch_time)) {
            let moves = self.counters.move_counter(thread).get();
            lock(&self.overlong_blocks)
                .insert(lineup, OverlongBlock { lineup, dropped_after: batch_time, moves });
        }
        if blocks_played < blocks.len() && result.given_up_member.is_none() {
            lock(&self.run_end).is_interrupted = true;
        }
        if result.batch > 1 {
            lock(&self.queue).note_batch(lineup, result.batch);
        }
        if blocks_played > 0 {
            lock(&self.queue).note_time(lineup, blocks_played as u64, play_time);
        }
        self.note_skipped_player(lineup, &result, last_reason)?;
        let failure = result.failure.take();
        self.write(&part(0), result)?;
        failure
            .map_or(Ok(()), |message| Err(anyhow!("{}: {}", self.plan.title(lineup), escape::line(&message))))
    }

    /// Stops dealing games of a program that failed in game after game. `earlier_reason` is the last
    /// reason in parts of the batch that were written early.
    fn note_skipped_player(
        &self,
        lineup: usize,
        result: &BatchResult,
        earlier_reason: Option<String>,
    ) -> anyhow::Result<()> {
        let Some(member) = result.given_up_member else { return Ok(()) };
        let player = self.plan.lineups[lineup].members()[member];
        let message = last_failure_reason(result).or(earlier_reason).unwrap_or_default();
        if lock(&self.skipped_players).insert(player, message.clone()).is_some() {
            return Ok(());
        }
        let key = self.plan.key(lineup).to_owned();
        lock(&self.journal).append_failure(FailureEntry { key, member, message })?;
        let is_out = |lineup: usize| self.plan.lineups[lineup].members().contains(&player);
        for (lineup, dropped_blocks) in lock(&self.queue).leave_out(is_out) {
            self.counters.subtract_games(lineup, self.plan.legs() * dropped_blocks);
        }
        self.reset_judge()
    }

    /// Replaces the judge by one that does not wait for games of skipped players.
    fn reset_judge(&self) -> anyhow::Result<()> {
        if self.plan.stop.is_none() {
            return Ok(());
        }
        let reduced_plan = self.plan.without_players(lock(&self.skipped_players).clone());
        let journal = lock(&self.journal);
        let mut judge = Judge::new(&reduced_plan);
        if let Some(judge) = &mut judge {
            judge.add_journal(&Coverage::from_journal(&reduced_plan, &journal)?)?;
        }
        let mut shared_judge = lock(&self.judge);
        // The journal's records lack blocks that broke a program in this run.
        if let Some(judge) = &mut judge {
            for game in &lock(&self.run_end).panics {
                let key = self.plan.key(game.lineup);
                judge.add_failure(|lineup| reduced_plan.key(lineup) == key, game.block);
            }
        }
        // A shard has no judge.
        if shared_judge.is_some() {
            *shared_judge = judge.map(|judge| (reduced_plan, judge));
            self.end_if_decided(&shared_judge);
        }
        Ok(())
    }

    /// Syncs the journal to disk every few seconds, which limits the loss in a power cut. It has
    /// its own thread because a sync may take long. The system reports each failure only once, so
    /// the first one ends the run.
    pub(super) fn keep_on_disk(&self, journal: &dyn DiskFile, shutdown: &ShutdownSignal) {
        while !shutdown.wait(Duration::from_secs(5)) {
            if let Err(error) = journal.sync() {
                lock(&self.error).get_or_insert(anyhow!(error).context("cannot sync the journal to disk"));
                return;
            }
        }
    }

    /// Writes the results of a batch or a part of it: stretches of consecutive blocks, and between
    /// them blocks that broke.
    fn write(&self, part: &BatchPart, mut result: BatchResult) -> anyhow::Result<()> {
        let BatchPart { lineup, numbers, blocks } = *part;
        let legs = self.plan.legs() as usize;
        let mut times = Some(std::mem::take(&mut result.times));
        // Describes a game, given its index in the slice.
        let block_failure = |game_index: usize| {
            let (seed, leg) = (blocks[game_index / legs].seed, game_index % legs);
            let block = numbers[game_index / legs];
            let position =
                find_complaint(&result, game_index).and_then(|complaint| complaint.position.clone());
            BlockFailure {
                lineup,
                block,
                seed,
                leg,
                message: self.forfeit_message(lineup, &result, game_index),
                position,
            }
        };
        self.note_forfeits(lineup, &result, block_failure);
        let block_records: Vec<&[GameRecord]> = result.records.chunks(legs).collect();
        let is_broken = |block: &[GameRecord]| block.iter().any(|record| record.ending.is_panic());
        let mut index = 0;
        while index < block_records.len() {
            let rest = numbers[index..].iter().zip(numbers[index]..).zip(&block_records[index..]);
            let sound_blocks =
                rest.take_while(|((own, next), games)| *own == next && !is_broken(games)).count();
            if sound_blocks > 0 {
                let records = &result.records[index * legs..(index + sound_blocks) * legs];
                let mut games = GamesEntry::new(self.plan.key(lineup), records, self.plan.arena.facts.len());
                match &*self.plan.blocks {
                    BlockSeeds::Derived { .. } => games.first = Some(numbers[index]),
                    BlockSeeds::Listed(_) => {
                        let span_blocks = &blocks[index..index + sound_blocks];
                        games.seeds = span_blocks.iter().map(|block| block.seed).collect();
                    }
                }
                let nodes = result.nodes.get(index * legs..(index + sound_blocks) * legs);
                games.nodes = nodes.map_or_else(Vec::new, <[u64]>::to_vec);
                let moves = result.moves.get(index * legs..(index + sound_blocks) * legs);
                games.played = moves.map_or_else(Vec::new, <[String]>::to_vec);
                games.threads = self.threads;
                games.set_times(times.take().unwrap_or_default());
                let line = games.to_line();
                lock(&self.journal).append_games(line)?;
                self.counters.add(lineup, GameSums::new(self.plan.arena.shape, records));
                self.judge(lineup, numbers[index], records);
            }
            index += sound_blocks;
            if let Some(block) = block_records.get(index).filter(|block| is_broken(block)) {
                let leg = block.iter().position(|record| record.ending.is_panic()).unwrap_or(0);
                let game = block_failure(index * legs + leg);
                let panic = PanicEntry {
                    key: self.plan.key(lineup).to_owned(),
                    seed: game.seed,
                    leg: game.leg,
                    message: game.message.clone(),
                };
                lock(&self.journal).append_panic(panic)?;
                lock(&self.run_end).panics.push(game);
                self.counters.add(lineup, GameSums { games: legs as u64, ..GameSums::default() });
                self.judge(lineup, numbers[index], block);
                index += 1;
            }
        }
        Ok(())
    }

    /// Announces the first forfeit of each player, and keeps the first few of each line-up.
    fn note_forfeits(
        &self,
        lineup: usize,
        result: &BatchResult,
        block_failure: impl Fn(usize) -> BlockFailure,
    ) {
        for &(game_index, _) in
            result.complaints.iter().filter(|(game_index, _)| !result.records[*game_index].ending.is_panic())
        {
            if let Some(player) = self.player_at_fault(lineup, result, game_index) {
                self.counters.note_forfeit(player, || block_failure(game_index).forfeit_message(self.plan));
            }
            let forfeits = &mut lock(&self.run_end).forfeits;
            if forfeits.iter().filter(|game| game.lineup == lineup).count() < MAX_SHOWN_FORFEITS {
                forfeits.push(block_failure(game_index));
            }
        }
    }

    /// Returns the message of a game that ended by a player's fault. In a duel it names the player.
    fn forfeit_message(&self, lineup: usize, result: &BatchResult, game_index: usize) -> String {
        let reason = find_complaint(result, game_index).map_or("", |complaint| &complaint.reason);
        match (self.plan.arena.shape, self.player_at_fault(lineup, result, game_index)) {
            (Shape::Duel, Some(player)) => format!("{}: {reason}", self.plan.players[player].name),
            _ => reason.to_owned(),
        }
    }

    /// Returns the player that could not continue a game.
    fn player_at_fault(&self, lineup: usize, result: &BatchResult, game_index: usize) -> Option<usize> {
        let (shape, seat) = (self.plan.arena.shape, result.records[game_index].ending.seat_at_fault()?);
        let member = shape.member_at(game_index % shape.legs(), seat);
        Some(self.plan.lineups[lineup].members()[member])
    }

    /// Passes these games to the judge. If the end of the run is now known, no further blocks are
    /// dealt.
    fn judge(&self, lineup: usize, first: u64, records: &[GameRecord]) {
        let mut shared_judge = lock(&self.judge);
        let Some((plan, judge)) = shared_judge.as_mut().filter(|(_, judge)| judge.end().is_none()) else {
            return;
        };
        let key = self.plan.key(lineup);
        judge.add_games(|lineup| plan.key(lineup) == key, first, records);
        self.end_if_decided(&shared_judge);
    }

    /// Shows the state of the judge, and stops dealing blocks after the end of the run.
    fn end_if_decided(&self, judge: &Option<(KeyedPlan, Judge)>) {
        let Some((plan, judge)) = judge else { return };
        self.counters.set_comparison_state(judge.describe_state(|lineup| plan.title(lineup)));
        if let Some(end) = judge.end() {
            self.end_before(end);
        }
    }

    /// Stops dealing games from this block on.
    pub(super) fn end_before(&self, block: u64) {
        for (lineup, dropped_blocks) in lock(&self.queue).end_before(block).into_iter().enumerate() {
            self.counters.subtract_games(lineup, self.plan.legs() * dropped_blocks);
        }
    }
}

/// Returns the reason of the last complaint about a player, if there is one.
fn last_failure_reason(result: &BatchResult) -> Option<String> {
    result.complaints.last().map(|(_, complaint)| complaint.reason.clone())
}

/// Returns why a game ended by a player's fault, if it did.
fn find_complaint(result: &BatchResult, game_index: usize) -> Option<&Complaint> {
    let index = result.complaints.binary_search_by_key(&game_index, |(game, _)| *game).ok()?;
    Some(&result.complaints[index].1)
}
