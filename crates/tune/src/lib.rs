//! Tunes a player: searches for better settings, and tests on fresh games whether they are better.
//! [`tune()`] does all of this.
//!
//! A search is a function of its losses, and losses are a function of the games in the journal. To
//! resume a tuning, the search gets the losses of the journal again. So the result is equal to the
//! result of a tuning that was never stopped.

mod candidates;
mod experiment_run;
pub mod explain;
pub mod external;
pub mod files;
mod outcome;
pub mod results;
pub mod search;
mod search_run;
pub mod section;
mod space;
mod task;
pub mod team;
#[cfg(test)]
mod tests;
mod trials;
mod tried_points;
pub mod unfinished_tuning;
pub mod validation;
pub mod workers;

use std::time::Instant;

use gauntlet_analysis::config::Experiment;
use gauntlet_core::player::Stop;
use gauntlet_run::bar::ProgressDisplay;
use gauntlet_run::blocks::BlockSeeds;
use gauntlet_run::plan::{Plan, PlannedPlayer, Shard};

use candidates::Candidates;
use explain::{ExplanationJob, explain};
use files::{SettingsEvidence, TuningFiles};
pub use outcome::TuningOutcome;
use results::ends;
use search_run::SearchRun;
use section::{CandidateSpace, TuneSection};
pub use task::{BlockTimeout, MissingGamesReason, TuningJob};
use team::{Helper, LeaderTimeout};
pub use trials::CandidateSummary;
use trials::Trials;
pub use validation::ValidationResult;
use validation::validate;

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
    let players = candidates.original_players().map(|(name, entry)| PlannedPlayer { name, entry });
    let seed = candidates::root_seed(experiment).child("cost", 0).number();
    candidates.plan(players.collect(), BlockSeeds::Derived { seed, games: tune.budget })
}

/// Tunes a player and writes the outcome. Games in the folder's journal are not played again.
pub fn tune(task: &TuningJob, stop: &Stop, display: &mut ProgressDisplay) -> anyhow::Result<TuningEnd> {
    match search_and_validate(task, stop, display) {
        Ok(outcome) => Ok(TuningEnd::Answered(Box::new(outcome))),
        Err(MissingGamesReason::Stopped(timeout)) => Ok(TuningEnd::Stopped(timeout)),
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
    timeout: LeaderTimeout,
) -> anyhow::Result<Result<u64, Option<BlockTimeout>>> {
    let candidates = Candidates { experiment: task.experiment, tune: task.tune };
    let Some((helper, journal)) = Helper::begin(task, share, stop, timeout)? else { return Ok(Err(None)) };
    let mut search_run = SearchRun::begin(candidates, Trials::with_helper(candidates, task, helper, journal));
    let result = search_run.run(stop, &mut |_| ());
    search_run.trials.close()?;
    match result {
        Ok(()) => Ok(Ok(search_run.trials.games_played())),
        Err((_, MissingGamesReason::Stopped(timeout))) => Ok(Err(timeout)),
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
    let mut files = TuningFiles::begin(task)?;
    let mut search_run = SearchRun::begin(candidates, trials);
    let legs = search_run.games_per_block();
    let (started, mut printed_errors) = (Instant::now(), 0);
    let result = search_run.run(stop, &mut |search_run| {
        // Printed even if little else is.
        let errors = search_run.trials.read_errors();
        errors[printed_errors..].iter().for_each(|error| display.print(&format!("gauntlet: {error}")));
        printed_errors = errors.len();
        if display.is_due() {
            display.show(&search_run.snapshot(started));
        }
    });
    let (steps, tried_values, games_spent) =
        (search_run.steps(), search_run.tried_values(), search_run.games_spent());
    let SearchRun { search, mut trials, .. } = search_run;
    let games_played = trials.games_played();
    let start = search.start().clone();
    let point = search.best_point().clone();
    let sides = [("start", &start), ("tuned", &point)].map(|(name, point)| {
        candidates
            .make_side(name, point)
            .expect("the player takes the settings of the start and of what was played")
    });
    let journal = trials.close()?;
    files.write_trajectory(&steps)?;
    files.write_tried_values(&tried_values)?;
    let to_row = |end: &search::FinalPoint| ends::EndPointRow {
        games: legs * end.games,
        less: end.excess,
        pairs: end.pairs,
        at: candidates.format_point(&end.point),
    };
    let ends: Vec<_> = search.ends().iter().map(to_row).collect();
    files.write_ends(&ends)?;
    result.map_err(|(_, reason)| reason)?;
    let evidence = if point == start { SettingsEvidence::AtItsStart } else { SettingsEvidence::NotYet };
    files.write_tuned(&sides[1], candidates.player_name(&point), evidence)?;

    let validation = if point == start {
        None
    } else {
        Some(
            validate(task, &sides, display, stop)
                .map_err(|reason| reason.drop_timeout_after(games_played))?,
        )
    };
    files.write_tuned(
        &sides[1],
        candidates.player_name(&point),
        SettingsEvidence::from_validation(validation.as_ref()),
    )?;
    files.write_validation(validation.as_ref())?;
    if let CandidateSpace::Params { params, .. } = &tune.field
        && tune.explain > 0
    {
        let job = ExplanationJob { task, candidates, params, start: &start, answer: &point };
        let explanation = explain(&job, display, stop);
        let importance = explanation.map_err(|reason| reason.drop_timeout_after(games_played))?;
        files.write_importance(&importance)?;
    }
    let is_race = matches!(tune.field, CandidateSpace::Players { .. });
    let winner = is_race.then(|| [&start, &point].map(|point| candidates.player_name(point).to_owned()));
    let settings = if is_race { Vec::new() } else { candidates.compare_settings(&start, &point) };
    let outcome = TuningOutcome {
        settings,
        winner,
        ends,
        validation,
        games: games_spent,
        games_played,
        refused_candidates: search.refused_candidates(),
    };
    files.finish(tune.field.method(), &outcome, journal)?;
    Ok(outcome)
}
