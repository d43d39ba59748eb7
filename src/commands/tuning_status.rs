//! Progress of a tuning, for `status`: repeats its search from its journal.

use std::io::Write;
use std::path::Path;

use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::folder::{RESULTS, kept_experiment};
use gauntlet_analysis::results::store::manifest::{Manifest, TuningKeys};
use gauntlet_analysis::results::store::origin::with_files;
use gauntlet_analysis::results::store::tuning::{gone_on, is_asked, manifest, validation_folder};
use gauntlet_core::disk::system;
use gauntlet_core::text::{counted, escape, games, grouped, shown, time_span};
use gauntlet_run::journal::Journal;
use gauntlet_run::paths;
use gauntlet_run::progress::{Progress, RunState};
use gauntlet_tune::results::unfinished::UnfinishedTuning;
use gauntlet_tune::section::CandidateSpace;
use gauntlet_tune::unfinished::unfinished;
use gauntlet_tune::workers::{self, WorkerStatus, workers};

use gauntlet_cli::permission::tell_resume;
use gauntlet_cli::target::Results;

/// Prints the progress of the tuning in a folder. `resume` is the command that resumes it; by
/// default the command that the manifest records.
pub(super) fn tell(
    catalog: Catalog,
    out: &mut impl Write,
    folder: &Path,
    resume: Option<&str>,
) -> anyhow::Result<()> {
    let Some(manifest) = manifest(folder)? else { return Ok(()) };
    let Some(told) = manifest.tuning() else { return Ok(()) };
    let journal = paths::path_in(folder, None);
    let is_in_use = Journal::is_in_use(&journal);
    if !manifest.finished.is_empty() {
        return tell_finished(out, folder, &manifest, told, is_in_use);
    }
    if is_asked(&manifest) {
        let held = if journal.exists() { Journal::peek(&journal)?.games() } else { 0 };
        let state = if is_in_use { "running" } else { "unfinished" };
        writeln!(out, "{}: external tuning, {state}", shown(folder))?;
        writeln!(out, "  {} played so far; no result yet", games(held))?;
        return Ok(());
    }
    let tuning = unfinished(catalog, folder)?;
    let budget = games(told.budget);
    writeln!(out, "{}: tuning by {} with a budget of {budget}, unfinished", shown(folder), told.method)?;
    let state = if tuning.in_hand.is_none() { "ended" } else { tuning.progress.state.words() };
    writeln!(out, "  search: {}, {state}", tuning.progress.part())?;
    tell_search(out, &tuning)?;
    match workers(folder) {
        Ok(workers) => tell_workers(out, &workers)?,
        Err(why) => writeln!(out, "    unknown workers: {}", escape::line(&format!("{why:#}")))?,
    }
    for (number, _) in &tuning.validations {
        let validation = validated(catalog, &folder.join(validation_folder(*number)))?;
        let state = if validation.left() == 0 { RunState::Complete } else { RunState::Stopped };
        writeln!(out, "  validation {number}: {}, {}", validation.part(), state.words())?;
    }
    if !is_in_use {
        match resume {
            Some(resume) => writeln!(out, "    to resume: {resume}")?,
            None => tell_resume(out, &again(&manifest, folder), &tuning.experiment.plan())?,
        }
    }
    tuning.doubts.iter().try_for_each(|doubt| writeln!(out, "    {doubt}"))?;
    Ok(())
}

/// Prints what a search has done, and the best point so far.
fn tell_search(out: &mut impl Write, tuning: &UnfinishedTuning) -> anyhow::Result<()> {
    writeln!(out, "    {}", tuning.done().join(", "))?;
    let settings = &tuning.course.settings;
    if settings.iter().all(|setting| setting.tuned == setting.start) {
        writeln!(out, "    best so far: the start")?;
        return Ok(());
    }
    let best: Vec<String> = match &tuning.course.tune.field {
        CandidateSpace::Params { .. } => {
            let told = settings.iter().map(|it| format!("{} = {} (was {})", it.key, it.tuned, it.start));
            told.collect()
        }
        CandidateSpace::Players { .. } => settings.iter().map(|it| it.tuned.clone()).collect(),
    };
    writeln!(out, "    best so far: {}", escape::line(&best.join(", ")))?;
    Ok(())
}

