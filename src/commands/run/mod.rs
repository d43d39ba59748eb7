//! `gauntlet run`: loads experiments, checks them, plays their games and writes their tables.

mod notices;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use gauntlet_analysis::config::Catalog;
use gauntlet_analysis::config::time::DurationArg;
use gauntlet_analysis::results::store::claim_history;
use gauntlet_analysis::results::store::folder::{copy_experiment, copy_experiment_of_shard};
use gauntlet_analysis::results::store::manifest::experiment_digest;
use gauntlet_analysis::results::store::partial::{self, DamagedLines};
use gauntlet_analysis::results::store::read::{self, Results};
use gauntlet_analysis::results::store::snapshot::ResultsSnapshot;
use gauntlet_analysis::results::store::write::write_results;
use gauntlet_analysis::results::tables::printed_tables;
use gauntlet_core::disk::system_disk;
use gauntlet_core::game::Shape;
use gauntlet_core::text::{display_path, escape, format_count, format_games};
use gauntlet_run::RunEnd;
use gauntlet_run::coverage::Coverage;
use gauntlet_run::division;
use gauntlet_run::journal::Journal;
use gauntlet_run::keyed_plan::KeyedPlan;
use gauntlet_run::memory::thread_budget;
use gauntlet_run::paths;
use gauntlet_run::plan::Shard;
use gauntlet_run::progress::Progress;
use gauntlet_tune::section::TuneSection;

use super::check::rule_warnings;
use super::destination::Destination;
use super::earlier_games;
use super::export;
use super::final_output::FinalOutput;
use super::given_experiments::{self, GivenExperiment};
use super::play_options::PlayOptions;
use gauntlet_cli::exit::{FAILED, Usage};
use gauntlet_cli::output::{
    print_failures, print_how_to_resume, print_message, print_skipped, print_too_long, progress_mode,
};
use gauntlet_cli::session::CommandSession;
use gauntlet_cli::target::{Target, refuse_folder};

/// Play the games of an experiment and write result tables
///
/// Only games that are not in the journal are played. A stopped run therefore resumes where it
/// stopped. After a changed setting, only the affected games are played. With more games or
/// players, only the new games are played.
#[derive(clap::Args)]
#[command(after_long_help = "\
Files in results/NAME:
  experiment.toml, manifest.toml, games.csv, settings.csv, ms-per-move.csv, times.csv
  win-rate.csv and max-tile.csv, or for two-player games elo.csv and duels.csv
  published.csv, claims.csv, stop.csv and precision.csv, if the experiment has these sections
  times-by-processor.csv, if games were played on several processors
  the journal, from which an interrupted run resumes

A game depends only on its seed and the settings of its players. games.csv is therefore the same on any machine and for any \
number of threads. Exceptions are time limits and external players without `reproducible = true`.

A player whose program fails in ten games in a row is skipped. Tables cover the other players. Repair the program and repeat \
the command to play only its games.

With --games, --only, --set, --precision or --for, games from the results of the unchanged experiment are reused.

With --for, the run prints tables of the blocks that are complete for all players, and writes no tables. `gauntlet report` and \
`gauntlet compare` read the journal. Repeat the command to resume for the same time.

Example:
  gauntlet run quick")]
pub(super) struct Args {
    /// Experiments to play in this order; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    options: PlayOptions,
}

pub(super) fn run(catalog: Catalog, args: &Args) -> anyhow::Result<ExitCode> {
    play_files(catalog, &args.files, &args.options)
}

/// Plays the experiments in these files.
pub(super) fn play_files(
    catalog: Catalog,
    files: &[PathBuf],
    args: &PlayOptions,
) -> anyhow::Result<ExitCode> {
    for path in files {
        refuse_folder(catalog, path)?;
    }
    args.verification.disable_caches();
    // All mistakes in all files are reported before the first game.
    let (experiments, failure) =
        given_experiments::load_all(catalog, files, &args.results, &args.changes, args.quiet);
    failure.map_or(Ok(()), Err)?;
    check(args, &experiments)?;
    play(args, &experiments)
}

/// Plays checked experiments.
pub(super) fn play(args: &PlayOptions, experiments: &[GivenExperiment]) -> anyhow::Result<ExitCode> {
    args.verification.verify(experiments)?;
    let session = CommandSession::begin()?;
    #[cfg(feature = "live")]
    let page = args.live.begin(&session)?;
    let mut code = ExitCode::SUCCESS;
    for given_experiment in experiments {
        let run = ExperimentRun { args, given_experiment, session: &session };
        let play = || run.play();
        #[cfg(feature = "live")]
        let play = || page.show(|| run.live_subject(), play, |end| run.describe_end(end));
        match play()? {
            End::Complete => {}
            End::Failed => code = ExitCode::from(FAILED),
            End::Stopped => return Ok(session.stop_status(args.shard.is_some())),
        }
    }
    Ok(code)
}

