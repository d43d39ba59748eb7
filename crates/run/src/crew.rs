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
use super::broken::BlockFailure;
use super::coverage::Coverage;
use super::deadline::Deadline;
use super::failing::FailingPlayers;
use super::journal::{FailureEntry, GamesEntry, Journal, PanicEntry};
use super::judge::Judge;
use super::keyed::KeyedPlan;
use super::played::GameSums;
use super::queue::{BlockBatch, Queue};
use super::shutdown::{ShutdownSignal, lock};
use super::threads;
use crate::blocks::BlockSeeds;

/// Largest number of workers that a thread keeps: players may be large, and an experiment may have
/// thousands.
const MOST_WORKERS: usize = 32;

/// Largest number of forfeits reported for a line-up.
const MOST_FORFEITS_SHOWN: usize = 3;

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
    pub played: u64,
    /// Duration in seconds.
    pub seconds: f64,
    /// True if it was stopped before the last game.
    pub interrupted: bool,
    /// True if it was stopped by its time limit.
    pub is_out_of_time: bool,
    /// Blocks that were dropped because they took longer than the time limit. A run with an equal
    /// limit would drop them again.
    pub too_long: Vec<OverlongBlock>,
    /// Games of this run that failed.
    pub panics: Vec<BlockFailure>,
    /// First few games of each line-up that a player forfeited, with the reason.
    pub forfeits: Vec<BlockFailure>,
    /// Players that were skipped. Their remaining games were not played.
    pub given_up: FailingPlayers,
    /// For a shard: the number of blocks after which the run ends, if that is decided.
    pub end: Option<u64>,
    /// For a shard: a line about a decision in its folder that does not count, or about an
    /// unreadable journal there.
    pub ignored: Option<String>,
    /// Describes games that lines of the journal disagreed about, in words that continue a
    /// sentence. These lines no longer count.
    pub disputed: Option<String>,
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
    pub(super) kit: BuildContext,
    /// Time after which no more batches are dealt, if the time is limited.
    pub(super) deadline: Option<Deadline>,
    pub(super) queue: Mutex<Queue>,
    pub(super) journal: Mutex<&'a mut Journal>,
    pub(super) counters: &'a Counters,
    /// Judge that may end the run early, and the plan of the players that it may need.
    pub(super) judge: Mutex<Option<(KeyedPlan<'a>, Judge)>>,
    /// Results of the run so far.
    pub(super) finish: Mutex<RunEnd>,
    pub(super) given_up: Mutex<FailingPlayers>,
    /// Line-ups whose first unfinished block was dropped after more than the time limit of the run.
    pub(super) too_long: Mutex<BTreeMap<usize, OverlongBlock>>,
    /// First system error; after it no thread continues.
    pub(super) failure: Mutex<Option<anyhow::Error>>,
}

