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
use search::Search;
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

/// How the help for a tuning ended.
#[derive(Debug)]
pub enum HelpEnd {
    /// It was stopped before the search ended. If no game was played, the block that needs more
    /// time.
    Stopped(Option<BlockTimeout>),
    /// The search has ended, after this number of games of this process.
    SearchEnded(u64),
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
pub fn tune(job: &TuningJob, stop: &Stop, display: &mut ProgressDisplay) -> anyhow::Result<TuningEnd> {
    match search_and_validate(job, stop, display) {
        Ok(outcome) => Ok(TuningEnd::Answered(Box::new(outcome))),
        Err(MissingGamesReason::Stopped(timeout)) => Ok(TuningEnd::Stopped(timeout)),
        Err(MissingGamesReason::Failed(error)) => Err(error),
    }
}

/// Plays shares of the games of a tuning that another process leads, until its search has ended.
pub fn help_leader(
    task: &TuningJob,
    share: Shard,
    stop: &Stop,
    leader_timeout: LeaderTimeout,
) -> anyhow::Result<HelpEnd> {
    let candidates = Candidates { experiment: task.experiment, tune: task.tune };
    let Some((helper, journal)) = Helper::begin(task, share, stop, leader_timeout)? else {
        return Ok(HelpEnd::Stopped(None));
    };
    let mut search_run = SearchRun::begin(candidates, Trials::with_helper(candidates, task, helper, journal));
    let result = search_run.run(stop, &mut |_| ());
    search_run.trials.close()?;
    match result {
        Ok(()) => Ok(HelpEnd::SearchEnded(search_run.trials.games_played())),
        Err((_, MissingGamesReason::Stopped(timeout))) => Ok(HelpEnd::Stopped(timeout)),
        Err((_, MissingGamesReason::Failed(error))) => Err(error),
    }
}

/// Leads a tuning from its start to its outcome.
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
    let result = run_with_progress(&mut search_run, stop, display);
    search_run.trials.close()?;
    files.write_trajectory(&search_run.steps())?;
    files.write_tried_values(&search_run.tried_values())?;
    files.write_ends(&search_run.ends())?;
    result?;

    let games_played = search_run.trials.games_played();
    let validation = test_answer(task, &search_run.search, &mut files, stop, display)
        .map_err(|reason| reason.drop_timeout_after(games_played))?;
    let (start, answer) = (search_run.search.start(), search_run.search.best_point());
    let is_race = matches!(tune.field, CandidateSpace::Players { .. });
    let player_names = [start, answer].map(|point| candidates.player_name(point).to_owned());
    let outcome = TuningOutcome {
        settings: if is_race { Vec::new() } else { candidates.compare_settings(start, answer) },
        winner: is_race.then_some(player_names),
        search_ends: search_run.ends(),
        validation,
        games: search_run.games_spent(),
        games_played,
        refused_candidates: search_run.search.refused_candidates(),
    };
    files.finish(tune.field.method(), &outcome, search_run.trials.journal())?;
    Ok(outcome)
}

/// Runs a search to its end, and shows its progress and the errors of reading other journals.
fn run_with_progress(
    search_run: &mut SearchRun,
    stop: &Stop,
    display: &mut ProgressDisplay,
) -> Result<(), MissingGamesReason> {
    let (started, mut printed_errors) = (Instant::now(), 0);
    let result = search_run.run(stop, &mut |search_run| {
        // Errors are printed even if the display is silent.
        let errors = search_run.trials.read_errors();
        errors[printed_errors..].iter().for_each(|error| display.print(&format!("gauntlet: {error}")));
        printed_errors = errors.len();
        if display.is_due() {
            display.show(&search_run.snapshot(started));
        }
    });
    result.map_err(|(_, reason)| reason)
}

/// Writes the answer of a search, validates it and explains it. A search that kept its start needs
/// no validation.
fn test_answer(
    task: &TuningJob,
    search: &Search,
    files: &mut TuningFiles,
    stop: &Stop,
    display: &ProgressDisplay,
) -> Result<Option<ValidationResult>, MissingGamesReason> {
    let candidates = Candidates { experiment: task.experiment, tune: task.tune };
    let (start, answer) = (search.start(), search.best_point());
    let sides = [("start", start), ("tuned", answer)].map(|(name, point)| {
        candidates
            .make_side(name, point)
            .expect("the player takes the settings of the start and of what was played")
    });
    let tuned_name = candidates.player_name(answer);
    let kept_start = answer == start;
    let evidence = if kept_start { SettingsEvidence::AtItsStart } else { SettingsEvidence::NotYet };
    files.write_tuned(&sides[1], tuned_name, evidence)?;
    let validation = if kept_start { None } else { Some(validate(task, &sides, display, stop)?) };
    let evidence = SettingsEvidence::from_validation(validation.as_ref());
    files.write_tuned(&sides[1], tuned_name, evidence)?;
    files.write_validation(validation.as_ref())?;
    if let CandidateSpace::Params { params, .. } = &task.tune.field
        && task.tune.explain > 0
    {
        let job = ExplanationJob { task, candidates, params, start, answer };
        files.write_importance(&explain(&job, display, stop)?)?;
    }
    Ok(validation)
}