/// If there are more workers than this, active ones are not listed by themselves. It is also the
/// most workers listed.
const NAMED: usize = 20;

/// Prints the state of workers other than the first, whose state is the state of the search.
fn tell_workers(out: &mut impl Write, workers: &[WorkerStatus]) -> anyhow::Result<()> {
    if workers.is_empty() {
        return Ok(());
    }
    let count = |state: fn(&workers::WorkerState) -> bool| {
        workers.iter().filter(|worker| state(&worker.state)).count() as u64
    };
    let states = [
        (count(|state| *state == workers::WorkerState::Plays), "playing now"),
        (count(|state| *state == workers::WorkerState::Ended), "ended, or on another machine"),
        (count(|state| *state == workers::WorkerState::NotBegun), "not started here"),
        (count(|state| matches!(state, workers::WorkerState::Unread(_))), "unreadable"),
    ];
    let states = states.iter().filter(|(count, _)| *count > 0);
    let states: Vec<String> = states.map(|(count, what)| format!("{} {what}", grouped(*count))).collect();
    writeln!(out, "    {} besides worker 1: {}", counted(workers.len() as u64, "worker"), states.join(", "))?;
    let is_few = workers.len() <= NAMED;
    let told: Vec<&WorkerStatus> =
        workers.iter().filter(|worker| is_few || worker.state != workers::WorkerState::Plays).collect();
    for WorkerStatus { worker, state, games: brought, silent } in told.iter().take(NAMED) {
        let share = format!("{} in its journal", games(*brought));
        let silent = time_span(*silent);
        match state {
            workers::WorkerState::NotBegun => writeln!(out, "      worker {worker}: not started here"),
            workers::WorkerState::Plays => {
                writeln!(out, "      worker {worker}: {share}, playing now, silent for {silent}")
            }
            workers::WorkerState::Ended => writeln!(
                out,
                "      worker {worker}: {share}, ended, or on another machine, silent for {silent}"
            ),
            workers::WorkerState::Unread(why) => {
                writeln!(out, "      worker {worker}: {}", escape::line(why))
            }
        }?;
    }
    let more = told.len().saturating_sub(NAMED) as u64;
    if more > 0 {
        writeln!(out, "      … and {} more workers that are not running", grouped(more))?;
    }
    Ok(())
}

/// Prints a finished tuning, which may have been continued.
fn tell_finished(
    out: &mut impl Write,
    folder: &Path,
    manifest: &Manifest,
    told: &TuningKeys,
    is_in_use: bool,
) -> anyhow::Result<()> {
    let (how, spent) = match is_asked(manifest) {
        true => ("by an external optimizer".to_owned(), String::new()),
        false => (format!("by {}", told.method), format!(" of a budget of {}", games(told.budget))),
    };
    writeln!(out, "{}: tuning {how}, ended: {}", shown(folder), told.verdict.word())?;
    writeln!(out, "  search: {}{spent}", games(manifest.games))?;
    if let Some(validation) = &told.validation {
        writeln!(out, "  verdict from {}", shown(&folder.join(validation)))?;
    }
    if let Some(journal) = gone_on(manifest, folder)? {
        let state = if is_in_use { "playing now" } else { "unfinished" };
        writeln!(
            out,
            "  the search has continued since the verdict, {state}: its journal has {}; the verdict is valid until the next validation",
            games(journal.games())
        )?;
    }
    Ok(())
}

/// Returns the progress of a validation.
fn validated(catalog: Catalog, folder: &Path) -> anyhow::Result<Progress> {
    let copy = kept_experiment(catalog, &system(), folder)?;
    let experiment: Experiment = with_files(catalog, folder, copy).map_err(gauntlet_cli::target::told)?;
    Progress::of_run(experiment.plan(), &paths::path_in(folder, None))
}

/// Returns the command that resumes a tuning, as typed where its results are in the default folder.
fn again(manifest: &Manifest, folder: &Path) -> String {
    let Some(command) = manifest.command.typed() else {
        return "the same `gauntlet tune` command".to_owned();
    };
    let around = folder.parent().and_then(Path::parent).unwrap_or(Path::new(RESULTS));
    Results::of(around).behind(&command)
}
