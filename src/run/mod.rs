//! Plays a plan into a journal. [`run`] is the whole of it.
//!
//! - [`journal`]: what happened, on disk; `entry`: a line of it
//! - [`coverage`]: what of a plan is there already; [`merge`](mod@merge): the journals of shards become one
//! - [`broken`](mod@broken): games that ended as they should not
//! - [`stop`]: when a comparison may end before that
//! - `queue`: deals jobs to workers
//! - [`progress`]: what a person sees meanwhile
//! - [`machine`]: what a result must say about where it was made

pub mod broken;
pub mod coverage;
mod entry;
pub mod journal;
pub mod machine;
pub mod merge;
pub mod progress;
mod queue;
pub mod stop;

use std::collections::{BTreeMap, btree_map};
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};

use crate::arena::Worker;
use crate::config::Blocks;
use crate::plan::{Plan, Shard};
use crate::record::{Ending, GameRecord, Slice};
use broken::Broken;
use coverage::Coverage;
use journal::{Games, Journal, Panic, Session};
use progress::{Counters, Style};
use queue::{Errand, Queue};
use stop::Judge;

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How many threads.
    pub jobs: usize,
    /// Which share of the blocks, if not all.
    pub shard: Option<Shard>,
    /// What to show meanwhile.
    pub progress: Style,
    /// The digest of the experiment's file, for the journal.
    pub experiment: &'a str,
}

/// How it went.
#[derive(Clone, Debug, Default)]
pub struct Finish {
    /// Games played now.
    pub played: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// Whether it was stopped before the last game.
    pub interrupted: bool,
    /// Games that broke their player's program, now.
    pub panics: Vec<Broken>,
    /// The first few games that each player ended by its own fault, and why.
    pub forfeits: Vec<Broken>,
}

/// Plays what the journal lacks of a plan, until all is played or `stop` is set. What was played is in the
/// journal whatever happens; [`Journal::sync`] waits until the last of it is on the disk, too.
pub fn run(
    plan: &Plan,
    journal: &mut Journal,
    options: &Options,
    stop: &AtomicBool,
) -> anyhow::Result<Finish> {
    let started = Instant::now();
    let coverage = Coverage::of(plan, journal)?;
    // A shard knows a part of the blocks only, so it plays all of them; the merge judges.
    let mut judge = Judge::of(plan).filter(|_| options.shard.is_none());
    if let Some(judge) = &mut judge {
        judge.hear_all(journal, &coverage)?;
    }
    let among = match options.shard {
        Some(shard) => shard.blocks(plan.blocks.len()),
        None => 0..judge.as_ref().and_then(Judge::end).unwrap_or(plan.blocks.len()),
    };
    // Players with the same settings have the same key, and the games of the first of them are those of all.
    let first_of: Vec<usize> = {
        let mut first = BTreeMap::new();
        plan.entries.iter().enumerate().map(|(i, entry)| *first.entry(&entry.key).or_insert(i)).collect()
    };
    let missing = (0..plan.entries.len())
        .map(|player| if first_of[player] == player { coverage.missing(player, &among) } else { Vec::new() });
    let missing: Vec<_> = missing.collect();
    let counters = Counters::new(plan.entries.iter().enumerate().map(|(player, entry)| {
        let all = if first_of[player] == player { among.end - among.start } else { 0 };
        (entry.name.to_owned(), coverage.games(player, &among).min(all), all)
    }));
    if missing.iter().all(Vec::is_empty) {
        return Ok(Finish::default());
    }

    journal.begin(Session {
        started: machine::now(),
        gauntlet: machine::VERSION.to_owned(),
        revision: machine::REVISION.to_owned(),
        cpu: machine::cpu(),
        jobs: options.jobs,
        shard: options.shard.map(|shard| shard.to_string()),
        experiment: options.experiment.to_owned(),
        seconds: None,
    })?;
    if let Some(judge) = &judge {
        counters.stands(judge.ruling().to_string());
    }
    let synced = journal.handle().context("cannot use the journal from two threads")?;
    let crew = Crew {
        plan,
        jobs: options.jobs,
        stop,
        queue: Mutex::new(Queue::new(missing, options.jobs)),
        journal: Mutex::new(journal),
        counters: &counters,
        judge: judge.map(Mutex::new),
        panics: Mutex::new(Vec::new()),
        forfeits: Mutex::new(Vec::new()),
        failure: Mutex::new(None),
    };
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(options.jobs).build().context("cannot start threads")?;
    let over = Bell::default();
    std::thread::scope(|scope| {
        scope.spawn(|| crew.keep_on_disk(&synced, &over));
        scope.spawn(|| progress::show(&counters, options.progress, started, stop, &over));
        // However the workers end, the two others are told.
        let _ring = RingOnDrop(&over);
        pool.broadcast(|_| crew.work());
    });

    let left = lock(&crew.queue).left().sum::<u64>();
    if let Some(failure) = lock(&crew.failure).take() {
        return Err(failure);
    }
    let seconds = started.elapsed().as_secs_f64();
    lock(&crew.journal).finish(seconds)?;
    let sorted = |games: &Mutex<Vec<Broken>>| {
        let mut games = std::mem::take(&mut *lock(games));
        games.sort_by_key(|game| (game.player, game.block));
        games
    };
    let (panics, forfeits) = (sorted(&crew.panics), sorted(&crew.forfeits));
    Ok(Finish { played: counters.played_now(), seconds, interrupted: left > 0, panics, forfeits })
}

