//! Plays a plan into a journal, and adds up what was played. [`run`] is the first, [`tally::tally`]
//! the second. All code here runs once a game, so it is compiled for speed.
//!
//! - [`plan`]: which games there are, as data; [`blocks`]: their seeds; [`early_stop`]: rules that
//!   may end a run early
//! - [`tally`]: from a journal to sums and rows
//! - [`keyed`]: a plan whose line-ups have keys
//! - [`journal`]: what happened, on disk; `entry`: a line of it; `head`: how one begins, read at
//!   once; `lock`: one process at a time; `discovery`: what may be one; [`paths`]: where journals
//!   lie; `line_reader`: lines, read in little memory; [`validate`]: whether its games can have
//!   been played
//! - `journal_line`: a line of games as a value; [`answers`]: the answers that a journal records;
//!   `losses`: those of a tuning; `panics`: the blocks that it says broke a program
//! - [`coverage`]: what of a plan is there already; [`broken`](mod@broken): what cannot be there
//! - [`division`]: into how many shards; [`shards`]: how far shards are; [`merge`](mod@merge):
//!   their journals become one; `block_set`: who holds a block first; [`verify`](mod@verify): some
//!   of their games, played again
//! - [`judge`]: when a run may end before all games are played; [`decision`]: the same where shards
//!   play it; [`seen`]: what was read of their journals; [`note`]: what processes leave each other
//!   in a folder; `not_journal`: what is none
//! - [`failing`]: players that are other programs and fail in game after game
//! - `queue`: deals batches; `crew`: the threads that play them; `shutdown`: how other threads wait
//!   for the end; `deadline`: when that is, if a run may last only a time; [`threads`]: how any of
//!   them is started
//! - [`memory`]: threads for which large players and their files leave room
//! - [`cost`]: what a plan costs to play, from a few games
//! - [`programs`]: players that are other programs, before a game is played
//! - [`progress`]: how far a run, a shard, a search or a training is, as data; [`bar`]: what a
//!   person sees meanwhile; [`screen`]: that as lines; `played`: sums of games for it
//! - [`machine`]: what a result must say about where it was made

pub mod answers;
pub mod bar;
mod block_set;
pub mod blocks;
pub mod broken;
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
mod not_journal;
pub mod note;
mod panics;
pub mod paths;
pub mod plan;
mod played;
pub mod programs;
pub mod progress;
mod queue;
pub mod screen;
pub mod seen;
pub mod shards;
pub mod shutdown;
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
use bar::{Counters, ProgressView};
use coverage::Coverage;
use crew::Crew;
pub use crew::{RunEnd, TooLong};
use gauntlet_core::arena::{Entrant, yardstick};
use gauntlet_core::disk::folder_of;
use gauntlet_core::player::{BuildContext, Stop};
use gauntlet_stats::RULES;
use shutdown::{ShutdownSignal, SignalOnDrop, lock};

use deadline::Deadline;
use decision::Deciding;
use journal::{Counted, Journal, Session};
use judge::Judge;
use keyed::KeyedPlan;
use queue::Queue;

/// Settings of a run that no result depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The most threads: no more are started than there are blocks to play.
    pub threads: usize,
    /// Bytes that players may take together, with their files.
    pub memory: u64,
    /// Part of the blocks, if not all.
    pub shard: Option<Shard>,
    /// Part of the games, if not all: the line-ups behind each other are divided, not the blocks of
    /// each.
    pub share: Option<Shard>,
    /// Time for which games are asked for; those in hand may take a tenth of it longer, and at
    /// least a second. Without it, until all are played.
    pub time: Option<Duration>,
    /// Progress that is shown meanwhile.
    pub progress: ProgressView,
    /// The digest of the experiment's file, for the journal.
    pub experiment: &'a str,
    /// True if the caller plays several plans into one session of the journal, which it begins and
    /// ends itself. Such games are not timed beside the yardstick.
    pub is_in_session: bool,
}