/// Checks everything that can be checked before the first game of the first experiment.
pub(super) fn check(args: &PlayOptions, experiments: &[GivenExperiment]) -> anyhow::Result<()> {
    check_combination(args, experiments)?;
    for given_experiment in experiments {
        args.allow.permit(
            &given_experiment.target.experiment,
            given_experiment.file(),
            &given_experiment.target.folder,
        )?;
    }
    for given_experiment in experiments {
        let experiment = &given_experiment.target.experiment;
        if experiment.arena().shape == Shape::Duel && experiment.pairs().is_empty() {
            return Err(Usage(format!(
                "{}: {} needs two players, but there is only one; for moves of one player, use `gauntlet probe`",
                display_path(given_experiment.file()),
                experiment.arena().name
            ))
            .into());
        }
    }
    for given_experiment in experiments {
        thread_budget(&given_experiment.target.experiment.plan(), 1, args.means.memory())?;
    }
    if experiments.len() > 1 {
        for GivenExperiment { target: Target { experiment, folder }, .. } in experiments {
            Destination::find_before_run(experiment, folder, args.shard, &args.replace)?;
        }
    }
    Ok(())
}

/// Checks combinations of options that are valid individually.
fn check_combination(args: &PlayOptions, experiments: &[GivenExperiment]) -> Result<(), Usage> {
    for (i, given_experiment) in experiments.iter().enumerate() {
        // Some file systems ignore case.
        let name =
            |given_experiment: &GivenExperiment| given_experiment.target.experiment.name().to_lowercase();
        if let Some(earlier) = experiments[..i].iter().find(|earlier| name(earlier) == name(given_experiment))
        {
            return Err(Usage(format!(
                "{} and {} have the same name, `{}`: their results would overwrite each other",
                display_path(earlier.file()),
                display_path(given_experiment.file()),
                given_experiment.target.experiment.name()
            )));
        }
    }
    if args.shard.is_some() && !args.export.is_empty() {
        return Err(Usage(
            "--export is not available for a shard: `gauntlet merge` writes the tables".to_owned(),
        ));
    }
    export::check(&args.export, experiments)
}

/// Opens the journal of a run, or of a shard, which needs no lock.
fn open_journal(path: &Path, shard: Option<Shard>) -> anyhow::Result<Journal> {
    let Some(shard) = shard else { return Journal::open(path) };
    let (journal, lock_error) = Journal::open_shard(path)?;
    if let Some(reason) = lock_error {
        print_message(format_args!(
            "gauntlet: cannot lock {} ({}): make sure that no other task plays shard {shard}",
            display_path(path),
            escape::line(&reason)
        ));
    }
    Ok(journal)
}

/// How the run of an experiment ended.
enum End {
    /// Everything that was asked for is done.
    Complete,
    /// Games are missing, or differ from earlier games.
    Failed,
    /// A signal stopped the run.
    Stopped,
}

/// The run of one experiment.
struct ExperimentRun<'a> {
    args: &'a PlayOptions,
    given_experiment: &'a GivenExperiment<'a>,
    session: &'a CommandSession,
}

