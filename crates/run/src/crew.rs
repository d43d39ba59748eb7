//! The threads of a run, and what they share. Each has a worker for each line-up that it plays.

use std::collections::{BTreeMap, btree_map};
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::thread::Scope;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use gauntlet_core::arena::{self, Worker};
use gauntlet_core::disk::DiskFile;
use gauntlet_core::game::{Block, Shape};
use gauntlet_core::player::Kit;
use gauntlet_core::record::{GameRecord, Slice};
use gauntlet_core::text::escape;

use super::bar::Counters;
use super::broken::BrokenGame;
use super::deadline::Deadline;
use super::failing::GivenUp;
use super::journal::{GamesEntry, Journal, PanicEntry};
use super::judge::Judge;
use super::keyed::KeyedPlan;
use super::played::Played;
use super::queue::{BlockBatch, Queue};
use super::shutdown::{ShutdownSignal, lock};
use super::threads;
use crate::blocks::Blocks;

/// A thread keeps no more workers than this: each holds players that may be large, and experiments
/// may have thousands.
const MOST_WORKERS: usize = 32;

/// The most forfeits of one line-up that are told.
const TOLD_FORFEITS: usize = 3;

/// A block that takes longer than a run of limited time has.
#[derive(Clone, Copy, Debug)]
pub struct TooLong {
    /// Its line-up.
    pub lineup: usize,
    /// Time that it had when it was dropped, the start of its players included.
    pub dropped_after: Duration,
    /// Moves of the game in play.
    pub moves: u64,
}

/// Result of a run.
#[derive(Clone, Debug, Default)]
pub struct RunEnd {
    /// Games played now.
    pub played: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// True if it was stopped before the last game.
    pub interrupted: bool,
    /// True if that was because its time was over.
    pub is_out_of_time: bool,
    /// Blocks that took longer than the time of the run, and were dropped: as long a run would drop
    /// them again.
    pub too_long: Vec<TooLong>,
    /// Games that broke their player's program, now.
    pub panics: Vec<BrokenGame>,
    /// The first few games of each line-up that a player forfeited, and why.
    pub forfeits: Vec<BrokenGame>,
    /// Players that are other programs and failed in game after game, by their places in the plan,
    /// and how the last of these games ended: their other games were not played.
    pub given_up: Vec<(usize, String)>,
    /// Of a shard: after how many blocks the run is over, if that is decided.
    pub end: Option<u64>,
    /// Of a shard: a decision of its folder that does not count, or a journal there that could not
    /// be read for one, in a line.
    pub ignored: Option<String>,
    /// Games that lines of the journal disagreed about, in words that can go on: these lines count
    /// no more.
    pub disputed: Option<String>,
}

/// State that the threads share.
pub(super) struct Crew<'a> {
    pub(super) plan: &'a KeyedPlan<'a>,
    pub(super) threads: usize,
    /// Bytes that the players of each thread may take.
    pub(super) memory: u64,
    pub(super) kit: Kit,
    /// Time after which no more batches are dealt, if there is one.
    pub(super) deadline: Option<Deadline>,
    pub(super) queue: Mutex<Queue>,
    pub(super) journal: Mutex<&'a mut Journal>,
    pub(super) counters: &'a Counters,
    /// Judge that may end the run early.
    pub(super) judge: Option<Mutex<Judge>>,
    /// What came of the run so far.
    pub(super) finish: Mutex<RunEnd>,
    pub(super) given_up: Mutex<GivenUp>,
    /// Line-ups whose first block in hand was dropped after more than the time of the whole run.
    pub(super) too_long: Mutex<BTreeMap<usize, TooLong>>,
    /// The first failure of the world; after it no thread plays on.
    pub(super) failure: Mutex<Option<anyhow::Error>>,
}