/// A session of a journal, as it begins now.
pub fn session(plan: &KeyedPlan, journal: &Journal, threads: usize, options: &Options) -> Session {
    let needs_files = plan.players.iter().any(|player| player.entrant.needs_files());
    let folder = journal.path().parent().filter(|_| needs_files);
    let files_from = folder.and_then(|folder| paths::relative(folder, plan.assets.folder()));
    Session {
        files_from: files_from.map(|path| path.to_string_lossy().into_owned()),
        started: machine::now(),
        gauntlet: machine::VERSION.to_owned(),
        revision: machine::build().revision.to_owned(),
        packages: plan.packages(),
        cpu: machine::cpu(),
        threads,
        shard: options.shard.map(|shard| shard.to_string()),
        experiment: options.experiment.to_owned(),
        binary: machine::binary(),
        game: plan.arena.name.to_owned(),
        signatures: plan.signatures().clone(),
        programs: BTreeMap::new(),
        yardstick: Some(yardstick::VERSION),
        rules: Some(RULES),
        counted: Counted::default(),
        seconds: None,
    }
}

/// Plays what the journal lacks of a plan, until all is played or `stop` is asked for. What was
/// played is in the journal whatever happens; [`Journal::sync`] waits until the last of it is on
/// the disk, too.
pub fn run(
    plan: &KeyedPlan,
    journal: &mut Journal,
    options: &Options,
    stop: &Stop,
) -> anyhow::Result<RunEnd> {
    let started = Instant::now();
    let mut finish = RunEnd::default();
    let mut coverage = Coverage::of(plan, journal)?;
    // Lines that disagree no longer count.
    if let Some(dispute) = coverage.disputed.take() {
        journal.drop_lines(&dispute.lines)?;
        finish.disputed = Some(dispute.told);
        coverage = Coverage::of(plan, journal)?;
    }
    // A shard knows a part of the blocks only: the folder of all shards is judged.
    let folder = folder_of(journal.path()).to_owned();
    let deciding = options.shard.and_then(|shard| Deciding::of(plan, &folder, options.experiment, shard));
    match deciding.as_ref().map_or(Ok(None), Deciding::told) {
        Ok(end) => finish.end = end,
        Err(why) => finish.ignored = Some(why),
    }
    let mut judge = Judge::of(plan).filter(|_| options.shard.is_none());
    if let Some(judge) = &mut judge {
        judge.hear_all(&coverage)?;
        finish.end = judge.end();
    }
    let parts = parts(plan, options, finish.end);
    let missing: Vec<_> =
        (0..).zip(&parts).map(|(lineup, parts)| coverage.missing_in(lineup, parts)).collect();
    let left: u64 = missing.iter().flatten().map(|blocks| blocks.end - blocks.start).sum();
    if left == 0 {
        return Ok(finish);
    }
    let room = memory::room(plan, options.threads, options.memory)?;
    let threads = room.threads.min(usize::try_from(left).unwrap_or(usize::MAX));
    let mut lineups = Vec::new();
    for (lineup, parts) in parts.iter().enumerate() {
        let all: u64 = parts.iter().map(|part| part.end - part.start).sum();
        lineups.push((plan.title(lineup), coverage.played(plan, lineup, parts)?, plan.legs() * all));
    }
    if !options.is_in_session {
        let lineups: Vec<usize> = (0..missing.len()).filter(|&lineup| !missing[lineup].is_empty()).collect();
        let players = lineups.iter().flat_map(|&lineup| plan.members(lineup));
        let players = players.map(|player| (player.name, player.entrant));
        if !begin(plan, journal, players, &lineups, threads, options, stop)? {
            return Ok(RunEnd { interrupted: true, ..finish });
        }
    }
    let deadline = options.time.map(Deadline::of);
    let counters = Counters::new(lineups.into_iter(), threads, deadline.map(|deadline| deadline.end));
    if let Some(judge) = &judge {
        counters.stands(judge.stands(|player| plan.players[player].name));
    }
    // A stop of the players of one run must not reach those of the next.
    let players = if deadline.is_some() { Stop::default() } else { stop.clone() };
    let crew = Crew {
        plan,
        threads,
        memory: room.memory / threads as u64,
        kit: BuildContext { is_untimed: options.is_in_session, ..plan.kit(&players) },
        deadline,
        queue: Mutex::new(Queue::new(missing, threads)),
        journal: Mutex::new(journal),
        counters: &counters,
        judge: judge.map(Mutex::new),
        finish: Mutex::new(finish),
        given_up: Mutex::default(),
        too_long: Mutex::default(),
        failure: Mutex::default(),
    };
    play(&crew, deciding.as_ref(), options, (started, stop, &players))?;
    closed(crew, options.is_in_session, started, stop)
}