/// A thread keeps no more players than this: each may be large, and experiments may have thousands.
const MOST_WORKERS: usize = 32;

/// So many reasons of a player to give up are worth telling.
const TOLD_FORFEITS: usize = 3;

/// What the workers share.
struct Crew<'a> {
    plan: &'a Plan<'a>,
    jobs: usize,
    stop: &'a AtomicBool,
    queue: Mutex<Queue>,
    journal: Mutex<&'a mut Journal>,
    counters: &'a Counters,
    /// Who may end the run early.
    judge: Option<Mutex<Judge>>,
    panics: Mutex<Vec<Broken>>,
    forfeits: Mutex<Vec<Broken>>,
    /// The first failure of the world; after it nobody plays on.
    failure: Mutex<Option<anyhow::Error>>,
}

impl Crew<'_> {
    /// One worker's day: errand after errand, until there is none or somebody says stop.
    fn work(&self) {
        let mut workers = BTreeMap::new();
        while !self.stop.load(Ordering::Relaxed) && lock(&self.failure).is_none() {
            let Some(errand) = lock(&self.queue).next() else { return };
            if let Err(error) = self.play(&errand, &mut workers) {
                lock(&self.failure).get_or_insert(error);
            }
        }
    }

    fn play(&self, errand: &Errand, workers: &mut BTreeMap<usize, Worker>) -> anyhow::Result<()> {
        let entry = &self.plan.entries[errand.player];
        if workers.len() >= MOST_WORKERS && !workers.contains_key(&errand.player) {
            workers.clear();
        }
        let worker = match workers.entry(errand.player) {
            btree_map::Entry::Occupied(known) => known.into_mut(),
            btree_map::Entry::Vacant(unknown) => {
                let worker = entry.entrant.worker(self.plan.max_moves);
                unknown.insert(worker.with_context(|| format!("cannot build {:?}", entry.name))?)
            }
        };
        let seeds: Vec<u64> = errand.blocks.clone().map(|block| self.plan.blocks.seed(block)).collect();
        let start = Instant::now();
        let slice = worker(&seeds);
        lock(&self.queue).learn(errand.player, seeds.len() as u64, start.elapsed());
        self.write(errand, &seeds, slice)
    }

    /// Brings the journal to the disk every few seconds: a power cut loses no more than that. Not the workers'
    /// business, for it may take long. The system tells each failure once only, so it must not be passed over.
    fn keep_on_disk(&self, journal: &File, over: &Bell) {
        while !over.wait(Duration::from_secs(5)) {
            if let Err(error) = journal.sync_data() {
                lock(&self.failure)
                    .get_or_insert(anyhow!(error).context("cannot bring the journal to the disk"));
                return;
            }
        }
    }

    /// Writes what was played: stretches of games, and between them those that broke.
    fn write(&self, errand: &Errand, seeds: &[u64], slice: Slice) -> anyhow::Result<()> {
        let entry = &self.plan.entries[errand.player];
        let broken = |place: usize, message: &str| Broken {
            player: errand.player,
            block: errand.blocks.start + place as u64,
            seed: seeds[place],
            message: message.to_owned(),
        };
        for (place, message) in &slice.complaints {
            let mut forfeits = lock(&self.forfeits);
            let told = forfeits.iter().filter(|game| game.player == errand.player).count();
            if slice.records[*place].ending != Ending::Panic && told < TOLD_FORFEITS {
                forfeits.push(broken(*place, message));
            }
        }
        let mut complaints = slice.complaints.iter().peekable();
        let mut times = Some(slice.times);
        let mut place = 0;
        for stretch in slice.records.split_inclusive(|record| record.ending == Ending::Panic) {
            let sound = stretch.iter().take_while(|record| record.ending != Ending::Panic).count();
            if sound > 0 {
                let mut games = Games::of(&entry.key, &stretch[..sound], self.plan.facts.len());
                match &*self.plan.blocks {
                    Blocks::Derived { .. } => games.first = Some(errand.blocks.start + place as u64),
                    Blocks::Listed(_) => games.seeds = seeds[place..place + sound].to_vec(),
                }
                games.jobs = self.jobs;
                games.times = times.take().unwrap_or_default();
                let framed = games.framed();
                lock(&self.journal).append_games(framed)?;
                let wins = stretch[..sound].iter().filter(|record| record.won).count();
                self.counters.add(errand.player, sound as u64, wins as u64);
            }
            place += sound;
            if sound < stretch.len() {
                while complaints.next_if(|(told, _)| *told < place).is_some() {}
                let complaint = complaints.next_if(|(told, _)| *told == place);
                let game = broken(place, complaint.map_or("", |(_, message)| message));
                let panic = Panic { key: entry.key.clone(), seed: game.seed, message: game.message.clone() };
                lock(&self.journal).append_panic(panic)?;
                lock(&self.panics).push(game);
                self.counters.add(errand.player, 1, 0);
                place += 1;
            }
        }
        self.judge(errand, &slice.records);
        Ok(())
    }

    /// Lets the judge hear of these games, and deals no further than the end if that is known now.
    fn judge(&self, errand: &Errand, records: &[GameRecord]) {
        let Some(judge) = &self.judge else { return };
        let mut judge = lock(judge);
        if judge.end().is_some() {
            return;
        }
        let key = &self.plan.entries[errand.player].key;
        for (block, record) in errand.blocks.clone().zip(records) {
            judge.hear(|player| self.plan.entries[player].key == *key, block, record);
        }
        self.counters.stands(judge.ruling().to_string());
        if let Some(end) = judge.end() {
            for (player, spared) in lock(&self.queue).end_before(end).into_iter().enumerate() {
                self.counters.spare(player, spared);
            }
        }
    }
}

/// Rings once, and everybody who waits hears it.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    rung: Mutex<bool>,
    heard: Condvar,
}

impl Bell {
    fn ring(&self) {
        *lock(&self.rung) = true;
        self.heard.notify_all();
    }

    /// Waits for the bell, but not longer than this; says whether it has rung.
    fn wait(&self, at_most: Duration) -> bool {
        let waited = self.heard.wait_timeout_while(lock(&self.rung), at_most, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

struct RingOnDrop<'a>(&'a Bell);

impl Drop for RingOnDrop<'_> {
    fn drop(&mut self) {
        self.0.ring();
    }
}

/// A lock is poisoned only by a panic of ours, which ends the run in any case.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
