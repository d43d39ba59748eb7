//! Plays an experiment that a tuning made, from its text to its tables, like any other.

use std::path::Path;

use anyhow::anyhow;
use gauntlet_analysis::config::Experiment;
use gauntlet_analysis::results::store::command::reproducing_command;
use gauntlet_analysis::results::store::folder::{EXPERIMENT, copy_experiment};
use gauntlet_analysis::results::store::manifest::experiment_digest;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::write::write_results;
use gauntlet_core::player::Stop;
use gauntlet_core::text::escape;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::{RunOptions, paths};

use super::task::{MIN_RUN_TIME, MissingGamesReason, TuningJob, time_left};

/// Plays the games of an experiment that the journal in its folder lacks, and writes its tables.
/// Also returns the nodes per move of each player that counts nodes.
pub(super) fn run_experiment(
    job: &TuningJob,
    experiment: &Experiment,
    folder: &Path,
    stop: &Stop,
) -> Result<(Results, Vec<Option<f64>>), MissingGamesReason> {
    let mut journal = Journal::open(&paths::journal_path(folder, None))?;
    let plan = KeyedPlan::new(experiment.plan(), &[&journal])?;
    copy_experiment(journal.disk(), experiment, folder)?;
    let digest = experiment_digest(experiment);
    // Games resume from the journal, so a minimum of time makes progress in every call.
    let time_limit = time_left(job.deadline).map(|left| left.max(MIN_RUN_TIME));
    let options =
        RunOptions { experiment_digest: &digest, is_within_session: false, time_limit, ..job.options };
    let run_end = gauntlet_run::run(&plan, &mut journal, &options, stop)?;
    if run_end.is_interrupted {
        journal.sync()?;
        return Err(MissingGamesReason::from_interrupted_run(&plan, &run_end, run_end.games_played));
    }
    let command = reproducing_command("run", &folder.join(EXPERIMENT));
    let report = write_results(experiment, &plan, &mut journal, folder, &command, options.threads)?;
    if let Some(failure) = report.failures.first() {
        let (name, message) = (plan.title(failure.lineup), escape::line(&failure.message));
        return Err(MissingGamesReason::Failed(anyhow!("{name} failed on seed {}: {message}", failure.seed)));
    }
    Ok((Results::read(experiment.catalog(), folder)?, report.mean_nodes_per_move))
}
