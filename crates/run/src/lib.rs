//! Plays a plan into a journal ([`run`]), and sums up the games ([`tally::tally`]). All code here
//! runs once per game, so it is compiled for speed.

pub mod answers;
pub mod bar;
mod block_set;
pub mod block_span;
pub mod blocks;
mod build_id;
mod complete_blocks;
pub mod cost;
pub mod coverage;
mod crew;
mod deadline;
mod decimal;
pub mod decision;
mod discovery;
pub mod division;
pub mod early_stop;
mod entry;
pub mod failing_players;
pub mod folder_journals;
mod game_sums;
mod games_parser;
pub mod journal;
mod journal_line;
pub mod judge;
pub mod keyed_plan;
pub mod limit_search;
mod line_reader;
pub mod lock;
mod losses;
pub mod machine;
pub mod memory;
pub mod merge;
pub mod missing_blocks;
pub mod move_time;
mod not_journal;
pub mod note;
mod panics;
pub mod paths;
pub mod plan;
pub mod programs;
pub mod progress;
mod queue;
mod run_moment;
pub mod sample;
mod screen;
pub mod shards;
pub mod shutdown;
mod signature_cache;
pub mod snapshot;
pub mod tally;
pub mod threads;
mod unusable_games;
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
use gauntlet_core::arena::{Entry, calibration};
use gauntlet_core::disk::folder_of;
use gauntlet_core::player::{BuildContext, Stop};
use gauntlet_stats::RULES;
use shutdown::{ShutdownSignal, SignalOnDrop, lock};

use deadline::Deadline;
use decision::ShardEarlyStop;
use journal::{Journal, SessionEntry, SessionSums};
use judge::Judge;
use keyed_plan::KeyedPlan;
use queue::Queue;

/// Settings of a run that do not change results.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions<'a> {
    /// Largest number of threads; at most one per block is started.
    pub threads: usize,
    /// Bytes available to all players together, with their files.
    pub memory: u64,
    /// Part of the blocks, if not all.
    pub shard: Option<Shard>,
    /// Part of the games, if not all: divides the sequence of all line-ups, not the blocks of each.
    pub game_share: Option<Shard>,
    /// Time limit after which no games are started; without it all are played. Unfinished games may
    /// exceed it by a tenth, and at least by a second.
    pub time_limit: Option<Duration>,
    /// How progress is shown.
    pub progress: ProgressMode,
    /// Where the present line of progress is put, for a program that shows it itself.
    pub progress_line: Option<&'a Mutex<String>>,
    /// Digest of the experiment's file, for the journal.
    pub experiment_digest: &'a str,
    /// Claims of the experiment, for the journal.
    pub claims: Option<&'a [String]>,
    /// True if the caller plays several plans in one session of the journal, which it begins and
    /// ends. The calibration loop is not timed with such games.
    pub is_within_session: bool,
}

/// Describes the session that starts now.
pub fn describe_session(
    plan: &KeyedPlan,
    journal: &Journal,
    threads: usize,
    options: &RunOptions,
) -> SessionEntry {
    let needs_files = plan.players.iter().any(|player| player.entry.needs_files());
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
        experiment: options.experiment_digest.to_owned(),
        claims: options.claims.map(<[String]>::to_vec),
        binary: machine::program_identity(),
        game: plan.arena.name.to_owned(),
        signatures: plan.signatures().clone(),
        programs: BTreeMap::new(),
        yardstick: Some(calibration::VERSION),
        rules: RULES,
        sums: SessionSums::default(),
        seconds: None,
    }
}

