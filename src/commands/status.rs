//! `gauntlet status`: progress of runs, shards, tunings and trainings, using only their files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gauntlet_analysis::config::{Catalog, Experiment};
use gauntlet_analysis::results::store::absent;
use gauntlet_analysis::results::store::folder::{EXPERIMENT, TablesStatus};
use gauntlet_analysis::results::store::manifest::Manifest;
use gauntlet_analysis::results::store::set::manifest_of;
use gauntlet_analysis::results::store::training::{is_training, training_in};
use gauntlet_analysis::results::store::tuning::{is_tuning, tunings_in};
use gauntlet_core::disk::system;
use gauntlet_core::text::{games, shown};
use gauntlet_run::coverage::Coverage;
use gauntlet_run::failing;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed::KeyedPlan;
use gauntlet_run::paths;
use gauntlet_train::section::TrainSection;

use super::run_status;
use super::shards_status;
use super::training_status;
use super::tuning_status;
use gauntlet_cli::say::{self, prose};
use gauntlet_cli::target::{Results, Target};

/// Show the progress of runs, shards, tunings and trainings
#[derive(clap::Args)]
#[command(after_long_help = "Example:\n  gauntlet status results\n  gauntlet status configs/quick.toml")]
pub(super) struct Args {
    /// Results folders, parent folders of results, or experiments
    #[arg(value_name = "RESULTS", required = true)]
    of: Vec<PathBuf>,

    #[command(flatten)]
    results: Results,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    let mut screen = prose();
    let mut failure: Option<anyhow::Error> = None;
    for of in args.of.iter().flat_map(|of| absent::all_with_tunings_at(of)) {
        let of = &of;
        let mut out = Vec::new();
        let told = tell_folder(catalog, &mut out, of, &args.results);
        screen.write_all(&out)?;
        // An error in one folder does not prevent reports on the others. The last error ends the
        // command.
        if let Err(error) = told
            && let Some(earlier) = failure.replace(error)
        {
            say::tell(&earlier);
        }
    }
    failure.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Prints everything known about one folder. Fails if something in it is wrong.
fn tell_folder(catalog: Catalog, out: &mut impl Write, of: &Path, results: &Results) -> anyhow::Result<()> {
    if is_tuning(of) {
        return tuning_status::tell(catalog, out, of, None);
    }
    if is_training(of) {
        return training_status::tell(out, of, None, None);
    }
    let tell_others = |out: &mut _, folder: &Path, again: Option<&str>, length| {
        tunings_in(folder).iter().try_for_each(|tuning| tuning_status::tell(catalog, out, tuning, None))?;
        let training = training_in(folder);
        training.map_or(Ok(()), |training| training_status::tell(out, &training, again, length))
    };
    if of.is_dir() && !absent::holds_results(of) && (!tunings_in(of).is_empty() || training_in(of).is_some())
    {
        return tell_others(out, of, None, None);
    }
    let Target { experiment, folder } = Target::find_without_files(catalog, of, results)?;
    let main = paths::path_in(&folder, None);
    let shards = paths::shards_in(&folder)?;
    let has_no_journal = !main.exists() && shards.is_empty();
    // Games in a journal are found by keys, which depend on the files that players are built from.
    let experiment = if has_no_journal { experiment } else { Target::find(catalog, of, results)?.experiment };
    let plan = experiment.plan();
    let mut unfit = Ok(());
    let nothing_played = "no games played here";
    let plays_again = "the run cannot be resumed; running it again replays all games";
    let refuses = "to run this version, use --replace, or another folder with --name";
    let (tables, without_journal) = match TablesStatus::of(&system(), &experiment, &folder) {
        TablesStatus::None => ("no tables yet", nothing_played),
        TablesStatus::Current => ("tables complete", plays_again),
        TablesStatus::Other => ("tables of another version of the experiment", refuses),
        TablesStatus::Unfit(error) => {
            unfit = Err(error);
            ("inconsistent tables", refuses)
        }
    };
    writeln!(out, "{}: {}, {tables}", shown(&folder), games(plan.games()))?;
    if has_no_journal {
        writeln!(out, "  no journal: {without_journal}")?;
        // With a journal, the run is described below.
        let manifest = manifest_of(&*system(), &folder).ok().flatten();
        let run = manifest.as_ref().and_then(Manifest::run);
        for (name, why) in run.iter().flat_map(|run| &run.skipped) {
            writeln!(out, "    {}", failing::skip_message(name, why))?;
        }
    }
    let again = run_again(of, &experiment, &folder, results);
    if main.exists() {
        let journal = Journal::peek(&main)?;
        let plan = KeyedPlan::of(plan, &[&journal])?;
        let coverage = Coverage::of(&plan, &journal)?;
        run_status::tell(out, &plan, &coverage, None, None, &again)?;
    }
    shards_status::tell(out, &experiment, &folder, &shards, &again)?;
    let train = (!of.is_dir()).then(|| format!("gauntlet train {}", results.said_again(of)));
    let length = TrainSection::of(&experiment).map(|train| train.length);
    tell_others(out, &folder, train.as_deref(), length)?;
    unfit
}

/// Returns the command that resumes a run.
fn run_again(of: &Path, experiment: &Experiment, folder: &Path, results: &Results) -> String {
    if !of.is_dir() {
        return format!("gauntlet run {}", results.said_again(of));
    }
    // The copy of the experiment leads to the folder only if the folder has the experiment's name.
    match (folder.file_name(), folder.parent()) {
        (Some(name), Some(around)) if name == experiment.name() => {
            let around = if around == Path::new("") { Path::new(".") } else { around };
            let file = Results::of(around).said_again(&folder.join(EXPERIMENT));
            format!("gauntlet run {file}")
        }
        _ => "the same `gauntlet run` command".to_owned(),
    }
}
