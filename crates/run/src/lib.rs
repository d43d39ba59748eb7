//! Plays a plan into a journal ([`run`]), and sums up the games ([`tally::tally`]). All code here
//! runs once per game, so it is compiled for speed.

pub mod answers;
pub mod bar;
mod block_set;
pub mod block_span;
pub mod blocks;
pub mod broken;
mod complete_blocks;
pub mod cost;
pub mod coverage;
mod crew;
mod deadline;
pub mod decision;
mod discovery;
pub mod division;
pub mod early_stop;
mod entry;
pub mod failing;
mod head;
pub mod journal;
mod journal_line;
pub mod judge;
pub mod keyed;
mod line_reader;
pub mod lock;
mod losses;
pub mod machine;
pub mod memory;
pub mod merge;
mod moment;
mod not_journal;
pub mod note;
mod panics;
pub mod paths;
pub mod plan;
mod played;
pub mod programs;
pub mod progress;
mod queue;
pub mod sample;
mod screen;
pub mod seen;
pub mod shards;
pub mod shutdown;
pub mod snapshot;
pub mod tally;
pub mod threads;
pub mod validate;
pub mod verify;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::plan::Shard;
use bar::{Counters, ProgressMode};
use coverage::Coverage;
use crew::Crew;
pub use crew::{OverlongBlock, RunEnd};
use gauntlet_core::arena::{Entry, yardstick};
use gauntlet_core::disk::folder_of;
use gauntlet_core::player::{BuildContext, Stop};
use gauntlet_stats::RULES;
use shutdown::{ShutdownSignal, SignalOnDrop, lock};

use deadline::Deadline;
use decision::ShardEarlyStop;
use journal::{Journal, SessionEntry, SessionSums};
use judge::Judge;
use keyed::KeyedPlan;
use queue::Queue;

/// Settings of a run that do not change results.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Largest number of threads; at most one per block is started.
    pub threads: usize,
    /// Bytes available to all players together, with their files.
    pub memory: u64,
    /// Part of the blocks, if not all.
    pub shard: Option<Shard>,
    /// Part of the games, if not all: divides the sequence of all line-ups, not the blocks of each.
    pub share: Option<Shard>,
    /// Time limit after which no games are started; without it all are played. Unfinished games may
    /// exceed it by a tenth, and at least by a second.
    pub time: Option<Duration>,
    /// How progress is shown.
    pub progress: ProgressMode,
    /// Where the present line of progress is put, for a program that shows it itself.
    pub line: Option<&'a Mutex<String>>,
    /// Digest of the experiment's file, for the journal.
    pub experiment: &'a str,
    /// Claims of the experiment, for the journal.
    pub claims: Option<&'a [String]>,
    /// True if the caller plays several plans in one session of the journal, which it begins and
    /// ends. The calibration loop is not timed with such games.
    pub is_in_session: bool,
}

/// Describes the session that starts now.
pub fn describe_session(
    plan: &KeyedPlan,
    journal: &Journal,
    threads: usize,
    options: &Options,
) -> SessionEntry {
    let needs_files = plan.players.iter().any(|player| player.entrant.needs_files());
    let folder = journal.path().parent().filter(|_| needs_files);
    let files_from = folder.and_then(|folder| paths::relative_path(folder, plan.assets.folder()));
    SessionEntry {
        files_from: files_from.map(|path| path.to_string_lossy().into_owned()),
        started: machine::now(),
        gauntlet: machine::VERSION.to_owned(),
        revision: machine::build().revision.to_owned(),
        packages: plan.packages(),
        cpu: machine::cpu_name(),
        threads,
        shard: options.shard.map(|shard| shard.to_string()),
        experiment: options.experiment.to_owned(),
        claims: options.claims.map(<[String]>::to_vec),
        binary: machine::program_digest(),
        game: plan.arena.name.to_owned(),
        signatures: plan.signatures().clone(),
        programs: BTreeMap::new(),
        yardstick: Some(yardstick::VERSION),
        rules: RULES,
        counted: SessionSums::default(),
        seconds: None,
    }
}

