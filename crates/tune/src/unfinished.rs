//! Progress of a tuning that has not ended: runs its search again on the games of its journal.
//! Nothing is played or written.

use std::path::Path;

use anyhow::{Context, bail};
use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::results::store::absent;
use gauntlet_analysis::results::store::origin::with_files;
use gauntlet_analysis::results::store::partial::damage;
use gauntlet_analysis::results::store::read::Results;
use gauntlet_analysis::results::store::set::{EXPERIMENT, ResultsSnapshot, told};
use gauntlet_analysis::results::store::tuning::{is_asked, validations};
use gauntlet_core::disk::system;
use gauntlet_core::player::Stop;
use gauntlet_core::text::{games, shown};
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;
use gauntlet_run::progress::{RunState, pace_of};

use super::candidates::Candidates;
use super::task::MissingGamesReason;
use super::trials::Trials;
use super::walk::{Walk, in_hand};
use crate::results::unfinished::UnfinishedTuning;
use crate::section::TuneSection;

/// Reads the folder of a tuning that has begun and has not ended.
pub fn unfinished(catalog: Catalog, folder: &Path) -> anyhow::Result<UnfinishedTuning> {
    let set = ResultsSnapshot::read(catalog, &system(), folder)?;
    let manifest = set.manifest();
    let Some(own) = manifest.tuning().filter(|_| manifest.finished.is_empty() && !is_asked(manifest)) else {
        return Err(absent::results(catalog, folder));
    };
    let own = own.clone();
    let experiment = with_files(catalog, folder, set.bytes(EXPERIMENT)?).map_err(told)?;
    let tune = TuneSection::of(&experiment).cloned();
    let tune = tune.with_context(|| format!("{} belongs to an experiment without [tune]", shown(folder)))?;
    let tune = TuneSection { budget: own.budget, ..tune };
    let legs = experiment.arena().shape.legs() as u64;
    if let Some(flaw) = tune.too_small(legs) {
        bail!("invalid budget in the manifest of {}: {flaw}", shown(folder));
    }
    let journal = Journal::peek(&paths::path_in(folder, None))?;
    let mut doubts: Vec<String> = damage(journal.path(), journal.damaged()).into_iter().collect();
    let held = journal.games();
    let is_in_use = Journal::is_in_use(journal.path());
    let pace = pace_of(&journal).filter(|_| is_in_use);

    let candidates = Candidates { experiment: &experiment, tune: &tune };
    let mut walk = Walk::begin(candidates, Trials::read(candidates, journal));
    let walked = walk.go(&Stop::default(), &mut |_| ());
    let in_hand = match walked {
        Ok(()) => None,
        Err((step, MissingGamesReason::Stopped(_))) => {
            Some(in_hand(candidates, &step, legs, walk.trials.in_hand()))
        }
        Err((_, MissingGamesReason::Failed(error))) => return Err(error),
    };
    let refused = walk.search.refused();
    let of_step = in_hand.as_ref().map_or(0, |step| step.played);
    let progress = walk.progress(of_step, RunState::of(is_in_use, in_hand.is_none()), pace);
    let of_others = held.saturating_sub(progress.done);
    if of_others > 0 {
        doubts.push(format!(
            "its journal has {} of another budget, experiment version or program version",
            games(of_others)
        ));
    }
    let (now, course) = (walk.now(), walk.course());
    let mut validated = Vec::new();
    for (number, folder) in validations(folder)? {
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
