//! Progress of a tuning that has not ended: runs its search again on the games of its journal.
//! Nothing is played or written.

use std::path::Path;

use anyhow::{Context, bail};
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::store::absent;
use gauntlet_analysis::results::store::origin::parse_copy;
use gauntlet_analysis::results::store::partial::describe_damage;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::set::{EXPERIMENT, ResultsSnapshot, explain_load_error};
use gauntlet_analysis::results::store::tuning::{is_external, validation_folders};
use gauntlet_core::disk::system_disk;
use gauntlet_core::player::Stop;
use gauntlet_core::text::{display_path, format_games};
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;
use gauntlet_run::progress::{RunState, journal_pace};

use super::candidates::Candidates;
use super::task::MissingGamesReason;
use super::trials::Trials;
use super::walk::{SearchRun, current_step};
use crate::results::unfinished::UnfinishedTuning;
use crate::section::TuneSection;

/// Reads the folder of a tuning that has begun and has not ended.
pub fn read_unfinished(catalog: Catalog, folder: &Path) -> anyhow::Result<UnfinishedTuning> {
    let set = ResultsSnapshot::read(catalog, &system_disk(), folder)?;
    let manifest = set.manifest();
    let Some(own) = manifest.tuning().filter(|_| manifest.finished.is_empty() && !is_external(manifest))
    else {
        return Err(absent::missing_results_error(catalog, folder));
    };
    let own = own.clone();
    let experiment = parse_copy(catalog, folder, set.bytes(EXPERIMENT)?).map_err(explain_load_error)?;
    let tune = TuneSection::from_experiment(&experiment).cloned();
    let tune =
        tune.with_context(|| format!("{} belongs to an experiment without [tune]", display_path(folder)))?;
    let tune = TuneSection { budget: own.budget, ..tune };
    let legs = experiment.arena().shape.legs() as u64;
    if let Some(flaw) = tune.too_small_message(legs) {
        bail!("invalid budget in the manifest of {}: {flaw}", display_path(folder));
    }
    let journal = Journal::peek(&paths::journal_path(folder, None))?;
    let mut doubts: Vec<String> =
        describe_damage(journal.path(), journal.damaged_lines()).into_iter().collect();
    let held = journal.games();
    let is_in_use = Journal::is_in_use(journal.path());
    let pace = journal_pace(&journal).filter(|_| is_in_use);

    let candidates = Candidates { experiment: &experiment, tune: &tune };
    let mut walk = SearchRun::begin(candidates, Trials::from_journal(candidates, journal));
    let walked = walk.run(&Stop::default(), &mut |_| ());
    let in_hand = match walked {
        Ok(()) => None,
        Err((step, MissingGamesReason::Stopped(_))) => {
            Some(current_step(candidates, &step, legs, walk.trials.games_in_step()))
        }
        Err((_, MissingGamesReason::Failed(error))) => return Err(error),
    };
    let refused = walk.search.refused_candidates();
    let of_step = in_hand.as_ref().map_or(0, |step| step.played);
    let progress = walk.progress(of_step, RunState::from_flags(is_in_use, in_hand.is_none()), pace);
    let of_others = held.saturating_sub(progress.done);
    if of_others > 0 {
        doubts.push(format!(
            "its journal has {} of another budget, experiment version or program version",
            format_games(of_others)
        ));
    }
    let (now, course) = (walk.format_current_point(), walk.history());
    let mut validated = Vec::new();
    for (number, folder) in validation_folders(folder)? {
        // There are no results before the first block is complete.
        validated.push((number, Results::read(catalog, &folder).ok()));
    }
    Ok(UnfinishedTuning {
        set,
        told: own,
        course,
        now,
        progress,
        in_hand,
        refused,
        validations: validated,
        doubts,
        experiment,
    })
}
