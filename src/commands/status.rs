//! `gauntlet status`: progress of runs, shards, tunings and trainings, using only their files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::folder::{EXPERIMENT, FolderState, has_tables};
use gauntlet_analysis::results::store::manifest::Manifest;
use gauntlet_analysis::results::store::missing_results;
use gauntlet_analysis::results::store::snapshot::read_manifest;
use gauntlet_analysis::results::store::training::{is_training, training_in};
use gauntlet_analysis::results::store::tuning::{is_tuning, tunings_in};
use gauntlet_core::disk::system_disk;
use gauntlet_core::text::{display_path, format_games};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::failing_players;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::snapshot::Snapshot;
use gauntlet_train::section::TrainSection;

use super::run_status;
use super::shards_status;
use super::training_status;
use super::tuning_status;
use gauntlet_cli::output::{self, prose};
use gauntlet_cli::target::{Results, Target};

/// Show the progress of runs, shards, tunings and trainings
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet status results\n  gauntlet status quick")]
pub(super) struct Args {
    /// Results folders, parent folders of results, or experiments
    #[arg(value_name = "RESULTS", required = true)]
    of: Vec<PathBuf>,

    #[command(flatten)]
    results: Results,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let mut failure: Option<anyhow::Error> = None;
    for path in args.of.iter().flat_map(|path| missing_results::expand_path_with_tunings(path)) {
        let mut snapshots = Vec::new();
        let result = read_folder(catalog, &path, &args.results, &mut snapshots);
        print(snapshots)?;
        // An error in one folder does not prevent reports on the others. The last error ends the
        // command.
        if let Err(error) = result
            && let Some(earlier) = failure.replace(error)
        {
            output::print_error(&earlier);
        }
    }
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Prints snapshots.
pub(super) fn print(snapshots: impl IntoIterator<Item = Snapshot>) -> anyhow::Result<()> {
    let text: String = snapshots.into_iter().map(|snapshot| snapshot.text()).collect();
    Ok(prose().write_all(text.as_bytes())?)
}

/// Adds the snapshots of all work in one folder to a list. Fails if something in it is wrong.
fn read_folder(
    catalog: Catalog,
    path: &Path,
    results: &Results,
    snapshots: &mut Vec<Snapshot>,
) -> anyhow::Result<()> {
    if is_tuning(path) {
        snapshots.extend(tuning_status::snapshot(catalog, path, None)?);
        return Ok(());
    }
    if is_training(path) {
        snapshots.push(training_status::snapshot(path, None, None)?);
        return Ok(());
    }
    let (tunings, training) = (tunings_in(path), training_in(path));
    let is_run =
        !path.is_dir() || missing_results::has_results(path) || (tunings.is_empty() && training.is_none());
    let target = is_run.then(|| Target::find_without_files(catalog, path, results)).transpose()?;
    let folder = target.as_ref().map_or(path, |target| &target.folder);
    let table_error =
        target.as_ref().map(|target| read_run(catalog, path, target, results, snapshots)).transpose()?;
    for tuning in tunings_in(folder) {
        snapshots.extend(tuning_status::snapshot(catalog, &tuning, None)?);
    }
    if let Some(training) = training_in(folder) {
        let command = (!path.is_dir()).then(|| format!("gauntlet train {}", results.to_arguments(path)));
        let train = target
            .as_ref()
            .filter(|_| is_run)
            .and_then(|target| TrainSection::from_experiment(&target.experiment));
        snapshots.push(training_status::snapshot(
            &training,
            command.as_deref(),
            train.map(|train| train.length),
        )?);
    }
    table_error.flatten().map_or(Ok(()), Err)
}

/// Adds the snapshot of a run to a list. Returns why its tables cannot be read, if so.
fn read_run(
    catalog: Catalog,
    path: &Path,
    Target { experiment, folder }: &Target,
    results: &Results,
    snapshots: &mut Vec<Snapshot>,
) -> anyhow::Result<Option<anyhow::Error>> {
    let main_path = paths::journal_path(folder, None);
    let main = main_path.exists().then(|| Journal::peek(&main_path)).transpose()?;
    let shards = paths::find_shards(folder)?;
    let has_no_journal = main.is_none() && shards.is_empty();
    let unreadable = FolderState::read_without_journals(&system_disk(), experiment, folder).err();
    let state = read_state(experiment, folder, main.as_ref(), &shards);
    let version_hint = "to run this version, use --replace, or another folder with --name";
    let (table_state, resume_note) = match &state {
        Ok(FolderState::Empty) => ("no tables yet", "no games played here"),
        Ok(FolderState::Finished { .. } | FolderState::Kept) => {
            ("tables complete", "the run cannot be resumed; running it again replays all games")
        }
        Ok(FolderState::Damaged) => {
            ("damaged manifest", "running it again replays all games and replaces the tables")
        }
        Ok(FolderState::Stale { .. } | FolderState::Foreign) => {
            ("tables of another version of the experiment", version_hint)
        }
        Err(_) => ("unreadable tables", version_hint),
    };
    let tables = match (&state, &unreadable) {
        (Ok(state), Some(_)) if state.is_current() => "inconsistent tables",
        _ => table_state,
    };
    let title = format!("{}: {}, {tables}", display_path(folder), format_games(experiment.plan().games()));
    let mut run = Snapshot::new(title);
    if has_no_journal {
        // With a journal, the run is described below.
        let manifest = read_manifest(&*system_disk(), folder).ok().flatten();
        let skipped = manifest.as_ref().and_then(Manifest::run_keys).map(|run| &run.skipped);
        run.remarks.push(format!("no journal: {resume_note}"));
        let skipped = skipped.into_iter().flatten();
        run.remarks.extend(
            skipped.map(|(name, reason)| format!("  {}", failing_players::skip_message(name, reason))),
        );
    } else {
        if matches!(state, Ok(FolderState::Foreign) | Err(_)) {
            run.remarks.push(format!("the journal did not make these tables: {version_hint}"));
        }
        // Games in a journal are found by keys, which depend on the files that players are built
        // from.
        let experiment = Target::find(catalog, path, results)?.experiment;
        let again = resume_command(path, &experiment, folder, results);
        if let Some(journal) = &main {
            let plan = KeyedPlan::new(experiment.plan(), &[journal])?;
            let coverage = Coverage::from_journal(&plan, journal)?;
            run.parts.push(run_status::snapshot(&plan, &coverage, None, None, &again)?);
        }
        run.parts.extend(shards_status::snapshots(&experiment, folder, &shards, &again)?);
    }
    snapshots.push(run);
    Ok(unreadable.or(state.err()))
}

/// Determines the state of a folder as the next `gauntlet run` does.
fn read_state(
    experiment: &Experiment,
    folder: &Path,
    main: Option<&Journal>,
    shards: &[(Shard, PathBuf)],
) -> anyhow::Result<FolderState> {
    // Sessions of shards matter only for tables, and there may be a thousand shards.
    let shards = if has_tables(&*system_disk(), folder) { shards } else { &[] };
    let shards = shards.iter().map(|(_, path)| Journal::peek(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let sessions = main.into_iter().chain(&shards).flat_map(Journal::sessions);
    FolderState::read(&system_disk(), experiment, folder, sessions)
}

/// Returns the command that resumes a run.
fn resume_command(of: &Path, experiment: &Experiment, folder: &Path, results: &Results) -> String {
    if !of.is_dir() {
        return format!("gauntlet run {}", results.to_arguments(of));
    }
    // The copy of the experiment leads to the folder only if the folder has the experiment's name.
    match (folder.file_name(), folder.parent()) {
        (Some(name), Some(parent)) if name == experiment.name() => {
            let parent = if parent == Path::new("") { Path::new(".") } else { parent };
            let file = Results::new(parent).to_arguments(&folder.join(EXPERIMENT));
            format!("gauntlet run {file}")
        }
        _ => "the same `gauntlet run` command".to_owned(),
    }
}