/// Plays the games of a plan that the journal lacks, until all are played or `stop` is set. Every
/// finished game is written to the journal; [`Journal::sync`] waits until all are on disk.
pub fn run(
    plan: &KeyedPlan,
    journal: &mut Journal,
    options: &Options,
    stop: &Stop,
) -> anyhow::Result<RunEnd> {
    let started = Instant::now();
    let mut finish = RunEnd::default();
    let mut coverage = Coverage::from_journal(plan, journal)?;
    // Lines that disagree no longer count.
    if let Some(dispute) = coverage.disputed.take() {
        journal.drop_lines(&dispute.lines)?;
        finish.disputed = Some(dispute.told);
        coverage = Coverage::from_journal(plan, journal)?;
    }
    // A shard has only part of the blocks: the folder of all shards is judged.
    let folder = folder_of(journal.path()).to_owned();
    let deciding =
        options.shard.and_then(|shard| ShardEarlyStop::new(plan, &folder, options.experiment, shard));
    match deciding.as_ref().map_or(Ok(None), ShardEarlyStop::read_end) {
        Ok(end) => finish.end = end,
        Err(why) => finish.ignored = Some(why),
    }
    let mut judge = Judge::new(plan).filter(|_| options.shard.is_none());
    if let Some(judge) = &mut judge {
        judge.add_journal(&coverage)?;
        finish.end = judge.end();
    }
    let parts = parts_to_play(plan, options, finish.end);
    let missing: Vec<_> =
        (0..).zip(&parts).map(|(lineup, parts)| coverage.missing_blocks_in(lineup, parts)).collect();
    let left: u64 = missing.iter().flatten().map(|blocks| blocks.end - blocks.start).sum();
    if left == 0 {
        return Ok(finish);
    }
    let room = memory::thread_budget(plan, options.threads, options.memory)?;
    let threads = room.threads.min(usize::try_from(left).unwrap_or(usize::MAX));
    let mut lineups = Vec::new();
    for (lineup, parts) in parts.iter().enumerate() {
        let all: u64 = parts.iter().map(|part| part.end - part.start).sum();
        lineups.push((plan.title(lineup), coverage.sum_games(plan, lineup, parts)?, plan.legs() * all));
    }
    if !options.is_in_session {
        let lineups: Vec<usize> = (0..missing.len()).filter(|&lineup| !missing[lineup].is_empty()).collect();
        let players = lineups.iter().flat_map(|&lineup| plan.members(lineup));
        let players = players.map(|player| (player.name, player.entrant));
        if !begin(plan, journal, players, &lineups, threads, options, stop)? {
            return Ok(RunEnd { interrupted: true, ..finish });
        }
    }
    let deadline = options.time.map(Deadline::new);
    let counters = Counters::new(lineups.into_iter(), threads, deadline.map(|deadline| deadline.end));
    if let Some(judge) = &judge {
        counters.set_standing(judge.describe_state(|lineup| plan.title(lineup)));
    }
    // Stopping the players of one run must not stop those of the next.
    let players = if deadline.is_some() { Stop::default() } else { stop.clone() };
    let crew = Crew {
        plan,
        threads,
        memory: room.memory / threads as u64,
        kit: BuildContext { is_untimed: options.is_in_session, ..plan.build_context(&players) },
        deadline,
        queue: Mutex::new(Queue::new(missing, threads).with_whole(|lineup| plan.asks_host(lineup))),
        journal: Mutex::new(journal),
        counters: &counters,
        judge: Mutex::new(judge.map(|judge| (plan.clone(), judge))),
        finish: Mutex::new(finish),
        given_up: Mutex::default(),
        too_long: Mutex::default(),
        failure: Mutex::default(),
    };
    play(&crew, deciding.as_ref(), options, (started, stop, &players))?;
    finish_run(crew, options.is_in_session, started, stop)
}

