//! Tunes a player: searches for better settings, and tests on fresh games whether they are better.
//! [`tune()`] does all of this.
//!
//! A search is a function of its losses, and losses are a function of the games in the journal. To
//! resume a tuning, the search gets the losses of the journal again. So the result is equal to the
//! result of a tuning that was never stopped.

mod answer;
pub mod ask;
mod candidates;
pub mod explain;
pub mod files;
mod play_out;
pub mod results;
pub mod search;
pub mod section;
mod space;
mod task;
pub mod team;
#[cfg(test)]
mod tests;
mod trials;
mod tried;
pub mod unfinished;
pub mod validation;
mod walk;
pub mod workers;

use std::time::Instant;

use gauntlet_analysis::config::Experiment;
use gauntlet_core::player::Stop;
use gauntlet_run::bar::ProgressDisplay;
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::plan::{Plan, PlannedPlayer, Shard};

pub use answer::TuningOutcome;
use candidates::Candidates;
use explain::{Explained, explain};
use files::{Known, TuningFiles};
use results::ends;
use section::{CandidateSpace, TuneSection};
pub use task::{BlockTimeout, MissingGamesReason, TuningJob};
use team::{Helper, LeaderTimeout};
pub use trials::CandidateSummary;
use trials::Trials;
pub use validation::ValidationResult;
use validation::validate;
use walk::Walk;

/// How a tuning ended.
#[derive(Debug)]
pub enum TuningEnd {
    /// It was stopped; its games are in the journals. If no game was played, the block that needs
    /// more time.
    Stopped(Option<BlockTimeout>),
    /// It has an answer.
    Answered(Box<TuningOutcome>),
}

/// Plans games for estimating the cost of a tuning: games of the untuned player, or in a race of
/// each player.
pub fn as_it_stands<'a>(experiment: &'a Experiment, tune: &'a TuneSection) -> Plan<'a> {
    let candidates = Candidates { experiment, tune };
    let players = candidates.written_all().map(|(name, entrant)| PlannedPlayer { name, entrant });
    let seed = candidates::root(experiment).child("cost", 0).number();
    candidates.plan(players.collect(), BlockSeeds::Derived { seed, games: tune.budget })
}

/// Tunes a player and writes the outcome. Games in the folder's journal are not played again.
pub fn tune(task: &TuningJob, stop: &Stop, display: &mut ProgressDisplay) -> anyhow::Result<TuningEnd> {
    match answered(task, stop, display) {
        Ok(answer) => Ok(TuningEnd::Answered(Box::new(answer))),
        Err(MissingGamesReason::Stopped(dropped)) => Ok(TuningEnd::Stopped(dropped)),
        Err(MissingGamesReason::Failed(error)) => Err(error),
    }
}

/// Plays shares of the games of a tuning that another process leads, until its search has ended.
/// Returns the number of games played by this process. If stopped before, returns the block that
/// needs more time than there was, if any.
pub fn help(
    task: &TuningJob,
    share: Shard,
    stop: &Stop,
    patience: LeaderTimeout,
) -> anyhow::Result<Result<u64, Option<BlockTimeout>>> {
    let candidates = Candidates { experiment: task.experiment, tune: task.tune };
    let Some((helper, journal)) = Helper::begin(task, share, stop, patience)? else { return Ok(Err(None)) };
    let mut walk = Walk::begin(candidates, Trials::helping(candidates, task, helper, journal));
    let walked = walk.go(stop, &mut |_| ());
    walk.trials.close()?;
    match walked {
        Ok(()) => Ok(Ok(walk.trials.played())),
        Err((_, MissingGamesReason::Stopped(dropped))) => Ok(Err(dropped)),
        Err((_, MissingGamesReason::Failed(error))) => Err(error),
    }
}

fn answered(
    task: &TuningJob,
    stop: &Stop,
    display: &mut ProgressDisplay,
) -> Result<TuningOutcome, MissingGamesReason> {
    let TuningJob { experiment, tune, .. } = *task;
    let candidates = Candidates { experiment, tune };
    // The journal is locked from here on, so no other process writes into the folder.
    let trials = Trials::new(candidates, task)?;
    validation::check(task)?;
    let mut leaves = TuningFiles::begin(task)?;
    let mut walk = Walk::begin(candidates, trials);
    let legs = walk.legs();
    let (started, mut unread) = (Instant::now(), 0);
    let walked = walk.go(stop, &mut |walk| {
        // Printed even if little else is.
        let all = walk.trials.unread();
        all[unread..].iter().for_each(|why| display.print(&format!("gauntlet: {why}")));
        unread = all.len();
        if display.is_due() {
            display.show(&walk.snapshot(started));
        }
    });
    let (steps, tried, spent) = (walk.steps(), walk.tried(), walk.spent());
    let Walk { search, mut trials, .. } = walk;
    let played = trials.played();
    let start = search.start().clone();
    let point = search.answer().clone();
    let sides = [("start", &start), ("tuned", &point)].map(|(name, point)| {
        candidates
            .side(name, point)
            .expect("the player takes the settings of the start and of what was played")
    });
    let journal = trials.close()?;
    leaves.trajectory(&steps)?;
    leaves.tried(&tried)?;
    let other = |end: &search::FinalPoint| ends::EndPointRow {
        games: legs * end.games,
        less: end.less,
        pairs: end.pairs,
        at: candidates.written_at(&end.point),
    };
    let ends: Vec<_> = search.ends().iter().map(other).collect();
    leaves.ends(&ends)?;
    walked.map_err(|(_, halt)| halt)?;
    let known = if point == start { Known::AtItsStart } else { Known::NotYet };
    leaves.tuned(&sides[1], candidates.name(&point), known)?;

    let validation = if point == start {
        None
    } else {
        Some(validate(task, &sides, display, stop).map_err(|halt| halt.after(played))?)
    };
    leaves.tuned(&sides[1], candidates.name(&point), Known::at_the_end(validation.as_ref()))?;
    leaves.validation(validation.as_ref())?;
    if let CandidateSpace::Params { params, .. } = &tune.field
        && tune.explain > 0
    {
        let of = Explained { task, candidates, params, start: &start, answer: &point };
        let explained = explain(&of, display, stop);
        let importance = explained.map_err(|halt| halt.after(played))?;
        leaves.importance(&importance)?;
    }
    let is_race = matches!(tune.field, CandidateSpace::Players { .. });
    let winner = is_race.then(|| [&start, &point].map(|point| candidates.name(point).to_owned()));
    let settings = if is_race { Vec::new() } else { candidates.settings_between(&start, &point) };
    let answer =
        TuningOutcome { settings, winner, ends, validation, games: spent, played, refused: search.refused() };
    leaves.finish(tune.field.method(), &answer, journal)?;
    Ok(answer)
}