/// Plays the games of a plan that the journal lacks, until all are played or `stop` is set. Every
/// finished game is written to the journal; [`Journal::sync`] waits until all are on disk.
pub fn run(
    plan: &KeyedPlan,
    journal: &mut Journal,
    options: &RunOptions,
    stop: &Stop,
) -> anyhow::Result<RunEnd> {
    let started = Instant::now();
    let mut run_end = RunEnd::default();
    let mut coverage = Coverage::from_journal(plan, journal)?;
    // Lines that disagree no longer count.
    if let Some(conflict) = coverage.conflict.take() {
        journal.drop_lines(&conflict.lines)?;
        run_end.conflict = Some(conflict.description);
        coverage = Coverage::from_journal(plan, journal)?;
    }
    // A shard has only part of the blocks: the folder of all shards is judged.
    let folder = folder_of(journal.path()).to_owned();
    let early_stop =
        options.shard.and_then(|shard| ShardEarlyStop::new(plan, &folder, options.experiment_digest, shard));
    match early_stop.as_ref().map_or(Ok(None), ShardEarlyStop::read_end) {
        Ok(end) => run_end.end = end,
        Err(reason) => run_end.warning = Some(reason),
    }
    let mut judge = Judge::new(plan).filter(|_| options.shard.is_none());
    if let Some(judge) = &mut judge {
        judge.add_journal(&coverage)?;
        run_end.end = judge.end();
    }
    let parts = parts_to_play(plan, options, run_end.end);
    let missing: Vec<_> =
        (0..).zip(&parts).map(|(lineup, parts)| coverage.missing_blocks_in(lineup, parts)).collect();
    let blocks_left: u64 = missing.iter().flatten().map(|blocks| blocks.end - blocks.start).sum();
    if blocks_left == 0 {
        return Ok(run_end);
    }
    let budget = memory::thread_budget(plan, options.threads, options.memory)?;
    let threads = budget.threads.min(usize::try_from(blocks_left).unwrap_or(usize::MAX));
    let mut lineup_progress = Vec::new();
    for (lineup, parts) in parts.iter().enumerate() {
        let block_count: u64 = parts.iter().map(|part| part.end - part.start).sum();
        lineup_progress.push((
            plan.title(lineup),
            coverage.sum_games(plan, lineup, parts)?,
            plan.legs() * block_count,
        ));
    }
    if !options.is_within_session {
        let missing_lineups: Vec<usize> =
            (0..missing.len()).filter(|&lineup| !missing[lineup].is_empty()).collect();
        let players = missing_lineups.iter().flat_map(|&lineup| plan.members(lineup));
        let players = players.map(|player| (player.name, player.entry));
        if !begin_session(plan, journal, players, &missing_lineups, threads, options, stop)? {
            return Ok(RunEnd { is_interrupted: true, ..run_end });
        }
    }
    let deadline = options.time_limit.map(Deadline::new);
    let counters = Counters::new(lineup_progress.into_iter(), threads, deadline.map(|deadline| deadline.end));
    if let Some(judge) = &judge {
        counters.set_comparison_state(judge.describe_state(|lineup| plan.title(lineup)));
    }
    // Stopping the players of one run must not stop those of the next.
    let player_stop = if deadline.is_some() { Stop::default() } else { stop.clone() };
    let crew = Crew {
        plan,
        threads,
        memory: budget.memory / threads as u64,
        context: BuildContext { is_untimed: options.is_within_session, ..plan.build_context(&player_stop) },
        deadline,
        queue: Mutex::new(Queue::new(missing, threads).with_whole(|lineup| plan.is_host_function(lineup))),
        journal: Mutex::new(journal),
        counters: &counters,
        judge: Mutex::new(judge.map(|judge| (plan.clone(), judge))),
        run_end: Mutex::new(run_end),
        skipped_players: Mutex::default(),
        overlong_blocks: Mutex::default(),
        error: Mutex::default(),
    };
    play(&crew, early_stop.as_ref(), options, (started, stop, &player_stop))?;
    finish_run(crew, options.is_within_session, started, stop)
}

/// Returns the blocks that each line-up has to play, up to the end of the run. Line-ups with equal
/// settings share the games of the first.
fn parts_to_play(plan: &KeyedPlan, options: &RunOptions, end: Option<u64>) -> Vec<Vec<Range<u64>>> {
    let ranges = plan.parts_before(end.unwrap_or(plan.blocks.len()), options.shard);
    let lineup_parts = |(lineup, twin)| match options.game_share {
        _ if twin != lineup => Vec::new(),
        Some(share) => vec![plan.blocks_in_share(share, lineup)],
        None => ranges.clone(),
    };
    plan.twin_lineups().into_iter().enumerate().map(lineup_parts).collect()
}