/// Returns the blocks that each line-up has to play, up to the end of the run. Line-ups with equal
/// settings share the games of the first.
fn parts_to_play(plan: &KeyedPlan, options: &Options, end: Option<u64>) -> Vec<Vec<Range<u64>>> {
    let among = plan.parts_before(end.unwrap_or(plan.blocks.len()), options.shard);
    let of_lineup = |(lineup, twin)| match options.share {
        _ if twin != lineup => Vec::new(),
        Some(share) => vec![plan.share(share, lineup)],
        None => among.clone(),
    };
    plan.twin_lineups().into_iter().enumerate().map(of_lineup).collect()
}

/// Begins a session of a journal for these line-ups, after its external players reported what they
/// are. Returns false if it was stopped before.
pub fn begin<'a>(
    plan: &KeyedPlan,
    journal: &mut Journal,
    players: impl Iterator<Item = (&'a str, &'a Entry)>,
    lineups: &[usize],
    threads: usize,
    options: &Options,
    stop: &Stop,
) -> anyhow::Result<bool> {
    // A tuning cannot leave out a player.
    let others = if options.is_in_session { &[][..] } else { &plan.players };
    let kit = plan.build_context(stop);
    let Some(programs) = programs::prepare(players, others, plan, lineups, journal, &kit)? else {
        return Ok(false);
    };
    journal.begin(SessionEntry { programs, ..describe_session(plan, journal, threads, options) })?;
    Ok(true)
}

/// Plays on all threads, with further threads that supervise the run.
fn play(
    crew: &Crew,
    deciding: Option<&ShardEarlyStop>,
    options: &Options,
    (started, stop, players): (Instant, &Stop, &Stop),
) -> anyhow::Result<()> {
    let over = ShutdownSignal::default();
    let synced = lock(&crew.journal).handle();
    let deciding = deciding.filter(|_| lock(&crew.finish).end.is_none());
    std::thread::scope(|scope| {
        // However this ends, by a panic or by a thread that cannot be started, the other threads
        // get the signal.
        let _ring = SignalOnDrop(&over);
        threads::start(scope, || crew.keep_on_disk(&*synced, &over))?;
        threads::start(scope, || bar::show(crew.counters, options.progress, started, stop, &over))?;
        if let Some(line) = options.line {
            threads::start(scope, || bar::publish(crew.counters, line, started, stop, &over))?;
        }
        if let Some(deciding) = deciding {
            threads::start(scope, || {
                let trouble = deciding.watch(&over, |end| {
                    lock(&crew.finish).end = Some(end);
                    crew.end_before(end);
                });
                let mut finish = lock(&crew.finish);
                finish.ignored = finish.ignored.take().or(trouble);
            })?;
        }
        if let Some(deadline) = &crew.deadline {
            threads::start(scope, || deadline.watch(stop, players, &over))?;
        }
        crew.play_all(scope);
        Ok(())
    })
}

/// Ends the session of the journal, and returns the results of the run.
fn finish_run(crew: Crew, is_in_session: bool, started: Instant, stop: &Stop) -> anyhow::Result<RunEnd> {
    if let Some(failure) = lock(&crew.failure).take() {
        return Err(failure);
    }
    let mut finish = std::mem::take(&mut *lock(&crew.finish));
    finish.seconds = started.elapsed().as_secs_f64();
    if !is_in_session {
        lock(&crew.journal).finish(finish.seconds)?;
    }
    finish.given_up = std::mem::take(&mut *lock(&crew.given_up));
    if let Some((player, why)) = finish.given_up.first_key_value().filter(|_| is_in_session) {
        bail!("{}", failing::skip_message(crew.plan.players[*player].name, why));
    }
    finish.interrupted |= lock(&crew.queue).remaining().sum::<u64>() > 0;
    finish.is_out_of_time = finish.interrupted && !stop.is_asked();
    finish.too_long = std::mem::take(&mut *lock(&crew.too_long)).into_values().collect();
    for games in [&mut finish.panics, &mut finish.forfeits] {
        games.sort_by_key(|game| (game.lineup, game.block));
    }
    finish.played = crew.counters.games_played();
    Ok(finish)
}