impl Crew<'_> {
    /// Starts all threads and waits for them. If one cannot be started, none plays.
    pub(super) fn play_all<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        // Each thread first locks `failure`, so none starts playing before all threads exist.
        let mut failure = lock(&self.failure);
        let threads: anyhow::Result<Vec<_>> =
            (0..self.threads).map(|thread| threads::start(scope, move || self.work(thread))).collect();
        let threads = threads.unwrap_or_else(|error| {
            *failure = Some(error);
            Vec::new()
        });
        drop(failure);
        for thread in threads {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    }

    /// Plays batches on one thread until none is left, the run is stopped, or its time is over.
    pub(super) fn work(&self, thread: usize) {
        let mut workers = BTreeMap::new();
        let is_over = || self.kit.stop.is_asked() || self.deadline.is_some_and(|deadline| deadline.is_over());
        while !is_over() && lock(&self.failure).is_none() {
            let Some(batch) = lock(&self.queue).next() else { return };
            if let Err(error) = self.play(thread, &batch, &mut workers) {
                lock(&self.failure).get_or_insert(error);
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
        let begun = Instant::now();
        let taken = workers.keys().fold(0, |sum, &kept| self.plan.memory(kept).saturating_add(sum));
        let is_full =
            workers.len() >= MOST_WORKERS || taken.saturating_add(self.plan.memory(lineup)) > self.memory;
        let is_rebuilt = is_full && !workers.contains_key(&lineup);
        if is_rebuilt {
            workers.clear();
        }
        let worker = match workers.entry(lineup) {
            btree_map::Entry::Occupied(known) => known.into_mut(),
            btree_map::Entry::Vacant(unknown) => {
                let entrants: Vec<_> = self.plan.members(lineup).map(|player| player.entrant).collect();
                let kit =
                    BuildContext { moves: self.counters.move_counter(thread).clone(), ..self.kit.clone() };
                let start = Instant::now();
                let worker = arena::build_stream_worker(&entrants, self.plan.max_moves, &kit);
                if is_rebuilt {
                    lock(&self.queue).note_build(lineup, start.elapsed());
                }
                unknown.insert(worker.with_context(|| format!("cannot build {:?}", self.plan.title(lineup)))?)
            }
        };
        let numbers: Vec<u64> = batch.blocks.iter().cloned().flatten().collect();
        let blocks: Vec<Block> = numbers.iter().map(|&block| self.plan.blocks.block(block)).collect();
        let part = |first: usize| BatchPart { lineup, numbers: &numbers[first..], blocks: &blocks[first..] };
        let start = Instant::now();
        self.counters.begin(thread, lineup, self.plan.legs() * blocks.len() as u64);
        let (mut played, mut written) = (0, Ok(()));
        let mut early = |first: usize, games: BatchResult| {
            played += games.records.len() / self.plan.legs() as usize;
            if written.is_ok() {
                written = self.write(&part(first), games);
            }
            if written.is_err() {
                self.kit.stop.ask();
            }
        };
        let mut slice = worker(&blocks, Some(&mut early));
        written?;
        self.counters.end(thread);
        played += slice.records.len() / self.plan.legs() as usize;
        let took = start.elapsed();
        let had = begun.elapsed();
        if played == 0 && self.deadline.is_some_and(|deadline| deadline.is_too_short_for(had)) {
            let moves = self.counters.move_counter(thread).get();
            lock(&self.too_long).insert(lineup, OverlongBlock { lineup, dropped_after: had, moves });
        }
        if played < blocks.len() && slice.given_up.is_none() {
            lock(&self.finish).interrupted = true;
        }
        if slice.batch > 1 {
            lock(&self.queue).note_batch(lineup, slice.batch);
        }
        if played > 0 {
            lock(&self.queue).note_time(lineup, played as u64, took);
        }
        self.note_given_up(lineup, &slice)?;
        let failure = slice.failure.take();
        self.write(&part(0), slice)?;
        failure.map_or(Ok(()), |why| Err(anyhow!("{}: {}", self.plan.title(lineup), escape::line(&why))))
    }

    /// Stops dealing games of a program that failed in game after game.
    fn note_given_up(&self, lineup: usize, slice: &BatchResult) -> anyhow::Result<()> {
        let Some(member) = slice.given_up else { return Ok(()) };
        let player = self.plan.lineups[lineup].members()[member];
        let message = slice.complaints.last().map_or("", |(_, complaint)| &complaint.why).to_owned();
        if lock(&self.given_up).insert(player, message.clone()).is_some() {
            return Ok(());
        }
        let key = self.plan.key(lineup).to_owned();
        lock(&self.journal).append_failure(FailureEntry { key, member, message })?;
        let is_out = |lineup: usize| self.plan.lineups[lineup].members().contains(&player);
        for (lineup, spared) in lock(&self.queue).leave_out(is_out) {
            self.counters.subtract_games(lineup, self.plan.legs() * spared);
        }
        self.reset_judge()
    }

    /// Replaces the judge by one that does not wait for games of skipped players.
    fn reset_judge(&self) -> anyhow::Result<()> {
        if self.plan.stop.is_none() {
            return Ok(());
        }
        let plan = self.plan.without_players(lock(&self.given_up).clone());
        let journal = lock(&self.journal);
        let mut judge = Judge::new(&plan);
        if let Some(judge) = &mut judge {
            judge.add_journal(&Coverage::from_journal(&plan, &journal)?)?;
        }
        let mut known = lock(&self.judge);
        // The journal's records lack blocks that broke a program in this run.
        if let Some(judge) = &mut judge {
            for game in &lock(&self.finish).panics {
                let key = self.plan.key(game.lineup);
                judge.add_failure(|lineup| plan.key(lineup) == key, game.block);
            }
        }
        // A shard has no judge.
        if known.is_some() {
            *known = judge.map(|judge| (plan, judge));
            self.end_if_decided(&known);
        }
        Ok(())
    }

    /// Syncs the journal to disk every few seconds, which limits the loss in a power cut. It has
    /// its own thread because a sync may take long. The system reports each failure only once, so
    /// the first one ends the run.
    pub(super) fn keep_on_disk(&self, journal: &dyn DiskFile, over: &ShutdownSignal) {
        while !over.wait(Duration::from_secs(5)) {
            if let Err(error) = journal.sync() {
                lock(&self.failure).get_or_insert(anyhow!(error).context("cannot sync the journal to disk"));
                return;
            }
        }
    }

    /// Writes the results of a batch or a part of it: stretches of consecutive blocks, and between
    /// them blocks that broke.
    fn write(&self, part: &BatchPart, mut slice: BatchResult) -> anyhow::Result<()> {
        let BatchPart { lineup, numbers, blocks } = *part;
        let legs = self.plan.legs() as usize;
        let mut times = Some(std::mem::take(&mut slice.times));
        // Describes a game, given its index in the slice.
        let broken = |place: usize| {
            let (seed, leg) = (blocks[place / legs].seed, place % legs);
            let block = numbers[place / legs];
            let position = complaint(&slice, place).and_then(|complaint| complaint.position.clone());
            BlockFailure {
                lineup,
                block,
                seed,
                leg,
                message: self.forfeit_message(lineup, &slice, place),
                position,
            }
        };
        self.note_forfeits(lineup, &slice, broken);
        let of_blocks: Vec<&[GameRecord]> = slice.records.chunks(legs).collect();
        let is_broken = |block: &[GameRecord]| block.iter().any(|record| record.ending.is_panic());
        let mut place = 0;
        while place < of_blocks.len() {
            let after = numbers[place..].iter().zip(numbers[place]..).zip(&of_blocks[place..]);
            let sound = after.take_while(|((own, next), games)| *own == next && !is_broken(games)).count();
            if sound > 0 {
                let records = &slice.records[place * legs..(place + sound) * legs];
                let mut games = GamesEntry::new(self.plan.key(lineup), records, self.plan.arena.facts.len());
                match &*self.plan.blocks {
                    BlockSeeds::Derived { .. } => games.first = Some(numbers[place]),
                    BlockSeeds::Listed(_) => {
                        let own = &blocks[place..place + sound];
                        games.seeds = own.iter().map(|block| block.seed).collect();
                    }
                }
                let nodes = slice.nodes.get(place * legs..(place + sound) * legs);
                games.nodes = nodes.map_or_else(Vec::new, <[u64]>::to_vec);
                let played = slice.moves.get(place * legs..(place + sound) * legs);
                games.played = played.map_or_else(Vec::new, <[String]>::to_vec);
                games.threads = self.threads;
                games.set_times(times.take().unwrap_or_default());
                let framed = games.to_line();
                lock(&self.journal).append_games(framed)?;
                self.counters.add(lineup, GameSums::new(self.plan.arena.shape, records));
                self.judge(lineup, numbers[place], records);
            }
            place += sound;
            if let Some(block) = of_blocks.get(place).filter(|block| is_broken(block)) {
                let leg = block.iter().position(|record| record.ending.is_panic()).unwrap_or(0);
                let game = broken(place * legs + leg);
                let panic = PanicEntry {
                    key: self.plan.key(lineup).to_owned(),
                    seed: game.seed,
                    leg: game.leg,
                    message: game.message.clone(),
                };
                lock(&self.journal).append_panic(panic)?;
                lock(&self.finish).panics.push(game);
                self.counters.add(lineup, GameSums { games: legs as u64, ..GameSums::default() });
                self.judge(lineup, numbers[place], block);
                place += 1;
            }
        }
        Ok(())
    }

    /// Announces the first forfeit of each player, and keeps the first few of each line-up.
    fn note_forfeits(&self, lineup: usize, slice: &BatchResult, broken: impl Fn(usize) -> BlockFailure) {
        for &(place, _) in
            slice.complaints.iter().filter(|(place, _)| !slice.records[*place].ending.is_panic())
        {
            if let Some(player) = self.player_at_fault(lineup, slice, place) {
                self.counters.note_forfeit(player, || broken(place).forfeit_message(self.plan));
            }
            let forfeits = &mut lock(&self.finish).forfeits;
            if forfeits.iter().filter(|game| game.lineup == lineup).count() < MOST_FORFEITS_SHOWN {
                forfeits.push(broken(place));
            }
        }
    }

    /// Returns the message of a game that ended by a player's fault. In a duel it names the player.
    fn forfeit_message(&self, lineup: usize, slice: &BatchResult, place: usize) -> String {
        let why = complaint(slice, place).map_or("", |complaint| &complaint.why);
        match (self.plan.arena.shape, self.player_at_fault(lineup, slice, place)) {
            (Shape::Duel, Some(player)) => format!("{}: {why}", self.plan.players[player].name),
            _ => why.to_owned(),
        }
    }

    /// Returns the player that could not continue a game.
    fn player_at_fault(&self, lineup: usize, slice: &BatchResult, place: usize) -> Option<usize> {
        let (shape, seat) = (self.plan.arena.shape, slice.records[place].ending.seat_at_fault()?);
        let member = shape.member_at(place % shape.legs(), seat);
        Some(self.plan.lineups[lineup].members()[member])
    }

    /// Passes these games to the judge. If the end of the run is now known, no further blocks are
    /// dealt.
    fn judge(&self, lineup: usize, first: u64, records: &[GameRecord]) {
        let mut known = lock(&self.judge);
        let Some((plan, judge)) = known.as_mut().filter(|(_, judge)| judge.end().is_none()) else { return };
        let key = self.plan.key(lineup);
        judge.add_games(|lineup| plan.key(lineup) == key, first, records);
        self.end_if_decided(&known);
    }

    /// Shows the state of the judge, and stops dealing blocks after the end of the run.
    fn end_if_decided(&self, judge: &Option<(KeyedPlan, Judge)>) {
        let Some((plan, judge)) = judge else { return };
        self.counters.set_standing(judge.describe_state(|lineup| plan.title(lineup)));
        if let Some(end) = judge.end() {
            self.end_before(end);
        }
    }

    /// Stops dealing games from this block on.
    pub(super) fn end_before(&self, block: u64) {
        for (lineup, spared) in lock(&self.queue).end_before(block).into_iter().enumerate() {
            self.counters.subtract_games(lineup, self.plan.legs() * spared);
        }
    }
}

/// Returns why a game ended by a player's fault, if it did.
fn complaint(slice: &BatchResult, place: usize) -> Option<&Complaint> {
    let index = slice.complaints.binary_search_by_key(&place, |(game, _)| *game).ok()?;
    Some(&slice.complaints[index].1)
}