impl ExperimentRun<'_> {
    /// Plays the games that the journal lacks, and writes the tables.
    fn play(&self) -> anyhow::Result<End> {
        let ExperimentRun { args, given_experiment, session } = *self;
        let Target { experiment, folder } = &given_experiment.target;
        let (mut journal, destination) = self.open()?;
        let plan = KeyedPlan::new(experiment.plan(), &[&journal])?;
        if !args.quiet && args.shard.is_none() {
            notices::print_ignored_shards(folder)?;
        }
        let copy = if args.shard.is_some() { copy_experiment_of_shard } else { copy_experiment };
        copy(journal.disk(), experiment, &destination.prepare()?)?;
        if let (Some(original_folder), None) = (&given_experiment.original_folder, args.shard) {
            earlier_games::copy_games(original_folder, &plan, &mut journal, args.quiet)?;
        }
        let claims = experiment.describe_claims();
        let options = gauntlet_run::RunOptions {
            threads: args.means.threads(plan.threads_of_a_player()),
            memory: args.means.memory(),
            shard: args.shard,
            time_limit: args.changes.time.as_ref().map(DurationArg::get),
            progress: progress_mode(args.quiet),
            experiment_digest: &experiment_digest(experiment),
            claims: Some(&claims),
            ..gauntlet_run::RunOptions::default()
        };
        if !args.quiet {
            if TuneSection::from_experiment(experiment).is_some() {
                notices::print_untuned(&given_experiment.to_arguments(&args.results), &args.allow);
            }
            notices::print_limitations(experiment, &plan, options.threads);
            notices::print_changed_programs(&plan, &journal);
        }
        let (end, _) = session.run_stoppable(|stop| gauntlet_run::run(&plan, &mut journal, &options, stop));
        let end = end?;
        notices::print_problems(&end, &plan, &journal, args.quiet);
        if end.is_interrupted {
            self.end_early(&plan, &mut journal, &end)
        } else if let Some(shard) = args.shard {
            self.end_shard(&plan, &journal, &end, shard)
        } else {
            self.write_tables(&plan, &mut journal, &end, &destination)
        }
    }

    /// Opens the journal and finds the destination of the tables. No file is created before it is
    /// known that tables may be written.
    fn open(&self) -> anyhow::Result<(Journal, Destination)> {
        let ExperimentRun { args, given_experiment, .. } = self;
        let Target { experiment, folder } = &given_experiment.target;
        if let Some(shard) = args.shard {
            division::check(folder, shard).map_err(Usage)?;
        }
        let path = paths::journal_path(folder, args.shard);
        let existing = if path.exists() { Some(open_journal(&path, args.shard)?) } else { None };
        let destination = match args.shard {
            Some(_) => Destination::find_before_run(experiment, folder, args.shard, &args.replace)?,
            None => {
                let sessions = existing.iter().flat_map(Journal::sessions);
                Destination::find(experiment, folder, sessions, &args.replace)?
            }
        };
        destination.warn_of_fewer_games(&experiment.plan());
        let journal = existing.map_or_else(|| open_journal(&path, args.shard), Ok)?;
        Ok((journal, destination))
    }

    /// Ends a run that was stopped, or whose time is over.
    fn end_early(&self, plan: &KeyedPlan, journal: &mut Journal, end: &RunEnd) -> anyhow::Result<End> {
        let ExperimentRun { args, given_experiment, .. } = self;
        let folder = &given_experiment.target.folder;
        journal.sync()?;
        if end.is_out_of_time && journal.games() == 0 && !end.overlong_blocks.is_empty() {
            print_too_long(end, plan);
            print_failures(&end.panics, plan, folder);
            print_skipped(&end.skipped_players, plan, folder);
            return Ok(End::Failed);
        }
        let print_result = end.is_out_of_time.then(|| self.print_partial_tables(plan, journal));
        if end.is_out_of_time {
            print_too_long(end, plan);
        }
        let coverage = Coverage::from_journal(plan, journal)?;
        let progress = Progress::from_journal(plan, &coverage, args.shard, plan.blocks.len());
        print_how_to_resume(
            end,
            &progress,
            given_experiment.resume_command(&args.results, &args.allow),
            folder,
        );
        let Some(print_result) = print_result else { return Ok(End::Stopped) };
        print_failures(&end.panics, plan, folder);
        print_skipped(&end.skipped_players, plan, folder);
        // Other experiments still get their time.
        if let Err(error) = &print_result {
            print_message(format_args!("gauntlet: {error:#}"));
        }
        let is_whole = print_result.is_ok() && end.panics.is_empty() && end.skipped_players.is_empty();
        Ok(if is_whole { End::Complete } else { End::Failed })
    }

    /// Prints the tables of a run whose time is over, from blocks that are complete for all
    /// players. They are not written, because the run can be resumed; every command computes them
    /// from the journal.
    fn print_partial_tables(&self, plan: &KeyedPlan, journal: &mut Journal) -> anyhow::Result<()> {
        let ExperimentRun { args, given_experiment, .. } = self;
        let Target { experiment, folder } = &given_experiment.target;
        earlier_games::copy_answers(
            given_experiment.original_folder.as_deref().unwrap_or(folder),
            plan,
            journal,
        )?;
        let results = Results::from_snapshot(partial::make_partial_snapshot(
            folder,
            experiment,
            plan,
            journal,
            DamagedLines::default(),
        )?)?;
        let snapshot = &results.snapshot;
        if let Some(partial_run) = snapshot.partial() {
            let is_stopped = partial_run.is_whole && partial_run.total_blocks < plan.blocks.len();
            let claims = if partial_run.is_whole {
                claim_history::covered_claims(plan, experiment)
            } else {
                Vec::new()
            };
            journal.append_answer(plan, partial_run.blocks, is_stopped, claims)?;
            journal.sync()?;
        }
        if args.quiet {
            for warning in snapshot.warnings() {
                print_message(format_args!("warning: {warning}"));
            }
        } else {
            let names = printed_tables(experiment.catalog().games).into_iter();
            let names = names.filter(|name| read::has_table(snapshot, name));
            let mut tables =
                names.map(|name| read::table(snapshot, name)).collect::<anyhow::Result<Vec<_>>>()?;
            args.append_explanations(&mut tables);
            let warnings = [&rule_warnings(plan), snapshot.warnings()].concat();
            FinalOutput::new(&results, &tables, &warnings, String::new(), Vec::new())?
                .print(args.prints_tables())?;
        }
        args.export.iter().try_for_each(|export| export.write(snapshot, folder))
    }

    /// Ends a complete shard.
    fn end_shard(
        &self,
        plan: &KeyedPlan,
        journal: &Journal,
        block_count: &RunEnd,
        shard: Shard,
    ) -> anyhow::Result<End> {
        let ExperimentRun { args, given_experiment, .. } = self;
        journal.sync()?;
        if !args.quiet {
            let arguments = given_experiment.to_arguments(&args.results);
            let end_note = block_count.end.map_or_else(String::new, |end| {
                format!(": the run ended after {}", format_count(end, "block"))
            });
            print_message(format_args!(
                "shard {shard} is complete{end_note}; when all shards are: gauntlet merge {arguments}"
            ));
        }
        print_failures(&block_count.panics, plan, &given_experiment.target.folder);
        print_skipped(&block_count.skipped_players, plan, &given_experiment.target.folder);
        Ok(if block_count.panics.is_empty() && block_count.skipped_players.is_empty() {
            End::Complete
        } else {
            End::Failed
        })
    }

    /// Ends a complete run: writes its tables and prints them.
    fn write_tables(
        &self,
        plan: &KeyedPlan,
        journal: &mut Journal,
        end: &RunEnd,
        destination: &Destination,
    ) -> anyhow::Result<End> {
        let ExperimentRun { args, given_experiment, .. } = self;
        let Target { experiment, folder } = &given_experiment.target;
        let table_folder = destination.tables_folder();
        earlier_games::copy_answers(
            given_experiment.original_folder.as_deref().unwrap_or(folder),
            plan,
            journal,
        )?;
        let threads = args.means.threads(plan.threads_of_a_player());
        let report =
            write_results(experiment, plan, journal, &table_folder, &given_experiment.command(), threads)?;
        let played_note = match end.games_played {
            0 => "no games left to play".to_owned(),
            played => format!("{} played in {:.1} s", format_games(played), end.seconds),
        };
        let (description, is_different) = destination.describe_tables(&report, played_note)?;
        if !args.quiet {
            let results = Results::read(experiment.catalog(), &table_folder)?;
            let suggestions = given_experiment.suggest_more_games(&args.results, &args.allow);
            let warnings = [rule_warnings(plan), report.warnings.clone()].concat();
            let mut tables = report.tables.clone();
            args.append_explanations(&mut tables);
            FinalOutput::new(&results, &tables, &warnings, description, suggestions)?
                .print(args.prints_tables())?;
        }
        print_failures(&report.failures, plan, folder);
        print_skipped(&report.skipped, plan, folder);
        if !args.export.is_empty() {
            let snapshot = ResultsSnapshot::read(experiment.catalog(), &system_disk(), &table_folder)?;
            args.export.iter().try_for_each(|export| export.write(&snapshot, folder))?;
        }
        Ok(if report.has_all_games() && !is_different { End::Complete } else { End::Failed })
    }

    /// Returns what the live page shows.
    #[cfg(feature = "live")]
    fn live_subject(&self) -> live::Subject {
        let ExperimentRun { args, given_experiment, .. } = self;
        let Target { experiment, folder } = &given_experiment.target;
        let merge_command =
            args.shard.map(|_| format!("gauntlet merge {}", given_experiment.to_arguments(&args.results)));
        // A mistake is reported when the run begins.
        let destination = Destination::find_before_run(experiment, folder, args.shard, &args.replace);
        let table_folder =
            destination.map_or_else(|_| folder.clone(), |destination| destination.tables_folder());
        live::Subject::from_run(experiment.clone(), folder.clone(), table_folder, merge_command)
    }

    /// Describes how a run without tables ended, for the live page; `None` if it can be resumed.
    #[cfg(feature = "live")]
    fn describe_end(&self, end: &End) -> Option<(live::WorkState, String)> {
        match (end, self.args.shard) {
            (End::Failed, _) => Some((live::WorkState::Failed, "See the terminal.".to_owned())),
            (End::Complete, Some(shard)) => Some((
                live::WorkState::Finished,
                format!("Shard {shard} is complete. When all shards are complete, run `gauntlet merge`."),
            )),
            _ => None,
        }
    }
}
