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
use explain::{ExplanationJob, explain};
use files::{SettingsEvidence, TuningFiles};
use results::ends;
use section::{CandidateSpace, TuneSection};
pub use task::{BlockTimeout, MissingGamesReason, TuningJob};
use team::{Helper, LeaderTimeout};
pub use trials::CandidateSummary;
use trials::Trials;
pub use validation::ValidationResult;
use validation::validate;
use walk::SearchRun;

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
pub fn untuned_plan<'a>(experiment: &'a Experiment, tune: &'a TuneSection) -> Plan<'a> {
    let candidates = Candidates { experiment, tune };
    let players = candidates.original_players().map(|(name, entrant)| PlannedPlayer { name, entrant });
    let seed = candidates::root_seed(experiment).child("cost", 0).number();
    candidates.plan(players.collect(), BlockSeeds::Derived { seed, games: tune.budget })
}

/// Tunes a player and writes the outcome. Games in the folder's journal are not played again.
pub fn tune(task: &TuningJob, stop: &Stop, display: &mut ProgressDisplay) -> anyhow::Result<TuningEnd> {
    match search_and_validate(task, stop, display) {
        Ok(answer) => Ok(TuningEnd::Answered(Box::new(answer))),
        Err(MissingGamesReason::Stopped(dropped)) => Ok(TuningEnd::Stopped(dropped)),
        Err(MissingGamesReason::Failed(error)) => Err(error),
    }
}

/// Plays shares of the games of a tuning that another process leads, until its search has ended.
/// Returns the number of games played by this process. If stopped before, returns the block that
/// needs more time than there was, if any.
pub fn help_leader(
    task: &TuningJob,
    share: Shard,
    stop: &Stop,
    patience: LeaderTimeout,
) -> anyhow::Result<Result<u64, Option<BlockTimeout>>> {
    let candidates = Candidates { experiment: task.experiment, tune: task.tune };
    let Some((helper, journal)) = Helper::begin(task, share, stop, patience)? else { return Ok(Err(None)) };
    let mut walk = SearchRun::begin(candidates, Trials::with_helper(candidates, task, helper, journal));
    let walked = walk.run(stop, &mut |_| ());
    walk.trials.close()?;
    match walked {
        Ok(()) => Ok(Ok(walk.trials.games_played())),
        Err((_, MissingGamesReason::Stopped(dropped))) => Ok(Err(dropped)),
        Err((_, MissingGamesReason::Failed(error))) => Err(error),
    }
}

fn search_and_validate(
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
    let mut walk = SearchRun::begin(candidates, trials);
    let legs = walk.games_per_block();
    let (started, mut unread) = (Instant::now(), 0);
    let walked = walk.run(stop, &mut |walk| {
        // Printed even if little else is.
        let all = walk.trials.read_errors();
        all[unread..].iter().for_each(|why| display.print(&format!("gauntlet: {why}")));
        unread = all.len();
        if display.is_due() {
            display.show(&walk.snapshot(started));
        }
    });
    let (steps, tried, spent) = (walk.steps(), walk.tried_values(), walk.games_spent());
    let SearchRun { search, mut trials, .. } = walk;
    let played = trials.games_played();
    let start = search.start().clone();
    let point = search.best_point().clone();
    let sides = [("start", &start), ("tuned", &point)].map(|(name, point)| {
        candidates
            .make_side(name, point)
            .expect("the player takes the settings of the start and of what was played")
    });
    let journal = trials.close()?;
    leaves.write_trajectory(&steps)?;
    leaves.write_tried(&tried)?;
    let other = |end: &search::FinalPoint| ends::EndPointRow {
        games: legs * end.games,
        less: end.less,
        pairs: end.pairs,
        at: candidates.format_point(&end.point),
    };
    let ends: Vec<_> = search.ends().iter().map(other).collect();
    leaves.write_ends(&ends)?;
    walked.map_err(|(_, halt)| halt)?;
    let known = if point == start { SettingsEvidence::AtItsStart } else { SettingsEvidence::NotYet };
    leaves.write_tuned(&sides[1], candidates.player_name(&point), known)?;

    let validation = if point == start {
        None
    } else {
        Some(validate(task, &sides, display, stop).map_err(|halt| halt.drop_timeout_after(played))?)
    };
    leaves.write_tuned(
        &sides[1],
        candidates.player_name(&point),
        SettingsEvidence::from_validation(validation.as_ref()),
    )?;
    leaves.write_validation(validation.as_ref())?;
    if let CandidateSpace::Params { params, .. } = &tune.field
        && tune.explain > 0
    {
        let of = ExplanationJob { task, candidates, params, start: &start, answer: &point };
        let explained = explain(&of, display, stop);
        let importance = explained.map_err(|halt| halt.drop_timeout_after(played))?;
        leaves.write_importance(&importance)?;
    }
    let is_race = matches!(tune.field, CandidateSpace::Players { .. });
    let winner = is_race.then(|| [&start, &point].map(|point| candidates.player_name(point).to_owned()));
    let settings = if is_race { Vec::new() } else { candidates.compare_settings(&start, &point) };
    let answer = TuningOutcome {
        settings,
        winner,
        ends,
        validation,
        games: spent,
        played,
        refused: search.refused_candidates(),
    };
    leaves.finish(tune.field.method(), &answer, journal)?;
    Ok(answer)
}
