//! Progress of a tuning that has not ended: runs its search again on the games of its journal.
//! Nothing is played or written.

use std::path::Path;

use anyhow::{Context, bail};
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::store::experiment_copy::parse_copy;
use gauntlet_analysis::results::store::missing_results;
use gauntlet_analysis::results::store::partial::describe_damage;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::snapshot::{EXPERIMENT, ResultsSnapshot, explain_load_error};
use gauntlet_analysis::results::store::tuning::{is_external, validation_folders};
use gauntlet_core::disk::system_disk;
use gauntlet_core::player::Stop;
use gauntlet_core::text::{display_path, format_games};
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;
use gauntlet_run::progress::{RunState, journal_pace};

use super::candidates::Candidates;
use super::search_run::{SearchRun, current_step};
use super::task::MissingGamesReason;
use super::trials::Trials;
use crate::results::unfinished_tuning::UnfinishedTuning;
use crate::section::TuneSection;

/// Reads the folder of a tuning that has begun and has not ended.
pub fn read_unfinished(catalog: Catalog, folder: &Path) -> anyhow::Result<UnfinishedTuning> {
    let snapshot = ResultsSnapshot::read(catalog, &system_disk(), folder)?;
    let manifest = snapshot.manifest();
    let Some(tuning_keys) =
        manifest.tuning().filter(|_| manifest.finished.is_empty() && !is_external(manifest))
    else {
        return Err(missing_results::missing_results_error(catalog, folder));
    };
    let tuning_keys = tuning_keys.clone();
    let experiment = parse_copy(catalog, folder, snapshot.bytes(EXPERIMENT)?).map_err(explain_load_error)?;
    let tune = TuneSection::from_experiment(&experiment).cloned();
    let tune =
        tune.with_context(|| format!("{} belongs to an experiment without [tune]", display_path(folder)))?;
    let tune = TuneSection { budget: tuning_keys.budget, ..tune };
    let legs = experiment.arena().shape.legs() as u64;
    if let Some(message) = tune.too_small_message(legs) {
        bail!("invalid budget in the manifest of {}: {message}", display_path(folder));
    }
    let journal = Journal::peek(&paths::journal_path(folder, None))?;
    let mut warnings: Vec<String> =
        describe_damage(journal.path(), journal.damaged_lines()).into_iter().collect();
    let journal_games = journal.games();
    let is_in_use = Journal::is_in_use(journal.path());
    let pace = journal_pace(&journal).filter(|_| is_in_use);

    let candidates = Candidates { experiment: &experiment, tune: &tune };
    let mut search_run = SearchRun::begin(candidates, Trials::from_journal(candidates, journal));
    let result = search_run.run(&Stop::default(), &mut |_| ());
    let playing_step = match result {
        Ok(()) => None,
        Err((step, MissingGamesReason::Stopped(_))) => {
            Some(current_step(candidates, &step, legs, search_run.trials.games_in_step()))
        }
        Err((_, MissingGamesReason::Failed(error))) => return Err(error),
    };
    let refused_candidates = search_run.search.refused_candidates();
    let step_games = playing_step.as_ref().map_or(0, |step| step.played);
    let progress =
        search_run.progress(step_games, RunState::from_flags(is_in_use, playing_step.is_none()), pace);
    let foreign_games = journal_games.saturating_sub(progress.done);
    if foreign_games > 0 {
        warnings.push(format!(
            "its journal has {} of another budget, experiment version or program version",
            format_games(foreign_games)
        ));
    }
    let (current_point, history) = (search_run.format_current_point(), search_run.history());
    let mut validations = Vec::new();
    for (number, folder) in validation_folders(folder)? {
        // There are no results before the first block is complete.
        validations.push((number, Results::read(catalog, &folder).ok()));
    }
    Ok(UnfinishedTuning {
        snapshot,
        tuning_keys,
        history,
        current_point,
        progress,
        current_step: playing_step,
        refused_candidates,
        validations,
        journal_warnings: warnings,
        experiment,
    })
}