/// Begins a session of a journal for these line-ups, after its external players reported what they
/// are. Returns false if it was stopped before.
pub fn begin_session<'a>(
    plan: &KeyedPlan,
    journal: &mut Journal,
    players: impl Iterator<Item = (&'a str, &'a Entry)>,
    lineups: &[usize],
    threads: usize,
    options: &RunOptions,
    stop: &Stop,
) -> anyhow::Result<bool> {
    // A tuning cannot leave out a player.
    let droppable_players = if options.is_within_session { &[][..] } else { &plan.players };
    let context = plan.build_context(stop);
    let Some(programs) = programs::prepare(players, droppable_players, plan, lineups, journal, &context)?
    else {
        return Ok(false);
    };
    journal.begin(SessionEntry { programs, ..describe_session(plan, journal, threads, options) })?;
    Ok(true)
}

/// Plays on all threads, with further threads that supervise the run.
fn play(
    crew: &Crew,
    early_stop: Option<&ShardEarlyStop>,
    options: &RunOptions,
    (started, stop, player_stop): (Instant, &Stop, &Stop),
) -> anyhow::Result<()> {
    let shutdown = ShutdownSignal::default();
    let journal_handle = lock(&crew.journal).handle();
    let early_stop = early_stop.filter(|_| lock(&crew.run_end).end.is_none());
    std::thread::scope(|scope| {
        // However this ends, by a panic or by a thread that cannot be started, the other threads
        // get the signal.
        let _signal_on_drop = SignalOnDrop(&shutdown);
        threads::start(scope, || crew.keep_on_disk(&*journal_handle, &shutdown))?;
        threads::start(scope, || bar::show(crew.counters, options.progress, started, stop, &shutdown))?;
        if let Some(progress_line) = options.progress_line {
            threads::start(scope, || bar::publish(crew.counters, progress_line, started, stop, &shutdown))?;
        }
        if let Some(early_stop) = early_stop {
            threads::start(scope, || {
                let warning = early_stop.watch(&shutdown, |end| {
                    lock(&crew.run_end).end = Some(end);
                    crew.end_before(end);
                });
                let mut run_end = lock(&crew.run_end);
                run_end.warning = run_end.warning.take().or(warning);
            })?;
        }
        if let Some(deadline) = &crew.deadline {
            threads::start(scope, || deadline.watch(stop, player_stop, &shutdown))?;
        }
        crew.play_all(scope);
        Ok(())
    })
}

/// Ends the session of the journal, and returns the results of the run.
fn finish_run(crew: Crew, is_in_session: bool, started: Instant, stop: &Stop) -> anyhow::Result<RunEnd> {
    if let Some(error) = lock(&crew.error).take() {
        return Err(error);
    }
    let mut run_end = std::mem::take(&mut *lock(&crew.run_end));
    run_end.seconds = started.elapsed().as_secs_f64();
    if !is_in_session {
        lock(&crew.journal).finish(run_end.seconds)?;
    }
    run_end.skipped_players = std::mem::take(&mut *lock(&crew.skipped_players));
    if let Some((player, reason)) = run_end.skipped_players.first_key_value().filter(|_| is_in_session) {
        bail!("{}", failing_players::skip_message(crew.plan.players[*player].name, reason));
    }
    run_end.is_interrupted |= lock(&crew.queue).remaining().sum::<u64>() > 0;
    run_end.is_out_of_time = run_end.is_interrupted && !stop.is_requested();
    run_end.overlong_blocks = std::mem::take(&mut *lock(&crew.overlong_blocks)).into_values().collect();
    for games in [&mut run_end.panics, &mut run_end.forfeits] {
        games.sort_by_key(|game| (game.lineup, game.block));
    }
    run_end.games_played = crew.counters.games_played();
    Ok(run_end)
}