/// Returns the blocks that each line-up is asked for, up to the end of the run. Line-ups with the
/// same settings share the games of the first of them.
fn parts(plan: &KeyedPlan, options: &Options, end: Option<u64>) -> Vec<Vec<Range<u64>>> {
    let among = plan.parts_before(end.unwrap_or(plan.blocks.len()), options.shard);
    let of_lineup = |(lineup, twin)| match options.share {
        _ if twin != lineup => Vec::new(),
        Some(share) => vec![plan.share(share, lineup)],
        None => among.clone(),
    };
    plan.twins().into_iter().enumerate().map(of_lineup).collect()
}

/// Begins a session of a journal, in which these line-ups play, after these players, each with its
/// name, were asked what they are. False if it was stopped before.
pub fn begin<'a>(
    plan: &KeyedPlan,
    journal: &mut Journal,
    players: impl Iterator<Item = (&'a str, &'a Entrant)>,
    lineups: &[usize],
    threads: usize,
    options: &Options,
    stop: &Stop,
) -> anyhow::Result<bool> {
    let Some(programs) = programs::prepare(players, plan, lineups, journal, &plan.kit(stop))? else {
        return Ok(false);
    };
    journal.begin(Session { programs, ..session(plan, journal, threads, options) })?;
    Ok(true)
}

/// Plays on all threads, with others that look after the run.
fn play(
    crew: &Crew,
    deciding: Option<&Deciding>,
    options: &Options,
    (started, stop, players): (Instant, &Stop, &Stop),
) -> anyhow::Result<()> {
    let over = ShutdownSignal::default();
    let synced = lock(&crew.journal).handle();
    let deciding = deciding.filter(|_| lock(&crew.finish).end.is_none());
    std::thread::scope(|scope| {
        // However this ends, even by a panic or without a thread that cannot be started, the other
        // threads are told.
        let _ring = SignalOnDrop(&over);
        threads::start(scope, || crew.keep_on_disk(&*synced, &over))?;
        threads::start(scope, || bar::show(crew.counters, options.progress, started, stop, &over))?;
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

/// Closes the session of the journal, and says what came of the run.
fn closed(crew: Crew, is_in_session: bool, started: Instant, stop: &Stop) -> anyhow::Result<RunEnd> {
    if let Some(failure) = lock(&crew.failure).take() {
        return Err(failure);
    }
    let mut finish = std::mem::take(&mut *lock(&crew.finish));
    finish.seconds = started.elapsed().as_secs_f64();
    if !is_in_session {
        lock(&crew.journal).finish(finish.seconds)?;
    }
    finish.given_up = std::mem::take(&mut *lock(&crew.given_up)).into_iter().collect();
    if let Some((player, why)) = finish.given_up.first().filter(|_| is_in_session) {
        bail!("{}", failing::told(crew.plan.players[*player].name, why));
    }
    finish.interrupted |= lock(&crew.queue).left().sum::<u64>() > 0;
    finish.is_out_of_time = finish.interrupted && !stop.is_asked();
    finish.too_long = std::mem::take(&mut *lock(&crew.too_long)).into_values().collect();
    for games in [&mut finish.panics, &mut finish.forfeits] {
        games.sort_by_key(|game| (game.lineup, game.block));
    }
    finish.played = crew.counters.played_now();
    Ok(finish)
}