impl Crew<'_> {
    /// Plays on all threads, and waits for them. If one of them cannot be started, none plays.
    pub(super) fn play_all<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        // Each thread looks at the failure first, so none goes on before all are there.
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

    /// The work of one thread: batch after batch, until there is none, the run is asked to stop, or
    /// its time is over.
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
        workers: &mut BTreeMap<usize, Worker>,
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
                let kit = Kit { moves: self.counters.moves_of(thread).clone(), ..self.kit.clone() };
                let start = Instant::now();
                let worker = arena::worker(&entrants, self.plan.max_moves, &kit);
                if is_rebuilt {
                    lock(&self.queue).learn_build(lineup, start.elapsed());
                }
                unknown.insert(worker.with_context(|| format!("cannot build {:?}", self.plan.title(lineup)))?)
            }
        };
        let blocks: Vec<Block> = batch.blocks.clone().map(|block| self.plan.blocks.block(block)).collect();
        let start = Instant::now();
        self.counters.begin(thread, lineup, self.plan.legs() * blocks.len() as u64);
        let mut slice = worker(&blocks);
        self.counters.end(thread);
        let played = slice.records.len() / self.plan.legs() as usize;
        let took = start.elapsed();
        let had = begun.elapsed();
        if played == 0 && self.deadline.is_some_and(|deadline| deadline.is_too_short_for(had)) {
            let moves = self.counters.moves_of(thread).get();
            lock(&self.too_long).insert(lineup, TooLong { lineup, dropped_after: had, moves });
        }
        if played < blocks.len() && slice.given_up.is_none() {
            lock(&self.finish).interrupted = true;
        }
        if slice.batch > 1 {
            lock(&self.queue).learn_batch(lineup, slice.batch);
        }
        if played > 0 {
            lock(&self.queue).learn(lineup, played as u64, took);
        }
        self.note_given_up(lineup, &slice);
        let failure = slice.failure.take();
        self.write(batch, &blocks, slice)?;
        failure.map_or(Ok(()), |why| Err(anyhow!("{}: {}", self.plan.title(lineup), escape::line(&why))))
    }

    /// Plays no more games of a program that failed in game after game.
    fn note_given_up(&self, lineup: usize, slice: &Slice) {
        let Some(member) = slice.given_up else { return };
        let player = self.plan.lineups[lineup].members()[member];
        let why = slice.complaints.last().map_or("", |(_, why)| why);
        if lock(&self.given_up).insert(player, why.to_owned()).is_none() {
            self.leave_out(player);
        }
    }

    /// Deals no more games of a player.
    fn leave_out(&self, player: usize) {
        let is_out = |lineup: usize| self.plan.lineups[lineup].members().contains(&player);
        for (lineup, spared) in lock(&self.queue).leave_out(is_out) {
            self.counters.spare(lineup, self.plan.legs() * spared);
        }
    }

    /// Brings the journal to the disk every few seconds: a power cut loses no more than that. It
    /// has a thread of its own, because it may take long. The system tells each failure only once,
    /// so the first one ends the run.
    pub(super) fn keep_on_disk(&self, journal: &dyn DiskFile, over: &ShutdownSignal) {
        while !over.wait(Duration::from_secs(5)) {
            if let Err(error) = journal.sync() {
                lock(&self.failure)
                    .get_or_insert(anyhow!(error).context("cannot bring the journal to the disk"));
                return;
            }
        }
    }

    /// Writes what was played: stretches of blocks, and between them those that broke.
    fn write(&self, batch: &BlockBatch, blocks: &[Block], mut slice: Slice) -> anyhow::Result<()> {
        let lineup = batch.lineup;
        let legs = self.plan.legs() as usize;
        let mut times = Some(std::mem::take(&mut slice.times));
        // A game, by its place in the slice.
        let broken = |place: usize| {
            let (seed, leg) = (blocks[place / legs].seed, place % legs);
            let block = batch.blocks.start + (place / legs) as u64;
            BrokenGame { lineup, block, seed, leg, message: self.complaint(lineup, &slice, place) }
        };
        self.note_forfeits(lineup, &slice, broken);
        let of_blocks: Vec<&[GameRecord]> = slice.records.chunks(legs).collect();
        let is_broken = |block: &[GameRecord]| block.iter().any(|record| record.ending.is_panic());
        let mut place = 0;
        while place < of_blocks.len() {
            let sound = of_blocks[place..].iter().take_while(|block| !is_broken(block)).count();
            if sound > 0 {
                let records = &slice.records[place * legs..(place + sound) * legs];
                let mut games = GamesEntry::of(self.plan.key(lineup), records, self.plan.arena.facts.len());
                match &*self.plan.blocks {
                    Blocks::Derived { .. } => games.first = Some(batch.blocks.start + place as u64),
                    Blocks::Listed(_) => {
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
                let framed = games.framed();
                lock(&self.journal).append_games(framed)?;
                self.counters.add(lineup, Played::of(self.plan.arena.shape, records));
            }
            place += sound;
            if let Some(block) = of_blocks.get(place) {
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
                self.counters.add(lineup, Played { games: legs as u64, ..Played::default() });
                place += 1;
            }
        }
        self.judge(batch, &slice.records);
        Ok(())
    }

    /// Keeps the first few forfeits, to be told.
    fn note_forfeits(&self, lineup: usize, slice: &Slice, broken: impl Fn(usize) -> BrokenGame) {
        for &(place, _) in &slice.complaints {
            let forfeits = &mut lock(&self.finish).forfeits;
            let told = forfeits.iter().filter(|game| game.lineup == lineup).count();
            if !slice.records[place].ending.is_panic() && told < TOLD_FORFEITS {
                forfeits.push(broken(place));
            }
        }
    }

    /// Message of a game that ended by a player's fault; of two players, with the name of the one
    /// at fault.
    fn complaint(&self, lineup: usize, slice: &Slice, place: usize) -> String {
        let said = said(slice, place);
        let seat = slice.records[place].ending.at_fault();
        match (self.plan.arena.shape, seat) {
            (Shape::Duel, Some(seat)) => {
                let member = Shape::Duel.member_at(place % Shape::Duel.legs(), seat);
                let player = self.plan.lineups[lineup].members()[member];
                format!("{}: {said}", self.plan.players[player].name)
            }
            _ => said.to_owned(),
        }
    }

    /// Lets the judge hear of these games, and deals no further than the end if that is known now.
    fn judge(&self, batch: &BlockBatch, records: &[GameRecord]) {
        let Some(judge) = &self.judge else { return };
        let mut judge = lock(judge);
        if judge.end().is_some() {
            return;
        }
        let key = self.plan.key(batch.lineup);
        judge.hear(|lineup| self.plan.key(lineup) == key, batch.blocks.start, records);
        self.counters.stands(judge.stands(|player| self.plan.players[player].name));
        if let Some(end) = judge.end() {
            self.end_before(end);
        }
    }

    /// Deals no games from this block on.
    pub(super) fn end_before(&self, block: u64) {
        for (lineup, spared) in lock(&self.queue).end_before(block).into_iter().enumerate() {
            self.counters.spare(lineup, self.plan.legs() * spared);
        }
    }
}

/// Complaint about a game that ended by a player's fault.
fn said(slice: &Slice, place: usize) -> &str {
    let found = slice.complaints.binary_search_by_key(&place, |(told, _)| *told);
    found.map_or("", |found| &slice.complaints[found].1)
}
